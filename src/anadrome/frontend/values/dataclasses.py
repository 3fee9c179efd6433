"""Functions on dataclasses, and copies of whole structures."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import MutationError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.builtins import FUNCTIONS, handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values import item_writes, iteration, sequences
from anadrome.frontend.values.attributes import get_attribute
from anadrome.frontend.values.iteration import iterate
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.infer.values import attributes_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import (
    BOOL,
    NONE,
    Dict,
    List,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    VarTuple,
    alias_of,
    deref,
    parts,
    strip_optional,
)
from anadrome.primitives.registry import find_primitive

Keywords = dict[str, Node]


def _fields(it: Interpreter, node: Node, what: str) -> tuple[Any, list[str]]:
    t = strip_optional(node.type)
    if not (isinstance(t, Object) and dataclasses.is_dataclass(t.cls)):
        raise it.fail(
            TypeMismatch,
            f"{what} needs a dataclass, this is {t!r}",
            "decorate the class with @dataclass",
            python=TypeError,
            given=node,
        )
    return t.cls, [f.name for f in dataclasses.fields(t.cls)]


@handles(dataclasses.replace)
def _replace(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.calls.calls import call_value

    cls, names = _fields(it, args[0], "replace")
    given = {f.name for f in dataclasses.fields(cls) if f.init}
    refused = [n for n in keywords if n in names and n not in given]
    if refused:
        raise it.fail(
            TypeMismatch,
            f"the field '{refused[0]}' has 'init=False', it cannot be replaced",
            "leave it to __post_init__",
            python=ValueError,
        )
    made = {
        n: get_attribute(it, args[0], n)
        for n in names
        if n in given and n not in keywords
    }
    return call_value(it, cls, [], {**made, **keywords})


@handles(dataclasses.asdict)
def _asdict(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    _, names = _fields(it, args[0], "asdict")
    made = item_writes.new_dict(it)
    for n in names:
        value = _plain(it, get_attribute(it, args[0], n), _asdict)
        item_writes.set_item(it, made, it.constant(n), value)
    return made


@handles(dataclasses.astuple)
def _astuple(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    _, names = _fields(it, args[0], "astuple")
    values = [_plain(it, get_attribute(it, args[0], n), _astuple) for n in names]
    return make_tuple(it, values)


def _plain(it: Interpreter, node: Node, convert: Any) -> Node:
    """A field's value as `asdict` and `astuple` give it: converted and copied."""
    t = strip_optional(node.type)
    if isinstance(t, Object) and dataclasses.is_dataclass(t.cls):
        found: Node = convert(it, [node], {})
        return found
    return deep_copy(it, node)


