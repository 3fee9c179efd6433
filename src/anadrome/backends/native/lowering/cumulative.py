"""Lowerings along an axis: running sums and products, differences, shifts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.values import I64, Array, Pack, Value, scalar_type
from ..fusion.expressions import Leaf
from .elementwise import fill, operation
from .reductions import REDUCTIONS
from .registry import argument, array_of, lowers, result_type, static, whole_axes
from .shaping import contiguous


def flattened(e: Emitter, array: Array) -> Array:
    """All elements of an array in a row, owned."""
    count: ir.Value = I64(1)
    for n in array.shape:
        count = e.builder.mul(count, n)
    whole = contiguous(e, array)
    return Array(whole.dtype, whole.block, whole.data, [count], [I64(1)], True)


def along_axis(e: Emitter, given: Array, axis: int | None) -> tuple[Array, int]:
    """An array and the axis to go along; without one, all its elements in a row."""
    if axis is None:
        return flattened(e, given), 0
    (place,) = whole_axes(e, axis, given.ndim)
    return given, place


@contextmanager
def rows_along(
    e: Emitter, array: Array, axis: int
) -> Iterator[tuple[list[ir.Value], Array]]:
    """The rows of an array along an axis, one after the other, and where they are."""
    sizes = [n for k, n in enumerate(array.shape) if k != axis]
    with e.nested_loops(sizes) as index:
        places = list(index)
        places.insert(axis, I64(0))
        data = e.address(array, places)
        shape, strides = [array.shape[axis]], [array.strides[axis]]
        yield list(index), Array(array.dtype, array.block, data, shape, strides)


@lowers("cumsum", "cumprod", options=("axis", "dtype"))
def _lower_running(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    given = array_of(e, node.args[0])
    wanted = static(e, argument(e, node, "axis"), "an axis")
    array, axis = along_axis(e, given, wanted)
    out = e.allocate(t.dtype, array.shape)
    if axis == array.ndim - 1:
        _run_along(e, node, array, out)
    else:
        _run_across(e, node, array, out, axis)
    if array is not given:
        e.release(array)
    return out


def _combined(e: Emitter, node: Apply, x: ir.Value, y: ir.Value) -> ir.Value:
    _, combine = REDUCTIONS["sum" if node.op.name == "cumsum" else "prod"]
    return combine(e, x, y)


def _run_along(e: Emitter, node: Apply, array: Array, out: Array) -> None:
    """Along the last axis: what has accumulated stays in a register."""
    b, dtype = e.builder, out.dtype
    kind = scalar_type(dtype)
    number = 1 if node.op.name == "cumprod" else 0
    # Nothing but -0 leaves every number as it is when added to it.
    start = ir.Constant(kind, float(number or -0.0) if dtype.kind == "f" else number)
    total = e.local(kind)
    with rows_along(e, array, array.ndim - 1) as (index, row):
        b.store(start, total)
        with for_range(b, 0, row.shape[0]) as k:
            item = e.convert(e.load(row, [k]), array.dtype, dtype)
            new = _combined(e, node, b.load(total), item)
            b.store(new, total)
            e.store(out, [*index, k], new)


def _run_across(e: Emitter, node: Apply, array: Array, out: Array, axis: int) -> None:
    """Along another axis: each row is added to the one before it."""
    b = e.builder
    fill(e, out, Leaf(array, array.dtype))
    step = out.strides[axis]
    with (
        e.nested_loops(list(out.shape[:axis])) as outer,
        for_range(b, 1, out.shape[axis]) as k,
        e.nested_loops(list(out.shape[axis + 1 :])) as inner,
    ):
        place = e.address(out, [*outer, k, *inner])
        before = b.load(b.gep(place, [b.neg(step)]))
        b.store(_combined(e, node, before, b.load(place)), place)


@lowers("diff", options=("axis",))
def _lower_diff(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    array = array_of(e, node.args[0])
    axis = static(e, argument(e, node, "axis"), "an axis")
    if array.dtype != t.dtype or t.dtype.kind == "b":
        raise e.refuse("'diff' of this", node.span)
    b, (axis,) = e.builder, whole_axes(e, axis, array.ndim)
    size = array.shape[axis]
    some = b.icmp_signed(">", size, I64(0))
    shape = list(array.shape)
    shape[axis] = b.select(some, b.sub(size, I64(1)), I64(0))
    later = b.gep(array.data, [array.strides[axis]])
    both = [
        Array(array.dtype, array.block, data, shape, array.strides)
        for data in (later, array.data)
    ]
    leaves = [Leaf(a, a.dtype) for a in both]
    out = e.allocate(t.dtype, shape)
    fill(e, out, operation("subtract", leaves, t.dtype, t.dtype))
    return out


@lowers("roll", operands=2, options=("axis",))
def _lower_roll(e: Emitter, node: Apply) -> Value:
    given = array_of(e, node.args[0])
    wanted = static(e, argument(e, node, "axis"), "an axis")
    shift = e.value(node.args[1])
    if isinstance(shift, Pack | Array) or isinstance(wanted, tuple):
        raise e.refuse("'roll' along several axes", node.span)
    array, axis = along_axis(e, given, wanted)
    b, size = e.builder, array.shape[axis]
    safe = b.select(b.icmp_signed(">", size, I64(0)), size, I64(1))
    first = b.srem(e.integer(shift), safe)
    first = b.select(b.icmp_signed("<", first, I64(0)), b.add(first, size), first)
    out = e.allocate(array.dtype, array.shape)
    rest = b.sub(size, first)
    # What is pushed over the end begins anew at the start.
    _copy_part(e, array, out, axis, I64(0), first, rest)
    _copy_part(e, array, out, axis, rest, I64(0), first)
    if array is given:
        return out
    e.release(array)
    strides = e.row_major(given.shape)
    return Array(out.dtype, out.block, out.data, given.shape, strides, True)


def _copy_part(
    e: Emitter,
    source: Array,
    target: Array,
    axis: int,
    begin: ir.Value,
    to: ir.Value,
    count: ir.Value,
) -> None:
    """Copy some places along an axis."""
    b = e.builder
    parts = []
    for array, at in ((source, begin), (target, to)):
        data = b.gep(array.data, [b.mul(at, array.strides[axis])])
        shape = list(array.shape)
        shape[axis] = count
        parts.append(Array(array.dtype, array.block, data, shape, array.strides))
    fill(e, parts[1], Leaf(parts[0], source.dtype))
