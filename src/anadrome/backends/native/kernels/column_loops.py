"""Kernels that reduce columns: a few vectors of columns at a time, down all rows.

What they come to stays in registers, where row by row it would be read and written
again with every row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir

from ..emission.control_flow import for_range
from ..emission.values import I64
from .strided import BYTE, POINTER

if TYPE_CHECKING:
    from .vector_code import KernelEmitter

# Vectors of columns that are taken together, and what an element may cost for that.
_TOGETHER, _CHEAP = 8, 3


def reduces_columns(k: KernelEmitter) -> bool:
    """Whether a kernel does nothing but reduce columns."""
    return [s.columns for s in k.outputs] == [True]


def write_columns(
    k: KernelEmitter, starts: list[ir.Value], apart: list[ir.Value]
) -> None:
    """All columns of a matrix whose rows are combined into one."""
    b, n = k.builder, k.function.args[0]
    together = _TOGETHER if k.cost <= _CHEAP else 1

    def places_of(column: ir.Value) -> list[ir.Value]:
        moved = k.places_at(starts, column)
        # What is one number for each row stays where it is.
        return [starts[i] if i in k.rows_narrow else p for i, p in enumerate(moved)]

    done: ir.Value = I64(0)
    if together > 1:
        width = k.lanes * together
        done = b.mul(b.udiv(n, I64(width)), I64(width))
        with for_range(b, 0, done, width) as column:
            _write_block(k, places_of(column), apart, [None] * together)
    with for_range(b, done, n, k.lanes) as column:
        mask = k.mask_of(b.sub(n, column)) if k.lanes > 1 else None
        _write_block(k, places_of(column), apart, [mask])


def _write_block(
    k: KernelEmitter,
    starts: list[ir.Value],
    apart: list[ir.Value],
    masks: list[ir.Value | None],
) -> None:
    """Vectors that lie side by side, down all rows, of which there is one at least."""
    b, (output,), out = k.builder, k.outputs, k.plan.reads
    assert output.combine is not None

    def stand(places: list[ir.Value], number: int) -> None:
        """Look at a vector of a row."""
        k.read, k.known, k.valid = {}, {}, {}
        k.places, k.mask = k.places_at(places, I64(number * k.lanes)), masks[number]

    found = []
    for number in range(len(masks)):
        stand(starts, number)
        found.append(k.load_vector(out, output.dtype))
    before = b.block
    row, done = b.append_basic_block("row"), b.append_basic_block("rows.done")
    b.branch(row)
    b.position_at_end(row)
    left = b.phi(I64)
    left.add_incoming(k.function.args[1], before)
    places, sums = [], []
    for start in starts[:out]:
        places.append(b.phi(POINTER))
        places[-1].add_incoming(start, before)
    for value in found:
        sums.append(b.phi(value.type))
        sums[-1].add_incoming(value, before)
    k.read_numbers(places)
    for number, phi in enumerate(sums):
        stand([*places, starts[out]], number)
        found[number] = output.combine(k, phi, k.evaluate(output.expr, output.dtype))
        phi.add_incoming(found[number], b.block)
    for place, jump in zip(places, apart):
        place.add_incoming(b.gep(place, [jump], source_etype=BYTE), b.block)
    rest = b.sub(left, I64(1))
    left.add_incoming(rest, b.block)
    b.cbranch(b.icmp_signed(">", rest, I64(0)), row, done)
    b.position_at_end(done)
    for number, value in enumerate(found):
        stand(starts, number)
        k.store_vector(out, output.dtype, value)
