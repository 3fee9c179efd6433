"""Operands copied into the order in which tiles read them."""

from __future__ import annotations

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import for_range, minimum, offset
from ..emission.dsl import I32, I64, element_size
from .tile import TileShape, lane_mask, masked_load, prefetch

PACKED = 2
"""An operand A in packed tiles, beside the orders ROW and COLUMN."""

COLUMNS_NEAR = 16
"""Columns of A that are packed for all tiles before the next ones are."""

# Rows that are asked for before they are copied: a panel takes a piece of each, so
# that no two pieces follow each other in memory.
_ROWS_AHEAD = 8


def emit_pack_panel(
    module: ir.Module, name: str, element: ir.Type, shape: TileShape
) -> ir.Function:
    """`pack(K, N, B, row stride, column stride, out)`.

    The first columns of B (K × N) are written to `out` as `[K][width]`, with zeros
    beyond column N.
    """
    pointer = element.as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [I64] * 2 + [pointer, I64, I64, pointer])
    function = ir.Function(module, signature, name)
    function.linkage = "internal"
    depth, columns, source, row_step, column_step, out = function.args
    builder = Builder(function.append_basic_block())
    rows_contiguous = builder.icmp_signed("==", column_step, I64(1))
    columns_contiguous = builder.icmp_signed("==", row_step, I64(1))
    present = minimum(builder, columns, shape.width)
    full = builder.icmp_signed("==", present, I64(shape.width))
    transposable = builder.and_(columns_contiguous, full)
    with builder.if_then(rows_contiguous):
        _copy_rows(builder, element, shape, depth, source, row_step, present, out)
        builder.ret_void()
    with builder.if_then(transposable):
        _transpose_columns(builder, element, shape, depth, source, column_step, out)
        builder.ret_void()
    steps = (row_step, column_step)
    _copy_elements(builder, (I64(0), depth), (present, shape.width), source, steps, out)
    builder.ret_void()
    return function


def _copy_rows(
    builder: ir.IRBuilder,
    element: ir.Type,
    shape: TileShape,
    depth: ir.Value,
    source: ir.Value,
    step: ir.Value,
    present: ir.Value,
    out: ir.Value,
) -> None:
    vector = ir.VectorType(element, shape.lanes)
    masks = [
        lane_mask(builder, builder.sub(present, I64(v * shape.lanes)), shape.lanes)
        for v in range(shape.vectors)
    ]
    ahead = builder.mul(step, I64(_ROWS_AHEAD))
    with for_range(builder, 0, depth) as k:
        row = offset(builder, source, builder.mul(k, step))
        prefetch(builder, offset(builder, row, ahead), shape.width)
        into = offset(builder, out, builder.mul(k, I64(shape.width)))
        later = offset(builder, into, _ROWS_AHEAD * shape.width)
        prefetch(builder, later, shape.width - shape.lanes, write=True)
        for v, mask in enumerate(masks):
            part = masked_load(
                builder, offset(builder, row, v * shape.lanes), mask, vector
            )
            store_vector(builder, part, offset(builder, into, v * shape.lanes))


def _transpose_columns(
    builder: ir.IRBuilder,
    element: ir.Type,
    shape: TileShape,
    depth: ir.Value,
    source: ir.Value,
    step: ir.Value,
    out: ir.Value,
) -> None:
    """Columns are contiguous: read squares of them and transpose each."""
    lanes = shape.lanes
    vector = ir.VectorType(element, lanes)
    whole = builder.sub(depth, builder.urem(depth, I64(lanes)))
    with for_range(builder, 0, whole, lanes) as k:
        into = offset(builder, out, builder.mul(k, I64(shape.width)))
        with for_range(builder, 0, shape.width, lanes) as first:
            corner = builder.add(builder.mul(step, first), k)
            square = []
            for lane in range(lanes):
                place = builder.add(corner, builder.mul(step, I64(lane)))
                square.append(
                    load_vector(builder, offset(builder, source, place), vector)
                )
            begin = offset(builder, into, first)
            for row, values in enumerate(transpose(builder, square)):
                place = offset(builder, begin, row * shape.width)
                store_vector(builder, values, place)
    width = I64(shape.width)
    _copy_elements(
        builder, (whole, depth), (width, shape.width), source, (I64(1), step), out
    )


