"""Lowerings of what finds places and puts in order: extremes, small sorts."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.python_calls import perform
from ..emission.values import I1, I64, INT64, Array, Scalar, Value, either_array
from ..fusion.expressions import Leaf
from .cumulative import along_axis, rows_along
from .elementwise import fill
from .reductions import is_float, reduced
from .registry import (
    argument,
    array_of,
    lowers,
    option,
    result_type,
    static,
    whole_axes,
)

# Longer rows are sorted sooner by NumPy.
_SHORT = 48


@lowers("argmax", "argmin", options=("axis",))
def _lower_place(e: Emitter, node: Apply) -> Value:
    """The extreme itself is found first, many elements at a time; then its place."""
    name = node.op.name
    result_type(e, node)
    given = array_of(e, node.args[0])
    wanted = static(e, option(e, node, 0, "axis", None), "an axis")
    array, axis = along_axis(e, given, wanted)
    message = f"attempt to get {name} of an empty sequence"
    some = e.builder.icmp_signed(">", array.shape[axis], I64(0))
    e.fail_unless(some, ValueError, message)
    leaf = Leaf(array, array.dtype)
    extremes = reduced(e, name[3:], leaf, array.dtype, array.shape, [axis])
    outer = extremes.shape
    out = e.allocate(INT64, outer)
    with rows_along(e, array, axis) as (index, row):
        e.store(out, index, _first(e, row, e.load(extremes, index)))
    e.release(extremes)
    if array is not given:
        e.release(array)
    if outer:
        return out
    found = Scalar(INT64, e.load(out, []))
    e.release(out)
    return found


def _first(e: Emitter, row: Array, wanted: ir.Value) -> ir.Value:
    """Where a value that a row holds is found first; it may be nan."""
    b = e.builder
    before, look, done = b.block, *(b.append_basic_block(n) for n in ("look", "found"))
    last = b.sub(row.shape[0], I64(1))
    b.branch(look)
    b.position_at_end(look)
    k = b.phi(I64)
    value = e.load(row, [k])
    if is_float(value):
        same = b.fcmp_ordered("==", value, wanted)
        same = b.or_(same, b.fcmp_unordered("uno", value, value))
    else:
        same = b.icmp_signed("==", value, wanted)
    same = b.or_(same, b.icmp_signed("==", k, last))
    k.add_incoming(I64(0), before)
    k.add_incoming(b.add(k, I64(1)), b.block)
    b.cbranch(same, done, look)
    b.position_at_end(done)
    return k


@lowers("sort", options=("axis", "kind", "stable"))
def _lower_sort(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        raise e.refuse("'sort' of all elements", node.span)
    (axis,) = whole_axes(e, axis, array.ndim)
    b = e.builder
    short = b.icmp_signed("<=", array.shape[axis], I64(_SHORT))
    yes, no, done = (b.append_basic_block(n) for n in ("short", "long", "sorted"))
    b.cbranch(short, yes, no)
    b.position_at_end(yes)
    out = e.allocate(array.dtype, array.shape)
    fill(e, out, Leaf(array, array.dtype))
    with rows_along(e, out, axis) as (_, row):
        _insert_all(e, row)
    first = b.block
    b.branch(done)
    b.position_at_end(no)
    other = perform(e, node)
    if not isinstance(other, Array):
        raise e.refuse("'sort' of this", node.span)
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    return either_array(b, out, first, other, second)


def _insert_all(e: Emitter, row: Array) -> None:
    """Sort a row in its place, what is not a number last."""
    b = e.builder
    with for_range(b, 1, row.shape[0]) as i:
        value = e.load(row, [i])
        before = b.block
        test, compare, move, done = (
            b.append_basic_block(n) for n in ("test", "compare", "move", "put")
        )
        b.branch(test)
        b.position_at_end(test)
        j = b.phi(I64)
        j.add_incoming(i, before)
        left = b.sub(j, I64(1))
        b.cbranch(b.icmp_signed(">", j, I64(0)), compare, done)
        b.position_at_end(compare)
        other = e.load(row, [left])
        b.cbranch(_less(e, value, other), move, done)
        b.position_at_end(move)
        e.store(row, [j], other)
        j.add_incoming(left, b.block)
        b.branch(test)
        b.position_at_end(done)
        e.store(row, [j], value)


def _less(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    b = e.builder
    if is_float(x):
        number = b.fcmp_ordered("ord", x, x)
        return b.and_(number, b.fcmp_unordered("<", x, y))
    return (b.icmp_unsigned if x.type == I1 else b.icmp_signed)("<", x, y)
