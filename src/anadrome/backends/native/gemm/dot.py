"""Inner products of two vectors, as a number."""

from __future__ import annotations

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import fold_range, minimum, offset
from ..emission.dsl import FLOAT, I64, element_size
from ..kernels.strided import Strided
from ..target import Target
from .kernels import add_lanes
from .packing import load_vector
from .tile import lane_mask, masked_load, multiply_add

# So many sums are kept at once, each in its own register.
_SUMS = 4
# Blocks of so many elements are added up by themselves.
_BLOCK = 1 << 14


def emit_inner(
    module: ir.Module, name: str, element: ir.Type, target: Target
) -> ir.Function:
    """`inner(n, x, x's step, y, y's step)`: the sum of x·y; steps in elements."""
    pointer = element.as_pointer()
    type_ = ir.FunctionType(element, [I64, pointer, I64, pointer, I64])
    function = ir.Function(module, type_, name)
    count, x, dx, y, dy = function.args
    b = Builder(function.append_basic_block())
    lanes = target.lanes(element_size(element))
    vector = ir.VectorType(element, lanes)
    wide = ir.DoubleType()
    neighbours = b.and_(
        b.icmp_signed("==", dx, I64(1)), b.icmp_signed("==", dy, I64(1))
    )

    def block(n: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
        """The sum over neighbours, in lanes that are added pairwise."""
        zero = ir.Constant(vector, None)

        def several(values: list[ir.Value]) -> list[ir.Value]:
            (p, q), sums = values[:2], values[2:]
            for k in range(_SUMS):
                left, right = (
                    load_vector(b, offset(b, at, k * lanes), vector) for at in (p, q)
                )
                sums[k] = multiply_add(b, target, left, right, sums[k])
            return [offset(b, at, _SUMS * lanes) for at in (p, q)] + sums

        def single(values: list[ir.Value]) -> list[ir.Value]:
            p, q, left, total = values
            mask = lane_mask(b, left, lanes)
            one, other = (masked_load(b, at, mask, vector) for at in (p, q))
            total = multiply_add(b, target, one, other, total)
            moved = [offset(b, at, lanes) for at in (p, q)]
            return [*moved, b.sub(left, I64(lanes)), total]

        many = b.udiv(n, I64(_SUMS * lanes))
        p, q, *sums = fold_range(b, many, [x, y] + [zero] * _SUMS, several)
        while len(sums) > 1:
            pairs = zip(sums[::2], sums[1::2])
            sums = [b.fadd(left, right) for left, right in pairs]
        rest = b.urem(n, I64(_SUMS * lanes))
        iterations = b.udiv(b.add(rest, I64(lanes - 1)), I64(lanes))
        *_, total = fold_range(b, iterations, [p, q, rest, sums[0]], single)
        return add_lanes(b, total)

    def blocks(values: list[ir.Value]) -> list[ir.Value]:
        x, y, left, total = values
        n = minimum(b, left, _BLOCK)
        part = block(n, x, y)
        part = b.fpext(part, wide) if element == FLOAT else part
        ends = [offset(b, x, n), offset(b, y, n), b.sub(left, n)]
        return [*ends, b.fadd(total, part)]

    def finish(total: ir.Value) -> None:
        b.ret(b.fptrunc(total, element) if element == FLOAT else total)

    with b.if_then(neighbours):
        few = b.icmp_signed("<=", count, I64(_BLOCK))
        with b.if_then(few):
            b.ret(block(count, x, y))
        iterations = b.udiv(b.add(count, I64(_BLOCK - 1)), I64(_BLOCK))
        start = [x, y, count, ir.Constant(wide, 0.0)]
        finish(fold_range(b, iterations, start, blocks)[-1])

    size = I64(element_size(element))
    left, right = (Strided(b, element, lanes, b.mul(d, size)) for d in (dx, dy))

    def gathered(values: list[ir.Value]) -> list[ir.Value]:
        p, q, rest, total = values
        mask = left.mask(rest)
        one, other = left.load(p, mask), right.load(q, mask)
        total = multiply_add(b, target, one, other, total)
        moved = [offset(b, at, b.mul(d, I64(lanes))) for at, d in ((p, dx), (q, dy))]
        return [*moved, b.sub(rest, I64(lanes)), total]

    iterations = b.udiv(b.add(count, I64(lanes - 1)), I64(lanes))
    zero = ir.Constant(vector, None)
    *_, total = fold_range(b, iterations, [x, y, count, zero], gathered)
    b.ret(add_lanes(b, total))
    return function
