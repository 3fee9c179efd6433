"""The products that other code calls.

Emitted functions, for an element type T (strides in elements, any sign or zero):

- `pack_b(K, N, B, rsB, csB, out)`: all panels of B; see `packing.py`.
- `gemm_prepacked(M, N, K, A, rsA, csA, packed, C, rsC, accumulate) -> status`
- `gemm(M, N, K, A, rsA, csA, B, rsB, csB, C, rsC, csC, accumulate) -> status`
- `gemm_batched(batch, M, N, K, A, rsA, csA, stepA, B, …, stepB, C, …, stepC,
  accumulate) -> status`
- `inner(n, x, step, y, step)`: the sum of products of vectors; see `dot.py`.

C = A@B, or C += A@B where `accumulate` is not 0.  C must not overlap A or
B.  The status is 0, or 1 if there was no memory for a workspace.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from ..emission.builder import Builder
from ..emission.control_flow import divide_up, for_range, integer, minimum, offset
from ..emission.dsl import I32, I64
from ..runtime.threads import declare_thread_count
from ..target import Target
from .blocks import BlockModule
from .dot import emit_inner
from .strips import PREPACKED, SERIAL_WORK, STREAMED, UNPACKED
from .unpacked_b import SHALLOW, UNPACKED_ROWS


class GemmModule(BlockModule):
    """Emits the products of one element type into a module of their own."""

    def __init__(self, element: ir.Type, target: Target) -> None:
        super().__init__(element, target)
        self.prepacked = self._emit_prepacked()
        self.gemm = self._emit_gemm()
        self._emit_batched()
        emit_inner(self.module, self.symbol("inner"), element, target)

    def _emit_prepacked(self) -> ir.Function:
        p = self.pointer
        arguments = [I64, I64, I64, p, I64, I64, p, p, I64, I64]
        function = self.function("gemm_prepacked", arguments, internal=False)
        m, n, k, a, rs, cs, packed, c, c_step, accumulate = function.args
        builder = Builder(function.append_basic_block())
        self._return_if_empty(builder, m, n, k, c, c_step, I64(1), accumulate)
        width = I64(self.shape.width)
        panel_step = builder.mul(k, width)
        values = [m, n, k, a, rs, cs, packed, width, panel_step, c, c_step]
        values += [accumulate, I64(0), I64(PREPACKED)]
        builder.ret(builder.call(self.strips, values))
        return function

    def _return_if_empty(
        self,
        builder: ir.IRBuilder,
        m: ir.Value,
        n: ir.Value,
        k: ir.Value,
        c: ir.Value,
        rs: ir.Value,
        cs: ir.Value,
        accumulate: ir.Value,
    ) -> None:
        """Return if there is nothing to multiply, with C cleared if it should be."""
        no_result = builder.or_(
            builder.icmp_signed("<=", m, I64(0)), builder.icmp_signed("<=", n, I64(0))
        )
        with builder.if_then(no_result, False):
            builder.ret(I32(0))
        with builder.if_then(builder.icmp_signed("<=", k, I64(0)), False):
            with builder.if_then(builder.icmp_signed("==", accumulate, I64(0))):
                zero = ir.Constant(self.element, 0.0)
                with for_range(builder, 0, m) as i, for_range(builder, 0, n) as j:
                    place = builder.add(builder.mul(i, rs), builder.mul(j, cs))
                    builder.store(zero, offset(builder, c, place))
            builder.ret(I32(0))

    def _emit_gemm(self) -> ir.Function:
        p = self.pointer
        arguments = [I64, I64, I64, p, I64, I64, p, I64, I64, p, I64, I64, I64]
        function = self.function("gemm", arguments, internal=False)
        m, n, k, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate = function.args
        builder = Builder(function.append_basic_block())
        self._return_if_empty(builder, m, n, k, c, rsc, csc, accumulate)
        one = I64(1)

        def equal(x: ir.Value, y: ir.Value | int) -> ir.Value:
            return builder.icmp_signed("==", x, integer(y))

        # Strides along an axis of one element mean nothing: take the good ones.
        row_c = builder.or_(equal(csc, 1), equal(n, 1))
        column_c = builder.or_(equal(rsc, 1), equal(m, 1))
        many_rows = builder.icmp_signed(">", m, one)
        column_vector = builder.and_(equal(n, 1), many_rows)
        transpose = builder.and_(
            many_rows, builder.or_(builder.not_(row_c), column_vector)
        )
        with builder.if_then(builder.and_(transpose, column_c), False):
            transposed = [n, m, k, b, csb, rsb, a, csa, rsa, c, csc, one, accumulate]
            builder.ret(builder.call(function, transposed))
        with builder.if_then(builder.not_(row_c), False):
            self._into_scattered(builder, function)

        self._dot_if_transposed(builder, function.args)
        self._stream(builder, function.args)
        return function

    def _into_scattered(self, builder: ir.IRBuilder, function: ir.Function) -> None:
        """C has no axis of stride 1: compute into a workspace and add it in."""
        m, n, k, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate = function.args
        bytes_ = builder.mul(builder.mul(m, n), I64(self.size))
        raw, buffer = self.workspace(builder, bytes_)
        with builder.if_then(self.is_null(builder, raw), False):
            builder.ret(I32(1))
        values = [m, n, k, a, rsa, csa, b, rsb, csb, buffer, n, I64(1), I64(0)]
        status = builder.call(function, values)
        adds = builder.icmp_signed("!=", accumulate, I64(0))
        with for_range(builder, 0, m) as i, for_range(builder, 0, n) as j:
            source = offset(builder, buffer, builder.add(builder.mul(i, n), j))
            place = builder.add(builder.mul(i, rsc), builder.mul(j, csc))
            into = offset(builder, c, place)
            value = builder.load(source)
            total = builder.fadd(builder.load(into), value)
            builder.store(builder.select(adds, total, value), into)
        self.free(builder, raw)
        builder.ret(status)

    def _dot_if_transposed(
        self, builder: ir.IRBuilder, arguments: Sequence[ir.Value]
    ) -> None:
        """A few contiguous rows times a matrix of contiguous columns: dot products."""
        m, n, k, a, rsa, csa, b, rsb, csb, c, rsc, _, accumulate = arguments
        few = builder.icmp_signed("<=", m, I64(4))
        depth_contiguous = builder.and_(
            builder.icmp_signed("==", csa, I64(1)),
            builder.icmp_signed("==", rsb, I64(1)),
        )
        # A row of B is contiguous too if it has one element.
        with builder.if_then(builder.and_(few, depth_contiguous)):
            threads = builder.call(declare_thread_count(self.module), [])
            work = builder.mul(n, k)
            small = builder.icmp_signed("<", work, I64(SERIAL_WORK))
            wanted = builder.select(small, I64(1), threads)
            each = divide_up(builder, n, minimum(builder, n, wanted))
            chunks = divide_up(builder, n, each)

            def some(
                inner: ir.IRBuilder,
                fields: list[ir.Value],
                chunk: ir.Value,
                status: ir.Value,
            ) -> None:
                m, n, k, a, rsa, b, csb, c, rsc, adds, each = fields
                first = inner.mul(chunk, each)
                count = minimum(inner, inner.sub(n, first), each)
                part = offset(inner, b, inner.mul(first, csb))
                with for_range(inner, 0, m) as i:
                    x = offset(inner, a, inner.mul(i, rsa))
                    y = offset(inner, c, inner.add(inner.mul(i, rsc), first))
                    inner.call(self.dot, [count, k, x, part, csb, y, adds])

            values = [m, n, k, a, rsa, b, csb, c, rsc, accumulate, each]
            self.parallel(builder, "gemm_dots", values, chunks, some)
            builder.ret(I32(0))

    def _stream(self, builder: ir.IRBuilder, arguments: Sequence[ir.Value]) -> None:
        """Return the product, B being packed block by block when it is needed.

        Neither very few rows nor very little depth repay the packing of a B that is
        row-major, but for columns that do not fill a panel.
        """
        m, n, k, a, rsa, csa, b, rsb, csb, c, rsc, _, accumulate = arguments
        width = I64(self.shape.width)
        thin = builder.icmp_signed("<=", m, I64(UNPACKED_ROWS))
        shallow = builder.icmp_signed("<=", k, I64(SHALLOW))
        contiguous = builder.icmp_signed("==", csb, I64(1))
        direct = builder.and_(builder.or_(thin, shallow), contiguous)
        edge = builder.urem(n, width)
        whole = builder.select(direct, builder.sub(n, edge), I64(0))
        values = [k, a, rsa, csa]
        ends = [rsc, accumulate]
        with builder.if_then(builder.icmp_signed(">", whole, I64(0))):
            left = [m, whole, *values, b, rsb, width, c, *ends, I64(1), I64(UNPACKED)]
            status = builder.call(self.strips, left)
            done = builder.icmp_signed("==", edge, I64(0))
            failed = builder.icmp_signed("!=", status, I32(0))
            with builder.if_then(builder.or_(done, failed)):
                builder.ret(status)
        part = offset(builder, b, builder.mul(whole, csb))
        into = offset(builder, c, whole)
        panel_step = builder.mul(width, csb)
        rest = [m, builder.sub(n, whole), *values, part, rsb, panel_step, into, *ends]
        rest += [csb, I64(STREAMED)]
        builder.ret(builder.call(self.strips, rest))

    def _emit_batched(self) -> None:
        p = self.pointer
        matrix = [p, I64, I64, I64]
        arguments = [I64, I64, I64, I64, *matrix, *matrix, *matrix, I64]
        function = self.function("gemm_batched", arguments, internal=False)
        builder = Builder(function.append_basic_block())
        batch, m, n, k = function.args[:4]
        threads = builder.call(declare_thread_count(self.module), [])
        work = builder.mul(builder.mul(builder.mul(m, n), k), batch)
        small = builder.icmp_signed("<", work, I64(SERIAL_WORK))
        wanted = builder.select(small, I64(1), builder.mul(threads, I64(4)))
        nothing = builder.icmp_signed("<=", batch, I64(0))
        with builder.if_then(nothing, False):
            builder.ret(I32(0))
        each = divide_up(builder, batch, minimum(builder, batch, wanted))
        chunks = divide_up(builder, batch, each)

        def some(
            inner: ir.IRBuilder,
            fields: list[ir.Value],
            chunk: ir.Value,
            status: ir.Value,
        ) -> None:
            batch, m, n, k, *matrices, accumulate, each = fields
            first = inner.mul(chunk, each)
            last = minimum(inner, inner.add(first, each), batch)
            with for_range(inner, first, last) as index:
                values = [m, n, k]
                for start in (0, 4, 8):
                    pointer, rs, cs, step = matrices[start : start + 4]
                    values += [offset(inner, pointer, inner.mul(index, step)), rs, cs]
                result = inner.call(self.gemm, [*values, accumulate])
                with inner.if_then(inner.icmp_signed("!=", result, I32(0)), False):
                    inner.store(result, status)

        values = [*function.args, each]
        self.parallel(builder, "gemm_some", values, chunks, some)
        builder.ret(self.last_status)
