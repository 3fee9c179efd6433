"""Cotangents while a program is differentiated in reverse mode.

A cotangent is a node, or `Parts` of one: what has so far arrived for some of the items
of a tuple or the fields of a record. No cotangent at all is zero.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import (
    BOOL,
    FLOAT,
    NEVER,
    AnyType,
    Cell,
    Dict,
    List,
    Num,
    Object,
    Optional,
    Stack,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_differentiable,
    is_stored,
    strip_optional,
)
from anadrome.primitives.cotangents import (
    add_cotangents,
    cotangent_like,
    zero_cotangent,
    zeros_of_numbers,
)
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.dependence.absence import PASSING


class Parts:
    """Cotangents of some of the parts of a value, by index, key or field."""

    def __init__(self, items: dict[Any, Any]) -> None:
        self.items = items


Cotangent = Node | Parts


cotangent_type = cotangent_like


def zero(it: Interpreter, t: Type, like: Node) -> Node:
    """The zero cotangent of a value."""
    t = deref(t)
    if id(like) in getattr(it, "absent", ()):
        # On some path there is no such value, and no cotangent either.
        # A number may be an integer on another.
        plain = strip_optional(t)
        number = isinstance(plain, Num) and may_be_integer(plain)
        making = zeros_of_numbers if number else zero_cotangent
        return it.emit(making, (like,), cotangent_type(t), target=making.impl)
    if isinstance(t, Num):
        if not t.inexact:
            return it.constant(None)
        if t.ndim == 0:
            return Constant(0.0, FLOAT)
        zeros_like = find_primitive(np.zeros_like)
        assert zeros_like is not None
        # What is a number on some path may be an integer there.
        mixed = t.ndim is None and t.dtype is not None
        named: dict[str, Node] = {"dtype": it.constant(t.dtype)} if mixed else {}
        made = it.apply(zeros_like, (like,), named)
        made.type = Num(t.dtype, t.ndim)
        return made
    if isinstance(t, Tuple):
        items = [
            _part(it, None, p, lambda k=k: take(it, like, k))  # type: ignore[misc]
            for k, p in enumerate(t.items)
        ]
        return make_tuple(it, items, t.cls)
    if not is_differentiable(t):
        return _nothing(it, t)
    if isinstance(t, List | Stack | VarTuple):
        item = deref(t.item)
        # Zeros of lists have numbers for the integers in them.
        beside = isinstance(t, VarTuple) and isinstance(item, Num) and item.varied
        unsure = isinstance(item, Num) and (item.ndim is None or item.dtype is None)
        if unsure or beside:
            # As above, of each of them.
            zeros = zeros_of_numbers
            return it.emit(zeros, (like,), cotangent_type(t), target=zeros.impl)
    return it.emit(
        zero_cotangent, (like,), cotangent_type(t), target=zero_cotangent.impl
    )


def _nothing(it: Interpreter, t: Type) -> Node:
    """The cotangent of what holds no numbers: None, or a record without fields.

    That of a tuple is a tuple, as it is where zeros are made when the program runs.
    """
    t = deref(t)
    if isinstance(t, Tuple):
        return make_tuple(it, [_nothing(it, p) for p in t.items], t.cls)
    if isinstance(t, Object) and not t.fields:
        return it.emit(ops.RECORD, (it.constant(t.cls), it.constant(())), t)
    return it.constant(None)


def add(
    it: Interpreter, a: Cotangent | None, b: Cotangent, t: Type, like: Node
) -> Cotangent:
    """The sum of two cotangents of one value."""
    if a is None:
        return b
    t = deref(t)
    if isinstance(a, Parts) and isinstance(b, Parts):
        merged = dict(a.items)
        for key, value in b.items.items():
            inner = part_type(t, key)
            merged[key] = (
                add(it, merged.get(key), value, inner, part_of(it, like, t, key))
                if (key in merged)
                else value
            )
        return Parts(merged)
    if isinstance(a, Parts) or isinstance(b, Parts):
        node, parts = (b, a) if isinstance(a, Parts) else (a, b)
        assert isinstance(node, Node)
        assert isinstance(parts, Parts)
        return _add_parts(it, node, parts, t, like)
    if is_zero(a):
        return b
    if is_zero(b):
        return a
    if not is_differentiable(t):
        return _nothing(it, t)
    if isinstance(t, Num):
        unsure = id(like) in getattr(it, "absent", ()) or may_be_integer(t)
        if unsure and not _are_there(a, b):
            return it.apply(add_cotangents, (a, b))
        return numeric(it, operator.add, a, b)
    if isinstance(t, Tuple):
        items = []
        for k, p in enumerate(t.items):
            kind = cotangent_type(p)
            x, y = _item(it, a, k, like, kind), _item(it, b, k, like, kind)
            own = _item(it, like, k, like, p)
            items.append(as_node(it, add(it, x, y, p, own), p, own))
        return make_tuple(it, items, t.cls)
    return it.apply(add_cotangents, (a, b))


def may_be_integer(t: Num) -> bool:
    """Whether a number may be an integer on some path, whose cotangent is None."""
    whole = (int, np.integer, np.bool_, np.ndarray)
    some = any(k is object or issubclass(k, whole) for k in t.kinds)
    return t.dtype is None or t.ndim is None or some


def _are_there(*nodes: Node) -> bool:
    """Whether none of several cotangents of a value is missing on any path.

    What an integer is used for has cotangents; that of its other uses may be None.
    """
    return all(
        isinstance(n, Constant)
        or (
            isinstance(n, Apply) and isinstance(n.op, Primitive) and n.op not in PASSING
        )
        for n in nodes
    )


def _add_parts(it: Interpreter, node: Node, parts: Parts, t: Type, like: Node) -> Node:
    if isinstance(t, Tuple):
        items = []
        for k, p in enumerate(t.items):
            item: Cotangent = _item(it, node, k, like, cotangent_type(p))
            own = _item(it, like, k, like, p)
            if k in parts.items:
                item = add(it, item, parts.items[k], p, own)
            items.append(as_node(it, item, p, own))
        return make_tuple(it, items, t.cls)
    if isinstance(t, List):
        for key, value in parts.items.items():
            d = as_node(it, value, t.item, part_of(it, like, t, key))
            node = it.emit(ops.INDEX_ADD, (node, it.constant(key), d), node.type)
        return node
    other = as_node(it, parts, t, like)
    return it.apply(add_cotangents, (node, other))


def is_zero(node: Node) -> bool:
    """Whether a cotangent is the constant zero, or that of something without one."""
    return isinstance(node, Constant) and (
        node.value is None or (type(node.value) is float and node.value == 0.0)
    )


def part_type(t: Type, key: Any) -> Type:
    """The type of a part of a value."""
    t = deref(t)
    if isinstance(t, Tuple):
        return t.items[key]
    if isinstance(t, Optional):
        return part_type(t.inner, key)
    if isinstance(t, Cell):
        if t.fields is not None and key in t.fields:
            return t.fields[key]
        return t.item
    if isinstance(t, VarTuple):
        return t.item
    return AnyType()


def part_or_none(value: Any, key: Any) -> Any:
    """An item or a field of what may be missing on some path."""
    if value is None:
        return None
    if isinstance(value, tuple | list | dict):
        return value[key]
    return getattr(value, key)


def _item(it: Interpreter, node: Node, k: int, like: Node, t: Type) -> Node:
    """An item of a tuple, of whose value it is known whether it may be missing."""
    if not _is_absent(it, like) and not isinstance(deref(node.type), Optional):
        if isinstance(deref(node.type), VarTuple | AnyType):
            # It was kept where tuples of other lengths, or other values, may be.
            return it.emit(ops.GETITEM, (node, it.constant(k)), t)
        return take(it, node, k)
    return _part_or_none(it, node, k, t)


def _is_absent(it: Interpreter, node: Node) -> bool:
    """Whether a value may be missing on the path that is taken."""
    return id(node) in getattr(it, "absent", ())


def _part_or_none(it: Interpreter, node: Node, key: Any, t: Type) -> Node:
    args = it.constant(part_or_none), node, it.constant(key)
    made = it.emit(ops.PYCALL, args, t, target=True)
    _note_absent(it, made)
    return made


def _attribute_or_none(it: Interpreter, node: Node, name: str, t: Type) -> Node:
    """An attribute of what may be missing, without the object leaving native code."""
    none = it.constant(None)
    test = it.emit(ops.IS, (node, none), BOOL)
    missing, there = Graph("then", it.graph), Graph("else", it.graph)
    missing.results = [none]
    with it.region(there):
        there.results = [it.emit(ops.GETATTR, (node, it.constant(name)), t)]
    made = Apply(ops.IF, (test,), NEVER, regions=(missing, there), span=it.span)
    found = it.graph.append(made).add_output(t)
    _note_absent(it, found)
    return found


def _note_absent(it: Interpreter, node: Node) -> None:
    absent = getattr(it, "absent", None)
    if absent is not None:
        absent.add(id(node))


def part_keys(t: Type) -> list[Any] | None:
    """The keys of the parts of a value, or None if they are not known."""
    t = deref(t)
    if isinstance(t, Tuple):
        return list(range(len(t.items)))
    if isinstance(t, Cell) and t.fields is not None:
        return list(t.fields)
    return None


def part_of(it: Interpreter, like: Node, t: Type, key: Any) -> Node:
    """A part of a value, read again."""
    t = deref(t)
    inner = part_type(t, key)
    if _is_absent(it, like) and isinstance(t, Object):
        return _attribute_or_none(it, like, key, inner)
    if _is_absent(it, like):
        return _part_or_none(it, like, key, inner)
    if isinstance(t, Tuple):
        return take(it, like, key)
    if isinstance(t, Optional):
        return part_of(it, like, t.inner, key)
    if isinstance(t, Object):
        return it.emit(ops.GETATTR, (like, it.constant(key)), inner)
    return it.emit(ops.GETITEM, (like, it.constant(key)), inner)


def _part(
    it: Interpreter, ct: Cotangent | None, t: Type, like: Callable[[], Node]
) -> Node:
    """The cotangent of a part of a value as one node; None if there is none.

    A list or a dictionary that is changed in place has a shadow, and it may hold other
    items by now than those that a zero would stand for.
    """
    if not is_differentiable(t):
        return _nothing(it, t)
    if ct is None and isinstance(deref(t), List | Dict) and is_stored(t):
        return it.constant(None)
    return as_node(it, ct, t, like())


def as_node(it: Interpreter, ct: Cotangent | None, t: Type, like: Node) -> Node:
    """A cotangent as one node; what has not arrived is zero."""
    if ct is None:
        return zero(it, t, like)
    if isinstance(ct, Node):
        return ct
    t = deref(t)
    if isinstance(t, Optional):
        t = deref(t.inner)
    if isinstance(t, Tuple):
        items = [
            _part(it, ct.items.get(k), p, lambda k=k, p=p: _item(it, like, k, like, p))  # type: ignore[misc]
            for k, p in enumerate(t.items)
        ]
        return make_tuple(it, items, t.cls)
    if isinstance(t, Object):
        assert t.fields is not None
        values = [
            _part(it, ct.items.get(k), p, lambda k=k: part_of(it, like, t, k))  # type: ignore[misc]
            for k, p in t.fields.items()
        ]
        cls, names = it.constant(t.cls), it.constant(tuple(t.fields))
        return it.emit(ops.RECORD, (cls, names, *values), cotangent_type(t))
    if isinstance(t, Dict) and t.fields is not None:
        args: list[Node] = []
        for k, p in t.fields.items():
            of = functools.partial(part_of, it, like, t, k)
            value = _part(it, ct.items.get(k), p, of)
            args += [it.constant(k), value]
        return it.emit(ops.DICT, tuple(args), cotangent_type(t))
    whole = zero(it, t, like)
    for key, value in ct.items.items():
        inner = part_type(t, key)
        d = as_node(it, value, inner, part_of(it, like, t, key))
        whole = it.emit(ops.INDEX_ADD, (whole, it.constant(key), d), whole.type)
    return whole
