"""Lowerings of the parts that a window shows as it moves along an axis."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.values import I1, I64, Array, Static, Value, element_type
from ..fusion.expressions import Leaf
from ..kernels.library import run
from ..kernels.loop_driver import WORTH_SHARING
from ..kernels.plan import KernelOutput
from .elementwise import fill
from .reductions import add
from .registry import array_of, lowers, static
from .shaping import sizes_of


def _check(
    e: Emitter, start: ir.Value, count: ir.Value, size: ir.Value, length: ir.Value
) -> None:
    """Fail where windows are not inside an axis."""
    b = e.builder
    good: ir.Value = I1(1)
    for n in (start, count, size):
        good = b.and_(good, b.icmp_signed(">=", n, I64(0)))
    end = b.add(b.add(start, count), size)
    good = b.and_(good, b.icmp_signed("<=", end, b.add(length, I64(1))))
    e.fail_unless(good, ValueError, "a window that moves past the end of an array")


@lowers("windows", operands=5)
def _lower_windows(e: Emitter, node: Apply) -> Value:
    array, b = array_of(e, node.args[0]), e.builder
    axis = static(e, e.value(node.args[1]), "an axis")
    size, start, stop = (e.integer(e.value(a)) for a in node.args[2:])
    count = b.sub(stop, start)
    _check(e, start, count, size, array.shape[axis])
    shape, strides = list(array.shape), list(array.strides)
    shape[axis : axis + 1] = [count, size]
    strides.insert(axis, strides[axis])
    data = _moved(e, array, b.mul(start, strides[axis]))
    made = Array(array.dtype, array.block, data, shape, strides)
    e.retain(made)
    return made


@lowers("windows_sum", operands=4)
def _lower_windows_sum(e: Emitter, node: Apply) -> Value:
    given, b = array_of(e, node.args[0]), e.builder
    sizes = sizes_of(e, e.value(node.args[1]))
    axis = static(e, e.value(node.args[2]), "an axis")
    start = e.integer(e.value(node.args[3]))
    _check(e, start, given.shape[axis], given.shape[axis + 1], sizes[axis])
    others = [*given.shape[:axis], *given.shape[axis + 2 :]]
    for n, m in zip(others, [*sizes[:axis], *sizes[axis + 1 :]]):
        same = b.icmp_signed("==", n, m)
        e.fail_unless(same, ValueError, "windows of an array of another shape")
    out = e.allocate(given.dtype, sizes)
    fill(e, out, Leaf(Static(0), out.dtype))
    if axis == len(sizes) - 1:
        _add_apart(e, given, out, axis, axis + 1, start)
        return out
    # A window lies in one piece: they are added all at once, unless threads can share
    # what each position of the window adds.
    total = I64(1)
    for k, n in enumerate(given.shape):
        total = b.mul(total, n) if k != axis else total
    large = b.icmp_signed(">=", total, I64(WORTH_SHARING))
    with b.if_else(large, likely=False) as (apart, together):
        with apart:
            _add_apart(e, given, out, axis + 1, axis, start)
        with together:
            steps = list(out.strides)
            steps.insert(axis, steps[axis])
            data = _moved(e, out, b.mul(start, steps[axis]))
            into = Array(out.dtype, out.block, data, given.shape, steps)
            run(e, given.shape, [KernelOutput(Leaf(given, given.dtype), into, add)])
    return out


def _add_apart(
    e: Emitter, given: Array, out: Array, kept: int, left: int, start: ir.Value
) -> None:
    """Add windows to an array: for each index of one axis, all of the other."""
    b, axis = e.builder, min(kept, left)
    strides = list(given.strides)
    step = strides.pop(left)
    shape = [n for k, n in enumerate(given.shape) if k != left]
    with for_range(b, 0, given.shape[left]) as k:
        source = _moved(e, given, b.mul(k, step))
        part = Array(given.dtype, given.block, source, shape, strides)
        place = b.mul(b.add(start, k), out.strides[axis])
        target = _moved(e, out, place)
        into = Array(out.dtype, out.block, target, shape, out.strides)
        run(e, shape, [KernelOutput(Leaf(part, part.dtype), into, add, alone=True)])


def _moved(e: Emitter, array: Array, elements: ir.Value) -> ir.Value:
    kind = element_type(array.dtype)
    return e.builder.gep(array.data, [elements], source_etype=kind)
