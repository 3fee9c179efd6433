"""Lowerings of reductions: sums, means, extremes over any axes."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply
from anadrome.ir.types import Num, deref

from ..emission.function import Emitter, NoLowering
from ..emission.values import (
    I64,
    PAIR,
    POINTER,
    Array,
    Scalar,
    Static,
    Value,
    element_type,
    scalar_type,
    stored_type,
)
from ..fusion.expressions import Expr, Leaf, Pair, Reduced, leaves
from ..kernels.library import run
from ..kernels.plan import Combine, KernelOutput
from .complex_parts import FLOAT, halves, is_complex
from .elementwise import (
    broadcast,
    build,
    evaluate_tree,
    fill,
    joint_shape,
    operation,
    scalar,
)
from .registry import argument, axes_of, has_lowering, lowers, result_type, static

_OPTIONS = ("axis", "dtype", "keepdims")


def reduce(e: Emitter, node: Apply) -> Value:
    """A reduction over some axes; of a mean, the sum."""
    start, combine = REDUCTIONS[node.op.name]
    t = result_type(e, node)
    assert t.dtype is not None
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    if not arrays:
        number = evaluate_tree(e, expr, lambda a: None, t.dtype)
        if t.dtype.kind == "f" and node.op.name in ("sum", "mean"):
            # NumPy begins with zero: of -0.0 it makes 0.0.
            number = e.builder.fadd(number, ir.Constant(number.type, 0.0))
        return Scalar(t.dtype, number)
    rank = max(a.ndim for a in arrays)
    shape = broadcast(e, arrays, rank)
    axes = axes_of(e, node, rank)
    keep = bool(static(e, argument(e, node, "keepdims"), "keepdims"))
    neutral = start(t.dtype)
    if len(axes) == rank and not keep:
        place = _number_in_memory(e, t.dtype)
        e.store(place, [], constant_number(t.dtype, neutral))
        combine_into(e, place, expr, shape, axes, neutral, combine)
        return Scalar(t.dtype, e.load(place, []))
    out = reduced(e, node.op.name, expr, t.dtype, shape, axes)
    if keep:
        sizes = [I64(1) if k in axes else n for k, n in enumerate(shape)]
        return Array(out.dtype, out.block, out.data, sizes, e.row_major(sizes), True)
    return out


def reduced(
    e: Emitter,
    name: str,
    expr: Expr,
    dtype: np.dtype[Any],
    shape: list[ir.Value],
    axes: list[int],
) -> Array:
    """A new array of what an expression of some shape is reduced to along axes."""
    start, combine = REDUCTIONS[name]
    neutral = start(dtype)
    out = e.allocate(dtype, [n for k, n in enumerate(shape) if k not in axes])
    fill(e, out, Leaf(Static(neutral), dtype))
    combine_into(e, out, expr, shape, axes, neutral, combine)
    return out


def constant_number(dtype: np.dtype[Any], number: float | int) -> ir.Value:
    """A number in a register."""
    if dtype.kind == "c":
        return ir.Constant(PAIR, [float(number), 0.0])
    number = float(number) if dtype.kind == "f" else int(number)
    return ir.Constant(scalar_type(dtype), number)


def _number_in_memory(e: Emitter, dtype: np.dtype[Any]) -> Array:
    """An array without axes that belongs to the function that is written."""
    with e.builder.goto_entry_block():
        place = e.builder.alloca(stored_type(dtype))
    return Array(dtype, ir.Constant(POINTER, None), place, [], [])


def sum_to(e: Emitter, expr: Expr, shape: list[ir.Value], out: Array) -> None:
    """Add the values of an expression up where an array has size one or no axis."""
    b = e.builder
    strides: list[ir.Value] = [I64(0)] * (len(shape) - out.ndim)
    for n, step in zip(out.shape, out.strides):
        strides.append(b.select(b.icmp_signed("==", n, I64(1)), I64(0), step))
    spread = Array(out.dtype, out.block, out.data, shape, strides)
    fill(e, out, Leaf(Static(0), out.dtype))
    if not out.ndim:
        run(e, shape, [KernelOutput(expr, spread, add, True)])
        return
    narrow = b.icmp_signed("==", out.shape[-1], I64(1))
    with b.if_else(narrow) as (along, across):
        with along:
            run(e, shape, [KernelOutput(expr, spread, add, True)])
        with across:
            run(e, shape, [KernelOutput(expr, spread, add, columns=True)])


def combine_into(
    e: Emitter,
    out: Array,
    expr: Expr,
    shape: list[ir.Value],
    axes: list[int],
    neutral: float | int,
    combine: Combine,
) -> None:
    """Combine the values of an expression along axes with what a new array holds."""
    steps = iter(out.strides)
    strides = [I64(0) if k in axes else next(steps) for k in range(len(shape))]
    spread = Array(out.dtype, out.block, out.data, shape, strides)
    last = len(shape) - 1
    along = last in axes
    rows = last > 0 and axes == [last]
    output = KernelOutput(
        expr, spread, combine, along, neutral, rows=rows, columns=not along
    )
    run(e, shape, [output])


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


def check_not_empty(
    e: Emitter, name: str, shape: list[ir.Value], axes: list[int]
) -> None:
    """Fail where the greatest or least of no numbers is wanted."""
    if name not in _WITHOUT_IDENTITY:
        return
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
    message = (
        "zero-size array to reduction operation "
        f"{_WITHOUT_IDENTITY[name]} which has no identity"
    )
    e.fail_unless(good, ValueError, message)


_WITHOUT_IDENTITY = {"max": "maximum", "min": "minimum"}


def _extreme(sign: str) -> tuple[Callable[[np.dtype[Any]], float | int], Combine]:
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
            # What is not a number stays; the test of y does not wait for x.
            better = b.select(b.fcmp_ordered(sign, y, x), y, x)
            return b.select(b.fcmp_unordered("uno", y, y), y, better)
        kind = x.type.element if isinstance(x.type, ir.VectorType) else x.type
        compare = b.icmp_unsigned if kind.width == 1 else b.icmp_signed
        return b.select(compare(sign, y, x), y, x)

    return start, combine


REDUCTIONS: dict[str, tuple[Callable[[np.dtype[Any]], float | int], Combine]] = {
    "sum": (_zero, add),
    "mean": (_zero, add),
    "prod": (_one, _multiply),
    "max": _extreme(">"),
    "min": _extreme("<"),
    "any": _extreme(">"),
    "all": _extreme("<"),
}


@lowers("prod", options=_OPTIONS, trees=True)
@lowers("sum", options=_OPTIONS, trees=True, complexes=True)
def _lower_plain(e: Emitter, node: Apply) -> Value:
    return reduce(e, node)


@lowers("any", "all", options=("axis", "keepdims"), trees=True)
def _lower_truth(e: Emitter, node: Apply) -> Value:
    if result_type(e, node).dtype != np.dtype(bool):
        raise e.refuse(f"'{node.op.name}' of this", node.span)
    return reduce(e, node)


@lowers("max", "min", options=_OPTIONS, trees=True)
def _lower_extreme(e: Emitter, node: Apply) -> Value:
    arrays = leaves(build(e, node.args[0]))
    if arrays:
        rank = max(a.ndim for a in arrays)
        shape, _ = joint_shape(e, [a.shape for a in arrays], rank)
        check_not_empty(e, node.op.name, shape, axes_of(e, node, rank))
    return reduce(e, node)


@lowers("mean", options=_OPTIONS, trees=True, complexes=True)
def _lower_mean(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    if t.dtype is None or t.dtype.kind not in "fc":
        raise e.refuse("a mean that is no floating-point number", node.span)
    total = reduce(e, node)
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    rank = max((a.ndim for a in arrays), default=0)
    shape = broadcast(e, arrays, rank)
    axes = axes_of(e, node, rank) if rank else []
    assert t.dtype is not None
    kind = FLOAT if is_complex(t.dtype) else t.dtype
    divisor = Leaf(_count(e, [shape[k] for k in axes], kind), kind)
    whole: Expr = Leaf(total, t.dtype)
    parts = halves(e, whole).inputs if is_complex(t.dtype) else [whole]
    quotients = [operation("divide", [p, divisor], kind, kind) for p in parts]
    quotient = Pair(*quotients) if is_complex(t.dtype) else quotients[0]
    if isinstance(total, Scalar):
        return Scalar(t.dtype, scalar(e, quotient, t.dtype))
    assert isinstance(total, Array)
    fill(e, total, quotient)
    return total


def _count(e: Emitter, sizes: list[ir.Value], dtype: np.dtype[Any]) -> Scalar:
    """How many elements there are, as a number of a type."""
    b = e.builder
    count: ir.Value = I64(1)
    for n in sizes:
        count = b.mul(count, n)
    return Scalar(dtype, b.sitofp(count, scalar_type(dtype)))


# Along rows ---------------------------------------------------------------------------


class RowShape(Enum):
    """How the values of a statement lie along rows of elements."""

    WIDE = "a number for each element"
    KEPT = "a number for each row, the last axis being kept"
    DROPPED = "a number for each row, without the last axis"
    TOTAL = "one number"


def row_shape_of(e: Emitter, node: Apply) -> RowShape | None:
    """What a reduction makes of rows; None if it is none along the last axis."""
    if getattr(node.op, "name", None) not in REDUCTIONS:
        return None
    if id(node) not in e.row_shapes:
        e.row_shapes[id(node)] = _find_row_shape(e, node)
    found: RowShape | None = e.row_shapes[id(node)]
    return found


def _find_row_shape(e: Emitter, node: Apply) -> RowShape | None:
    if not has_lowering(node):
        return None
    t, u = deref(node.type), deref(node.args[0].type)
    if not isinstance(t, Num) or not isinstance(u, Num) or not u.ndim:
        return None
    if t.dtype is None or t.dtype.kind not in "fi" or element_type(t.dtype) is None:
        return None
    try:
        axes = axes_of(e, node, u.ndim)
        keep = bool(static(e, argument(e, node, "keepdims"), "keepdims"))
    except NoLowering:
        return None
    if axes == [u.ndim - 1]:
        if keep:
            return RowShape.KEPT
        return RowShape.DROPPED if u.ndim > 1 else None
    whole = len(axes) == u.ndim and not keep
    return RowShape.TOTAL if whole else None


def row_tree(e: Emitter, node: Apply, expr: Expr, n: ir.Value) -> Expr:
    """The expression of a reduction of rows of n elements; of a mean, if it is of a
    part, the sum."""
    dtype = result_type(e, node).dtype
    assert dtype is not None
    start, combine = REDUCTIONS[node.op.name]
    found = Reduced(expr, combine, start(dtype), dtype)
    if node.op.name != "mean" or row_shape_of(e, node) is RowShape.TOTAL:
        return found
    count = _count(e, [n], dtype)
    return operation("divide", [found, Leaf(count, dtype)], dtype, dtype)


def combine_rows(e: Emitter, node: Apply, rows: Array, shape: list[ir.Value]) -> Scalar:
    """The reduction of everything, of that of the rows."""
    dtype = result_type(e, node).dtype
    assert dtype is not None
    start, combine = REDUCTIONS[node.op.name]
    neutral = start(dtype)
    place = _number_in_memory(e, dtype)
    e.store(place, [], constant_number(dtype, neutral))
    axes = list(range(rows.ndim))
    combine_into(e, place, Leaf(rows, dtype), rows.shape, axes, neutral, combine)
    total = e.load(place, [])
    if node.op.name == "mean":
        total = e.builder.fdiv(total, _count(e, shape, dtype).register)
    return Scalar(dtype, total)
