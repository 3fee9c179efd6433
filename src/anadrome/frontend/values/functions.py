"""Functions as values: what of them is known now and what only when the program runs.

A function value has a code, which is known, and leaves: the values that it captured,
its defaults, the object that a method is bound to. Where two of one code meet, their
leaves are joined. Where different codes meet, a number says at run time which it is,
and a call becomes a branch on that number. `FunctionSet` is the type of such a value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.liveness import assigned, reads
from anadrome.frontend.syntax.source import FunctionNode
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    FunctionChoice,
    Partial,
    Scope,
    Super,
    Virtual,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Constant, Node
from anadrome.ir.joins import join
from anadrome.ir.types import (
    INT,
    Function,
    NeverType,
    NoneType_,
    Packed,
    Tuple,
    Type,
    deref,
    same,
    strip_optional,
)

Build = Callable[[Interpreter, list[Node]], Node]


@dataclass(frozen=True)
class Code:
    """What is known of a function value; `build` makes one from its leaves."""

    key: Any
    size: int
    build: Build = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class FunctionSet(Type):
    """One of several codes, each with the types of its leaves."""

    codes: tuple[Code, ...]
    leaves: tuple[tuple[Type, ...], ...]

    def __repr__(self) -> str:
        return "function"


Option = tuple[Code, list[Node]]


def is_function(node: Node) -> bool:
    """Whether a value is a function or a choice of functions that is known now."""
    return isinstance(node, Constant) and isinstance(deref(node.type), Function)


def number_of(it: Interpreter, code: Code) -> int:
    """The number that stands for a code at run time."""
    return it.code_numbers.setdefault(code.key, len(it.code_numbers))


# Taking apart -------------------------------------------------------------------------


def take_apart(it: Interpreter, node: Node) -> tuple[Node | None, list[Option]]:
    """The codes that a function value may be of, and the number that tells which."""
    assert isinstance(node, Constant)
    value = node.value
    if isinstance(value, FunctionChoice):
        options: list[Option] = []
        for k, option in enumerate(value.options):
            code, leaves = _one(it, option)
            if any(code == c for c, _ in options):
                code = Code(("another", k, code.key), code.size, code.build)
            options.append((code, leaves))
        table = {key: number_of(it, c) for key, (c, _) in zip(value.keys, options)}
        if all(key == number for key, number in table.items()):
            return value.selector, options
        tag = it.emit(ops.GETITEM, (it.constant(table), value.selector), INT)
        return tag, options
    return None, [_one(it, node)]


def _one(it: Interpreter, node: Node, seen: tuple[Closure, ...] = ()) -> Option:
    assert isinstance(node, Constant)
    value = node.value
    if isinstance(value, Closure):
        return _closure(it, value, seen)
    if isinstance(value, BoundMethod):
        return _method(it, value, seen)
    if isinstance(value, Partial):
        return _partial(it, value, seen)
    if isinstance(value, ArrayMethod):
        name = value.name
        return (
            Code(
                ("array method", name),
                1,
                lambda it, given: it.constant(ArrayMethod(given[0], name)),
            ),
            [value.instance],
        )
    if isinstance(value, FunctionChoice | Super):
        raise it.fail(
            UnsupportedSyntax,
            "a function chosen at run time is part of another one",
            "call the functions where they are chosen",
        )
    return Code(("value", Same(value)), 0, lambda it, given: node), []


class Same:
    """A value compared by identity."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def _parts(
    it: Interpreter, nodes: list[Node], seen: tuple[Closure, ...] = ()
) -> tuple[list[Any], list[Node], Callable[[Interpreter, list[Node]], list[Node]]]:
    """The keys and leaves of several captured values, and how to build them again."""
    keys: list[Any] = []
    leaves: list[Node] = []
    builders: list[tuple[int, Build]] = []
    for n in nodes:
        if is_function(n):
            code, inner = _one(it, n, seen)
            keys.append(code.key)
            leaves += inner
            builders.append((code.size, code.build))
        else:
            keys.append(None)
            leaves.append(n)
            builders.append((1, lambda it, given: given[0]))

    def build(it: Interpreter, given: list[Node]) -> list[Node]:
        made, start = [], 0
        for size, one in builders:
            made.append(one(it, given[start : start + size]))
            start += size
        return made

    return keys, leaves, build


