"""Products shared among threads: C in strips, and a B that many strips read.

A strip of columns reads panels of B that no other strip does, and packs them just
before they are used.  Strips of rows all read the whole of B: it is packed once before,
by all threads, which also leaves strips as small as an even end of the work asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import divide_up, for_range, minimum, offset
from ..emission.dsl import I32, I64
from ..runtime.threads import declare_thread_count

if TYPE_CHECKING:
    from .blocks import BlockModule

PREPACKED, STREAMED, UNPACKED = 0, 1, 2
"""How B is read: see `gemm_blocks`."""

SERIAL_WORK = 1 << 18
"""Multiplications below which one thread is faster."""

# (multiplications in so many times SERIAL_WORK, strips for each thread): the end of the
# work is more even with many, which each read the other factor again.
_PIECES = (32, 4), (256, 8), (2048, 16)
# Elements below which one thread packs faster.
_SERIAL_PACKING = 1 << 14
# Steps of depth that are packed at a time, of a B by rows and by columns.
_STEPS = 16, 64
# Rows of C below which nothing is gained by packing B before.
_ROWS_WORTH_PACKING = 64
# Bytes of a B that is packed at once; of a larger one, some depth at a time.
_PACKED_BYTES = 1 << 24
# A B with so many columns is never packed as a whole.
_WIDEST_BYTES = 1 << 26


def emit_pack(m: BlockModule) -> ir.Function:
    """`pack_b(K, N, B, rsB, csB, out)`: all panels of B, packed by all threads."""
    p = m.pointer
    signature = ir.FunctionType(ir.VoidType(), [I64, I64, p, I64, I64, p])
    function = ir.Function(m.module, signature, m.symbol("pack_b"))
    depth, columns = function.args[:2]
    builder = Builder(function.append_basic_block())
    panels = divide_up(builder, columns, m.shape.width)
    by_rows = builder.icmp_signed("==", function.args[4], I64(1))
    steps = builder.select(by_rows, I64(_STEPS[0]), I64(_STEPS[1]))
    slices = divide_up(builder, depth, steps)
    tasks = builder.mul(panels, slices)
    threads = builder.call(declare_thread_count(m.module), [])
    size = builder.mul(depth, columns)
    small = builder.icmp_signed("<", size, I64(_SERIAL_PACKING))
    wanted = builder.select(small, I64(1), builder.mul(threads, I64(4)))
    nothing = builder.icmp_signed("<=", tasks, I64(0))
    with builder.if_then(nothing, False):
        builder.ret_void()
    each = divide_up(builder, tasks, minimum(builder, tasks, wanted))
    chunks = divide_up(builder, tasks, each)

    def some(
        inner: ir.IRBuilder, fields: list[ir.Value], chunk: ir.Value, status: ir.Value
    ) -> None:
        depth, columns, b, row_step, column_step, out, *counts = fields
        by_rows, panels, slices, steps, each = counts
        tasks = inner.mul(panels, slices)
        first = inner.mul(chunk, each)
        last = minimum(inner, inner.add(first, each), tasks)
        with for_range(inner, first, last) as task:
            # In the order in which B lies in memory.
            fast = inner.select(by_rows, panels, slices)
            high, low = inner.udiv(task, fast), inner.urem(task, fast)
            panel = inner.select(by_rows, low, high)
            start = inner.mul(inner.select(by_rows, high, low), steps)
            present = minimum(inner, inner.sub(depth, start), steps)
            column = inner.mul(panel, I64(m.shape.width))
            rows, aside = inner.mul(start, row_step), inner.mul(column, column_step)
            source = offset(inner, b, inner.add(rows, aside))
            place = inner.add(inner.mul(panel, depth), start)
            into = offset(inner, out, inner.mul(place, I64(m.shape.width)))
            beyond = inner.sub(columns, column)
            values = [present, beyond, source, row_step, column_step, into]
            inner.call(m.pack_panel, values)

    values = [*function.args, by_rows, panels, slices, steps, each]
    m.parallel(builder, "pack_some", values, chunks, some)
    builder.ret_void()
    return function


def emit_strips(m: BlockModule) -> ir.Function:
    """`gemm_blocks` with C cut into strips of rows or of panels.

    It is called without the depth of blocks.
    """
    function = m.function("gemm_strips", m.block_arguments()[:-1])
    inner = m.function("gemm_even_strips", m.block_arguments())
    builder = Builder(function.append_basic_block())
    deepest = m.block_depth(builder, function.args[2])
    builder.ret(builder.call(inner, [*function.args, deepest]))
    _write_strips(m, inner)
    return function


def _write_strips(m: BlockModule, function: ir.Function) -> None:
    """The same in blocks of a given depth, which may be more even than its own."""
    rows, columns, depth, _, row_step, column_step = function.args[:6]
    way, deepest = function.args[13:]
    builder = Builder(function.append_basic_block())
    shape = m.shape
    threads = builder.call(declare_thread_count(m.module), [])
    work = builder.mul(builder.mul(rows, columns), depth)
    serial = builder.or_(
        builder.icmp_signed("<", work, I64(SERIAL_WORK)),
        builder.icmp_signed("<=", threads, I64(1)),
    )
    # What is packed before is read again; a block of rows that is streamed is not.
    packs = m.packs_left(builder, rows, columns, row_step, column_step)
    taller = builder.icmp_signed(">", rows, columns)
    several = builder.icmp_signed(">", rows, m.block_rows(builder, deepest))
    strips = builder.and_(builder.not_(serial), taller)
    again = builder.and_(
        builder.icmp_signed(">=", rows, I64(_ROWS_WORTH_PACKING)),
        builder.or_(several, strips),
    )
    streamed = builder.icmp_signed("==", way, I64(STREAMED))
    narrow = builder.mul(columns, I64(m.depth * m.size))
    fits = builder.icmp_signed("<=", narrow, I64(_WIDEST_BYTES))
    with builder.if_then(builder.and_(streamed, builder.and_(again, fits)), False):
        _pack_before(m, builder, function)
    with builder.if_then(serial):
        builder.ret(builder.call(m.blocks, function.args))
    row_units = divide_up(builder, rows, shape.rows)
    column_units = divide_up(builder, columns, shape.width)
    # Strips of columns read disjoint parts of B, the larger operand of thin products;
    # strips of rows disjoint parts of A, which is then packed only once.
    # Strips of rows of what is written once, row by row, are whole.
    unpacked = builder.icmp_signed("==", way, I64(UNPACKED))
    many = builder.icmp_signed(">=", rows, I64(8 * shape.rows))
    prepacked = builder.icmp_signed("==", way, I64(PREPACKED))
    packed_left = builder.and_(builder.and_(packs, prepacked), many)
    by_rows = builder.select(unpacked, many, builder.or_(taller, packed_left))
    units = builder.select(by_rows, row_units, column_units)
    pieces: ir.Value = I64(1)
    # Strips of columns each pack all of A.
    repeated = builder.and_(packs, builder.not_(by_rows))
    for least, count in _PIECES:
        enough = builder.icmp_signed(">=", work, I64(SERIAL_WORK * least))
        if count > 4:
            enough = builder.and_(enough, builder.not_(repeated))
        pieces = builder.select(enough, I64(count), pieces)
    chunks = minimum(builder, units, builder.mul(threads, pieces))
    each = divide_up(builder, units, chunks)
    chunks = divide_up(builder, units, each)

    def strip(
        inner: ir.IRBuilder, fields: list[ir.Value], chunk: ir.Value, status: ir.Value
    ) -> None:
        rows, columns, k, a, rs, cs, b, b_step, panel_step, c, c_step, adds = fields[
            :12
        ]
        across, way, deepest, by_rows, each = fields[12:]
        start = inner.mul(chunk, each)
        first_row = inner.select(by_rows, inner.mul(start, I64(shape.rows)), I64(0))
        first_panel = inner.select(by_rows, I64(0), start)
        first_column = inner.mul(first_panel, I64(shape.width))
        high = inner.mul(each, I64(shape.rows))
        wide = inner.mul(each, I64(shape.width))
        height = minimum(inner, inner.sub(rows, first_row), high)
        width = minimum(inner, inner.sub(columns, first_column), wide)
        corner = inner.add(inner.mul(first_row, c_step), first_column)
        values = [
            *(
                inner.select(by_rows, height, rows),
                inner.select(by_rows, columns, width),
            ),
            *(k, offset(inner, a, inner.mul(first_row, rs)), rs, cs),
            offset(inner, b, inner.mul(first_panel, panel_step)),
            *(b_step, panel_step, offset(inner, c, corner), c_step, adds, across),
            *(way, deepest),
        ]
        result = inner.call(m.blocks, values)
        with inner.if_then(inner.icmp_signed("!=", result, I32(0)), False):
            inner.store(result, status)

    values = [*function.args, by_rows, each]
    m.parallel(builder, "gemm_strip", values, chunks, strip)
    builder.ret(m.last_status)


def _pack_before(m: BlockModule, builder: ir.IRBuilder, function: ir.Function) -> None:
    """Return the product with B packed first, some depth at a time."""
    rows, columns, k, a, rs, cs, b, b_step, _, c, c_step, accumulate = function.args[
        :12
    ]
    across, _, deepest = function.args[12:]
    width = I64(m.shape.width)
    padded = builder.mul(divide_up(builder, columns, m.shape.width), width)
    block_bytes = builder.mul(builder.mul(padded, deepest), I64(m.size))
    blocks = builder.udiv(I64(_PACKED_BYTES), block_bytes)
    some = builder.icmp_signed(">", blocks, I64(0))
    piece = builder.mul(deepest, builder.select(some, blocks, I64(1)))
    piece = minimum(builder, piece, k)
    raw, panels = m.workspace(
        builder, builder.mul(builder.mul(padded, piece), I64(m.size))
    )
    with builder.if_then(m.is_null(builder, raw), False):
        builder.ret(I32(1))
    with for_range(builder, 0, k, piece) as start:
        depth = minimum(builder, builder.sub(k, start), piece)
        source = offset(builder, b, builder.mul(start, b_step))
        builder.call(m.pack_b, [depth, columns, source, b_step, across, panels])
        later = builder.zext(builder.icmp_signed(">", start, I64(0)), I64)
        left = [depth, offset(builder, a, builder.mul(start, cs)), rs, cs]
        right = [panels, width, builder.mul(depth, width), c, c_step]
        right += [builder.or_(accumulate, later), I64(0), I64(PREPACKED), deepest]
        status = builder.call(function, [rows, columns, *left, *right])
        with builder.if_then(builder.icmp_signed("!=", status, I32(0)), False):
            m.free(builder, raw)
            builder.ret(status)
    m.free(builder, raw)
    builder.ret(I32(0))
