"""Matrices copied with rows and columns exchanged, a square of vectors at a time.

What lies side by side along the rows of one matrix and along the columns of the other
is read in vectors, transposed in registers, and written in vectors.
"""

from __future__ import annotations

from functools import cache

from llvmlite import ir

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.control_flow import for_range, minimum
from ..emission.dsl import I1, I32, I64
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .strided import BYTE, POINTER

TRANSPOSE = "anadrome.transpose"
TRANSPOSE_TYPE = ir.FunctionType(I1, [I64, I64, POINTER, POINTER, POINTER])
"""transpose(n, rows, pointers, strides, jumps): whether it copied the first of two
operands to the second, which it does if one of them has its neighbours across the rows

The arguments are those of a kernel.
"""
SIZES = (4, 8)
# The sides of squares; matrices of fewer rows or columns are not worth it.
_LANES = 8


@cache
def transpose_library(size: int, target: Target) -> Library:
    """The loaded function `transpose` for elements of a size."""
    return load_cached(
        ObjectCache(),
        target,
        [
            "transpose",
            str(size),
            source_fingerprint(
                __name__, "anadrome.backends.native.emission.control_flow"
            ),
        ],
        lambda: _transpose_module(size, target),
        [f"{TRANSPOSE}.{size}"],
        passes=Passes.LIGHT,
    )


def _transpose_module(size: int, target: Target) -> ir.Module:
    module = ir.Module("anadrome.transpose")
    _emit_transpose(module, size, _emit_squares(module, target, size))
    return module


def _emit_transpose(module: ir.Module, size: int, squares: ir.Function) -> None:
    function = ir.Function(module, TRANSPOSE_TYPE, f"{TRANSPOSE}.{size}")
    b = ir.IRBuilder(function.append_basic_block())
    n, rows, pointers, strides, jumps = function.args

    def word(base: ir.Value, k: int, kind: ir.Type = I64) -> ir.Value:
        return b.load(b.gep(base, [I64(k)], source_etype=I64), typ=kind)

    source, target = word(pointers, 0, POINTER), word(pointers, 1, POINTER)
    along, across = ([word(base, k) for k in (0, 1)] for base in (strides, jumps))

    def is_unit(step: ir.Value) -> ir.Value:
        return b.icmp_signed("==", step, I64(size))

    enough = b.icmp_signed(">=", minimum(b, n, rows), I64(_LANES))
    for reads, writes, counts, steps in (
        (across[0], along[1], (n, rows), (along[0], across[1])),
        (along[0], across[1], (rows, n), (across[0], along[1])),
    ):
        good = b.and_(enough, b.and_(is_unit(reads), is_unit(writes)))
        with b.if_then(good):
            b.call(squares, [source, steps[0], target, steps[1], *counts])
            b.ret(I1(1))
    b.ret(I1(0))


def _emit_squares(module: ir.Module, target: Target, size: int) -> ir.Function:
    """squares(source, source step, target, target step, count, width)

    `count` rows of `width` elements become as many columns.
    """
    lanes = min(_LANES, target.lanes(size))
    type_ = ir.FunctionType(ir.VoidType(), [POINTER, I64, POINTER, I64, I64, I64])
    function = ir.Function(module, type_, f"squares.{size}")
    function.linkage = "internal"
    edge = _emit_edge(module, size)
    b = ir.IRBuilder(function.append_basic_block())
    source, source_step, goal, goal_step, count, width = function.args
    high, wide = (b.and_(n, I64(-lanes)) for n in (count, width))
    with for_range(b, 0, wide, lanes) as j, for_range(b, 0, high, lanes) as i:
        start = _moved(b, source, b.add(b.mul(i, source_step), b.mul(j, I64(size))))
        end = _moved(b, goal, b.add(b.mul(j, goal_step), b.mul(i, I64(size))))
        _copy_square(b, size, lanes, (start, source_step), (end, goal_step))
    places = [source, source_step, goal, goal_step]
    b.call(edge, [*places, I64(0), high, wide, width])
    b.call(edge, [*places, high, count, I64(0), width])
    b.ret_void()
    return function


def _emit_edge(module: ir.Module, size: int) -> ir.Function:
    """edge(source, source step, target, target step, i, last i, j, last j)

    Copies what is left beside the squares.
    """
    kinds = [POINTER, I64, POINTER, I64, *[I64] * 4]
    type_ = ir.FunctionType(ir.VoidType(), kinds)
    function = ir.Function(module, type_, f"edge.{size}")
    function.linkage = "internal"
    b = ir.IRBuilder(function.append_basic_block())
    source, source_step, goal, goal_step, *bounds = function.args
    item = ir.IntType(8 * size)
    with for_range(b, *bounds[:2]) as i, for_range(b, *bounds[2:]) as j:
        place = _moved(b, source, b.add(b.mul(i, source_step), b.mul(j, I64(size))))
        end = _moved(b, goal, b.add(b.mul(j, goal_step), b.mul(i, I64(size))))
        b.store(b.load(place, typ=item), end)
    b.ret_void()
    return function


def _moved(b: ir.IRBuilder, pointer: ir.Value, distance: ir.Value) -> ir.Value:
    return b.gep(pointer, [distance], source_etype=BYTE)


def _copy_square(
    b: ir.IRBuilder,
    size: int,
    lanes: int,
    source: tuple[ir.Value, ir.Value],
    goal: tuple[ir.Value, ir.Value],
) -> None:
    """Copy as many vectors as they have lanes, from and to a place and a step."""
    kind = ir.VectorType(ir.IntType(8 * size), lanes)
    place, step = source
    rows = []
    for k in range(lanes):
        rows.append(b.load(place, typ=kind, align=size))
        if k + 1 < lanes:
            place = _moved(b, place, step)
    place, step = goal
    for k, column in enumerate(_transposed(b, rows)):
        b.store(column, place, align=size)
        if k + 1 < lanes:
            place = _moved(b, place, step)


def _transposed(b: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """Exchange ever smaller squares beside the diagonal."""
    lanes, half = len(rows), len(rows) // 2
    while half:
        # Of each pair of blocks of lanes, the first or the second of both vectors.
        upper = [k % (2 * half) >= half for k in range(lanes)]
        low = [lanes + k - half if up else k for k, up in enumerate(upper)]
        high = [lanes + k if up else k + half for k, up in enumerate(upper)]
        picks = [ir.Constant(ir.VectorType(I32, lanes), p) for p in (low, high)]
        made = list(rows)
        for k in range(lanes):
            if not upper[k]:
                pair = rows[k], rows[k + half]
                made[k], made[k + half] = (b.shuffle_vector(*pair, p) for p in picks)
        rows, half = made, half // 2
    return rows
