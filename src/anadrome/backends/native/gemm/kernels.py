"""The kernels of every tile height, in a table that drivers index."""

from __future__ import annotations

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import fold_range, for_range, minimum, offset
from ..emission.dsl import I32, I64, type_name
from ..target import Target
from .packing import load_vector, store_vector
from .tile import (
    LINE,
    TileShape,
    emit_product_tile,
    lane_mask,
    masked_load,
    multiply_add,
    prefetch,
    splat,
)

ROW, COLUMN = 0, 1
"""How A lies in memory: its rows contiguous, or its columns."""
SET, ADD, CONTINUE = 0, 1, 2
"""What a kernel does with C: overwrite it, add to it, or go on with the sums in it."""

# Tiles of less depth are done before lines that are asked for could arrive.
_PREFETCH_DEPTH = 64
# Steps of depth by which a packed panel is asked for before it is read: weights that
# are larger than the second cache level come from far in every iteration of a loop.
_STEPS_AHEAD = 12

TILES_AT_ONCE = 4
"""Tiles that are multiplied by one column together."""


def kernel_type(element: ir.Type) -> ir.FunctionType:
    """The type of a kernel.

    `kernel(depth, A, A's row stride, A's k stride, B, B's k stride, B's panel stride,
    C, C's row stride, mode)` writes a whole tile; the mode is SET, ADD or CONTINUE.
    """
    pointer = element.as_pointer()
    arguments = [I64, pointer, I64, I64, pointer, I64, I64, pointer, I64, I64]
    return ir.FunctionType(ir.VoidType(), arguments)


def emit_kernel_table(
    module: ir.Module, element: ir.Type, shape: TileShape, target: Target
) -> ir.GlobalVariable:
    """A constant table of kernels, `[span][rows]`, the spans as `shape.spans` has them.

    A kernel spans one panel or several; of tall tiles, only one, and null elsewhere.
    """
    kernel = kernel_type(element).as_pointer()

    def entry(span: int, rows: int) -> ir.Constant:
        if rows == 0 or span > shape.panels_at_once(rows):
            return ir.Constant(kernel, None)
        return _emit_kernel(module, element, shape, target, rows, span)

    row_type = ir.ArrayType(kernel, shape.rows + 1)
    table_type = ir.ArrayType(row_type, len(shape.spans))
    values = [
        ir.Constant(row_type, [entry(span, r) for r in range(shape.rows + 1)])
        for span in shape.spans
    ]
    name = f"anadrome.gemm.kernels.{type_name(element)}"
    table = ir.GlobalVariable(module, table_type, name)
    table.linkage = "internal"
    table.global_constant = True
    table.initializer = ir.Constant(table_type, values)
    return table


def _emit_kernel(
    module: ir.Module,
    element: ir.Type,
    shape: TileShape,
    target: Target,
    rows: int,
    panels: int,
) -> ir.Function:
    name = f"anadrome.gemm.{rows}x{panels}.{type_name(element)}"
    function = ir.Function(module, kernel_type(element), name)
    function.linkage = "internal"
    depth, a, row_step, a_step, b, b_step, panel_step, c, c_step, mode = function.args
    builder = Builder(function.append_basic_block())
    vector = ir.VectorType(element, shape.lanes)
    width = panels * shape.width
    # What is no panel is read in an order that the processor foresees, and panels for
    # an A in columns are near.
    far = builder.and_(
        builder.icmp_signed("==", b_step, I64(shape.width)),
        builder.icmp_signed("==", a_step, I64(1)),
    )
    ahead = builder.select(far, I64(_STEPS_AHEAD * shape.width), I64(0))
    # A row of C may be far away, and each is a page of its own.
    with builder.if_then(builder.icmp_signed(">=", depth, I64(_PREFETCH_DEPTH))):
        for i in range(rows):
            place = offset(builder, c, builder.mul(c_step, I64(i)))
            prefetch(builder, place, width, write=True)

    def places(begin: ir.Value, step: ir.Value) -> list[list[ir.Value]]:
        starts = [
            offset(builder, begin, builder.mul(step, I64(i))) for i in range(rows)
        ]
        return [
            [offset(builder, start, j) for j in range(0, width, shape.lanes)]
            for start in starts
        ]

    goes_on = builder.icmp_signed("==", mode, I64(CONTINUE))
    begin = builder.select(goes_on, c, _zeros(module, element, shape))
    begin_step = builder.select(goes_on, c_step, I64(0))
    initial = [
        [load_vector(builder, place, vector) for place in row]
        for row in places(begin, begin_step)
    ]
    sums = emit_product_tile(
        builder,
        target,
        depth,
        a,
        [builder.mul(row_step, I64(i)) for i in range(rows)],
        a_step,
        [offset(builder, b, builder.mul(panel_step, I64(p))) for p in range(panels)],
        shape.vectors,
        b_step,
        vector,
        initial,
        ahead,
    )
    adds = builder.icmp_signed("==", mode, I64(ADD))
    results = [pair for row in zip(sums, places(c, c_step)) for pair in zip(*row)]
    with builder.if_else(adds) as (adding, setting):
        with adding:
            for value, place in results:
                old = load_vector(builder, place, vector)
                store_vector(builder, builder.fadd(old, value), place)
        with setting:
            for value, place in results:
                store_vector(builder, value, place)
    builder.ret_void()
    return function


