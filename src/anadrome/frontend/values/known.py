"""Which values are known while a function is read."""

from __future__ import annotations

from typing import Any

from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    FunctionChoice,
    LazyIterator,
    Partial,
    Splat,
    Super,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Function, deref

COMPILE_TIME = (
    Closure,
    BoundMethod,
    ArrayMethod,
    Partial,
    Super,
    FunctionChoice,
    Splat,
)

_DYNAMIC = object()


def static_value(node: Node) -> Any:
    """The Python value of a node known now, or a mark that it is not."""
    if isinstance(node, SymbolicZero):
        return _DYNAMIC
    if isinstance(node, Constant):
        if isinstance(node.value, LazyIterator):
            return _DYNAMIC
        if isinstance(deref(node.type), Function) and isinstance(
            node.value, COMPILE_TIME
        ):
            return _DYNAMIC
        return node.value
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        values = tuple(static_value(a) for a in node.args)
        return _DYNAMIC if any(v is _DYNAMIC for v in values) else values
    if isinstance(node, Apply) and node.op is ops.SLICE:
        values = tuple(static_value(a) for a in node.args)
        return _DYNAMIC if any(v is _DYNAMIC for v in values) else slice(*values)
    return _DYNAMIC


def is_known(node: Node) -> bool:
    """Whether a node's value is known now."""
    return static_value(node) is not _DYNAMIC
