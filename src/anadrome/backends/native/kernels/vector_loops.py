"""Loops over the vectors of a row: one or several at a time, the last under a mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ..emission.control_flow import changed_if, minimum
from ..emission.dsl import I1, I32, I64, widen
from ..emission.values import scalar_type
from ..fusion.expressions import Reduced
from ..target import Target
from .plan import KernelOutput

# Kernels of fewer additions take whole vectors without masks, which would show.
_LIGHT = 12
# Reductions of expressions that cost at most so many additions go in so many chains.
_FEW, _CHAINS = 4, 4

Parts = tuple[ir.Value, ir.Value, ir.Value]


class VectorLoops:
    """Writes loops around the code for one vector of everything."""

    builder: ir.IRBuilder
    target: Target
    lanes: int
    cost: int
    sizes: list[int]
    # Whether rows pass through buffers for certain.
    bent: bool
    reducing: Sequence[KernelOutput | Reduced]
    active: list[KernelOutput]
    valid: dict[tuple[int, str], ir.Value]
    # How numbers of elements are cut into vectors that are the same for every row.
    parts: dict[int, Parts]

    def _body(
        self,
        places: Sequence[ir.Value],
        mask: ir.Value | None,
        accumulators: Sequence[ir.Value],
    ) -> list[ir.Value]:
        """One vector of everything: what the accumulators hold after it."""
        raise NotImplementedError

    def constant(self, dtype: np.dtype[Any], number: Any) -> ir.Value:
        """A number in every lane."""
        kind = scalar_type(dtype)
        if dtype.kind == "b":
            number = bool(number)
        number = float(number) if dtype.kind == "f" else int(number)
        if self.lanes == 1:
            return ir.Constant(kind, number)
        return ir.Constant(widen(kind, self.lanes), [number] * self.lanes)

    def _splat(self, r: ir.Value) -> ir.Value:
        if self.lanes == 1:
            return r
        b, kind = self.builder, ir.VectorType(r.type, self.lanes)
        one = b.insert_element(ir.Constant(kind, ir.Undefined), r, I32(0))
        zeros = ir.Constant(ir.VectorType(I32, self.lanes), [0] * self.lanes)
        return b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

    def _neutral(self, output: KernelOutput | Reduced) -> ir.Value:
        return self.constant(output.dtype, output.neutral)

    def _pass(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
    ) -> list[ir.Value]:
        if self.lanes == 1 or not self.reducing or self.cost > _FEW or self._reach():
            return self._masked(places, count, accumulators)
        b = self.builder
        whole = b.and_(count, I64(-self.lanes * _CHAINS))
        rest = b.sub(count, whole)
        moved = changed_if(
            b,
            b.icmp_signed(">", whole, I64(0)),
            [*places, *accumulators],
            lambda: self._several(places, whole, accumulators),
        )
        ends, sums = moved[: len(places)], moved[len(places) :]
        return changed_if(
            b,
            b.icmp_signed(">", rest, I64(0)),
            sums,
            lambda: self._masked(ends, rest, sums),
        )

    def _several(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
    ) -> list[ir.Value]:
        """Several vectors at a time, none of which waits for another's sum.

        Where the places have moved, then the accumulators.
        """
        b, width = self.builder, len(accumulators)
        neutral = [self._neutral(s) for s in self.reducing]
        given = [*accumulators, *(neutral * (_CHAINS - 1))]
        before = b.block
        loop, done = b.append_basic_block("several"), b.append_basic_block("done")
        b.branch(loop)
        b.position_at_end(loop)
        index = b.phi(I64)
        index.add_incoming(I64(0), before)
        sums = []
        for value in given:
            phi = b.phi(value.type)
            phi.add_incoming(value, before)
            sums.append(phi)
        found: list[ir.Value] = []
        for k in range(_CHAINS):
            current = self.places_at(places, b.add(index, I64(k * self.lanes)))
            own = sums[k * width : (k + 1) * width]
            found += self._body(current, None, own)
        following = b.add(index, I64(_CHAINS * self.lanes))
        for phi, value in zip(sums, found):
            phi.add_incoming(value, b.block)
        index.add_incoming(following, b.block)
        b.cbranch(b.icmp_signed("<", following, count), loop, done)
        b.position_at_end(done)
        ends = self.places_at(places, count)
        chains = [found[k * width : (k + 1) * width] for k in range(_CHAINS)]
        while len(chains) > 1:
            pairs = zip(chains[::2], chains[1::2])
            chains = [self._combined(x, y) for x, y in pairs]
        return [*ends, *chains[0]]

    def _combined(self, x: list[ir.Value], y: list[ir.Value]) -> list[ir.Value]:
        found = []
        for output, r, s in zip(self.reducing, x, y):
            assert output.combine is not None
            found.append(output.combine(self, r, s))
        return found

    def _masked(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
    ) -> list[ir.Value]:
        """All vectors one after the other, the last one under a mask."""
        carried = self._nothing_before()
        if self.lanes == 1:
            return self._loop(places, count, accumulators, carried, None)[1]
        if self._masks_all():
            return self._loop(places, count, accumulators, carried, self.mask_of)[1]
        b = self.builder
        whole, rest, last = self.parts.get(id(count)) or self._find_parts(count)

        def vectors() -> list[ir.Value]:
            parts = self._loop(places, whole, accumulators, carried, None)
            return [value for part in parts for value in part]

        moved = changed_if(
            b,
            b.icmp_signed(">", whole, I64(0)),
            [*places, *accumulators, *carried.values()],
            vectors,
        )
        first, second = len(places), len(places) + len(accumulators)
        ends, sums = moved[:first], moved[first:second]
        kept = dict(zip(carried, moved[second:]))
        reach = self._reach()

        def remainder() -> list[ir.Value]:
            if reach:
                return self._loop(ends, rest, sums, kept, self.mask_of)[1]
            return self._body(ends, last, sums)

        left = b.add(rest, I64(reach)) if reach else rest
        return changed_if(b, b.icmp_signed(">", left, I64(0)), sums, remainder)

    def _masks_all(self) -> bool:
        """Whether all vectors are under a mask: where that is not noticed."""
        quick = self.cost <= _LIGHT and not self.bent
        return self.target.vector_bits == 512 and not quick

    def _find_parts(self, count: ir.Value) -> Parts:
        """The elements in whole vectors, the others, and a mask for these."""
        b = self.builder
        whole = b.and_(count, I64(-self.lanes))
        rest = b.sub(count, whole)
        return whole, rest, self.mask_of(rest)

    def _reach(self) -> int:
        """How many elements behind the last are written."""
        return max(s.reach for s in self.active)

    def mask_of(self, left: ir.Value) -> ir.Value:
        """The lanes that stand for an element, if so many are left."""
        b = self.builder
        bits = ir.IntType(self.lanes)
        if self._reach():
            some = b.icmp_signed(">", left, I64(0))
            left = b.select(some, left, I64(0))
        if self.target.vector_bits == 512:
            few = b.trunc(minimum(b, left, self.lanes), I32)
            ones = b.not_(b.shl(I32(-1), few))
            ones = b.trunc(ones, bits) if bits.width < 32 else ones
            return b.bitcast(ones, ir.VectorType(I1, self.lanes))
        few = b.trunc(minimum(b, left, self.lanes), I32)
        numbers = ir.Constant(ir.VectorType(I32, self.lanes), list(range(self.lanes)))
        return b.icmp_signed("<", numbers, self._splat(few))

    def _loop(
        self,
        places: Sequence[ir.Value],
        count: ir.Value,
        accumulators: list[ir.Value],
        carried: dict[tuple[int, str], ir.Value],
        mask: Callable[[ir.Value], ir.Value] | None,
    ) -> tuple[list[ir.Value], list[ir.Value], list[ir.Value]]:
        """A loop over vectors: where the places have moved, the accumulators, and the
        last vectors of what is added further on."""
        b = self.builder
        before = b.block
        loop, done = b.append_basic_block("vectors"), b.append_basic_block("done")
        b.branch(loop)
        b.position_at_end(loop)
        index = b.phi(I64)
        index.add_incoming(I64(0), before)
        phis = []
        for value in (*accumulators, *carried.values()):
            phi = b.phi(value.type)
            phi.add_incoming(value, before)
            phis.append(phi)
        sums = phis[: len(accumulators)]
        self.before = dict(zip(carried, phis[len(sums) :]))
        self.left = b.sub(count, index)
        current = self.places_at(places, index)
        found = self._body(current, mask(self.left) if mask else None, sums)
        last = [self.valid[key] for key in carried]
        following = b.add(index, I64(self.lanes))
        ends = self.places_at(places, following)
        for phi, value in zip(phis, [*found, *last]):
            phi.add_incoming(value, b.block)
        index.add_incoming(following, b.block)
        reach = self._reach() if mask else 0
        end = b.add(count, I64(reach)) if reach else count
        b.cbranch(b.icmp_signed("<", following, end), loop, done)
        b.position_at_end(done)
        return ends, found, last

    def _nothing_before(self) -> dict[tuple[int, str], ir.Value]:
        """Zeros as the vectors before the first of what is added further on."""
        found: dict[tuple[int, str], ir.Value] = {}
        for output in self.active:
            for expr, distance in output.further:
                if distance:
                    kind = widen(scalar_type(output.out.dtype), self.lanes)
                    found[id(expr), output.out.dtype.char] = ir.Constant(kind, None)
        return found

    def places_at(self, places: Sequence[ir.Value], index: ir.Value) -> list[ir.Value]:
        """Where all operands stand after a number of elements."""
        kinds = [ir.IntType(8 * size) for size in self.sizes]
        return [
            self.builder.gep(place, [index], source_etype=kind)
            for place, kind in zip(places, kinds)
        ]
