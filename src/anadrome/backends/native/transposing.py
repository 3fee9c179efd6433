"""Matrices copied with rows and columns exchanged, a square of vectors at a time.

What lies side by side along the rows of one matrix and along the columns of the other
is read in vectors, transposed in registers, and written in vectors.
"""

from __future__ import annotations

from llvmlite import ir

from .control import for_range, minimum
from .expression import I1, I32, I64, declare, type_name
from .strides import BYTE, POINTER
from .target import Target

TURN = "anadrome.turn"
TURN_TYPE = ir.FunctionType(I1, [I64, I64, POINTER, POINTER, POINTER])
"""turn(n, rows, pointers, strides, jumps): whether it copied the first of two operands
to the second, which it does if one of them has its neighbours across the rows

The arguments are those of a kernel.
"""
SIZES = (4, 8)
# Matrices of fewer rows or columns are not worth it.
_LEAST = 4


def emit_turn(module: ir.Module, target: Target) -> None:
    """Write `turn` for elements of every size that it is there for."""
    for size in SIZES:
        _emit_turn(module, size, _emit_squares(module, target, size))


def _emit_turn(module: ir.Module, size: int, squares: ir.Function) -> None:
    function = ir.Function(module, TURN_TYPE, f"{TURN}.{size}")
    b = ir.IRBuilder(function.append_basic_block())
    n, rows, pointers, strides, jumps = function.args

    def word(base: ir.Value, k: int, kind: ir.Type = I64) -> ir.Value:
        return b.load(b.gep(base, [I64(k)], source_etype=I64), typ=kind)

    source, target = word(pointers, 0, POINTER), word(pointers, 1, POINTER)
    along, across = ([word(base, k) for k in (0, 1)] for base in (strides, jumps))

    def is_unit(step: ir.Value) -> ir.Value:
        return b.icmp_signed("==", step, I64(size))

    enough = b.icmp_signed(">=", minimum(b, n, rows), I64(_LEAST))
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
    lanes = min(16, target.lanes(size))
    kinds = [POINTER, I64, POINTER, I64, I64, I64]
    type_ = ir.FunctionType(ir.VoidType(), kinds)
    function = ir.Function(module, type_, f"squares.{size}")
    function.linkage = "internal"
    b = ir.IRBuilder(function.append_basic_block())
    source, source_step, goal, goal_step, count, width = function.args
    with for_range(b, 0, count, lanes) as i, for_range(b, 0, width, lanes) as j:
        start = _moved(b, source, b.add(b.mul(i, source_step), b.mul(j, I64(size))))
        end = _moved(b, goal, b.add(b.mul(j, goal_step), b.mul(i, I64(size))))
        high = minimum(b, b.sub(count, i), lanes)
        wide = minimum(b, b.sub(width, j), lanes)
        square = _Square(b, size, lanes)
        whole = b.icmp_signed("==", b.add(high, wide), I64(2 * lanes))
        with b.if_else(whole) as (all_of_it, part):
            with all_of_it:
                square.copy(start, source_step, end, goal_step, None)
            with part:
                square.copy(start, source_step, end, goal_step, (high, wide))
    b.ret_void()
    return function


def _moved(b: ir.IRBuilder, pointer: ir.Value, distance: ir.Value) -> ir.Value:
    return b.gep(pointer, [distance], source_etype=BYTE)


class _Square:
    """Writes the code that transposes as many vectors as they have lanes."""

    def __init__(self, b: ir.IRBuilder, size: int, lanes: int) -> None:
        self.b, self.size, self.lanes = b, size, lanes
        self.kind = ir.VectorType(ir.IntType(8 * size), lanes)

    def copy(
        self,
        start: ir.Value,
        start_step: ir.Value,
        end: ir.Value,
        end_step: ir.Value,
        counts: tuple[ir.Value, ir.Value] | None,
    ) -> None:
        """Copy a square, or the part of it that has so many rows and columns."""
        rows = []
        for k in range(self.lanes):
            place = _moved(self.b, start, self.b.mul(start_step, I64(k)))
            rows.append(self._load(place, k, counts))
        for k, column in enumerate(self._transposed(rows)):
            place = _moved(self.b, end, self.b.mul(end_step, I64(k)))
            self._store(column, place, k, counts[::-1] if counts else None)

    def _transposed(self, rows: list[ir.Value]) -> list[ir.Value]:
        """Exchange ever smaller squares beside the diagonal."""
        lanes, half = self.lanes, self.lanes // 2
        while half:
            low, high = [], []
            for k in range(lanes):
                # Of each pair of blocks of lanes, the first or the second of both.
                at = k % (2 * half)
                base = k - at
                upper = at >= half
                low.append(lanes + k - half if upper else k)
                high.append(lanes + k if upper else base + half + at)
            made = list(rows)
            for k in range(lanes):
                if k % (2 * half) < half:
                    a, c = rows[k], rows[k + half]
                    made[k], made[k + half] = (self._pick(a, c, p) for p in (low, high))
            rows, half = made, half // 2
        return rows

    def _pick(self, a: ir.Value, c: ir.Value, chosen: list[int]) -> ir.Value:
        picks = ir.Constant(ir.VectorType(I32, self.lanes), chosen)
        return self.b.shuffle_vector(a, c, picks)

    def _mask(self, k: int, counts: tuple[ir.Value, ir.Value]) -> ir.Value:
        """The lanes of a vector that are there, none if it is not there itself."""
        b, lanes = self.b, self.lanes
        count, width = counts
        bits = ir.IntType(lanes)
        ones = b.trunc(b.not_(b.shl(I64(-1), width)), bits)
        here = b.select(b.icmp_signed(">", count, I64(k)), ones, bits(0))
        return b.bitcast(here, ir.VectorType(I1, lanes))

    def _load(
        self, place: ir.Value, k: int, counts: tuple[ir.Value, ir.Value] | None
    ) -> ir.Value:
        if counts is None:
            return self.b.load(place, typ=self.kind, align=self.size)
        mask = self._mask(k, counts)
        name = f"llvm.masked.load.{type_name(self.kind)}.p0"
        kinds = [POINTER, I32, mask.type, self.kind]
        callee = declare(self.b.module, name, ir.FunctionType(self.kind, kinds))
        nothing = ir.Constant(self.kind, None)
        return self.b.call(callee, [place, I32(self.size), mask, nothing])

    def _store(
        self,
        value: ir.Value,
        place: ir.Value,
        k: int,
        counts: tuple[ir.Value, ir.Value] | None,
    ) -> None:
        if counts is None:
            self.b.store(value, place, align=self.size)
            return
        mask = self._mask(k, counts)
        name = f"llvm.masked.store.{type_name(self.kind)}.p0"
        kinds = [self.kind, POINTER, I32, mask.type]
        callee = declare(self.b.module, name, ir.FunctionType(ir.VoidType(), kinds))
        self.b.call(callee, [value, place, I32(self.size), mask])