@handles(dataclasses.fields)
def _dataclass_fields(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    t = strip_optional(args[0].type)
    cls = t.cls if isinstance(t, Object) else getattr(args[0], "value", None)
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise it.fail(
            TypeMismatch,
            "fields needs a dataclass",
            "decorate the class with @dataclass",
            python=TypeError,
        )
    return it.constant(dataclasses.fields(cls))


@handles(copy.copy)
def _copy(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    node = args[0]
    t = strip_optional(node.type)
    _refuse_own_copy(it, t)
    if isinstance(t, List):
        return sequences.as_list(it, node)
    if isinstance(t, Num):
        return _copy_array(it, node, t)
    if isinstance(t, Dict):
        return FUNCTIONS[dict](it, [node], {})
    if isinstance(t, Object):
        return _copy_object(it, node, t, lambda v: v)
    return node


@handles(copy.deepcopy)
def _deepcopy(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    return deep_copy(it, args[0])


def deep_copy(it: Interpreter, node: Node) -> Node:
    """A copy of a value and of everything in it."""
    copies = _DeepCopy(it)
    made = copies.of(node)
    copies.check()
    return made


class _DeepCopy:
    """One deep copy: what is in two places of the original is so in the copy."""

    def __init__(self, it: Interpreter) -> None:
        self.it = it
        self.made: dict[Node, Node] = {}
        self.open: list[Type] = []
        # What the program has to look into: whether it holds one object twice.
        self.visited: list[Node] = []

    def of(self, node: Node) -> Node:
        """The copy of a part."""
        found = self.made.get(node)
        if found is None:
            found = self.made[node] = self._copy(node)
        return found

    def check(self) -> None:
        """Let the program refuse to run if an object is in two places at once."""
        classes = [c for n in self.visited for c in _classes(n.type)]
        if len(set(classes)) < len(classes):
            callee = self.it.constant(check_unshared)
            self.it.emit(ops.OBSERVE, (callee, *self.visited), NONE)

    def _apart(self, node: Node) -> Node:
        """A copy made in a region: what is made there is not seen outside."""
        before, self.made = self.made, dict(self.made)
        try:
            return self.of(node)
        finally:
            self.made = before

    def _copy(self, node: Node) -> Node:
        seen = len(self.visited)
        exists = alias_of(node.type) is not None and not self.it.is_virtual(node)
        if exists or isinstance(deref(node.type), Optional | VarTuple):
            self.visited.append(node)
            seen += 1
            try:
                return self._copy_parts(node)
            finally:
                # Whoever looks into the whole looks into its parts.
                del self.visited[seen:]
        return self._copy_parts(node)

    def _copy_parts(self, node: Node) -> Node:
        it, t = self.it, deref(node.type)
        if isinstance(t, Optional):
            from anadrome.frontend.syntax.expressions import choose

            inner, none = t.inner, it.constant(None)
            test = it.emit(ops.IS, (node, none), BOOL)
            return choose(
                it,
                test,
                lambda: none,
                lambda: self._apart(it.emit(ops.CAST, (node,), inner)),
            )
        _refuse_own_copy(it, t)
        if isinstance(t, Tuple):
            items = [self.of(take(it, node, k)) for k in range(len(t.items))]
            return make_tuple(it, items, t.cls)
        if isinstance(t, Num):
            return _copy_array(it, node, t)
        if isinstance(t, List | VarTuple):
            over = iterate(it, node)
            if over.items is not None:
                listed = sequences.make_list(it, [self.of(i) for i in over.items])
            else:
                apart = iteration.mapped(it, [over], lambda v: self._apart(v[0]))
                listed = sequences.from_iteration(it, apart)
            return listed if isinstance(t, List) else sequences.as_tuple(it, listed)
        if isinstance(t, Dict):
            return self._copy_dict(node)
        if isinstance(t, Object):
            if not it.is_virtual(node) and any(o is t for o in self.open):
                raise it.fail(
                    UnsupportedSyntax,
                    f"objects of class '{t.cls.__name__}' that hold others of it are "
                    "copied",
                    "write a function that copies them",
                )
            self.open.append(t)
            made = _copy_object(it, node, t, self.of, self.made)
            self.open.pop()
            return made
        return node

    def _copy_dict(self, node: Node) -> Node:
        from anadrome.frontend.calls.builtins import each
        from anadrome.frontend.methods.dicts import DICT

        it = self.it
        pairs = iterate(it, DICT["items"](it, node, [], {}))
        made = item_writes.new_dict(it)
        known = pairs.items is not None
        if not known:
            made = it.concrete(made)

        def enter(pair: Node) -> None:
            value = take(it, pair, 1)
            value = self.of(value) if known else self._apart(value)
            item_writes.set_item(it, made, take(it, pair, 0), value)

        each(it, pairs, enter)
        return made


def _classes(t: Type, seen: tuple[Type, ...] = ()) -> list[Any]:
    """The alias classes of what a value holds, twice where it may hold many."""
    t = strip_optional(t)
    if any(s is t for s in seen):
        return []
    alias = alias_of(t)
    own = [] if alias is None else [alias]
    inner = [c for p in parts(t) for c in _classes(p, (*seen, t))]
    counted = isinstance(t, Tuple | Object) or getattr(t, "fields", None) is not None
    return own + inner * (1 if counted else 2)


def check_unshared(*values: Any) -> None:
    """Refuse to copy what holds one object twice: the copy would hold two."""
    seen: set[int] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, tuple):
            pending += value
            continue
        fields = attributes_of(value)
        if not (isinstance(value, list | dict | np.ndarray) or fields):
            continue
        if id(value) in seen:
            raise MutationError(
                "a deep copy is made of something that holds one object twice",
                help="copy the parts one by one",
            )
        seen.add(id(value))
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            pending += value.values()
        pending += fields.values()


def _copy_array(it: Interpreter, node: Node, t: Num) -> Node:
    if t.scalar:
        return node
    primitive = find_primitive(np.copy)
    assert primitive is not None
    return it.apply(primitive, (node,))


def _copy_object(
    it: Interpreter,
    node: Node,
    t: Object,
    part: Callable[[Node], Node],
    copies: dict[Node, Node] | None = None,
) -> Node:
    made = it.new_virtual(t.cls, Object(t.cls))
    if copies is not None:
        copies[node] = made
    names = list(it.fields_of(node)) if it.is_virtual(node) else list(t.fields)  # type: ignore[arg-type]
    for name in names:
        it.env[(made, name)] = part(get_attribute(it, node, name))
    return made


def _refuse_own_copy(it: Interpreter, t: Any) -> None:
    if isinstance(t, Object):
        for name in ("__copy__", "__deepcopy__", "__reduce__", "__getstate__"):
            if any(name in c.__dict__ for c in t.cls.__mro__ if c is not object):
                raise it.fail(
                    UnsupportedSyntax,
                    f"'{t.cls.__name__}' is copied by its own '{name}'",
                    "copy its attributes by hand",
                )
