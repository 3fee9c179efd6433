"""Kernels that go over each row several times: the code of the row passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from ..emission.casts import convert_number
from ..emission.control_flow import changed_if
from ..emission.dsl import I32, I64
from ..emission.values import Array, element_type
from ..fusion.expressions import Expr, Leaf, Reduced
from .row_plan import RowPass, RowPlan
from .strided import BYTE
from .vector_code import KernelEmitter, Paces

if TYPE_CHECKING:
    from ..emission.module import ModuleEmitter


class RowPassEmitter(KernelEmitter):
    """Writes one kernel that goes over each row in row passes."""

    plan: RowPlan

    def __init__(
        self, owner: ModuleEmitter, function: ir.Function, plan: RowPlan
    ) -> None:
        super().__init__(owner, function, plan)
        self.phase = 0
        self.row_pass = plan.row_passes[0]
        # What is the same for a whole row, and whether such things are computed now.
        self.row: dict[tuple[int, str], ir.Value] = {}
        self.totals: dict[int, ir.Value] = {}
        self.ahead = False

    def _find_shared(self) -> dict[tuple[int, str], tuple[int, Expr, ir.Value]]:
        """Make room for what is kept from row pass to row pass, a row of each."""
        b, n = self.builder, self.function.args[0]
        self.scratch = []
        for expr in self.plan.scratch:
            size = expr.dtype.itemsize
            made = b.alloca(BYTE, b.mul(n, I64(size)))
            made.align = 64
            self.sizes.append(size)
            self.scratch.append(made)
        return {}

    def _is_number(self, operand: int) -> bool:
        return self.plan.is_number(operand)

    def _is_cut(self, paces: Paces) -> bool:
        return True

    def _row(self, n: ir.Value, starts: list[ir.Value], paces: Paces) -> None:
        self.row, self.numbers, self.totals = {}, {}, {}
        self.starts = starts
        every = [*starts, *self.scratch]
        kept = [I64(x.dtype.itemsize) for x in self.plan.scratch]
        for row_pass in self.plan.row_passes:
            self.row_pass, self.reducing = row_pass, row_pass.reduces
            self.cost = sum(self.plan.facts.cost(x) for x, _ in row_pass.roots)
            self._write_numbers(row_pass, starts)
            if not row_pass.outputs and not row_pass.reduces:
                continue
            self.ahead = True
            seen: set[int] = set()
            for expr, dtype in row_pass.roots:
                self._prepare(expr, dtype, seen)
            self.ahead = False
            own = replace(
                paces,
                steps=[*paces.steps, *kept],
                bent=[k for k in paces.bent if k in row_pass.operands],
            )
            totals = self._along(n, every, own)
            for reduced, total in zip(row_pass.reduces, totals):
                wide = self._total_type(reduced)
                number = convert_number(self.builder, total, wide, reduced.dtype, 1)
                self.totals[id(reduced)] = self._splat(number)

    def _along(
        self, n: ir.Value, starts: list[ir.Value], paces: Paces
    ) -> list[ir.Value]:
        """One row pass, if the row has elements; what is combined on the way."""
        b = self.builder
        totals = [self._neutral_total(r) for r in self.reducing]
        return changed_if(
            b,
            b.icmp_signed(">", n, I64(0)),
            totals,
            lambda: self._chunks(n, starts, paces, totals),
        )

    # Numbers of a row ---------------------------------------------------------------

    def _write_numbers(self, row_pass: RowPass, starts: list[ir.Value]) -> None:
        b = self.builder
        self.ahead = True
        for k, output in row_pass.numbers:
            r = self.evaluate(output.expr, output.dtype)
            r = b.extract_element(r, I32(0)) if self.lanes > 1 else r
            kind = element_type(output.dtype)
            r = b.zext(r, kind) if output.dtype.kind == "b" else r
            b.store(r, starts[k], align=output.dtype.itemsize)
        self.ahead = False

    def _prepare(self, expr: Expr, want: np.dtype[Any], seen: set[int]) -> None:
        """Compute the parts of an expression that are the same for the whole row."""
        if not self.plan.facts.is_wide(expr):
            self.evaluate(expr, want)
        elif not isinstance(expr, Leaf) and id(expr) not in self.row_pass.kept:
            if id(expr) in seen:
                return
            seen.add(id(expr))
            for i, kind in zip(expr.inputs, self._kinds(expr)):
                self._prepare(i, kind, seen)

    def _own_number(self, k: int, array: Array) -> ir.Value:
        """An operand that is one number for the row."""
        if k not in self.numbers:
            self.numbers[k] = self._number(self.starts[k], array.dtype)
        return self.numbers[k]

    # Vectors ------------------------------------------------------------------------

    def _vectors(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
    ) -> list[ir.Value]:
        return self._pass(places, count, accumulators)

    def _body(
        self,
        places: Sequence[ir.Value],
        mask: ir.Value | None,
        accumulators: Sequence[ir.Value],
    ) -> list[ir.Value]:
        b, row_pass = self.builder, self.row_pass
        self.read, self.known = {}, {}
        self.places, self.mask = places, mask
        for k, output in row_pass.outputs:
            self.store_vector(k, output.dtype, self.evaluate(output.expr, output.dtype))
        for place, expr in row_pass.keeps.items():
            self.store_vector(place, expr.dtype, self.evaluate(expr, expr.dtype))
        found = []
        for reduced, old in zip(row_pass.reduces, accumulators):
            r = self.evaluate(reduced.expr, reduced.dtype)
            if mask is not None:
                r = b.select(mask, r, self._neutral(reduced))
            found.append(reduced.combine(self, old, r))
        return found

    def evaluate(self, expr: Expr, want: np.dtype[Any]) -> ir.Value:
        """The values of an expression, computed once for a row or for a vector."""
        key = (id(expr), want.char)
        if key in self.row:
            return self.row[key]
        if not self.ahead:
            return super().evaluate(expr, want)
        self.row[key] = self._evaluate(expr, want)
        return self.row[key]

    def _evaluate(self, expr: Expr, want: np.dtype[Any]) -> ir.Value:
        if isinstance(expr, Reduced):
            return self.convert(self.totals[id(expr)], expr.dtype, want)
        if isinstance(expr, Leaf):
            if isinstance(expr.value, Array):
                k = self.plan.operand(expr.value)
                if self.plan.is_number(k):
                    number = self._own_number(k, expr.value)
                    return self.convert(number, expr.value.dtype, want)
        elif id(expr) in self.row_pass.kept and expr.dtype == want:
            return self.load_vector(self.row_pass.kept[id(expr)], want)
        return super()._evaluate(expr, want)
