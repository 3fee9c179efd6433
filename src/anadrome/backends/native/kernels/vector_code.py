"""Kernels in vectors: the code that works along the rows of a matrix.

A kernel reads vectors of all its operands, computes every expression in registers, a
shared part once, and writes what is wanted in memory.  It is written once, in vectors,
for neighbours in memory; operands with other strides pass through buffers (`strided`).
The end of a row is done under a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from ..emission.casts import convert_number
from ..emission.control_flow import divide_up, integer, minimum
from ..emission.dsl import I1, I32, I64, declare, type_name, widen, zeros
from ..emission.values import Array, Scalar, Static, element_type, scalar_type
from ..fusion.expressions import Choice, ElementwiseOp, Expr, Leaf, Reduced, leaf_number
from .column_loops import reduces_columns, write_columns
from .loop_driver import CHUNK
from .plan import KernelOutput, Plan
from .strided import BYTE, FETCH, FETCH_TYPE, POINTER, SCATTER, SCATTER_TYPE
from .transpose import SIZES, TRANSPOSE, TRANSPOSE_TYPE
from .vector_loops import VectorLoops

if TYPE_CHECKING:
    from ..emission.module import ModuleEmitter

BOOL = np.dtype(bool)
EVERYTHING = 1 << 62
"""More elements than there can be."""
# Sums are cut into blocks of this many elements, which are then added one by one.
_BLOCK = 8192
# Kernels of more additions have the same code for all rows.
_HEAVY = 24
# Rows that overlap are taken so many apart, in blocks of so many, or more of them if
# they have fewer elements than are short; those that are long come in order.
_APART, _ROWS, _SHORT, _LONG = 8, 32, 64, 512

Visit = Callable[[ir.Value, list[ir.Value]], None]
"""What is done with a count that is left and the places of all operands."""


@dataclass(frozen=True)
class Paces:
    """How operands go on along a row.

    Those that are `bent` may have other strides than neighbours in memory have, and
    pass through buffers unless, at run time, the row turns out `plain`.
    """

    steps: list[ir.Value]
    bent: list[int]
    plain: ir.Value
    buffers: dict[int, ir.Value]


class KernelEmitter(VectorLoops):
    """Writes one kernel; also what emitters of operations are given."""

    def __init__(self, owner: ModuleEmitter, function: ir.Function, plan: Plan) -> None:
        self.owner, self.function, self.plan = owner, function, plan
        self.module = owner.kernels.module
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.target = owner.target
        lanes = min(16, self.target.lanes(plan.size))
        self.lanes = lanes
        self.outputs = self.active = plan.outputs
        self.phases = sorted({s.phase for s in plan.outputs})
        self.reducing: Sequence[KernelOutput | Reduced] = [
            s for s in plan.outputs if s.reduces
        ]
        self.cost = plan.cost
        self.bent = False
        # Operands that have one number for each row, and these for the current one.
        self.rows_narrow: set[int] = set()
        self.numbers: dict[int, ir.Value] = {}

    # Values -------------------------------------------------------------------------

    def convert(
        self, r: ir.Value, source: np.dtype[Any], target: np.dtype[Any]
    ) -> ir.Value:
        """Numbers in another type."""
        return convert_number(self.builder, r, source, target, self.lanes)

    # The frame ----------------------------------------------------------------------

    def write(self) -> None:
        """The whole function."""
        b, plan = self.builder, self.plan
        pointers, strides, jumps, scalars = self.function.args[2:]
        count = len(plan.operands)
        starts = [self._argument(pointers, k, POINTER) for k in range(count)]
        steps = [self._argument(strides, k, I64) for k in range(count)]
        apart = [self._argument(jumps, k, I64) for k in range(count)]
        self.splats = []
        for k, scalar in enumerate(plan.scalars):
            kind = scalar.register.type
            self.splats.append(self._splat(self._argument(scalars, k, kind)))
        self.sizes = [a.dtype.itemsize for a in plan.operands]
        self.shared = self._find_shared()
        bend = [k for k in range(count) if not plan.unit[k] and not self._is_number(k)]
        split = bool(bend) and self.cost <= _HEAVY
        plain: ir.Value = I1(1)
        for k in bend:
            along = 0 if split and k in plan.narrow else self.sizes[k]
            plain = b.and_(plain, b.icmp_signed("==", steps[k], I64(along)))
        buffers = {k: self._buffer(k) for k in bend}
        if split:
            # Without buffers there are registers enough, which short rows notice.
            with b.if_then(plain, likely=True):
                self.rows_narrow = plan.narrow
                self._rows(starts, apart, Paces(steps, [], plain, {}))
                self.rows_narrow = set()
                b.ret_void()
            plain, self.bent = I1(0), True
        if bend and self._copies():
            self._transpose(plain)
        self._rows(starts, apart, Paces(steps, bend, plain, buffers))
        b.ret_void()

    def _rows(
        self, starts: list[ir.Value], apart: list[ir.Value], paces: Paces
    ) -> None:
        """All rows: one after the other, or spread where they overlap."""
        b, (n, rows) = self.builder, self.function.args[:2]
        self.parts = {} if self._is_cut(paces) else {id(n): self._find_parts(n)}

        def row(_: ir.Value, places: list[ir.Value]) -> None:
            self.read_numbers(places)
            self._row(n, places, paces)

        if reduces_columns(self) and not paces.bent:
            combined = b.icmp_signed("==", apart[self.plan.reads], I64(0))
            with b.if_then(combined):
                write_columns(self, starts, apart)
                b.ret_void()
        if paces.bent or not any(s.overlaps for s in self.outputs):
            self._move(rows, 1, starts, apart, row)
        else:
            self._spread(rows, starts, apart, row)

    def read_numbers(self, places: list[ir.Value]) -> None:
        """Bring what is one number for each row."""
        self.numbers = {}
        for k in self.rows_narrow:
            self.numbers[k] = self._number(places[k], self.plan.operands[k].dtype)

    def _spread(
        self, rows: ir.Value, starts: list[ir.Value], apart: list[ir.Value], row: Visit
    ) -> None:
        """Rows in blocks, each in several passes over rows that are not neighbours.

        What is added to a row is read by the next pass at the earliest: a processor
        waits for what it has just written if it reads it at other places.
        """
        b, n = self.builder, self.function.args[0]
        few = b.select(b.icmp_signed("<", n, I64(_SHORT)), I64(2 * _ROWS), I64(_ROWS))
        block = b.select(b.icmp_signed("<", n, I64(_LONG)), few, I64(1))
        further = [b.mul(jump, I64(_APART)) for jump in apart]
        blocks = [b.mul(jump, block) for jump in apart]

        def visit_block(left: ir.Value, places: list[ir.Value]) -> None:
            m = minimum(b, left, block)
            passes = minimum(b, m, _APART)

            def visit_pass(left: ir.Value, places: list[ir.Value]) -> None:
                number = b.sub(passes, left)
                count = divide_up(b, b.sub(m, number), _APART)
                self._move(count, 1, places, further, row)

            self._move(passes, 1, places, apart, visit_pass)

        self._move(rows, block, starts, blocks, visit_block)

    def _move(
        self,
        count: ir.Value,
        step: ir.Value | int,
        starts: list[ir.Value],
        jumps: list[ir.Value],
        visit: Visit,
    ) -> None:
        """Visit places that move on until a count, which is not zero, is used up."""
        b = self.builder
        before = b.block
        row, done = b.append_basic_block("row"), b.append_basic_block("rows.done")
        b.branch(row)
        b.position_at_end(row)
        left = b.phi(I64)
        left.add_incoming(count, before)
        moving = []
        for start in starts:
            phi = b.phi(POINTER)
            phi.add_incoming(start, before)
            moving.append(phi)
        visit(left, moving)
        for phi, jump in zip(moving, jumps):
            phi.add_incoming(b.gep(phi, [jump], source_etype=BYTE), b.block)
        rest = b.sub(left, integer(step))
        left.add_incoming(rest, b.block)
        b.cbranch(b.icmp_signed(">", rest, I64(0)), row, done)
        b.position_at_end(done)

    def _is_cut(self, paces: Paces) -> bool:
        """Whether a row may be taken in several pieces."""
        return bool(paces.bent or self.reducing or len(self.phases) > 1)

    def _copies(self) -> bool:
        """Whether the kernel does nothing but copy an array."""
        if len(self.plan.operands) != 2 or len(self.outputs) != 1:
            return False
        output, source = self.outputs[0], self.plan.operands[0]
        plain = isinstance(output.expr, Leaf) and output.combine is None
        kinds = {output.expr.dtype, output.out.dtype, source.dtype}
        return plain and len(kinds) == 1 and self.sizes[0] in SIZES

    def _transpose(self, plain: ir.Value) -> None:
        """Copy squares where one array has its neighbours across the rows."""
        b = self.builder
        n, rows, pointers, strides, jumps, _ = self.function.args
        with b.if_then(b.not_(plain)):
            transpose = declare(
                self.module, f"{TRANSPOSE}.{self.sizes[0]}", TRANSPOSE_TYPE
            )
            done = b.call(transpose, [n, rows, pointers, strides, jumps])
            with b.if_then(done):
                b.ret_void()

    def _row(self, n: ir.Value, starts: list[ir.Value], paces: Paces) -> None:
        plan, reducing = self.plan, self.reducing
        totals = [self._neutral_total(s) for s in reducing]
        if self._is_cut(paces):
            totals = self._chunks(n, starts, paces, totals)
        else:
            self._vectors(starts, n, [])
        places = [
            start for start, s in zip(starts[plan.reads :], self.outputs) if s.reduces
        ]
        for output, place, total in zip(reducing, places, totals):
            assert isinstance(output, KernelOutput)
            self._finish(output, place, total)

    def _limit(self, paces: Paces) -> ir.Value:
        """How many elements are worked on at a time."""
        most = _BLOCK if self.reducing else EVERYTHING
        most = CHUNK if len(self.phases) > 1 else most
        if not paces.bent:
            return I64(most)
        return self.builder.select(paces.plain, I64(most), I64(CHUNK))

    def _find_shared(self) -> dict[tuple[int, str], tuple[int, Expr, ir.Value]]:
        """What later phases need of the first, and the buffers where they find it."""
        found: dict[tuple[int, str], tuple[int, Expr, ir.Value]] = {}
        for output in self.outputs:
            key = (id(output.expr), output.out.dtype.char)
            if output.phase == 0 or isinstance(output.expr, Leaf) or key in found:
                continue
            if output.out.dtype.kind == "b":
                continue
            self.sizes.append(output.out.dtype.itemsize)
            place = len(self.sizes) - 1
            buffer = self.builder.ptrtoint(self._buffer(place), I64)
            buffer = self.builder.inttoptr(buffer, POINTER)
            found[key] = (place, output.expr, buffer)
        return found

    def _is_number(self, operand: int) -> bool:
        """Whether an operand is one number for each row."""
        return operand >= self.plan.reads and self._output(operand).reduces

    def _output(self, operand: int) -> KernelOutput:
        return self.outputs[operand - self.plan.reads]

    def _argument(self, base: ir.Value, k: int, kind: ir.Type) -> ir.Value:
        b = self.builder
        place = b.gep(base, [I64(k)], source_etype=I64)
        if kind == I1:
            return b.trunc(b.load(place, typ=I64), I1)
        return b.load(place, typ=kind)

    def _buffer(self, k: int) -> ir.Value:
        kind = ir.IntType(8 * self.sizes[k])
        made = self.builder.alloca(ir.ArrayType(kind, CHUNK))
        made.align = 64
        return self.builder.bitcast(made, POINTER)

    def _chunks(
        self,
        n: ir.Value,
        starts: list[ir.Value],
        paces: Paces,
        totals: list[ir.Value],
    ) -> list[ir.Value]:
        """The row in pieces, which pass through buffers if strides are odd."""
        b = self.builder
        before = b.block
        chunk = b.append_basic_block("chunk")
        b.branch(chunk)
        b.position_at_end(chunk)
        left = b.phi(I64)
        left.add_incoming(n, before)
        moving = []
        for start in starts:
            phi = b.phi(POINTER)
            phi.add_incoming(start, before)
            moving.append(phi)
        sums = []
        for total in totals:
            phi = b.phi(total.type)
            phi.add_incoming(total, before)
            sums.append(phi)
        m = minimum(b, left, self._limit(paces))
        places = self._gather(moving, paces, m)
        first = [self._neutral(s) for s in self.reducing]
        found = self._vectors(places, m, first)
        self._scatter(moving, paces, m)
        added = [
            self._add_up(output, total, part)
            for output, total, part in zip(self.reducing, sums, found)
        ]
        rest = b.sub(left, m)
        more, done = (b.append_basic_block(n) for n in ("more", "chunks.done"))
        # Most rows are one chunk, after which nothing moves.
        b.cbranch(b.icmp_signed(">", rest, I64(0)), more, done)
        b.position_at_end(more)
        for phi, step in zip(moving, paces.steps):
            phi.add_incoming(b.gep(phi, [b.mul(step, m)], source_etype=BYTE), more)
        for phi, value in zip(sums, added):
            phi.add_incoming(value, more)
        left.add_incoming(rest, more)
        b.branch(chunk)
        b.position_at_end(done)
        return added

    def _gather(
        self,
        starts: Sequence[ir.Value],
        paces: Paces,
        m: ir.Value,
    ) -> list[ir.Value]:
        """Where the vectors of a chunk stand."""
        b = self.builder
        places = list(starts)
        if not paces.bent:
            return places
        before = b.block
        odd, go = b.append_basic_block("odd"), b.append_basic_block("go")
        b.cbranch(paces.plain, go, odd)
        b.position_at_end(odd)
        moved = {}
        for k in paces.bent:
            size = self.sizes[k]
            if k >= self.plan.reads and self._output(k).combine is None:
                unit = b.icmp_signed("==", paces.steps[k], I64(size))
                moved[k] = b.select(unit, starts[k], paces.buffers[k])
                continue
            fetch = declare(self.module, f"{FETCH}.{size}", FETCH_TYPE)
            moved[k] = b.call(fetch, [starts[k], paces.steps[k], m, paces.buffers[k]])
        end = b.block
        b.branch(go)
        b.position_at_end(go)
        for k in paces.bent:
            phi = b.phi(POINTER)
            phi.add_incoming(places[k], before)
            phi.add_incoming(moved[k], end)
            places[k] = phi
        return places

    def _scatter(
        self,
        starts: Sequence[ir.Value],
        paces: Paces,
        m: ir.Value,
    ) -> None:
        outs = [k for k in paces.bent if k >= self.plan.reads]
        if not outs:
            return
        b = self.builder
        with b.if_then(b.not_(paces.plain)):
            for k in outs:
                name = f"{SCATTER}.{self.sizes[k]}"
                scatter = declare(self.module, name, SCATTER_TYPE)
                b.call(scatter, [starts[k], paces.steps[k], m, paces.buffers[k]])

    # Vectors ------------------------------------------------------------------------

    def _vectors(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
    ) -> list[ir.Value]:
        """All vectors of a chunk; what the accumulators hold after them."""
        places = [*places, *(buffer for _, _, buffer in self.shared.values())]
        for phase in self.phases:
            self.phase = phase
            self.active = [s for s in self.outputs if s.phase == phase]
            found = self._pass(places, count, accumulators)
        return found

    def _body(
        self,
        places: Sequence[ir.Value],
        mask: ir.Value | None,
        accumulators: Sequence[ir.Value],
    ) -> list[ir.Value]:
        """One vector of everything."""
        b = self.builder
        self.read: dict[int, ir.Value] = {}
        self.known: dict[tuple[int, str], ir.Value] = {}
        self.valid: dict[tuple[int, str], ir.Value] = {}
        self.places, self.mask = places, mask
        waiting = list(accumulators)
        found = []
        for key, (place, expr, _) in self.shared.items():
            dtype = np.dtype(key[1])
            kind = widen(element_type(dtype), self.lanes)
            if self.phase == 0:
                b.store(self.evaluate(expr, dtype), places[place], align=dtype.itemsize)
            else:
                self.known[key] = b.load(places[place], typ=kind, align=dtype.itemsize)
        if any(output.late for output in self.active):
            for output in self.active:
                for expr in (output.expr, *(further for further, _ in output.further)):
                    self.evaluate(expr, output.out.dtype)
        for k, output in enumerate(self.outputs, self.plan.reads):
            if not any(output is s for s in self.active):
                continue
            r = self.evaluate(output.expr, output.out.dtype)
            if output.reduces:
                assert output.combine is not None
                if mask is not None:
                    neutral = self.constant(output.out.dtype, output.neutral)
                    r = b.select(mask, r, neutral)
                found.append(output.combine(self, waiting.pop(0), r))
                continue
            if output.further:
                r = self._with_further(output)
            if output.reach and mask is not None:
                self.mask = self.mask_of(b.add(self.left, I64(output.reach)))
            if output.combine is not None:
                old = self.load_vector(k, output.out.dtype)
                r = output.combine(self, old, r)
            self.store_vector(k, output.out.dtype, r)
            self.mask = mask
        return found

    def _with_further(self, output: KernelOutput) -> ir.Value:
        """All that is combined with a row, each value where it belongs."""
        assert output.combine is not None
        b, lanes = self.builder, self.lanes
        found = self._valid(output.expr, output.out.dtype)
        for expr, distance in output.further:
            value = self._valid(expr, output.out.dtype)
            if distance:
                before = self.before[id(expr), output.out.dtype.char]
                chosen = [lanes - distance + k for k in range(lanes)]
                picks = ir.Constant(ir.VectorType(I32, lanes), chosen)
                value = b.shuffle_vector(before, value, picks)
            found = output.combine(self, found, value)
        return found

    def _valid(self, expr: Expr, dtype: np.dtype[Any]) -> ir.Value:
        """The values of an expression, and zeros behind the last."""
        key = (id(expr), dtype.char)
        if key not in self.valid:
            r = self.evaluate(expr, dtype)
            if self._reach() and self.mask is not None:
                r = self.builder.select(self.mask, r, zeros(r.type))
            self.valid[key] = r
        return self.valid[key]

    def evaluate(self, expr: Expr, want: np.dtype[Any]) -> ir.Value:
        """The values of an expression, computed once."""
        key = (id(expr), want.char)
        if key not in self.known:
            self.known[key] = self._evaluate(expr, want)
        return self.known[key]

    def _evaluate(self, expr: Expr, want: np.dtype[Any]) -> ir.Value:
        if isinstance(expr, Leaf):
            value = expr.value
            if isinstance(value, Static):
                return self.constant(want, leaf_number(value.value))
            if isinstance(value, Scalar):
                r = self.splats[self.plan.places[id(value.register)]]
                return self.convert(r, value.dtype, want)
            assert isinstance(value, Array)
            k = self.plan.operand(value)
            if k in self.numbers:
                return self.convert(self.numbers[k], value.dtype, want)
            if k not in self.read:
                self.read[k] = self.load_vector(k, value.dtype)
            return self.convert(self.read[k], value.dtype, want)
        if expr.dtype != want:
            return self.convert(self.evaluate(expr, expr.dtype), expr.dtype, want)
        assert isinstance(expr, ElementwiseOp)
        pairs = zip(expr.inputs, self._kinds(expr))
        args = [self.evaluate(i, kind) for i, kind in pairs]
        return expr.emit(self, args, expr.compute)

    def _kinds(self, expr: Expr) -> list[np.dtype[Any]]:
        """The types in which the inputs of an expression are wanted."""
        assert isinstance(expr, ElementwiseOp)
        kinds = [expr.compute] * len(expr.inputs)
        if isinstance(expr, Choice):
            kinds[0] = BOOL
        return kinds

    def _number(self, place: ir.Value, dtype: np.dtype[Any]) -> ir.Value:
        """One number of an operand, in every lane."""
        b = self.builder
        r = b.load(place, typ=element_type(dtype), align=dtype.itemsize)
        return self._splat(b.trunc(r, I1) if dtype.kind == "b" else r)

    def load_vector(self, k: int, dtype: np.dtype[Any]) -> ir.Value:
        """The elements of an operand that the current vector stands for."""
        b = self.builder
        element = element_type(dtype)
        kind = widen(element, self.lanes)
        if self.mask is None:
            r = b.load(self.places[k], typ=kind, align=dtype.itemsize)
        else:
            name = f"llvm.masked.load.{_short(kind)}.p0"
            masks = ir.VectorType(I1, self.lanes)
            type_ = ir.FunctionType(kind, [POINTER, I32, masks, kind])
            callee = declare(self.module, name, type_)
            nothing = zeros(kind)
            align = I32(dtype.itemsize)
            r = b.call(callee, [self.places[k], align, self.mask, nothing])
        if dtype.kind != "b":
            return r
        return b.icmp_unsigned("!=", r, ir.Constant(kind, None))

    def store_vector(self, k: int, dtype: np.dtype[Any], r: ir.Value) -> None:
        """Write the elements of an operand that the current vector stands for."""
        b = self.builder
        kind = widen(element_type(dtype), self.lanes)
        if dtype.kind == "b":
            r = b.zext(r, kind)
        if self.mask is None:
            b.store(r, self.places[k], align=dtype.itemsize)
            return
        name = f"llvm.masked.store.{_short(kind)}.p0"
        masks = ir.VectorType(I1, self.lanes)
        type_ = ir.FunctionType(ir.VoidType(), [kind, POINTER, I32, masks])
        callee = declare(self.module, name, type_)
        b.call(callee, [r, self.places[k], I32(dtype.itemsize), self.mask])

    # Reductions ---------------------------------------------------------------------

    def _total_type(self, output: KernelOutput | Reduced) -> np.dtype[Any]:
        """Blocks of singles are added up in double precision."""
        single = output.dtype == np.float32
        return np.dtype(np.float64) if single else output.dtype

    def _neutral_total(self, output: KernelOutput | Reduced) -> ir.Value:
        dtype = self._total_type(output)
        number = float(output.neutral) if dtype.kind == "f" else int(output.neutral)
        return ir.Constant(scalar_type(dtype), number)

    def _add_up(
        self, output: KernelOutput | Reduced, total: ir.Value, part: ir.Value
    ) -> ir.Value:
        """A block's accumulator combined into one number, and that into the total."""
        assert output.combine is not None
        b, lanes = self.builder, self.lanes
        while lanes > 1:
            lanes //= 2
            undefined = ir.Constant(part.type, ir.Undefined)
            halves = []
            for start in (0, lanes):
                chosen = list(range(start, start + lanes))
                picks = ir.Constant(ir.VectorType(I32, lanes), chosen)
                halves.append(b.shuffle_vector(part, undefined, picks))
            part = output.combine(self, *halves)
        if self.lanes > 1:
            part = b.extract_element(part, I32(0))
        dtype = self._total_type(output)
        part = convert_number(b, part, output.dtype, dtype, 1)
        return output.combine(self, total, part)

    def _finish(self, output: KernelOutput, place: ir.Value, total: ir.Value) -> None:
        assert output.combine is not None
        b, dtype = self.builder, output.out.dtype
        wide = self._total_type(output)
        kind = element_type(dtype)
        old = b.load(place, typ=kind)
        if dtype.kind == "b":
            old = b.trunc(old, I1)
        old = convert_number(b, old, dtype, wide, 1)
        new = convert_number(b, output.combine(self, old, total), wide, dtype, 1)
        if dtype.kind == "b":
            new = b.zext(new, kind)
        b.store(new, place)


def _short(kind: ir.Type) -> str:
    if isinstance(kind, ir.VectorType) and kind.element == BYTE:
        return f"v{kind.count}i8"
    return type_name(kind)
