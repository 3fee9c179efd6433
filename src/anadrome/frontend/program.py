"""Reading a whole function: what `grad` and `jit` start from."""

from __future__ import annotations

import enum
import types as pytypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from anadrome.errors import AnadromeError, UnsupportedSyntax, compiler_error
from anadrome.frontend.calls import operator_functions  # noqa: F401  (registers)
from anadrome.frontend.calls.calls import call
from anadrome.frontend.captures import Capture, Guard
from anadrome.frontend.interpreter import Interpreter, Preparation
from anadrome.frontend.numpy import stores, unchanged  # noqa: F401  (register handlers)
from anadrome.frontend.numpy.augmented_assignment import SharedUpdate, check_updates
from anadrome.frontend.numpy.readonly_views import check_stores
from anadrome.frontend.speculation.fixed_lists import (
    items_of_list,
    refuse_lists_given_away,
    with_lists,
)
from anadrome.frontend.values import dataclasses  # noqa: F401  (register handlers)
from anadrome.frontend.values.class_members import itself, member_reader
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    LazyIterator,
    Partial,
    rule_frame,
)
from anadrome.frontend.values.given_back import with_originals
from anadrome.frontend.values.iteration import Iteration
from anadrome.infer.values import facts_of, is_fixed_list, type_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter, walk
from anadrome.ir.types import (
    ANY,
    FLOAT,
    Packed,
    Tuple,
    Type,
    deref,
    holds_stored,
    note_given,
    parts,
    strip_optional,
)
from anadrome.primitives.captured import is_static
from anadrome.primitives.numpy import rules  # noqa: F401  (registers rules)


@dataclass(eq=False)
class Program:
    """A function as a graph.

    Its parameters are the function's arguments that vary, in `arguments`, and the
    captured values, in `captures`; `guards` are the facts it was read under, and
    `functions` and `members` the functions and classes that were looked into for it.
    """

    graph: Graph
    arguments: list[tuple[str | int, Parameter]]
    captures: list[Capture] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    functions: list[pytypes.FunctionType] = field(default_factory=list)
    members: list[type] = field(default_factory=list)

    def holds(self) -> bool:
        """Whether everything it was read under is still so."""
        return all(g.holds() for g in self.guards)


@dataclass(frozen=True)
class Known:
    """An argument that is compiled in."""

    value: Any


def read(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    prepare: Preparation | None = None,
) -> Program:
    """The graph of a function for arguments of the given types.

    Arguments are values; where they are `Type`s, only their types; and where they are
    `Known`, values that the program is made for. `prepare` is what is done to a
    function in it before it is differentiated.
    """
    try:
        return _read(function, args, keywords, prepare, in_place=False)
    except SharedUpdate:
        return _read(function, args, keywords, prepare, in_place=True)


def _read(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    prepare: Preparation | None,
    in_place: bool,
) -> Program:
    name = getattr(function, "__name__", type(function).__name__)
    it = Interpreter("f" if name == "<lambda>" else name)
    it.prepare, it.in_place = prepare, in_place
    try:
        return _read_call(it, function, args, keywords)
    except AnadromeError as error:
        error.program = _program(it, function, [])
        raise


