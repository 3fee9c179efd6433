"""What forward mode knows of helpers, constants and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome import runtime, tree
from anadrome.frontend.interpreter import Interpreter
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import (
    ANY,
    AnyType,
    Num,
    Type,
    VarTuple,
    deref,
    is_stored,
    parts,
    same_dtype,
)
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.reverse import cotangents
from anadrome.transform.reverse.buffers import shared_parts, slots

MIRRORED: dict[Any, tuple[int, ...]] = {
    list: (0,),
    np.add.at: (0, 2),
    np.float32: (0,),
    np.float64: (0,),
    runtime.own: (0,),
    runtime.shadow: (),
    runtime.shadow_of_arrays: (),
    runtime.shadow_of_number: (),
    runtime.shadow_of_numbers: (),
    runtime.shadow_of_view: (2, 3),
    runtime.take_stored: (0,),
    runtime.writable: (0,),
    shared_parts.flowing: (0,),
    shared_parts.accumulate_into: (0, 1),
    shared_parts.accumulate_slice: (0, 2),
    shared_parts.accumulate_shared: (0, 1),
    slots.add_fields: (0, 1),
    slots.add_items: (0, 1),
    slots.add_slice: (0, 2),
    slots.attribute_or_none: (0,),
    slots.deposit: (0, 1),
    slots.empty_slots: (),
    slots.give_back: (0, 2),
    cotangents.part_or_none: (0,),
    slots.put_back: (0, 2),
    slots.restore: (0, 1),
    slots.slot_or_none: (0,),
    slots.snapshot: (0,),
    slots.stored_slice: (0, 1),
    slots.undelete: (0, 1),
    slots.view_at: (0,),
    tree.separate: (0,),
}
"""Helpers that are linear in some of their arguments: the positions of these."""


def constant_tangent(node: Constant, t: Type | None) -> Any:
    """The tangent of a constant in a place for values of a type."""
    value = node.value
    if isinstance(value, np.ndarray):
        return np.zeros_like(value) if value.dtype.kind in "fc" else None
    place = deref(t if t is not None else node.type)
    if isinstance(value, bool):
        return 0.0 if isinstance(place, Num) and place.inexact else None
    if isinstance(value, tuple) and isinstance(place, VarTuple):
        return tuple(constant_tangent(Constant(v, ANY), place.item) for v in value)
    if not isinstance(value, int | float | complex | np.number):
        return None
    inexact = isinstance(value, float | complex | np.inexact)
    if isinstance(place, Num):
        return 0.0 if place.inexact else None
    return 0.0 if inexact or isinstance(place, AnyType) else None


def in_dtype(it: Interpreter, d: Node, value: Node) -> Node:
    """A tangent in the dtype of its value, which rules may have left."""
    t, s = deref(value.type), deref(d.type)
    if not isinstance(t, Num) or not isinstance(s, Num) or isinstance(d, Constant):
        return d
    if t.dtype is None or t.python or not t.inexact or same_dtype(s.dtype, t.dtype):
        return d
    if t.ndim == 0:
        convert = find_primitive(t.dtype.type)
        assert convert is not None
        return it.apply(convert, (d,))
    asarray = find_primitive(np.asarray)
    assert asarray is not None
    return it.apply(asarray, (d,), {"dtype": it.constant(t.dtype)})


def covers(d: Node, z: Node, operands: list[Node], pushed: dict[int, Node]) -> bool:
    """Whether a tangent is an elementwise expression in the value or all its arrays.

    `pushed` says which operand a tangent belongs to, whose shape it has.
    """
    arrays = {id(o) for o in operands if not _is_scalar(o)}
    found: set[int] = set()
    pending = [d]
    while pending:
        n = pending.pop()
        n = pushed.get(id(n), n)
        if n is z:
            return True
        if id(n) in arrays:
            found.add(id(n))
        elif isinstance(n, Apply) and isinstance(n.op, Primitive) and n.op.broadcasts:
            pending += n.args
    return found == arrays


def _is_scalar(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0


def only_observed(graph: Graph, node: Apply) -> bool:
    """Whether the result of an opaque call is used for nothing that varies."""
    for g in called_graphs(graph):
        for n in walk(g):
            if node in n.inputs and n.op is not ops.OBSERVE:
                return False
            for r in n.regions:
                if node in r.results:
                    return False
        if node in g.results:
            return False
    return True


def holds_stored(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is, or contains, something that is changed in place."""
    t = deref(t)
    if id(t) in seen:
        return False
    return is_stored(t) or any(holds_stored(p, seen | {id(t)}) for p in parts(t))
