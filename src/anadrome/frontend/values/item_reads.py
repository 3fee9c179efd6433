"""What `node[index]` and `item in node` are, for every kind of container."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.library import JOINERS
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import array_item, joined_dtype
from anadrome.frontend.speculation.fixed_lists import part_of_tuple, refuse_tuple
from anadrome.frontend.values.compile_time import BoundMethod, Virtual
from anadrome.frontend.values.functions import is_function, unpack
from anadrome.frontend.values.iteration import Iteration, has_function, looked_at
from anadrome.frontend.values.iterators import iterator_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.list_indices import check_list_index, whole_index
from anadrome.frontend.values.sequences import as_list, known, make_list
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.joins import join_members
from anadrome.ir.types import (
    ANY,
    BOOL,
    INT,
    NEVER,
    STR,
    AnyType,
    Dict,
    List,
    NeverType,
    Num,
    Object,
    Other,
    Stack,
    Str,
    Tuple,
    Type,
    VarTuple,
    alias_of,
    deref,
    strip_optional,
)


def static_mapping(it: Interpreter, node: Node, syntax: ast.AST) -> dict[str, Node]:
    """The keyword arguments that a double star unpacks."""
    if isinstance(node, Virtual) and node.is_dict and it.is_virtual(node):
        return dict(it.fields_of(node))
    if isinstance(node, Constant) and isinstance(node.value, dict):
        return {k: it.constant(v) for k, v in node.value.items()}
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None:
        return {k: get_item(it, node, it.constant(k)) for k in t.fields}
    raise it.fail(
        UnsupportedSyntax,
        "which keywords the double star unpacks is not known",
        "unpack a dictionary with constant keys",
        it.frame.source.span(syntax),
    )


def no_key(it: Interpreter, key: Node, help: str) -> AnadromeError:
    """The error for a key that a dictionary surely has not."""
    text = f"the dictionary has no key {static_value(key)!r}"
    error = it.fail(TypeMismatch, text, help, python=KeyError)
    error.python_args = (key,)
    return error


def get_item(it: Interpreter, node: Node, index: Node) -> Node:
    """`node[index]`."""
    if iterator_of(node) is not None:
        raise it.fail(
            TypeMismatch,
            "an iterator has no items to be indexed",
            "make a list of it first: list(…)",
            python=TypeError,
        )
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        over = node.value
        if over.items is not None and is_known(index):
            return over.items[static_value(index)]
        if over.index_is_item and over.bounds is not None:
            return _item_of_range(it, over.bounds, index)
        if over.item is None:
            raise it.fail(
                TypeMismatch,
                "what has been given to run through has no items to be indexed",
                "make a list of it first: list(…)",
                python=TypeError,
            )
        return over.at(it, index)
    if isinstance(node, Constant) and type(node.value) in JOINERS:
        from anadrome.frontend.calls import calls

        dtype = it.constant(joined_dtype(index))
        return calls.call_value(it, JOINERS[type(node.value)], [index, dtype], {})
    dictionary = it.is_virtual(node) and isinstance(deref(node.type), Dict)
    if dictionary:
        check_key(it, index)
    check_index(it, node, index)
    items = None if dictionary else known(it, node)
    if items is not None and is_known(index):
        which = static_value(index)
        if isinstance(which, slice):
            it.by_python(operator.getitem, (), which)
        try:
            if isinstance(which, slice):
                if isinstance(node, Constant) and isinstance(node.value, str):
                    return it.constant(node.value[which])
                part = items[which]
                if isinstance(deref(node.type), Tuple):
                    return make_tuple(it, part)
                return make_list(it, part)
            if isinstance(which, int | np.integer):
                return items[which]
            it.by_python(operator.getitem, (), which)
        except IndexError:
            raise it.fail(
                TypeMismatch,
                f"there is no item {which}, there are {len(items)}",
                "check the length before you index",
                python=IndexError,
            ) from None
    if it.is_virtual(node) and isinstance(deref(node.type), Dict):
        assert isinstance(node, Virtual)
        if is_known(index):
            found = it.env.get((node, static_value(index)))
            if found is not None:
                return found
            raise no_key(
                it, index, "test with 'in' first, or read with get(key, default)"
            )
        fields = it.fields_of(node)
        if any(has_function(v.type) for v in fields.values()):
            return _choose_by_key(it, fields, index)
    if isinstance(node, Constant) and isinstance(node.value, dict) and node.value:
        constants: dict[Any, Node] = {k: it.constant(v) for k, v in node.value.items()}
        if not is_known(index) and any(
            has_function(c.type) for c in constants.values()
        ):
            return _choose_by_key(it, constants, index)
    if isinstance(node, Constant) and is_known(index):
        found = it.by_python(operator.getitem, node.value, static_value(index))
        return it.constant(found)
    t = strip_optional(node.type)
    if isinstance(t, Num):
        return array_item(it, node, index, t)
    if isinstance(t, Tuple | VarTuple | List | Stack):
        return _sequence_item(it, node, index, t)
    if isinstance(t, Dict):
        check_key(it, index)
        # Its values have no common type before it exists.
        node = it.concrete(node)
        t = strip_optional(node.type)
        return unpack(it, it.emit(ops.GETITEM, (node, index), dict_item_type(t, index)))
    if isinstance(t, Object):
        from anadrome.frontend.calls import calls

        return calls.call_method(it, node, "__getitem__", [index], {})
    if isinstance(t, Str):
        return it.emit(ops.GETITEM, (node, index), STR)
    if isinstance(t, NeverType):
        return it.emit(ops.GETITEM, (node, index), NEVER)
    if hasattr(t, "get_item"):
        return t.get_item(it, node, index)
    if isinstance(t, AnyType | Other):
        return it.emit(ops.GETITEM, (node, index), ANY)
    raise it.fail(
        TypeMismatch,
        f"{t!r} cannot be indexed",
        "index a list, a tuple, a dictionary or an array",
        python=TypeError,
        given=node,
    )


def _sequence_item(it: Interpreter, node: Node, index: Node, t: Type) -> Node:
    s = deref(index.type)
    if isinstance(s, Other) and s.cls is slice:
        if it.prepare is not None and isinstance(t, Tuple) and is_known(index):
            return part_of_tuple(it, node, t, static_value(index))
        refuse_tuple(it, t)
        item: Type = NEVER
        for p in t.items if isinstance(t, Tuple) else (t.item,):  # type: ignore[attr-defined]
            item = join_members(item, p)
        made = VarTuple(item) if isinstance(t, Tuple | VarTuple) else List(item)
        return it.emit(ops.GETITEM, (node, index), made)
    if not isinstance(t, Stack):
        index = whole_index(it, index)
        check_list_index(it, index)
    if isinstance(t, Tuple):
        if is_known(index):
            return take(it, node, range(len(t.items))[static_value(index)])
        item = NEVER
        for p in t.items:
            item = join_members(item, p)
        if any(has_function(p) for p in t.items):
            return _choose_function(it, node, index, t)
        if _has_several_kinds(t):
            return _choose_item(it, node, index, len(t.items))
        if isinstance(item, Num) and item.varied and item.dtype is not None:
            # In a list each number is what it is.
            node = make_list(it, [take(it, node, k) for k in range(len(t.items))])
        return it.emit(ops.GETITEM, (node, index), item)
    return unpack(it, it.emit(ops.GETITEM, (node, index), t.item))  # type: ignore[attr-defined]


def _choose_function(it: Interpreter, node: Node, index: Node, t: Tuple) -> Node:
    from anadrome.frontend.values.compile_time import FunctionChoice

    options = [take(it, node, k) for k in range(len(t.items))]
    if any(not is_function(o) and has_function(o.type) for o in options):
        return _choose_item(it, node, index, len(options))
    # Python raises if there is no such item, and negative positions count backwards.
    positions = it.constant(tuple(range(len(options))))
    position = it.emit(ops.GETITEM, (positions, index), INT)
    return it.constant(FunctionChoice(position, list(range(len(options))), options))


def _has_several_kinds(t: Tuple) -> bool:
    """Whether a tuple holds what is changed in place beside something else."""
    items = [deref(p) for p in t.items]
    kinds = {(type(p), isinstance(p, Num) and p.scalar) for p in items}
    return len(kinds) > 1 and any(alias_of(p) is not None for p in items)


def _choose_item(it: Interpreter, node: Node, index: Node, size: int) -> Node:
    """An item as one of several values: each keeps a derivative of its own kind."""
    from anadrome.frontend.syntax.expressions import choose, numeric

    # Python raises if there is no such item, and negative positions count backwards.
    positions = it.constant(tuple(range(size)))
    position = it.emit(ops.GETITEM, (positions, index), INT)

    def of(first: int) -> Node:
        if first == size - 1:
            return take(it, node, first)
        test = numeric(it, operator.eq, position, it.constant(first))
        return choose(it, test, lambda: take(it, node, first), lambda: of(first + 1))

    return of(0)


def _item_of_range(
    it: Interpreter, bounds: tuple[Node, Node, Node], index: Node
) -> Node:
    """`range(…)[index]`: Python counts, and finds what lies outside."""
    if all(map(is_known, (*bounds, index))):
        which = static_value(index)
        try:
            return it.constant(range(*map(static_value, bounds))[which])
        except (IndexError, TypeError) as error:
            raise it.fail(
                TypeMismatch,
                f"there is no item {which} in this range",
                "check the length before you index",
                python=type(error),
            ) from None
    t: Type = Other(range) if _is_slice(index) else INT
    return it.emit(ops.GETITEM, (range_object(it, bounds), index), t)


def range_object(it: Interpreter, bounds: tuple[Node, Node, Node]) -> Node:
    """A range as the object that it is in Python."""
    given = it.constant(range), *bounds
    return it.emit(ops.PYCALL, given, Other(range), target=True)


def _is_slice(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Other) and t.cls is slice


def _choose_by_key(it: Interpreter, fields: dict[Any, Node], index: Node) -> Node:
    """`functions[key]` of a dictionary of functions, for a key known at run time."""
    from anadrome.frontend.values.compile_time import FunctionChoice

    table = it.constant({key: k for k, key in enumerate(fields)})
    position = it.emit(ops.GETITEM, (table, index), INT)
    options = list(fields.values())
    return it.constant(FunctionChoice(position, list(range(len(options))), options))


def check_key(it: Interpreter, index: Node) -> None:
    """Refuse a key that no dict can have, as Python does."""
    if not is_known(index):
        return
    try:
        hash(static_value(index))
    except TypeError as error:
        raise it.fail(
            TypeMismatch,
            f"TypeError: {error}",
            "use a key that can be hashed: a number, a string or a tuple of them",
            python=TypeError,
        ) from None


def check_index(it: Interpreter, node: Node, index: Node) -> None:
    """Refuse an index that is a float on one path: on another it may be an integer."""
    from anadrome.frontend.syntax.assignment import has_certain_kind

    t, s = strip_optional(node.type), deref(index.type)
    if it.prepare is None or not isinstance(t, List | Tuple | VarTuple):
        return
    if isinstance(s, Num) and s.inexact and s.ndim == 0 and not has_certain_kind(index):
        raise it.fail(
            UnsupportedSyntax,
            "an index is a float on one path, and may be an integer on another",
            "give it to int(…)",
        )


def dict_item_type(t: Any, index: Node) -> Type:
    """The type of the value under a key."""
    if t.fields is not None:
        if is_known(index):
            return t.fields.get(static_value(index), NEVER)
        item: Type = NEVER
        for v in t.fields.values():
            item = join_members(item, v)
        return item
    return t.item


def refuse_method(it: Interpreter, item: Node) -> None:
    """Refuse to look for a method: two are equal if they are of one object."""
    if isinstance(item, Constant) and isinstance(item.value, BoundMethod):
        raise it.fail(
            UnsupportedSyntax,
            "a method of an object is looked for in a container",
            "look for the object, or for a name of the method",
        )


def contains(it: Interpreter, node: Node, item: Node) -> Node:
    """`item in node`."""
    node = looked_at(node)
    if iterator_of(node) is not None:
        from anadrome.frontend.calls import calls, library

        return calls.call_value(it, library.contains_item, [node, item], {})
    over = node.value if isinstance(node, Constant) else None
    if isinstance(over, Iteration):
        from anadrome.frontend.calls import calls, library

        t = deref(item.type)
        ordered = isinstance(t, Num) and t.dtype is not None and t.dtype.kind != "c"
        if over.index_is_item and over.bounds is not None and ordered:
            return calls.call_value(it, library.in_range, [item, *over.bounds], {})
        node = as_list(it, node)
    if isinstance(strip_optional(node.type), Dict):
        check_key(it, item)
    if it.is_virtual(node) and is_known(item) and isinstance(deref(node.type), Dict):
        return it.constant((node, static_value(item)) in it.env)
    if is_known(node) and is_known(item):
        given = static_value(node), static_value(item)
        return it.constant(it.by_python(operator.contains, *given))
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None and is_known(item) and not t.stored:
        return it.constant(static_value(item) in t.fields)
    if isinstance(t, Object) and hasattr(t.cls, "__contains__"):
        from anadrome.frontend.calls import calls

        found = calls.call_method(it, node, "__contains__", [item], {})
        return calls.call(it, it.constant(bool), [found], {})
    refuse_method(it, item)
    if isinstance(t, Num) and t.ndim == 0:
        raise it.fail(
            TypeMismatch,
            "a number holds nothing",
            "look for it in a list or an array",
            python=TypeError,
            given=node,
        )
    return it.emit(ops.CONTAINS, (item, node), BOOL)
