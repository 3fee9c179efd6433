"""What a kernel reads, computes and writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ..emission.values import Array, Scalar, Static, is_one
from ..fusion.expressions import Choice, ElementwiseOp, Expr, Leaf, Reduced

Combine = Callable[[Any, ir.Value, ir.Value], ir.Value]


@dataclass
class KernelOutput:
    """An expression and the array that its values go to.

    With `combine` they are combined with what is there.  If the output `reduces`, the
    array has stride zero along the kernel's own axis; `neutral` is then the number
    that changes nothing.  An output that is `alone` writes what no other one writes;
    one that is `late` is written when everything else has been read.  Each `phase`
    goes over a row of its own: what one writes is not read again at once.  If it
    reduces `rows`, every row has a number of its own, and every column if it reduces
    `columns`; nobody else knows the array then.

    `further` are expressions that are combined with the same row, each so many elements
    further on.  `place` says where outputs add: the row, and the first element there if
    it is known (`overlapping_adds`).
    """

    expr: Expr
    out: Array
    combine: Combine | None = None
    reduces: bool = False
    neutral: float | int = 0
    alone: bool = False
    late: bool = False
    rows: bool = False
    columns: bool = False
    phase: int = 0
    further: tuple[tuple[Expr, int], ...] = ()
    place: tuple[Any, int | None] | None = None

    @property
    def reach(self) -> int:
        """How many elements more than the others it goes over."""
        return max((distance for _, distance in self.further), default=0)

    @property
    def overlaps(self) -> bool:
        """Whether it adds to elements of which others, or other rows, have a part."""
        return self.combine is not None and not self.reduces and not self.alone

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which its values are written."""
        return self.out.dtype

    @property
    def manner(self) -> tuple[bool, bool, bool, bool, bool, int, bool]:
        """How it is written."""
        flags = self.reduces, self.alone, self.late, self.rows, self.columns
        return *flags, self.phase, self.is_total

    @property
    def is_total(self) -> bool:
        """Whether everything is combined into one number."""
        steps = self.out.strides
        zero = all(isinstance(s, ir.Constant) and s.constant == 0 for s in steps)
        return self.reduces and zero


class Plan:
    """What a kernel reads, computes and writes, and a key for that."""

    def __init__(self, shape: list[ir.Value], outputs: list[KernelOutput]) -> None:
        self.shape, self.outputs = shape, outputs
        self.operands: list[Array] = []
        self.scalars: list[Scalar] = []
        self.places: dict[Any, int] = {}
        self.cost = 1
        self.size = 1
        self._numbers: dict[int, int] = {}
        self._keys: list[Any] = []
        roots = [
            (self._visit(s.expr), *((self._visit(t), by) for t, by in s.further))
            for s in outputs
        ]
        self.reads = len(self.operands)
        # Outputs come last, each on its own.
        self.operands += [s.out for s in outputs]
        for s in outputs:
            self._widen(s.out.dtype)
        self.unit = [self._is_unit(a) for a in self.operands]
        # Operands that are expected to have one number for each row. Where a row is one
        # number, rows are joined: then those that lie in order have one for each.
        self.narrow = {
            k
            for k, a in enumerate(self.operands[: self.reads])
            if is_narrow(a, len(shape)) and not self.unit[k]
        }
        ends = tuple(
            (s.out.dtype.char, s.combine, s.neutral, root, *s.manner)
            for s, root in zip(outputs, roots)
        )
        self.key: tuple[Any, ...] = (tuple(self._keys), tuple(self.unit), ends)

    @property
    def only_adds(self) -> bool:
        """Whether rows meet in nothing but what is added to elements that no one reads.

        `place` says so of outputs that add; a store beside them has to come first.
        """
        ordered = any(s.late and not s.alone and not s.combine for s in self.outputs)
        meeting = [s for s in self.outputs if s.combine and not s.alone]
        return not ordered and all(s.place and not s.reduces for s in meeting)

    def _is_unit(self, array: Array) -> bool:
        """Whether elements are neighbours along whatever axis turns out innermost."""
        return (
            array.contiguous
            and array.ndim == len(self.shape)
            and all(n is m for n, m in zip(array.shape, self.shape))
        )

    def _widen(self, dtype: np.dtype[Any]) -> None:
        self.size = max(self.size, dtype.itemsize)

    def _visit(self, expr: Expr) -> int:
        found = self._numbers.get(id(expr))
        if found is not None:
            return found
        if isinstance(expr, Leaf):
            key = self._leaf(expr)
        elif isinstance(expr, Reduced):
            inner = self._visit(expr.expr)
            self._widen(expr.dtype)
            key = ("reduced", expr.combine, expr.neutral, expr.dtype.char, inner)
        else:
            assert isinstance(expr, ElementwiseOp)
            inputs = tuple(self._visit(i) for i in expr.inputs)
            self.cost += expr.cost
            self._widen(expr.compute)
            self._widen(expr.dtype)
            kinds = (expr.compute.char, expr.dtype.char, isinstance(expr, Choice))
            key = ("operation", expr.emit, *kinds, inputs)
        self._keys.append(key)
        self._numbers[id(expr)] = len(self._keys) - 1
        return len(self._keys) - 1

    def operand(self, array: Array) -> int:
        """The number of an array that is read."""
        return self.places[operand_key(array)]

    def _leaf(self, leaf: Leaf) -> Any:
        value = leaf.value
        if isinstance(value, Static):
            return ("constant", type(value.value).__name__, repr(value.value))
        self._widen(leaf.dtype)
        if isinstance(value, Scalar):
            at = self.places.get(id(value.register))
            if at is None:
                at = self.places[id(value.register)] = len(self.scalars)
                self.scalars.append(value)
            # It is read as what it is, and may be meant as something else.
            return ("scalar", at, value.dtype.char, leaf.dtype.char)
        assert isinstance(value, Array)
        where = operand_key(value)
        at = self.places.get(where)
        if at is None:
            at = self.places[where] = len(self.operands)
            self.operands.append(value)
        narrow = is_narrow(value, len(self.shape))
        return ("array", at, value.dtype.char, leaf.dtype.char, narrow)


def is_narrow(array: Array, rank: int) -> bool:
    """Whether an array has one number for each row of a shape of some rank."""
    return array.ndim == 0 or (array.ndim == rank and is_one(array.shape[-1]))


def operand_key(a: Array) -> Any:
    """A key that is equal for two descriptions of the same elements."""
    return (id(a.data), *map(id, a.shape), *map(id, a.strides))
