"""Basic indices: the part of an array under numbers, slices, None and `...`."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from ..emission.control_flow import count_steps
from ..emission.function import Emitter
from ..emission.values import BOOL, I64, Array, Pack, Scalar, SliceValue, Static, Value


def index_parts(index: Value) -> list[Value]:
    """The comma-separated parts of an index."""
    if isinstance(index, Pack):
        return index.items
    if isinstance(index, Static) and isinstance(index.value, tuple):
        return [Static(v) for v in index.value]
    return [index]


def checked_index(e: Emitter, i: ir.Value, n: ir.Value, message: str) -> ir.Value:
    """An index made non-negative, or a failure that tells the index and the size."""
    b = e.builder
    given = i
    i = b.select(b.icmp_signed("<", i, I64(0)), b.add(i, n), i)
    inside = b.icmp_unsigned("<", i, n)
    if "{" in message:
        e.fail_unless(inside, IndexError, message, given, n)
    else:
        e.fail_unless(inside, IndexError, message)
    return i


def _is_truth(p: Value) -> bool:
    if isinstance(p, Static):
        return isinstance(p.value, bool | np.bool_)
    return isinstance(p, Scalar | Array) and p.dtype == BOOL


def outside(axis: int) -> str:
    """What is said of an index beyond an axis."""
    return f"index {{0}} is out of bounds for axis {axis} with size {{1}}"


def view_of(e: Emitter, array: Array, parts: list[Value]) -> Array:
    """The part of an array under a basic index; not yet one of its owners."""
    b = e.builder
    used = sum(not _is_newaxis(p) and not _is_ellipsis(p) for p in parts)
    if not any(_is_ellipsis(p) for p in parts):
        parts = [*parts, Static(Ellipsis)]
    shape: list[ir.Value] = []
    strides: list[ir.Value] = []
    at: ir.Value = I64(0)
    axis = 0
    for p in parts:
        if _is_newaxis(p):
            shape.append(I64(1))
            strides.append(I64(1))
        elif _is_ellipsis(p):
            for _ in range(array.ndim - used):
                shape.append(array.shape[axis])
                strides.append(array.strides[axis])
                axis += 1
        elif isinstance(p, SliceValue) or (
            isinstance(p, Static) and isinstance(p.value, slice)
        ):
            start, count, step = slice_range(e, p, array.shape[axis])
            at = b.add(at, b.mul(start, array.strides[axis]))
            shape.append(count)
            one = isinstance(step, ir.Constant) and step.constant == 1
            inner = array.strides[axis]
            strides.append(inner if one else b.mul(step, inner))
            axis += 1
        else:
            if _is_truth(p):
                raise e.refuse("a truth value as an index")
            i = checked_index(e, e.integer(p), array.shape[axis], outside(axis))
            at = b.add(at, b.mul(i, array.strides[axis]))
            axis += 1
    trailing = (
        axis == array.ndim
        and len(shape)
        and array.contiguous
        and all(
            isinstance(p, Scalar) or (isinstance(p, Static) and type(p.value) is int)
            for p in parts[:used]
        )
    )
    data = b.gep(array.data, [at])
    return Array(array.dtype, array.block, data, shape, strides, bool(trailing))


def _is_newaxis(p: Value) -> bool:
    return isinstance(p, Static) and p.value is None


def _is_ellipsis(p: Value) -> bool:
    return isinstance(p, Static) and p.value is Ellipsis


def slice_range(
    e: Emitter, p: Value, n: ir.Value
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Where a slice starts, how many items it has, and its step."""
    b = e.builder
    if isinstance(p, Static):
        s = p.value
        parts: list[Value] = [Static(s.start), Static(s.stop), Static(s.step)]
    else:
        assert isinstance(p, SliceValue)
        parts = [p.start, p.stop, p.step]
    start, stop, step = (
        None if isinstance(q, Static) and q.value is None else e.integer(q)
        for q in parts
    )
    step = step if step is not None else I64(1)
    if isinstance(step, ir.Constant) and step.constant == 1:
        low = _clip(e, start, n, I64(0)) if start is not None else I64(0)
        high = _clip(e, stop, n, I64(0)) if stop is not None else n
        count = b.sub(high, low)
        count = b.select(b.icmp_signed("<", count, I64(0)), I64(0), count)
        return low, count, step
    if isinstance(step, ir.Constant) and step.constant == -1:
        last = b.sub(n, I64(1))
        high = _clip_down(e, start, n) if start is not None else last
        low = _clip_down(e, stop, n) if stop is not None else I64(-1)
        count = b.sub(high, low)
        count = b.select(b.icmp_signed("<", count, I64(0)), I64(0), count)
        return high, count, step
    return _stepped(e, start, stop, step, n)


def _stepped(
    e: Emitter,
    start: ir.Value | None,
    stop: ir.Value | None,
    step: ir.Value,
    n: ir.Value,
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """A slice whose step is neither one nor minus one, or known only at run time."""
    b = e.builder
    if not isinstance(step, ir.Constant) or step.constant == 0:
        nonzero = b.icmp_signed("!=", step, I64(0))
        e.fail_unless(nonzero, ValueError, "slice step cannot be zero")
    up = b.icmp_signed(">", step, I64(0))
    first = b.select(
        up,
        _clip(e, start, n, I64(0)) if start is not None else I64(0),
        _clip_down(e, start, n) if start is not None else b.sub(n, I64(1)),
    )
    end = b.select(
        up,
        _clip(e, stop, n, I64(0)) if stop is not None else n,
        _clip_down(e, stop, n) if stop is not None else I64(-1),
    )
    return first, count_steps(b, first, end, step), step


def _clip(e: Emitter, i: ir.Value, n: ir.Value, low: ir.Value) -> ir.Value:
    b = e.builder
    i = b.select(b.icmp_signed("<", i, I64(0)), b.add(i, n), i)
    i = b.select(b.icmp_signed("<", i, low), low, i)
    return b.select(b.icmp_signed(">", i, n), n, i)


def _clip_down(e: Emitter, i: ir.Value, n: ir.Value) -> ir.Value:
    b = e.builder
    i = b.select(b.icmp_signed("<", i, I64(0)), b.add(i, n), i)
    i = b.select(b.icmp_signed("<", i, I64(-1)), I64(-1), i)
    last = b.sub(n, I64(1))
    return b.select(b.icmp_signed(">", i, last), last, i)
