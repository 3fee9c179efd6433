"""The loops around the kernels: blocking, packing, edges, threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import divide_up, for_range, minimum, offset
from ..emission.dsl import I32, I64, declare, element_size, type_name
from ..runtime.threads import BODY, POINTER, declare_parallel_for
from ..target import Target
from .kernels import (
    COLUMN,
    ROW,
    TILES_AT_ONCE,
    emit_column_kernel,
    emit_dot_kernel,
    emit_kernel_table,
    kernel_type,
)
from .packing import COLUMNS_NEAR, PACKED, emit_pack_a, emit_pack_panel, load_vector
from .strips import STREAMED, UNPACKED, emit_pack, emit_strips
from .tile import TileShape, lane_mask, masked_load, masked_store, tile_shape
from .unpacked_b import emit_unpacked

# Bytes of a row of A in a block: deep blocks write C less often, but a panel of B of
# twice this depth takes longer to pack, row by row of B, than it gains.
DEPTH_BYTES = 1536
# Bytes of a block of A, so that it fits the second level too.
BLOCK_BYTES = 1 << 19
# The most columns of C behind whole panels that are computed one by one.
_FEW_COLUMNS = 4
# Emits one chunk: (builder, values, chunk, where to store a status).
ChunkBody = Callable[[ir.IRBuilder, list[ir.Value], ir.Value, ir.Value], None]


class BlockModule:
    """A module with the functions that products of one element type are made of."""

    def __init__(self, element: ir.Type, target: Target) -> None:
        self.element, self.target = element, target
        self.kind = type_name(element)
        self.module = ir.Module(f"anadrome.gemm.{self.kind}")
        self.shape: TileShape = tile_shape(element, target)
        self.pointer = element.as_pointer()
        self.size = element_size(element)
        self.depth = DEPTH_BYTES // self.size
        self.table = emit_kernel_table(self.module, element, self.shape, target)
        self.pack_panel = emit_pack_panel(
            self.module, self.symbol("pack_panel"), element, self.shape
        )
        self.pack_a = emit_pack_a(
            self.module, self.symbol("pack_a"), element, self.shape
        )
        self.dot = emit_dot_kernel(
            self.module, self.symbol("dot"), element, self.shape, target
        )
        self.column = emit_column_kernel(
            self.module, self.symbol("column"), element, self.shape, target
        )
        self.pack_b = emit_pack(self)
        self.tiles = self._emit_tiles()
        self.unpacked = emit_unpacked(self)
        self.blocks = self._emit_blocks()
        self.strips = emit_strips(self)

    def symbol(self, name: str) -> str:
        """The full name of a function."""
        return f"anadrome.{name}.{self.kind}"

    def function(
        self, name: str, arguments: Sequence[ir.Type], internal: bool = True
    ) -> ir.Function:
        type_ = ir.FunctionType(I32, list(arguments))
        function = ir.Function(self.module, type_, self.symbol(name))
        if internal:
            function.linkage = "internal"
        return function

    # --- one block ---------------------------------------------------------------

    def _emit_tiles(self) -> ir.Function:
        """`tiles(M, N, depth, A, stride, order, B, k step, panel step, C, rsC,
        mode)`: every tile of a block that the caches hold."""
        p = self.pointer
        arguments = [I64, I64, I64, p, I64, I64, p, I64, I64, p, I64, I64]
        function = self.function("gemm_tiles", arguments)
        (rows, columns, depth, a, stride, order, b, b_step, panel_step, c, c_step) = (
            function.args[:11]
        )
        accumulate = function.args[11]
        shape = self.shape
        builder = Builder(function.append_basic_block())
        edge_type = ir.ArrayType(self.element, shape.rows * shape.width)
        edge = builder.bitcast(builder.alloca(edge_type), self.pointer)
        tiles, part = self.cut_rows(builder, rows)
        is_packed = builder.icmp_signed("==", order, I64(PACKED))
        by_rows = builder.icmp_signed("==", order, I64(ROW))
        row_step = builder.select(by_rows, stride, I64(1))
        k_step = builder.select(by_rows, I64(1), stride)
        tile_step = builder.mul(depth, I64(shape.rows))
        beyond = builder.urem(columns, I64(shape.width))
        few = builder.icmp_signed("<=", beyond, I64(_FEW_COLUMNS))
        beside = builder.select(builder.and_(few, is_packed), beyond, I64(0))
        whole = builder.sub(columns, beside)
        # One short tile spans several panels, as long as they are all there.
        most = self._span(builder, rows)

        def take_columns(index: int, start: ir.Value, stop: ir.Value) -> None:
            span = shape.spans[index]
            with for_range(builder, start, stop, span * shape.width) as column:
                panel = builder.udiv(column, I64(shape.width))
                b_panel = offset(builder, b, builder.mul(panel, panel_step))
                present = builder.sub(columns, column)
                with for_range(builder, 0, tiles) as tile:
                    row, count = part(tile)
                    a_offset = builder.select(
                        is_packed,
                        builder.mul(tile, tile_step),
                        builder.mul(row, row_step),
                    )
                    corner = builder.add(builder.mul(row, c_step), column)
                    place = offset(builder, c, corner)
                    kernel = builder.load(
                        builder.gep(self.table, [I64(0), I64(index), count]),
                        typ=kernel_type(self.element).as_pointer(),
                    )
                    left = [depth, offset(builder, a, a_offset), row_step, k_step]
                    left += [b_panel, b_step, panel_step]
                    if span == 1:
                        ends = [count, present, place, c_step, accumulate]
                        self._one_panel(builder, kernel, left, ends, edge)
                    else:
                        builder.call(kernel, [*left, place, c_step, accumulate])

        done: ir.Value = I64(0)
        for index, span in enumerate(shape.spans):
            stop = whole
            if span > 1:
                rest = builder.urem(whole, I64(span * shape.width))
                fits = builder.icmp_signed("<=", I64(span), most)
                stop = builder.select(fits, builder.sub(whole, rest), done)
            take_columns(index, done, stop)
            done = stop
        with builder.if_then(builder.icmp_signed(">", beside, I64(0)), False):
            panels = builder.udiv(whole, I64(shape.width))
            panel = offset(builder, b, builder.mul(panels, panel_step))
            into = offset(builder, c, whole), c_step, accumulate
            right = beside, panel, b_step
            self._columns_beside(builder, rows, depth, a, right, into)
        builder.ret(I32(0))
        return function

    def _one_panel(
        self,
        builder: ir.IRBuilder,
        kernel: ir.Value,
        left: list[ir.Value],
        ends: list[ir.Value],
        edge: ir.Value,
    ) -> None:
        """A tile of one panel; tiles over the edge go to a buffer."""
        _, present, place, c_step, accumulate = ends
        width = I64(self.shape.width)
        partial = builder.icmp_signed("<", present, width)
        into = builder.select(partial, edge, place)
        into_step = builder.select(partial, width, c_step)
        adds = builder.select(partial, I64(0), accumulate)
        builder.call(kernel, [*left, into, into_step, adds])
        with builder.if_then(partial):
            self._copy_edge(builder, edge, *ends)

    def _columns_beside(
        self,
        builder: ir.IRBuilder,
        rows: ir.Value,
        depth: ir.Value,
        a: ir.Value,
        columns: tuple[ir.Value, ir.Value, ir.Value],
        into: tuple[ir.Value, ir.Value, ir.Value],
    ) -> None:
        """The columns of C that are few in their panel, one by one; A is packed."""
        count, panel, b_step = columns
        c, c_step, accumulate = into
        adds = builder.icmp_signed("!=", accumulate, I64(0))
        tiles, part = self.cut_rows(builder, rows)
        height = I64(self.shape.rows)
        memory = builder.alloca(self.element, self.depth)
        results = builder.alloca(self.element, TILES_AT_ONCE * self.shape.rows)
        with for_range(builder, 0, count) as j:
            source, target = offset(builder, panel, j), offset(builder, c, j)
            with for_range(builder, 0, depth) as k:
                value = builder.load(offset(builder, source, builder.mul(k, b_step)))
                builder.store(value, offset(builder, memory, k))
            with for_range(builder, 0, tiles, TILES_AT_ONCE) as first:
                some = minimum(builder, builder.sub(tiles, first), TILES_AT_ONCE)
                start = builder.mul(builder.mul(first, depth), height)
                left = offset(builder, a, start)
                builder.call(self.column, [depth, left, some, memory, results])
                with for_range(builder, 0, some) as t:
                    row, present = part(builder.add(first, t))
                    found = offset(builder, results, builder.mul(t, height))
                    with for_range(builder, 0, present) as i:
                        down = builder.mul(builder.add(row, i), c_step)
                        place = offset(builder, target, down)
                        value = builder.load(offset(builder, found, i))
                        new = builder.fadd(builder.load(place), value)
                        builder.store(builder.select(adds, new, value), place)

    def cut_rows(
        self, builder: ir.IRBuilder, rows: ir.Value
    ) -> tuple[ir.Value, Callable[[ir.Value], tuple[ir.Value, ir.Value]]]:
        """How many tiles some rows make, and the first row and the height of each.

        The heights are as even as can be.
        """
        tiles = divide_up(builder, rows, self.shape.rows)
        height = builder.udiv(rows, tiles)
        taller = builder.urem(rows, tiles)

        def part(tile: ir.Value) -> tuple[ir.Value, ir.Value]:
            extra = builder.zext(builder.icmp_signed("<", tile, taller), I64)
            row = builder.add(builder.mul(tile, height), minimum(builder, tile, taller))
            return row, builder.add(height, extra)

        return tiles, part

    def _copy_edge(
        self,
        builder: ir.IRBuilder,
        edge: ir.Value,
        rows: ir.Value,
        columns: ir.Value,
        c: ir.Value,
        c_step: ir.Value,
        accumulate: ir.Value,
    ) -> None:
        """Copy or add the part of a tile that lies inside C."""
        lanes = self.shape.lanes
        vector = ir.VectorType(self.element, lanes)
        adds = builder.icmp_signed("!=", accumulate, I64(0))
        with for_range(builder, 0, rows) as row:
            source = offset(builder, edge, builder.mul(row, I64(self.shape.width)))
            target = offset(builder, c, builder.mul(row, c_step))
            for start in range(0, self.shape.width, lanes):
                mask = lane_mask(builder, builder.sub(columns, I64(start)), lanes)
                value = load_vector(builder, offset(builder, source, start), vector)
                place = offset(builder, target, start)
                old = masked_load(builder, place, mask, vector)
                new = builder.select(adds, builder.fadd(old, value), value)
                masked_store(builder, new, place, mask)

    def _span(self, builder: ir.IRBuilder, rows: ir.Value) -> ir.Value:
        span = I64(1)
        for count in range(1, self.shape.rows + 1):
            panels = self.shape.panels_at_once(count)
            if panels > 1:
                same = builder.icmp_signed("==", rows, I64(count))
                span = builder.select(same, I64(panels), span)
        return span

    def _emit_blocks(self) -> ir.Function:
        """`blocks(M, N, K, A, rsA, csA, B, k step, panel step, C, rsC,
        accumulate, csB, way, depth of blocks)`: a product on this thread.

        B was packed into panels before (PREPACKED); or each block of a panel is
        packed into a buffer that stays in a near cache just before it is used
        (STREAMED); or B is row-major and read unpacked (UNPACKED).
        """
        function = self.function("gemm_blocks", self.block_arguments())
        m, n, k, a, rs, cs, b, b_step, panel_step, c, c_step, accumulate = (
            function.args[:12]
        )
        column_step, way, deepest = function.args[12:]
        builder = Builder(function.append_basic_block())
        shape = self.shape
        with builder.if_then(builder.icmp_signed("==", way, I64(UNPACKED))):
            values = [*function.args[:8], c, c_step, accumulate]
            builder.ret(builder.call(self.unpacked, values))
        streamed = builder.icmp_signed("==", way, I64(STREAMED))
        panel_type = ir.ArrayType(self.element, self.depth * shape.width)
        panel_memory = builder.alloca(panel_type)
        panel_memory.align = 64
        panel = builder.bitcast(panel_memory, self.pointer)
        is_row = builder.icmp_signed("==", cs, I64(1))
        pack = self.packs_left(builder, m, n, rs, cs)
        most = self.block_rows(builder, deepest)
        height = minimum(builder, m, most)
        area = builder.mul(
            builder.mul(divide_up(builder, height, shape.rows), I64(shape.rows)),
            deepest,
        )
        bytes_ = builder.mul(area, I64(self.size))
        raw, buffer = self.workspace(builder, builder.select(pack, bytes_, I64(0)))
        with builder.if_then(builder.and_(pack, self.is_null(builder, raw)), False):
            builder.ret(I32(1))
        direct_order = builder.select(is_row, I64(ROW), I64(COLUMN))
        direct_stride = builder.select(is_row, rs, cs)
        order = builder.select(pack, I64(PACKED), direct_order)
        stride = builder.select(pack, I64(shape.rows), direct_stride)
        with for_range(builder, 0, k, deepest) as start:
            depth = minimum(builder, builder.sub(k, start), deepest)
            later = builder.zext(builder.icmp_signed(">", start, I64(0)), I64)
            adds = builder.or_(accumulate, later)
            b_block = offset(builder, b, builder.mul(start, b_step))
            with for_range(builder, 0, m, most) as row:
                rows = minimum(builder, builder.sub(m, row), most)
                corner = builder.add(builder.mul(row, rs), builder.mul(start, cs))
                a_block = offset(builder, a, corner)
                with builder.if_then(pack):
                    self.pack_tiles(builder, rows, depth, a_block, rs, cs, buffer)
                source = builder.select(pack, buffer, a_block)
                target = offset(builder, c, builder.mul(row, c_step))
                left = [depth, source, stride, order]
                right = [c_step, adds]
                with builder.if_else(streamed) as (packing, unpacked):
                    with packing, for_range(builder, 0, n, shape.width) as column:
                        columns = minimum(builder, builder.sub(n, column), shape.width)
                        begin = builder.mul(column, column_step)
                        part = offset(builder, b_block, begin)
                        builder.call(
                            self.pack_panel,
                            [depth, columns, part, b_step, column_step, panel],
                        )
                        into = [panel, I64(shape.width), I64(0)]
                        into.append(offset(builder, target, column))
                        builder.call(self.tiles, [rows, columns, *left, *into, *right])
                    with unpacked:
                        into = [b_block, b_step, panel_step, target]
                        builder.call(self.tiles, [rows, n, *left, *into, *right])
        self.free(builder, raw)
        builder.ret(I32(0))
        return function

    def block_arguments(self) -> list[ir.Type]:
        """The types of what `gemm_blocks` is called with."""
        p = self.pointer
        return [I64, I64, I64, p, I64, I64, p, I64, I64, p, *[I64] * 5]

    def block_depth(self, builder: ir.IRBuilder, k: ir.Value) -> ir.Value:
        """The depth of the blocks of a product of depth k: as even as can be."""
        return divide_up(builder, k, divide_up(builder, k, self.depth))

    def block_rows(self, builder: ir.IRBuilder, deepest: ir.Value) -> ir.Value:
        """The most rows of A in a block of some depth.

        There are more in shallow blocks, and panels of B are packed less often.
        """
        tiles = builder.udiv(I64(BLOCK_BYTES // (self.size * self.shape.rows)), deepest)
        return builder.mul(tiles, I64(self.shape.rows))

    def packs_left(
        self,
        builder: ir.IRBuilder,
        m: ir.Value,
        n: ir.Value,
        rs: ir.Value,
        cs: ir.Value,
    ) -> ir.Value:
        """Whether blocks of A are copied before they are read."""
        is_row = builder.icmp_signed("==", cs, I64(1))
        single = builder.icmp_signed("==", m, I64(1))
        is_column = builder.or_(builder.icmp_signed("==", rs, I64(1)), single)
        # Columns are packed when every packed line will be read several times.
        reused = builder.icmp_signed(">=", n, I64(4 * self.shape.width))
        tall = builder.icmp_signed(">", m, I64(self.shape.rows))
        worth = builder.and_(reused, tall)
        in_place = builder.or_(is_row, builder.and_(is_column, builder.not_(worth)))
        return builder.not_(in_place)

    def pack_tiles(
        self,
        builder: ir.IRBuilder,
        rows: ir.Value,
        depth: ir.Value,
        a: ir.Value,
        rs: ir.Value,
        cs: ir.Value,
        buffer: ir.Value,
    ) -> None:
        """Copy a block of A into tiles of `[depth][tile rows]`.

        Tile after tile takes its part of a few columns, while these are near.
        """
        tiles, part = self.cut_rows(builder, rows)
        height = I64(self.shape.rows)
        with (
            for_range(builder, 0, depth, COLUMNS_NEAR) as first,
            for_range(builder, 0, tiles) as tile,
        ):
            row, count = part(tile)
            columns = minimum(builder, builder.sub(depth, first), COLUMNS_NEAR)
            corner = builder.add(builder.mul(row, rs), builder.mul(first, cs))
            step = builder.add(builder.mul(tile, depth), first)
            source = offset(builder, a, corner)
            into = offset(builder, buffer, builder.mul(step, height))
            builder.call(self.pack_a, [count, columns, source, rs, cs, into])

    # --- workspaces --------------------------------------------------------------

    def workspace(
        self, builder: ir.IRBuilder, bytes_: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """(what to free, an aligned pointer) of a workspace; null for no bytes."""
        malloc = declare(self.module, "malloc", ir.FunctionType(POINTER, [I64]))
        null = ir.Constant(POINTER, None)
        before = builder.block
        wanted = builder.icmp_signed(">", bytes_, I64(0))
        with builder.if_then(wanted):
            made = builder.call(malloc, [builder.add(bytes_, I64(64))])
            inside = builder.block
        raw = builder.phi(POINTER)
        raw.add_incoming(null, before)
        raw.add_incoming(made, inside)
        address = builder.ptrtoint(raw, I64)
        aligned = builder.and_(builder.add(address, I64(63)), I64(-64))
        return raw, builder.inttoptr(aligned, self.pointer)

    def is_null(self, builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
        return builder.icmp_unsigned("==", builder.ptrtoint(pointer, I64), I64(0))

    def free(self, builder: ir.IRBuilder, raw: ir.Value) -> None:
        void = ir.FunctionType(ir.VoidType(), [POINTER])
        builder.call(declare(self.module, "free", void), [raw])

    # --- threads -----------------------------------------------------------------

    def parallel(
        self,
        builder: ir.IRBuilder,
        name: str,
        values: Sequence[ir.Value],
        chunks: ir.Value,
        emit_body: ChunkBody,
    ) -> None:
        """Run `emit_body(builder, values, chunk, fail)` for every chunk on the pool.

        `values` travel in a record on the stack; `fail` stores a status there.
        """
        record_type = ir.LiteralStructType([I32, *(v.type for v in values)])
        body = ir.Function(self.module, BODY, self.symbol(name))
        body.linkage = "internal"
        inner = Builder(body.append_basic_block())
        record = inner.bitcast(body.args[0], record_type.as_pointer())
        fields = [
            inner.load(inner.gep(record, [I32(0), I32(i + 1)]))
            for i in range(len(values))
        ]
        status = inner.gep(record, [I32(0), I32(0)])
        emit_body(inner, fields, body.args[1], status)
        inner.ret_void()

        with builder.goto_entry_block():
            memory = builder.alloca(record_type)
        builder.store(I32(0), builder.gep(memory, [I32(0), I32(0)]))
        for i, value in enumerate(values):
            builder.store(value, builder.gep(memory, [I32(0), I32(i + 1)]))
        call = declare_parallel_for(self.module)
        builder.call(call, [body, builder.bitcast(memory, POINTER), chunks])
        self.last_status = builder.load(builder.gep(memory, [I32(0), I32(0)]))
