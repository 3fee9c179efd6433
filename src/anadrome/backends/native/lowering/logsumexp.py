"""The lowering of `logsumexp`: sums of exponentials that do not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.function import Emitter
from ..emission.values import I64, Array, Scalar, Value, scalar_type
from ..fusion.expressions import Expr, Leaf
from .elementwise import fill, operation
from .reductions import reduced
from .registry import argument, array_of, axes_of, lowers, result_type, static


@lowers("logsumexp", options=("axis", "keepdims"))
def _lower_logsumexp(e: Emitter, node: Apply) -> Value:
    """The greatest is taken out of the exponentials, and added again in the end."""
    t = result_type(e, node)
    array = array_of(e, node.args[0])
    dtype = array.dtype
    if dtype != t.dtype or dtype.kind != "f":
        raise e.refuse("'logsumexp' of this", node.span)
    axes = axes_of(e, node, array.ndim)
    keep = bool(static(e, argument(e, node, "keepdims"), "keepdims"))
    tops = reduced(e, "max", Leaf(array, dtype), dtype, array.shape, axes)
    _drop_infinite(e, tops)
    spread = _spread(tops, array, axes)
    less = _of("subtract", dtype, Leaf(array, dtype), Leaf(spread, dtype))
    sums = reduced(e, "sum", _of("exp", dtype, less), dtype, array.shape, axes)
    logs = _of("log", dtype, Leaf(sums, dtype))
    fill(e, sums, _of("add", dtype, logs, Leaf(tops, dtype)))
    e.release(tops)
    if keep:
        sizes = [I64(1) if k in axes else n for k, n in enumerate(array.shape)]
        strides = e.row_major(sizes)
        return Array(dtype, sums.block, sums.data, sizes, strides, True)
    if sums.ndim:
        return sums
    found = Scalar(dtype, e.load(sums, []))
    e.release(sums)
    return found


def _of(name: str, dtype: np.dtype[Any], *operands: Expr) -> Expr:
    return operation(name, list(operands), dtype, dtype)


def _drop_infinite(e: Emitter, tops: Array) -> None:
    """Take nothing out where the greatest is infinite, or not a number."""
    b = e.builder
    zero = ir.Constant(scalar_type(tops.dtype), 0.0)
    with e.nested_loops(tops.shape) as index:
        top = e.load(tops, list(index))
        finite = b.fcmp_ordered("==", b.fsub(top, top), zero)
        e.store(tops, list(index), b.select(finite, top, zero))


def _spread(tops: Array, array: Array, axes: list[int]) -> Array:
    """What belongs to rows, as an array of the shape that the rows are of."""
    steps = iter(tops.strides)
    strides = [I64(0) if k in axes else next(steps) for k in range(array.ndim)]
    return Array(tops.dtype, tops.block, tops.data, array.shape, strides)