def _method(it: Interpreter, value: BoundMethod, seen: tuple[Closure, ...]) -> Option:
    function, owner = value.function, value.owner
    instance = value.instance
    if isinstance(function, Closure):
        inner, captured = _closure(it, function, seen)
    else:
        inner, captured = (
            Code(
                Same(function),
                0,
                lambda it, given: Constant(function, Function(function)),
            ),
            [],
        )
    if isinstance(instance, Constant):
        key: Any = ("class method", inner.key, Same(instance.value))
        given_instance: list[Node] = []
    else:
        key, given_instance = ("method", inner.key, owner), [instance]

    def build(it: Interpreter, given: list[Node]) -> Node:
        made = inner.build(it, given[len(given_instance) :])
        assert isinstance(made, Constant)
        self = given[0] if given_instance else instance
        return it.constant(BoundMethod(made.value, self, owner))

    leaves = [*given_instance, *captured]
    return Code(key, len(leaves), build), leaves


def _partial(it: Interpreter, value: Partial, seen: tuple[Closure, ...]) -> Option:
    names, count = list(value.keywords), len(value.args)
    nodes = [value.function, *value.args, *value.keywords.values()]
    keys, leaves, build_all = _parts(it, nodes, seen)

    def build(it: Interpreter, given: list[Node]) -> Node:
        function, *rest = build_all(it, given)
        named = dict(zip(names, rest[count:]))
        return it.constant(Partial(function, tuple(rest[:count]), named))

    key = ("partial", tuple(keys), count, tuple(names))
    return Code(key, len(leaves), build), leaves


def _closure(it: Interpreter, value: Closure, seen: tuple[Closure, ...]) -> Option:
    """A function defined inside: variables that no longer change are captured."""
    if value in seen:
        depth = len(seen) - seen.index(value)
        if depth > 1:
            raise it.fail(
                UnsupportedSyntax,
                "functions that call each other are carried as values",
                "define them at module level",
            )
        return Code(("itself",), 0, lambda it, given: UNDEFINED), []
    names, places = [], []
    nodes: list[Node] = []
    for name in sorted(free_names(value.source.node)):
        owner = owner_of(value.scope, name)
        if owner is None:
            continue
        found = it.env.get((owner, name))
        if found is None or not _is_settled(it, owner, name):
            places.append((name, owner))
        else:
            names.append(name)
            nodes.append(found)
            flag = it.env.get((owner, "%bound " + name))
            if flag is not None:
                names.append("%bound " + name)
                nodes.append(flag)
    own = [
        k for k, n in enumerate(nodes) if isinstance(n, Constant) and n.value is value
    ]
    keywords = list(value.keyword_defaults)
    extra = [*value.defaults, *value.keyword_defaults.values()]
    keys, leaves, build_all = _parts(it, [*nodes, *extra], (*seen, value))
    count, defaults = len(names), len(value.defaults)

    def build(it: Interpreter, given: list[Node]) -> Node:
        if not given and not own and not any(keys):
            return it.constant(value)
        made = build_all(it, given)
        scope = value.scope
        if names:
            scope = Scope(value.scope.source, value.scope, locals=frozenset(names))
            scope.captured = True
            scope.owner, scope.instance = value.scope.owner, value.scope.instance
        rest = made[count:]
        closure = Closure(
            value.source,
            scope,
            tuple(rest[:defaults]),
            dict(zip(keywords, rest[defaults:])),
        )
        node = it.constant(closure)
        for k, name in enumerate(names):
            it.env[(scope, name)] = node if k in own else made[k]
        return node

    where = tuple((n, o.number) for n, o in places)
    key = ("closure", value.source.node, where, tuple(names), tuple(keys))
    return Code(key, len(leaves), build), leaves


@lru_cache(maxsize=4096)
def free_names(node: FunctionNode) -> frozenset[str]:
    """The names that a function reads or assigns but does not bind itself."""
    from anadrome.frontend.syntax.source import local_names

    found = reads(node) - local_names(node)
    for n in ast.walk(node):
        if isinstance(n, ast.Nonlocal):
            found |= set(n.names)
    return frozenset(found)


def owner_of(scope: Scope | None, name: str) -> Scope | None:
    """The scope that a captured variable belongs to."""
    while scope is not None:
        if name in scope.locals and name not in scope.nonlocals:
            return scope
        scope = scope.parent
    return None


