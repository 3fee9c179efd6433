"""The table of native forms of primitives that are not elementwise, and its helpers.

`reductions`, `shapes`, `making`, `products` and `contractions` fill it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, deref

from .emitter import Emitter
from .values import (
    Array,
    Pack,
    Static,
    Value,
    element_type,
)

Lowering = Callable[[Emitter, Apply], Value]
LOWERINGS: dict[str, Lowering] = {}
_TREES: set[str] = set()


def lowers(*names: str, trees: bool = False) -> Callable[[Lowering], Lowering]:
    """Register the native form of primitives; `trees` if it takes fused operands."""

    def enter(lower: Lowering) -> Lowering:
        for name in names:
            LOWERINGS[name] = lower
            if trees:
                _TREES.add(name)
        return lower

    return enter


def consumes_trees(user: Apply, node: Node) -> bool:
    """Whether a statement computes a fused operand as it goes."""
    name = getattr(user.op, "name", "")
    if name == "setitem":
        return len(user.args) == 3 and user.args[2] is node
    return name in _TREES and user.args[0] is node


def argument(e: Emitter, node: Apply, name: str) -> Value:
    """An argument of a primitive by its declared name; its default if not given."""
    bound = node.op.signature.bind(*node.args, **node.keywords)
    if name in bound.arguments:
        return e.value(bound.arguments[name])
    return Static(node.op.signature.parameters[name].default)


def static(e: Emitter, value: Value, what: str) -> Any:
    """The Python value of something that must be known at compile time."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Pack):
        return tuple(static(e, i, what) for i in value.items)
    raise e.refuse(f"{what} that is known only at run time")


def array_of(e: Emitter, node: Node) -> Array:
    """A node as an array in memory; a number becomes one without axes."""
    value = e.value(node)
    if isinstance(value, Array):
        return value
    raise e.refuse("a number used as an array")


def result_type(e: Emitter, node: Apply) -> Num:
    """The type of an array or a number that a statement makes."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None:
        raise e.refuse(f"a result of type {t!r}", node.span)
    if element_type(t.dtype) is None:
        raise e.refuse(f"numbers of type {t.dtype}", node.span)
    return t


def axes_of(e: Emitter, node: Apply, ndim: int) -> list[int]:
    """The axes of a reduction, counted from zero."""
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        return list(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return sorted(a % ndim for a in axes)
