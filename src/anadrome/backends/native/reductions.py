"""Native forms of reductions: sums, means, extremes over any axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply

from .elementwise import (
    broadcast,
    build,
    evaluate_tree,
    fill,
    joint_shape,
    operation,
)
from .emitter import Emitter
from .kernels import run
from .lowering import (
    Lowering,
    argument,
    axes_of,
    lowers,
    result_type,
    static,
)
from .plans import Combine, Sink
from .trees import Expr, Leaf, leaves
from .values import (
    I64,
    POINTER,
    Array,
    Scalar,
    Static,
    Value,
    element_type,
    scalar_type,
)


def _check_plain(e: Emitter, node: Apply, *names: str) -> None:
    """Refuse options of a reduction that have no native form."""
    for name in names:
        if name in node.keywords:
            value = e.value(node.keywords[name])
            default = node.op.signature.parameters[name].default
            if not (isinstance(value, Static) and value.value is default):
                raise e.refuse(f"'{node.op.name}' with {name}=", node.span)


def reduce(
    e: Emitter,
    node: Apply,
    start: Callable[[np.dtype[Any]], float | int],
    combine: Combine,
) -> Value:
    """A reduction over some axes."""
    _check_plain(e, node, "initial", "where")
    t = result_type(e, node)
    assert t.dtype is not None
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    if not arrays:
        return Scalar(t.dtype, evaluate_tree(e, expr, lambda a: None, t.dtype))
    rank = max(a.ndim for a in arrays)
    shape = broadcast(e, arrays, rank)
    axes = axes_of(e, node, rank)
    keep = bool(static(e, argument(e, node, "keepdims"), "keepdims"))
    outer = [n for k, n in enumerate(shape) if k not in axes]
    neutral = start(t.dtype)
    if len(axes) == rank and not keep:
        place = _number_in_memory(e, t.dtype)
        e.store(place, [], constant_number(t.dtype, neutral))
        combine_into(e, place, expr, shape, axes, neutral, combine)
        return Scalar(t.dtype, e.load(place, []))
    out = e.allocate(t.dtype, outer)
    fill(e, out, Leaf(Static(neutral), t.dtype))
    combine_into(e, out, expr, shape, axes, neutral, combine)
    if keep:
        sizes = [I64(1) if k in axes else n for k, n in enumerate(shape)]
        return Array(out.dtype, out.block, out.data, sizes, e.row_major(sizes), True)
    return out


def constant_number(dtype: np.dtype[Any], number: float | int) -> ir.Value:
    """A number in a register."""
    number = float(number) if dtype.kind == "f" else int(number)
    return ir.Constant(scalar_type(dtype), number)


def _number_in_memory(e: Emitter, dtype: np.dtype[Any]) -> Array:
    """An array without axes that belongs to the function that is written."""
    with e.builder.goto_entry_block():
        place = e.builder.alloca(element_type(dtype))
    return Array(dtype, ir.Constant(POINTER, None), place, [], [])


def sum_to(e: Emitter, expr: Expr, shape: list[ir.Value], out: Array) -> None:
    """Add the values of a tree up where an array has size one or no axis."""
    b = e.builder
    strides: list[ir.Value] = [I64(0)] * (len(shape) - out.ndim)
    for n, step in zip(out.shape, out.strides):
        strides.append(b.select(b.icmp_signed("==", n, I64(1)), I64(0), step))
    spread = Array(out.dtype, out.block, out.data, shape, strides)
    fill(e, out, Leaf(Static(0), out.dtype))
    if not out.ndim:
        run(e, shape, [Sink(expr, spread, add, True)])
        return
    narrow = b.icmp_signed("==", out.shape[-1], I64(1))
    with b.if_else(narrow) as (along, across):
        with along:
            run(e, shape, [Sink(expr, spread, add, True)])
        with across:
            run(e, shape, [Sink(expr, spread, add)])


def combine_into(
    e: Emitter,
    out: Array,
    expr: Expr,
    shape: list[ir.Value],
    axes: list[int],
    neutral: float | int,
    combine: Combine,
) -> None:
    """Combine the values of a tree along axes with what an array holds."""
    steps = iter(out.strides)
    strides = [I64(0) if k in axes else next(steps) for k in range(len(shape))]
    spread = Array(out.dtype, out.block, out.data, shape, strides)
    along = len(shape) - 1 in axes
    run(e, shape, [Sink(expr, spread, combine, along, neutral)])


def _zero(dtype: np.dtype[Any]) -> float | int:
    return 0


def _one(dtype: np.dtype[Any]) -> float | int:
    return 1


def is_float(r: ir.Value) -> bool:
    """Whether a number or the lanes of a vector are floats."""
    kind = r.type.element if isinstance(r.type, ir.VectorType) else r.type
    return isinstance(kind, ir.DoubleType | ir.FloatType)


def add(e: Any, x: ir.Value, y: ir.Value) -> ir.Value:
    """The sum of numbers or vectors."""
    return (e.builder.fadd if is_float(x) else e.builder.add)(x, y)


def _multiply(e: Any, x: ir.Value, y: ir.Value) -> ir.Value:
    return (e.builder.fmul if is_float(x) else e.builder.mul)(x, y)


@lowers("sum", trees=True)
def _lower_sum(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _zero, add)


@lowers("prod", trees=True)
def _lower_prod(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _one, _multiply)


@lowers("mean", trees=True)
def _lower_mean(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    total = reduce(e, node, _zero, add)
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    rank = max((a.ndim for a in arrays), default=0)
    shape = broadcast(e, arrays, rank)
    b = e.builder
    count: ir.Value = I64(1)
    for k in axes_of(e, node, rank) if rank else []:
        count = b.mul(count, shape[k])
    assert t.dtype is not None
    divisor = Scalar(t.dtype, b.sitofp(count, scalar_type(t.dtype)))
    if isinstance(total, Scalar):
        return Scalar(t.dtype, b.fdiv(total.register, divisor.register))
    assert isinstance(total, Array)
    parts = [Leaf(total, t.dtype), Leaf(divisor, t.dtype)]
    tree = operation("divide", parts, t.dtype, t.dtype)
    fill(e, total, tree)
    return total


def _check_not_empty(e: Emitter, node: Apply, name: str) -> None:
    """Fail where a number is wanted of no numbers."""
    arrays = leaves(build(e, node.args[0]))
    if not arrays:
        return
    rank = max(a.ndim for a in arrays)
    shape, _ = joint_shape(e, [a.shape for a in arrays], rank)
    axes = axes_of(e, node, rank)
    b = e.builder
    inner: ir.Value = I64(1)
    outer: ir.Value = I64(1)
    for k, n in enumerate(shape):
        if k in axes:
            inner = b.mul(inner, n)
        else:
            outer = b.mul(outer, n)
    some = b.icmp_signed("!=", inner, I64(0))
    good = b.or_(some, b.icmp_signed("==", outer, I64(0)))
    message = f"zero-size array to reduction operation {name} which has no identity"
    e.fail_unless(good, ValueError, message)


def _extreme(sign: str) -> Lowering:
    def start(dtype: np.dtype[Any]) -> float | int:
        if dtype.kind == "f":
            return float("-inf") if sign == ">" else float("inf")
        if dtype.kind == "b":
            return int(sign == "<")
        limits = np.iinfo(dtype)
        return int(limits.min if sign == ">" else limits.max)

    def combine(e: Any, x: ir.Value, y: ir.Value) -> ir.Value:
        b = e.builder
        if is_float(x):
            better = b.fcmp_unordered(sign, y, x)
            nan = b.fcmp_unordered("uno", x, x)
            return b.select(nan, x, b.select(better, y, x))
        kind = x.type.element if isinstance(x.type, ir.VectorType) else x.type
        compare = b.icmp_unsigned if kind.width == 1 else b.icmp_signed
        return b.select(compare(sign, y, x), y, x)

    def lower(e: Emitter, node: Apply) -> Value:
        _check_not_empty(e, node, "maximum" if sign == ">" else "minimum")
        return reduce(e, node, start, combine)

    return lower


lowers("max", trees=True)(_extreme(">"))
lowers("min", trees=True)(_extreme("<"))