def _is_settled(it: Interpreter, scope: Scope, name: str) -> bool:
    """Whether a captured variable keeps its value from now on."""
    from anadrome.frontend.values.variables import is_active

    source = scope.source
    if source is None:
        return False
    if not is_active(it, scope):
        return name not in _written_from_inside(source.node)
    node = source.node
    if isinstance(node, ast.Lambda):
        return True
    if scope.is_comprehension:
        return False
    given = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    return (
        name in given
        and name not in assigned(node.body)
        and name not in _written_from_inside(node)
    )


@lru_cache(maxsize=4096)
def _written_from_inside(node: FunctionNode) -> frozenset[str]:
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Nonlocal):
            found.update(n.names)
    return frozenset(found)


def identity_of(it: Interpreter, value: Closure) -> Any:
    """A key that is equal for two function values that do the same now."""
    code, leaves = _closure(it, value, ())
    written = _written_from_inside(value.source.node)
    now: list[Any] = []
    for name in sorted(free_names(value.source.node) - written):
        owner = owner_of(value.scope, name)
        found = it.env.get((owner, name))
        if isinstance(found, Constant) and isinstance(found.value, Closure):
            now.append(id(found.value.source.node))
        elif isinstance(found, Constant):
            now.append((type(found.value), Same(found.value)))
        elif found is not None:
            now.append(id(found))
    return (code.key, tuple(map(id, leaves)), tuple(now))


# Types --------------------------------------------------------------------------------


def value_type(it: Interpreter, node: Node) -> Type:
    """The type of a value that is carried around, functions taken apart."""
    from anadrome.frontend.values.tuples import take

    t = deref(node.type)
    if is_function(node) and _is_callable(node):
        _, options = take_apart(it, node)
        return FunctionSet(
            tuple(c for c, _ in options),
            tuple(tuple(n.type for n in leaves) for _, leaves in options),
        )
    if isinstance(t, Tuple) and _holds_function(t):
        items = tuple(value_type(it, take(it, node, k)) for k in range(len(t.items)))
        return Tuple(items, t.cls)
    return t


def _is_callable(node: Node) -> bool:
    from anadrome.frontend.values.iteration import Iteration
    from anadrome.frontend.values.iterators import Cursor, Generator

    return not isinstance(node.value, Iteration | Cursor | Generator)  # type: ignore[attr-defined]


def _holds_function(t: Type) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return any(_holds_function(i) for i in t.items)
    return isinstance(t, Function)


NONE_CODE = Code(("none",), 0, lambda it, given: it.constant(None))


def as_set(t: Type) -> FunctionSet | None:
    """A type as a set of functions: None is one that nobody can call."""
    if isinstance(t, FunctionSet):
        return t
    return FunctionSet((NONE_CODE,), ((),)) if isinstance(t, NoneType_) else None


def join_types(a: Type, b: Type) -> Type:
    """The type of a value that may be either, functions among them."""
    a, b = deref(a), deref(b)
    if isinstance(a, NeverType):
        return b
    if isinstance(b, NeverType):
        return a
    if isinstance(a, FunctionSet) or isinstance(b, FunctionSet):
        x, y = as_set(a), as_set(b)
        if x is not None and y is not None:
            return _join_sets(x, y)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.cls is b.cls:
        if len(a.items) == len(b.items) and (_has_set(a) or _has_set(b)):
            return Tuple(tuple(map(join_types, a.items, b.items)), a.cls)
    return join(a, b)


def _has_set(t: Tuple) -> bool:
    return any(
        isinstance(i, FunctionSet) or (isinstance(i, Tuple) and _has_set(i))
        for i in map(deref, t.items)
    )


def _join_sets(a: FunctionSet, b: FunctionSet) -> FunctionSet:
    codes = list(a.codes)
    leaves = list(a.leaves)
    for code, types in zip(b.codes, b.leaves):
        if code in codes:
            k = codes.index(code)
            leaves[k] = tuple(map(join_types, leaves[k], types))
        else:
            codes.append(code)
            leaves.append(types)
    return FunctionSet(tuple(codes), tuple(leaves))


def same_types(a: Type, b: Type) -> bool:
    """Whether two types say the same, functions among them."""
    a, b = deref(a), deref(b)
    if isinstance(a, FunctionSet) or isinstance(b, FunctionSet):
        if not (isinstance(a, FunctionSet) and isinstance(b, FunctionSet)):
            return False
        return a.codes == b.codes and all(
            all(map(same_types, s, t)) for s, t in zip(a.leaves, b.leaves)
        )
    if isinstance(a, Tuple) and isinstance(b, Tuple) and _has_set(a):
        return (
            a.cls is b.cls
            and len(a.items) == len(b.items)
            and all(map(same_types, a.items, b.items))
        )
    return same(a, b)


