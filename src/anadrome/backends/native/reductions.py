"""Native forms of reductions: sums, means, extremes over any axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply

from .elementwise import (
    Expr,
    Leaf,
    both_ways,
    broadcast,
    build,
    evaluate_tree,
    fill,
    leaves,
    reader,
)
from .emitter import Emitter
from .lowering import (
    Lowering,
    argument,
    axes_of,
    lowers,
    result_type,
    static,
)
from .values import (
    I64,
    Array,
    Scalar,
    Static,
    Value,
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
    start: Any,
    combine: Callable[[Emitter, ir.Value, ir.Value], ir.Value],
) -> Value:
    """A reduction over some axes."""
    _check_plain(e, node, "dtype", "initial", "where")
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
    initial = start(e, t.dtype)
    if len(axes) == rank and not keep:
        return Scalar(t.dtype, _reduce_all(e, expr, shape, t.dtype, initial, combine))
    outer = [n for k, n in enumerate(shape) if k not in axes]
    out = e.allocate(t.dtype, outer)
    if axes == [rank - 1]:
        _reduce_last(e, expr, shape, out, initial, combine)
    else:
        _reduce_some(e, expr, shape, axes, out, initial, combine)
    if keep:
        sizes = [I64(1) if k in axes else n for k, n in enumerate(shape)]
        return Array(out.dtype, out.block, out.data, sizes, e.row_major(sizes), True)
    return out


def _accumulate(
    e: Emitter,
    expr: Expr,
    outer: list[ir.Value],
    count: ir.Value,
    unit: bool,
    place: ir.Value,
    dtype: np.dtype[Any],
    combine: Any,
) -> None:
    """Fold the last axis into a number in memory."""
    b = e.builder
    before = b.block
    head, body = b.append_basic_block("fold"), b.append_basic_block("fold.body")
    done = b.append_basic_block("fold.done")
    first = b.load(place)
    b.branch(head)
    b.position_at_end(head)
    k = b.phi(I64)
    total = b.phi(first.type)
    k.add_incoming(I64(0), before)
    total.add_incoming(first, before)
    b.cbranch(b.icmp_signed("<", k, count), body, done)
    b.position_at_end(body)
    r = evaluate_tree(e, expr, reader(e, [*outer, k], unit), dtype)
    new = combine(e, total, r)
    k.add_incoming(b.add(k, I64(1)), b.block)
    total.add_incoming(new, b.block)
    b.branch(head)
    b.position_at_end(done)
    b.store(total, place)


def _reduce_all(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    dtype: Any,
    initial: Any,
    combine: Any,
) -> ir.Value:
    b = e.builder
    with b.goto_entry_block():
        place = b.alloca(scalar_type(dtype))
    b.store(initial, place)

    def write(unit: bool) -> None:
        with e.nested_loops(shape[:-1]) as outer:
            _accumulate(e, expr, outer, shape[-1], unit, place, dtype, combine)

    both_ways(e, leaves(expr), shape, write)
    return b.load(place)


def _reduce_last(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    out: Array,
    initial: Any,
    combine: Any,
) -> None:
    def write(unit: bool) -> None:
        with e.nested_loops(shape[:-1]) as outer:
            place = e.address(out, outer)
            e.builder.store(initial, place)
            _accumulate(e, expr, outer, shape[-1], unit, place, out.dtype, combine)

    both_ways(e, leaves(expr), shape, write)


def _reduce_some(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    axes: list[int],
    out: Array,
    initial: Any,
    combine: Any,
) -> None:
    with e.nested_loops(out.shape) as index:
        e.builder.store(initial, e.address(out, index))

    def write(unit: bool) -> None:
        with e.nested_loops(shape) as index:
            kept = [i for k, i in enumerate(index) if k not in axes]
            r = evaluate_tree(e, expr, reader(e, index, unit), out.dtype)
            place = e.address(out, kept)
            e.builder.store(combine(e, e.builder.load(place), r), place)

    both_ways(e, leaves(expr), shape, write)


def _zero(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
    return ir.Constant(scalar_type(dtype), 0.0 if dtype.kind == "f" else 0)


def _one(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
    return ir.Constant(scalar_type(dtype), 1.0 if dtype.kind == "f" else 1)


def _sum(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    if isinstance(x.type, ir.DoubleType | ir.FloatType):
        # Partial sums, one for each lane: no worse than one after the other.
        return e.builder.fadd(x, y, flags=["reassoc"])
    return e.builder.add(x, y)


def _product(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    if isinstance(x.type, ir.DoubleType | ir.FloatType):
        return e.builder.fmul(x, y, flags=["reassoc"])
    return e.builder.mul(x, y)


@lowers("sum", trees=True)
def _lower_sum(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _zero, _sum)


@lowers("prod", trees=True)
def _lower_prod(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _one, _product)


@lowers("mean", trees=True)
def _lower_mean(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    total = reduce(e, node, _zero, _sum)
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
    from .elementwise import ELEMENTWISE, Tree

    tree = Tree(
        ELEMENTWISE["divide"],
        [Leaf(total, t.dtype), Leaf(divisor, t.dtype)],
        t.dtype,
        t.dtype,
    )
    fill(e, total, tree)
    return total


def _extreme(sign: str) -> Lowering:
    def start(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
        if dtype.kind == "f":
            return ir.Constant(
                scalar_type(dtype), float("-inf") if sign == ">" else float("inf")
            )
        limits = np.iinfo(dtype)
        return ir.Constant(
            scalar_type(dtype), int(limits.min if sign == ">" else limits.max)
        )

    def combine(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
        b = e.builder
        if isinstance(x.type, ir.DoubleType | ir.FloatType):
            better = b.fcmp_unordered(sign, y, x)
            nan = b.fcmp_unordered("uno", x, x)
            return b.select(nan, x, b.select(better, y, x))
        return b.select(b.icmp_signed(sign, y, x), y, x)

    def lower(e: Emitter, node: Apply) -> Value:
        return reduce(e, node, start, combine)

    return lower


lowers("max", trees=True)(_extreme(">"))
lowers("min", trees=True)(_extreme("<"))
