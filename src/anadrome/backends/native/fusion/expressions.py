"""Expressions of elementwise operations: what fused loops compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ..emission.values import Array, Value


@dataclass(eq=False)
class Leaf:
    """An array that is read, or a number."""

    value: Value
    dtype: np.dtype[Any]


@dataclass(eq=False)
class ElementwiseOp:
    """An operation on expressions.

    `emit` writes it for numbers or for vectors of them; `cost` is what it costs beside
    an addition.
    """

    emit: Callable[[Any, list[ir.Value], np.dtype[Any]], ir.Value]
    inputs: list[Any]
    compute: np.dtype[Any]
    dtype: np.dtype[Any]
    cost: int = 1


class Choice(ElementwiseOp):
    """A `where`: the condition is of another type than the values."""


@dataclass(eq=False)
class Reduced:
    """The values of an expression along a row, combined into one number.

    `neutral` is the number that changes nothing.
    """

    expr: Any
    combine: Callable[[Any, ir.Value, ir.Value], ir.Value]
    neutral: float | int
    dtype: np.dtype[Any]

    @property
    def inputs(self) -> list[Any]:
        """The expression whose values are combined."""
        return [self.expr]


@dataclass(eq=False)
class Pair:
    """A complex value: the expressions of its real and of its imaginary part."""

    real: Any
    imaginary: Any

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of complex numbers."""
        return np.dtype(np.complex128)

    @property
    def inputs(self) -> list[Any]:
        """Both expressions."""
        return [self.real, self.imaginary]


Expr = Leaf | ElementwiseOp | Reduced | Pair


def leaves(expr: Expr) -> list[Array]:
    """The arrays that an expression reads, each as often as it is read."""
    if isinstance(expr, Leaf):
        return [expr.value] if isinstance(expr.value, Array) and expr.value.ndim else []
    return [a for e in expr.inputs for a in leaves(e)]


def leaf_number(value: Any) -> Any:
    """The Python number of a constant leaf."""
    if value is None:
        return 0
    return value.item() if isinstance(value, np.generic) else value
