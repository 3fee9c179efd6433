"""Products that read a row-major B unpacked, in the order of its rows.

Packing B costs as much as a few rows of A repay, and a deep panel that is read in
place touches a page for every row of B.  Here B is read a few rows at a time, over all
columns: as many streams as the processor can follow by itself.  The sums of the rows
read so far wait in C, or in a buffer if C is added to, and are gone on with: every
bit is as if the whole depth had been one loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import divide_up, for_range, minimum, offset
from ..emission.dsl import I32, I64
from .kernels import CONTINUE, ROW, SET
from .packing import PACKED, load_vector, store_vector

if TYPE_CHECKING:
    from .blocks import BlockModule

SHALLOW = 96
"""Products of at most this depth write C row by row."""
UNPACKED_ROWS = 32
"""Deeper ones have at most so many rows here."""
# Rows of B that these read at a time.
_STEP = 32
# Bytes of the columns of B that stay near while all rows of C pass.
_NEAR = 1 << 19
# Bytes of a B that is read over its whole depth, however deep.
_SMALL = 1 << 16
# Columns of the buffer for sums.
_STRIP = 512


def emit_unpacked(m: BlockModule) -> ir.Function:
    """`unpacked(M, N, K, A, rsA, csA, B, rsB, C, rsC, accumulate)`.

    N is a multiple of the panels' width; K ≤ SHALLOW or M ≤ UNPACKED_ROWS.
    """
    p = m.pointer
    arguments = [I64, I64, I64, p, I64, I64, p, I64, p, I64, I64]
    function = m.function("gemm_unpacked", arguments)
    depth, column_step, b_step = (function.args[k] for k in (2, 5, 7))
    builder = Builder(function.append_basic_block())
    tiles = -(-UNPACKED_ROWS // m.shape.rows)
    space = m.shape.rows * max(SHALLOW, tiles * _STEP)
    memory = builder.alloca(ir.ArrayType(m.element, space))
    memory.align = 64
    buffer = builder.bitcast(memory, p)
    shallow = builder.icmp_signed("<=", depth, I64(SHALLOW))
    # A deeper B that is small is near anyway, if A needs no buffer to be packed in.
    size = builder.mul(builder.mul(depth, b_step), I64(m.size))
    conditions = (
        builder.icmp_signed("<=", size, I64(_SMALL)),
        builder.icmp_signed("<=", depth, I64(m.depth)),
        builder.icmp_signed("==", column_step, I64(1)),
    )
    small = builder.and_(builder.and_(*conditions[:2]), conditions[2])
    with builder.if_then(builder.or_(shallow, small)):
        _by_rows(m, builder, function.args, buffer)
        builder.ret(I32(0))
    _by_depth(m, builder, function.args, buffer)
    return function


class _Left:
    """How tiles read A: by rows, or by columns from where they are packed."""

    def __init__(self, builder: ir.IRBuilder, rs: ir.Value, cs: ir.Value) -> None:
        self.is_row = builder.icmp_signed("==", cs, I64(1))
        self.rs, self.cs = rs, cs

    def arguments(
        self,
        m: BlockModule,
        builder: ir.IRBuilder,
        rows: ir.Value,
        depth: ir.Value,
        a: ir.Value,
        buffer: ir.Value,
    ) -> list[ir.Value]:
        """The pointer, stride and order of a block of A, packed if it must be."""
        with builder.if_then(builder.not_(self.is_row)):
            m.pack_tiles(builder, rows, depth, a, self.rs, self.cs, buffer)
        return [
            builder.select(self.is_row, a, buffer),
            builder.select(self.is_row, self.rs, I64(m.shape.rows)),
            builder.select(self.is_row, I64(ROW), I64(PACKED)),
        ]


def _by_rows(
    m: BlockModule, builder: ir.IRBuilder, arguments: list[ir.Value], buffer: ir.Value
) -> None:
    """The whole depth at once; C is written row of tiles by row of tiles."""
    rows, columns, depth, a, rs, cs, b, b_step, c, c_step, mode = arguments
    left = _Left(builder, rs, cs)
    tiles, part = m.cut_rows(builder, rows)
    width = I64(m.shape.width)
    near = builder.udiv(I64(_NEAR // m.size), builder.mul(depth, width))
    strip = builder.mul(near, width)
    with (
        for_range(builder, 0, columns, strip) as column,
        for_range(builder, 0, tiles) as tile,
    ):
        row, count = part(tile)
        start = offset(builder, a, builder.mul(row, rs))
        read = left.arguments(m, builder, count, depth, start, buffer)
        corner = builder.add(builder.mul(row, c_step), column)
        right = [offset(builder, b, column), b_step, width]
        right += [offset(builder, c, corner), c_step, mode]
        present = minimum(builder, builder.sub(columns, column), strip)
        builder.call(m.tiles, [count, present, depth, *read, *right])


def _by_depth(
    m: BlockModule, builder: ir.IRBuilder, arguments: list[ir.Value], buffer: ir.Value
) -> None:
    """Some rows of B at a time, strip by strip; returns a status."""
    rows, columns, k, a, rs, cs, b, b_step, c, c_step, accumulate = arguments
    left = _Left(builder, rs, cs)
    deepest = divide_up(builder, k, divide_up(builder, k, m.depth))
    added = builder.icmp_signed("!=", accumulate, I64(0))
    buffered = builder.or_(added, builder.icmp_signed(">", k, deepest))
    widest = minimum(builder, columns, _STRIP)
    space = builder.mul(builder.mul(rows, widest), I64(m.size))
    raw, sums = m.workspace(builder, builder.select(buffered, space, I64(0)))
    with builder.if_then(builder.and_(buffered, m.is_null(builder, raw)), False):
        builder.ret(I32(1))
    width = builder.select(buffered, widest, columns)
    with for_range(builder, 0, columns, width) as column:
        count = minimum(builder, builder.sub(columns, column), width)
        target = offset(builder, c, column)
        with for_range(builder, 0, k, deepest) as start:
            stop = minimum(builder, builder.add(start, deepest), k)
            adds = builder.or_(added, builder.icmp_signed(">", start, I64(0)))
            place = builder.select(adds, sums, target)
            step = builder.select(adds, count, c_step)
            with for_range(builder, start, stop, _STEP) as first:
                depth = minimum(builder, builder.sub(stop, first), _STEP)
                begins = builder.icmp_signed("==", first, start)
                mode = builder.select(begins, I64(SET), I64(CONTINUE))
                corner = offset(builder, a, builder.mul(first, cs))
                read = left.arguments(m, builder, rows, depth, corner, buffer)
                part = builder.add(builder.mul(first, b_step), column)
                right = [offset(builder, b, part), b_step, I64(m.shape.width)]
                right += [place, step, mode]
                builder.call(m.tiles, [rows, count, depth, *read, *right])
            with builder.if_then(adds):
                _add_sums(m, builder, rows, count, sums, target, c_step)
    m.free(builder, raw)
    builder.ret(I32(0))


def _add_sums(
    m: BlockModule,
    builder: ir.IRBuilder,
    rows: ir.Value,
    columns: ir.Value,
    sums: ir.Value,
    c: ir.Value,
    c_step: ir.Value,
) -> None:
    """Add the buffer to C, where C has something already."""
    vector = ir.VectorType(m.element, m.shape.lanes)
    with for_range(builder, 0, rows) as row:
        source = offset(builder, sums, builder.mul(row, columns))
        target = offset(builder, c, builder.mul(row, c_step))
        with for_range(builder, 0, columns, m.shape.lanes) as column:
            place = offset(builder, target, column)
            value = load_vector(builder, offset(builder, source, column), vector)
            old = load_vector(builder, place, vector)
            store_vector(builder, builder.fadd(old, value), place)
