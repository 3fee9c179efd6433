"""The innermost kernel: a tile of C held in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir
from llvmlite.ir import instructions

from ..emission.control_flow import fold_range, offset
from ..emission.dsl import (
    I1,
    I32,
    I64,
    declare,
    element_size,
    type_name,
    undefined,
    zeros,
)
from ..runtime.threads import POINTER
from ..target import Target

LINE = 64
"""Bytes of a line of the caches."""


@dataclass(frozen=True)
class TileShape:
    """What fits the registers: rows, and vectors side by side, of some lanes."""

    rows: int
    vectors: int
    lanes: int

    @property
    def width(self) -> int:
        """The columns of a tile and of a panel of packed B."""
        return self.vectors * self.lanes

    @property
    def spans(self) -> tuple[int, ...]:
        """The numbers of panels that tiles span, the most first."""
        return (4, 2, 1)

    def panels_at_once(self, rows: int) -> int:
        """The panels that a tile of few rows must span to keep the units busy."""
        return {1: 4, 2: 2, 3: 2}.get(rows, 1)


def tile_shape(element: ir.Type, target: Target) -> TileShape:
    """The tile for an element type: 8 or 6 rows by two vectors.

    More rows would fit 32 registers, and run no faster; every row count is one more
    kernel to compile.
    """
    lanes = target.lanes(element_size(element))
    return TileShape(8 if target.registers == 32 else 6, 2, lanes)


def emit_product_tile(
    builder: ir.IRBuilder,
    target: Target,
    depth: ir.Value,
    left: ir.Value,
    rows: Sequence[ir.Value],
    left_step: ir.Value,
    panels: Sequence[ir.Value],
    vectors: int,
    panel_step: ir.Value,
    vector: ir.VectorType,
    initial: Sequence[Sequence[ir.Value]],
    ahead: ir.Value,
) -> list[list[ir.Value]]:
    """The sums over k of left[row, k]·panel[k], a vector for each row and column.

    `rows` says how many elements after `left` each row begins, whose scalars are
    `left_step` elements apart in k; `panels` point to some vectors side by side,
    `panel_step` elements apart.  `initial` is added to.  What of the panels will be
    read `ahead` elements later is asked for.  The result stays in registers:
    [row][column].
    """
    width = len(panels) * vectors
    element = vector.element
    align = element_size(element)

    def step(values: list[ir.Value]) -> list[ir.Value]:
        at, pointers = values[0], values[1 : len(panels) + 1]
        sums = values[len(panels) + 1 :]
        right = [
            builder.load(
                builder.bitcast(offset(builder, p, k), vector.as_pointer()),
                align=align,
                typ=vector,
            )
            for p in pointers
            for k in range(0, vectors * vector.count, vector.count)
        ]
        for p in pointers:
            later = offset(builder, p, ahead)
            for k in range(0, vectors * vector.count, vector.count):
                prefetch(builder, offset(builder, later, k), 0)
        updated = []
        for i, row in enumerate(rows):
            one = builder.load(offset(builder, at, row), typ=element)
            wide = splat(builder, one, vector)
            for j in range(width):
                updated.append(
                    multiply_add(builder, target, wide, right[j], sums[i * width + j])
                )
        moved = [offset(builder, p, panel_step) for p in pointers]
        return [offset(builder, at, left_step), *moved, *updated]

    # As multiples of each other, they would be added up one by one in every step.
    rows = [unrelated(builder, row) for row in rows]
    start = [left, *panels, *(value for row in initial for value in row)]
    sums = fold_range(builder, depth, start, step)[len(panels) + 1 :]
    return [sums[i * width : (i + 1) * width] for i in range(len(rows))]


def unrelated(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """An integer of which LLVM does not see how it was computed."""
    if isinstance(value, ir.Constant):
        return value
    frozen = instructions.Instruction(builder.block, value.type, "freeze", [value])
    builder._insert(frozen)
    return frozen


def splat(builder: ir.IRBuilder, value: ir.Value, vector: ir.VectorType) -> ir.Value:
    """A scalar in every lane."""
    nothing = undefined(vector)
    one = builder.insert_element(nothing, value, I32(0))
    first = ir.Constant(ir.VectorType(I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, nothing, first)


def multiply_add(
    builder: ir.IRBuilder, target: Target, a: ir.Value, b: ir.Value, c: ir.Value
) -> ir.Value:
    """a·b + c, fused if the target can."""
    if not target.has_fma:
        return builder.fadd(builder.fmul(a, b), c)
    callee = declare(
        builder.module,
        f"llvm.fma.{type_name(a.type)}",
        ir.FunctionType(a.type, [a.type] * 3),
    )
    return builder.call(callee, [a, b, c])


def lane_mask(builder: ir.IRBuilder, count: ir.Value, lanes: int) -> ir.Value:
    """A mask of the lanes below a count."""
    indices = ir.Constant(ir.VectorType(I64, lanes), list(range(lanes)))
    wide = splat(builder, count, ir.VectorType(I64, lanes))
    return builder.icmp_signed("<", indices, wide)


def masked_load(
    builder: ir.IRBuilder, pointer: ir.Value, mask: ir.Value, vector: ir.VectorType
) -> ir.Value:
    """The lanes of a vector that a mask selects, and zeros."""
    pointer = builder.bitcast(pointer, vector.as_pointer())
    masks = ir.VectorType(I1, vector.count)
    callee = declare(
        builder.module,
        f"llvm.masked.load.{type_name(vector)}.p0",
        ir.FunctionType(vector, [pointer.type, I32, masks, vector]),
    )
    align = I32(element_size(vector.element))
    return builder.call(callee, [pointer, align, mask, zeros(vector)])


def masked_store(
    builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value, mask: ir.Value
) -> None:
    """Store the lanes of a vector that a mask selects."""
    vector = value.type
    pointer = builder.bitcast(pointer, vector.as_pointer())
    masks = ir.VectorType(I1, vector.count)
    callee = declare(
        builder.module,
        f"llvm.masked.store.{type_name(vector)}.p0",
        ir.FunctionType(ir.VoidType(), [vector, pointer.type, I32, masks]),
    )
    align = I32(element_size(vector.element))
    builder.call(callee, [value, pointer, align, mask])


def prefetch(
    builder: ir.IRBuilder, place: ir.Value, count: int, write: bool = False
) -> None:
    """Ask for the cache lines of elements that will soon be read or written."""
    callee = declare(
        builder.module,
        "llvm.prefetch.p0",
        ir.FunctionType(ir.VoidType(), [POINTER, I32, I32, I32]),
    )
    bytes_ = count * element_size(place.type.pointee)
    begin = builder.bitcast(place, POINTER)
    # One line more: the first need not begin where a line does.
    for start in range(0, bytes_ + LINE, LINE):
        line = builder.gep(begin, [I64(start)])
        builder.call(callee, [line, I32(int(write)), I32(3), I32(1)])
