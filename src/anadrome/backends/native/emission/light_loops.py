"""Loops whose iterations take next to no time: they only compute with numbers."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, walk
from anadrome.ir.types import NeverType, NoneType_, Num, Tuple, Type, deref
from anadrome.primitives.registry import Primitive

_LIGHT = (
    *(ops.IF, ops.GETITEM, ops.SETITEM, ops.TUPLE, ops.LENGTH, ops.NOT, ops.CONVERT),
    *(ops.APPEND, ops.POP, ops.CONTAINS, ops.ASSERT),
)


def is_light(body: Graph) -> bool:
    """Whether a body has no loops and no calls, and only numbers of arrays."""
    return all(_is_light(node) for node in walk(body))


def _is_light(node: Apply) -> bool:
    if not all(_is_number(n.type) for n in (node, *node.outputs)):
        return False
    if isinstance(node.op, Primitive):
        return all(map(_is_given_number, node.inputs))
    if node.op is ops.SETITEM:
        return all(map(_is_given_number, node.args[1:]))
    return node.op in _LIGHT


def _is_given_number(node: Node) -> bool:
    return _is_number(node.type)


def _is_number(t: Type) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return all(map(_is_number, t.items))
    if isinstance(t, Num):
        return t.ndim == 0 and not t.boxed and t.dtype is not None
    return isinstance(t, NeverType | NoneType_)