def _zeros(module: ir.Module, element: ir.Type, shape: TileShape) -> ir.Value:
    """A pointer to as many zeros as a row of the widest tile has elements."""
    name = f"anadrome.gemm.zeros.{type_name(element)}"
    widest = max(shape.panels_at_once(rows) for rows in range(1, shape.rows + 1))
    type_ = ir.ArrayType(element, widest * shape.width)
    zeros = module.globals.get(name)
    if zeros is None:
        zeros = ir.GlobalVariable(module, type_, name)
        zeros.linkage = "internal"
        zeros.global_constant = True
        zeros.align = LINE
        zeros.initializer = ir.Constant(type_, None)
    return zeros.gep([I32(0), I32(0)])


def emit_column_kernel(
    module: ir.Module, name: str, element: ir.Type, shape: TileShape, target: Target
) -> ir.Function:
    """`column(depth, A, tiles, b, out)`: out = A @ b for a few packed tiles of A.

    With one column of B most lanes of a tile of C would be idle: here rows are the
    lanes. Sums are those of the other kernels, in the same order; so that none waits
    for itself, there are always `TILES_AT_ONCE`, some of them of the last tile again.
    """
    pointer = element.as_pointer()
    arguments = [I64, pointer, I64, pointer, pointer]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), name)
    function.linkage = "internal"
    depth, a, tiles, b, out = function.args
    builder = Builder(function.append_basic_block())
    vector = ir.VectorType(element, shape.rows)
    tile_step = builder.mul(depth, I64(shape.rows))
    last = builder.sub(tiles, I64(1))
    numbers = [minimum(builder, last, t) for t in range(TILES_AT_ONCE)]
    starts = [offset(builder, a, builder.mul(tile_step, t)) for t in numbers]

    def step(values: list[ir.Value]) -> list[ir.Value]:
        right, lefts = values[0], values[1 : TILES_AT_ONCE + 1]
        sums = values[TILES_AT_ONCE + 1 :]
        wide = splat(builder, builder.load(right, typ=element), vector)
        found = [
            multiply_add(builder, target, load_vector(builder, p, vector), wide, total)
            for p, total in zip(lefts, sums)
        ]
        moved = [offset(builder, p, shape.rows) for p in lefts]
        return [offset(builder, right, 1), *moved, *found]

    zeros = [ir.Constant(vector, None)] * TILES_AT_ONCE
    sums = fold_range(builder, depth, [b, *starts, *zeros], step)[-TILES_AT_ONCE:]
    for t, total in enumerate(sums):
        store_vector(builder, total, offset(builder, out, t * shape.rows))
    builder.ret_void()
    return function