# Stored functions ---------------------------------------------------------------------


def captured_by(it: Interpreter, node: Node) -> list[Node]:
    """What a function is stored with, if the value is one that can be."""
    if not is_function(node) or isinstance(node.value, FunctionChoice | Super):  # type: ignore[attr-defined]
        return []
    return _one(it, node)[1]


def pack(it: Interpreter, node: Node) -> Node:
    """A function as a tuple of a number and what it captured."""
    tag, options = take_apart(it, node)
    if tag is None:
        code, leaves = options[0]
        values = [it.constant(number_of(it, code)), *leaves]
    else:
        if any(leaves for _, leaves in options):
            raise it.fail(
                UnsupportedSyntax,
                "a function chosen at run time is stored with what it captured",
                "store the functions where they are chosen",
            )
        values = [tag]
    values = [it.concrete(v) for v in values]
    codes = tuple(c for c, _ in options)
    return it.emit(
        ops.TUPLE, tuple(values), Packed(tuple(v.type for v in values), tuple, codes)
    )


def unpack(it: Interpreter, node: Node) -> Node:
    """The function behind a value read from a container, if it is one."""
    t = deref(node.type)
    if isinstance(strip_optional(t), Packed) and t is not strip_optional(t):
        raise it.fail(
            UnsupportedSyntax,
            "this holds a function or a class in one case and None in another",
            "store a function that does nothing instead of None",
        )
    if not isinstance(t, Packed):
        return node
    tag = it.emit(ops.GETITEM, (node, it.constant(0)), INT)
    leaves: list[Node] = [
        it.emit(ops.GETITEM, (node, it.constant(k)), t.items[k])
        for k in range(1, len(t.items))
    ]
    options = [(code, leaves) for code in t.codes]
    return build_choice(it, tag if len(options) > 1 else None, options)


# Leaves -------------------------------------------------------------------------------


def set_leaves(t: FunctionSet) -> list[Type]:
    """The types of the values that stand for a function at run time."""
    tag: list[Type] = [INT] if len(t.codes) > 1 else []
    return [*tag, *(leaf for types in t.leaves for leaf in types)]


def flatten_function(it: Interpreter, node: Node, t: FunctionSet) -> list[Node]:
    """The values that stand for a function at run time."""
    if node is UNDEFINED:
        return [UNDEFINED] * len(set_leaves(t))
    tag, options = apart_or_none(it, node)
    given = {code.key: leaves for code, leaves in options}
    assert given.keys() <= {code.key for code in t.codes}
    found: list[Node] = []
    if len(t.codes) > 1:
        found.append(
            tag if tag is not None else it.constant(number_of(it, options[0][0]))
        )
    for code, types in zip(t.codes, t.leaves):
        found += given.get(code.key, [UNDEFINED] * len(types))
    return found


def apart_or_none(it: Interpreter, node: Node) -> tuple[Node | None, list[Option]]:
    """Like `take_apart`, where the value may also be None."""
    if isinstance(node, Constant) and node.value is None:
        return None, [(NONE_CODE, [])]
    return take_apart(it, node)


def rebuild_function(it: Interpreter, t: FunctionSet, given: list[Node]) -> Node:
    """A function from the values that stand for it, which are taken off the list."""
    tag = given.pop(0) if len(t.codes) > 1 else None
    parts = []
    for types in t.leaves:
        parts.append([given.pop(0) for _ in types])
    return build_choice(it, tag, list(zip(t.codes, parts)))


def build_choice(it: Interpreter, tag: Node | None, options: list[Option]) -> Node:
    """One of several functions, told apart by a number."""
    made = [code.build(it, leaves) for code, leaves in options]
    if tag is None:
        return made[0]
    keys = [number_of(it, code) for code, _ in options]
    return it.constant(FunctionChoice(tag, keys, made))


__all__ = [
    "Code",
    "FunctionSet",
    "Option",
    "Same",
    "Virtual",
    "apart_or_none",
    "build_choice",
    "flatten_function",
    "free_names",
    "identity_of",
    "is_function",
    "join_types",
    "owner_of",
    "rebuild_function",
    "same_types",
    "set_leaves",
    "take_apart",
    "value_type",
]
