"""Loops whose iterations take next to no time: they only compute with numbers."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node
from anadrome.ir.types import NeverType, NoneType_, Num, Tuple, Type, deref
from anadrome.primitives.registry import Primitive

_LIGHT = (
    *(ops.IF, ops.GETITEM, ops.SETITEM, ops.TUPLE, ops.LENGTH, ops.NOT, ops.CONVERT),
    *(ops.APPEND, ops.POP, ops.CONTAINS, ops.ASSERT),
)


def is_light(body: Graph, depth: int = 1) -> bool:
    """Whether a body has no calls, and only numbers of arrays.

    It may have loops, which have none in them: what takes no time a thousand times
    takes little a million times.
    """
    return all(_is_light(node, depth) for node in body.body)


def _is_light(node: Apply, depth: int) -> bool:
    if not all(_is_number(n.type) for n in (node, *node.outputs)):
        return False
    if isinstance(node.op, Primitive):
        return all(map(_is_given_number, node.inputs))
    if node.op is ops.SETITEM:
        return all(map(_is_given_number, node.args[1:]))
    if node.op in (ops.FOR, ops.WHILE):
        return depth > 0 and all(is_light(r, depth - 1) for r in node.regions)
    return node.op in _LIGHT and all(is_light(r, depth) for r in node.regions)


def _is_given_number(node: Node) -> bool:
    return _is_number(node.type)


def _is_number(t: Type) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return all(map(_is_number, t.items))
    if isinstance(t, Num):
        return t.ndim == 0 and not t.boxed and t.dtype is not None
    return isinstance(t, NeverType | NoneType_)