def _copy_elements(
    builder: ir.IRBuilder,
    depths: tuple[ir.Value, ir.Value],
    columns: tuple[ir.Value, int],
    source: ir.Value,
    steps: tuple[ir.Value, ir.Value],
    out: ir.Value,
) -> None:
    """One element at a time, and zeros beyond the columns that are present."""
    present, width = columns
    zero = ir.Constant(source.type.pointee, 0.0)
    with for_range(builder, *depths) as k:
        row = offset(builder, source, builder.mul(k, steps[0]))
        into = offset(builder, out, builder.mul(k, I64(width)))
        with for_range(builder, 0, present) as j:
            value = builder.load(offset(builder, row, builder.mul(j, steps[1])))
            builder.store(value, offset(builder, into, j))
        with for_range(builder, present, width) as j:
            builder.store(zero, offset(builder, into, j))


def emit_pack_a(
    module: ir.Module, name: str, element: ir.Type, shape: TileShape
) -> ir.Function:
    """`pack(rows, K, A, row stride, k stride, out)`: `[K][tile rows]` of one tile."""
    pointer = element.as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [I64, I64, pointer, I64, I64, pointer])
    function = ir.Function(module, signature, name)
    function.linkage = "internal"
    rows, depth, source, row_step, depth_step, out = function.args
    builder = Builder(function.append_basic_block())
    contiguous = builder.icmp_signed("==", row_step, I64(1))
    lanes = 1 << (shape.rows - 1).bit_length()
    with builder.if_else(contiguous) as (copy, general):
        with copy:
            mask = lane_mask(builder, rows, lanes)
            vector = ir.VectorType(element, lanes)
            ahead = builder.mul(depth_step, I64(COLUMNS_NEAR))
            with for_range(builder, 0, depth) as k:
                place = offset(builder, source, builder.mul(k, depth_step))
                prefetch(builder, offset(builder, place, ahead), 0)
                part = masked_load(builder, place, mask, vector)
                into = offset(builder, out, builder.mul(k, I64(shape.rows)))
                _store_first(builder, part, shape.rows, into)
        with general, for_range(builder, 0, depth) as k:
            begin = offset(builder, source, builder.mul(k, depth_step))
            into = offset(builder, out, builder.mul(k, I64(shape.rows)))
            with for_range(builder, 0, rows) as i:
                place = offset(builder, begin, builder.mul(i, row_step))
                builder.store(builder.load(place), offset(builder, into, i))
    builder.ret_void()
    return function


def _store_first(
    builder: ir.IRBuilder, value: ir.Value, count: int, pointer: ir.Value
) -> None:
    """Store the first lanes of a vector and nothing beyond."""
    start = 0
    while start < count:
        lanes = 1 << ((count - start).bit_length() - 1)
        index = ir.Constant(
            ir.VectorType(I32, lanes), list(range(start, start + lanes))
        )
        part = builder.shuffle_vector(value, value, index)
        store_vector(builder, part, offset(builder, pointer, start))
        start += lanes


def load_vector(
    builder: ir.IRBuilder, pointer: ir.Value, vector: ir.VectorType
) -> ir.Value:
    """A vector loaded from where its elements stand, at any alignment."""
    pointer = builder.bitcast(pointer, vector.as_pointer())
    return builder.load(pointer, align=element_size(vector.element), typ=vector)


def store_vector(builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value) -> None:
    """Store a vector where its elements belong, at any alignment."""
    pointer = builder.bitcast(pointer, value.type.as_pointer())
    builder.store(value, pointer, align=element_size(value.type.element))


def transpose(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """The columns of a square matrix given by rows, by repeated perfect shuffles."""
    count = len(rows)
    half = count // 2
    index = ir.VectorType(I32, count)
    low = ir.Constant(index, [x for i in range(half) for x in (i, count + i)])
    high = ir.Constant(index, [x for i in range(half, count) for x in (i, count + i)])
    for _ in range(count.bit_length() - 1):
        rows = [
            builder.shuffle_vector(rows[i], rows[i + half], order)
            for i in range(half)
            for order in (low, high)
        ]
    return rows
