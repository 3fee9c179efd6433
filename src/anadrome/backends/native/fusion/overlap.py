"""Whether a loop may write an array while it reads others: tested when it runs."""

from __future__ import annotations

from llvmlite import ir

from ..emission.dsl import I1, I64, declare
from ..emission.function import Emitter
from ..emission.values import Array

_BYTE = ir.IntType(8)
_POINTER = _BYTE.as_pointer()


def may_write(e: Emitter, place: Array, read: list[Array]) -> ir.Value:
    """Whether no element is written before an array still needs what it held.

    That is so for arrays in other memory, and for one that is the place itself:
    then each element is read just before it is written.
    """
    b = e.builder
    good: ir.Value = I1(1)
    for array in read:
        if array.data is place.data and _same(array, place):
            continue
        test = _test(e, place.ndim, array.ndim)
        given: list[ir.Value] = []
        for a in (place, array):
            data = b.bitcast(a.data, _POINTER)
            size = I64(a.dtype.itemsize)
            given += [data, size, *a.shape, *a.strides]
        good = b.and_(good, b.call(test, given))
    return good


def _same(a: Array, b: Array) -> bool:
    pairs = [*zip(a.shape, b.shape), *zip(a.strides, b.strides)]
    return a.ndim == b.ndim and all(x is y for x, y in pairs)


def _test(e: Emitter, rank: int, other: int) -> ir.Function:
    """The function that compares arrays of two ranks, in the module of kernels."""
    module = e.owner.kernels.module
    name = f"anadrome.apart.{rank}.{other}"
    kinds: list[ir.Type] = []
    for n in (rank, other):
        kinds += [_POINTER, I64, *[I64] * (2 * n)]
    type_ = ir.FunctionType(I1, kinds)
    if name not in module.globals:
        _write(ir.Function(module, type_, name), rank, other)
    return declare(e.module, name, type_)


def _write(function: ir.Function, rank: int, other: int) -> None:
    b = ir.IRBuilder(function.append_basic_block("entry"))
    arguments = iter(function.args)
    row_shapes = []
    for n in (rank, other):
        data, size = next(arguments), next(arguments)
        shape = [next(arguments) for _ in range(n)]
        steps = [b.mul(next(arguments), size) for _ in range(n)]
        row_shapes.append((b.ptrtoint(data, I64), size, shape, steps))
    mine, theirs = row_shapes
    (low, high), (first, last) = (_range(b, *row_shape) for row_shape in row_shapes)
    good = b.icmp_signed("<=", high, first)
    good = b.or_(good, b.icmp_signed("<=", last, low))
    if rank == other:
        same = b.icmp_signed("==", mine[0], theirs[0])
        for k in (2, 3):
            for x, y in zip(mine[k], theirs[k]):
                same = b.and_(same, b.icmp_signed("==", x, y))
        good = b.or_(good, same)
    b.ret(good)


def _range(
    b: ir.IRBuilder,
    data: ir.Value,
    size: ir.Value,
    shape: list[ir.Value],
    steps: list[ir.Value],
) -> tuple[ir.Value, ir.Value]:
    """The first byte of an array, and the one after its last."""
    low, high = data, b.add(data, size)
    for n, step in zip(shape, steps):
        reach = b.mul(step, b.sub(n, I64(1)))
        down = b.icmp_signed("<", reach, I64(0))
        low = b.add(low, b.select(down, reach, I64(0)))
        high = b.add(high, b.select(down, I64(0), reach))
    return low, high