def _read_call(
    it: Interpreter,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Program:
    prepare = it.prepare
    names = _parameter_names(function, len(args))
    arguments: list[tuple[str | int, Parameter]] = []

    def give(key: str | int, label: str, value: Any) -> Node:
        if isinstance(value, Known):
            return it.constant(value.value)
        if not isinstance(value, Type) and is_static(value) and not _is_number(value):
            return it.constant(value)
        t = value if isinstance(value, Type) else type_of(value)
        it.note_classes(t)
        p = it.root.add_parameter(t, label)
        if not isinstance(value, Type):
            p.facts = facts_of(value)
        arguments.append((key, p))
        if prepare is not None and prepare.fixes_lists and is_fixed_list(value):
            return items_of_list(it, p, value)
        return p

    nodes = [give(k, names[k], v) for k, v in enumerate(args)]
    named = {k: give(k, k, v) for k, v in keywords.items()}
    if not isinstance(function, pytypes.FunctionType | pytypes.MethodType):
        # What is read of a builtin belongs to no function of the user's.
        it.frames.append(rule_frame())
    try:
        result = it.concrete(call(it, _callee(it, function), nodes, named))
    except (AnadromeError, MemoryError, RecursionError):
        raise
    except Exception as error:
        raise compiler_error(error, getattr(error, "span", None)) from error
    if prepare is not None and prepare.fixes_lists:
        result = with_lists(it, result, [n.type for n in (*nodes, *named.values())])
    refuse_lists_given_away(it)
    result = with_originals(it, result)
    it.root.results = [result]
    _refuse_values_of_the_reader(it, result)
    _refuse_changed_caches(it)
    for check in it.checks:
        check()
    _refuse_functions_given_away(it, result)
    if it.packed is not None:
        _refuse_functions_lost(it)
    for capture in it.captures.values():
        it.root.params.append(capture.parameter)
    note_given(result.type, [p.type for p in it.root.params])
    for graph in (it.root, *it.graphs):
        check_updates(graph, it.rebound)
        check_stores(graph)
    return _program(it, function, arguments)


def _program(
    it: Interpreter, function: Any, arguments: list[tuple[str | int, Parameter]]
) -> Program:
    """As much of a program as was read."""
    captures = list(it.captures.values())
    guards = [*it.guards, *_guards_of_classes(it), *_guards_of_code(it, function)]
    members = list(it.members)
    return Program(it.root, arguments, captures, guards, it.functions, members)


def _refuse_values_of_the_reader(it: Interpreter, result: Node) -> None:
    """Refuse to return what exists only while a function is being read."""
    if isinstance(result, Apply) and result.op in (ops.TUPLE, ops.LIST):
        for item in result.args:
            _refuse_values_of_the_reader(it, item)
    value = result.value if isinstance(result, Constant) else None
    if isinstance(value, Iteration | LazyIterator):
        raise it.fail(
            UnsupportedSyntax,
            "an iterator, a view or a range is returned",
            "return a list: list(…)",
        )
    if isinstance(value, Closure | BoundMethod | ArrayMethod | Partial):
        raise it.fail(
            UnsupportedSyntax,
            "a function that is made here is returned",
            "return the values that it is made from",
        )


def _refuse_changed_caches(it: Interpreter) -> None:
    """Refuse to compute what Python keeps anew if it, or its object, is changed."""
    for t, span, name in it.computed:
        if holds_stored(t):
            raise it.fail(
                UnsupportedSyntax,
                f"{name} is computed once and kept, and it or its object is changed",
                "leave out the cache, or change a copy of what it gives",
                span,
            )


def _built_of(node: Node) -> list[Node]:
    """What a list, a tuple or a dictionary is built of."""
    if not isinstance(node, Apply) or node.op not in (ops.TUPLE, ops.LIST, ops.DICT):
        return []
    return [part for a in node.args for part in (a, *_built_of(a))]


def _refuse_functions_given_away(it: Interpreter, result: Node) -> None:
    """Refuse to store a function where the caller finds it, or to return it so.

    Functions in objects and containers are numbers, which only the program knows.
    """
    params = [*it.root.params, *(c.parameter for c in it.captures.values())]
    kept = [t for p in params for t in parts(p.type)]
    given = [*parts(result.type), *(n.type for n in _built_of(result))]
    if any(map(_holds_function, [*kept, *given])):
        raise it.fail(
            UnsupportedSyntax,
            "a function is stored in something that the caller has or gets",
            "call it here, or store what it is made from",
            it.packed,
        )


def _refuse_functions_lost(it: Interpreter) -> None:
    """Refuse to keep functions where it is not known that there are functions.

    What is read there would be the numbers that stand for one.
    """
    for graph in (it.root, *it.graphs):
        for node in walk(graph):
            if any(_is_lost(t, place) for t, place in _places_of(node)):
                raise it.fail(
                    UnsupportedSyntax,
                    "functions that capture different things are kept in one place, "
                    "or beside something else",
                    "keep them in places of their own, or call them here",
                    node.span or it.packed,
                )


def _is_lost(t: Type, place: Type) -> bool:
    """Whether functions in a value are not known where it is kept."""
    t, place = strip_optional(t), strip_optional(place)
    if isinstance(t, Packed):
        return not isinstance(place, Packed)
    if not isinstance(t, Tuple):
        return False
    if isinstance(place, Tuple) and len(place.items) == len(t.items):
        return any(map(_is_lost, t.items, place.items))
    return any(_is_lost(item, ANY) for item in t.items)


def _places_of(node: Apply) -> list[tuple[Type, Type]]:
    """What a statement keeps in objects and containers: each with its place's type."""
    if node.op is ops.RECORD:
        fields = deref(node.type).fields or {}  # type: ignore[attr-defined]
        names = node.args[1].value  # type: ignore[attr-defined]
        return [(a.type, fields.get(n, ANY)) for n, a in zip(names, node.args[2:])]
    if node.op is ops.SETATTR:
        owner = deref(node.args[0].type)
        fields = getattr(owner, "fields", None) or {}
        name = getattr(node.args[1], "value", None)
        return [(node.args[2].type, fields.get(name, ANY))]
    if node.op is ops.LIST:
        item = getattr(deref(node.type), "item", ANY)
        return [(a.type, item) for a in node.args]
    if node.op is ops.APPEND:
        return [(node.args[1].type, getattr(deref(node.args[0].type), "item", ANY))]
    if node.op is ops.DICT:
        fields = getattr(deref(node.type), "fields", None)
        item = getattr(deref(node.type), "item", ANY)
        pairs = zip(node.args[::2], node.args[1::2])
        if fields is None:
            return [(v.type, item) for _, v in pairs]
        return [(v.type, fields.get(getattr(k, "value", None), ANY)) for k, v in pairs]
    if node.op is ops.SETITEM:
        owner = deref(node.args[0].type)
        fields = getattr(owner, "fields", None)
        key = getattr(node.args[1], "value", None)
        place = getattr(owner, "item", ANY) if fields is None else fields.get(key, ANY)
        return [(node.args[2].type, place)]
    return []


def _holds_function(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    t = deref(t)
    if isinstance(t, Packed):
        return True
    return id(t) not in seen and any(
        _holds_function(p, seen | {id(t)}) for p in parts(t)
    )


def _guards_of_classes(it: Interpreter) -> list[Guard]:
    """That the classes that were met define what they did."""
    readers = [(cls, member_reader(cls)) for cls in it.members]
    return [Guard(read, read(), (id(cls), "members")) for cls, read in readers]


def _guards_of_code(it: Interpreter, function: Any) -> list[Guard]:
    """That functions have the code that was read, where no guard says so yet."""
    known = {id(g.expected) for g in it.guards} | {id(function)}
    known.add(id(getattr(function, "__func__", None)))
    found = {id(f): f for f in it.functions if id(f) not in known}
    return [Guard(partial(itself, f), f, (id(f), "code")) for f in found.values()]


def _callee(it: Interpreter, function: Any) -> Constant:
    return it.constant(function)


def _is_number(value: Any) -> bool:
    compiled_in = isinstance(value, bool | enum.Enum)
    return isinstance(value, int | float | complex) and not compiled_in


def _parameter_names(function: Any, count: int) -> list[str]:
    while hasattr(type(function), "__anadrome_inline__"):
        function = function.function
    target = getattr(function, "__func__", function)
    names: list[str] = []
    if isinstance(target, pytypes.FunctionType):
        code = target.__code__
        names = list(code.co_varnames[: code.co_argcount])
        if isinstance(function, pytypes.MethodType):
            names = names[1:]
    return [*names, *(f"arg{k}" for k in range(len(names), count))]


__all__ = ["FLOAT", "Known", "Program", "read"]