def emit_dot_kernel(
    module: ir.Module, name: str, element: ir.Type, shape: TileShape, target: Target
) -> ir.Function:
    """`dot(N, K, x, B, B's column stride, y, accumulate)`: y (+)= x @ B.

    For one contiguous row x and a B whose columns are contiguous (a transposed
    matrix): products are summed in lanes along k, which then are added pairwise.
    """
    pointer = element.as_pointer()
    arguments = [I64, I64, pointer, pointer, I64, pointer, I64]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), name)
    function.linkage = "internal"
    count, depth, x, b, step, y, accumulate = function.args
    builder = Builder(function.append_basic_block())
    adds = builder.icmp_signed("!=", accumulate, I64(0))
    together = 8 if target.registers == 32 else 4
    whole = builder.sub(count, builder.urem(count, I64(together)))
    vector = ir.VectorType(element, shape.lanes)
    edge = builder.urem(depth, I64(shape.lanes))
    mask = lane_mask(builder, edge, shape.lanes)
    some_left = builder.zext(builder.icmp_signed("!=", edge, I64(0)), I64)

    def columns(first: ir.Value, number: int) -> None:
        starts = [
            offset(builder, b, builder.mul(step, builder.add(first, I64(n))))
            for n in range(number)
        ]
        blocks = builder.udiv(depth, I64(shape.lanes))
        zero = ir.Constant(vector, None)

        def body(values: list[ir.Value]) -> list[ir.Value]:
            pointers, sums = values[: number + 1], values[number + 1 :]
            left = load_vector(builder, pointers[0], vector)
            sums = [
                multiply_add(builder, target, left, load_vector(builder, p, vector), s)
                for p, s in zip(pointers[1:], sums)
            ]
            return [offset(builder, p, shape.lanes) for p in pointers] + sums

        results = fold_range(builder, blocks, [x, *starts] + [zero] * number, body)
        ends, sums = results[: number + 1], results[number + 1 :]

        def last(sums: list[ir.Value]) -> list[ir.Value]:
            left, *right = (masked_load(builder, p, mask, vector) for p in ends)
            return [
                multiply_add(builder, target, left, r, s) for r, s in zip(right, sums)
            ]

        sums = fold_range(builder, some_left, sums, last)
        place = offset(builder, y, first)
        for value in add_lanes_of_each(builder, sums):
            old = load_vector(builder, place, value.type)
            total = builder.fadd(old, value)
            store_vector(builder, builder.select(adds, total, value), place)
            place = offset(builder, place, value.type.count)

    with for_range(builder, 0, whole, together) as first:
        columns(first, together)
    with for_range(builder, whole, count) as first:
        columns(first, 1)
    builder.ret_void()
    return function


def add_lanes_of_each(builder: ir.IRBuilder, values: list[ir.Value]) -> list[ir.Value]:
    """The sums of the lanes of each vector, side by side in as few vectors.

    Two vectors are halved together for as long as there are two.  What is added to
    what is as in `add_lanes`, whatever the number of vectors.
    """
    lanes = width = values[0].type.count

    def halved(low: ir.Value, high: ir.Value, count: int) -> ir.Value:
        """Groups of `width` lanes of two vectors, each with its halves added."""
        starts = range(0, 2 * count, width)
        half = width // 2
        index = ir.VectorType(I32, count)
        parts = [
            [at + begin + k for at in starts for k in range(half)]
            for begin in (0, half)
        ]
        first, second = (
            builder.shuffle_vector(low, high, ir.Constant(index, part))
            for part in parts
        )
        return builder.fadd(first, second)

    while width > 1 and len(values) % 2 == 0:
        pairs = zip(values[::2], values[1::2])
        values = [halved(low, high, lanes) for low, high in pairs]
        width //= 2
    while width > 1:
        lanes //= 2
        values = [halved(v, v, lanes) for v in values]
        width //= 2
    return values


def add_lanes(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The sum of the lanes of a vector, added pairwise."""
    count = value.type.count
    while count > 1:
        half = count // 2
        index = ir.VectorType(I32, half)
        low = builder.shuffle_vector(
            value, value, ir.Constant(index, list(range(half)))
        )
        high = builder.shuffle_vector(
            value, value, ir.Constant(index, list(range(half, count)))
        )
        value, count = builder.fadd(low, high), half
    return builder.extract_element(value, I32(0))
