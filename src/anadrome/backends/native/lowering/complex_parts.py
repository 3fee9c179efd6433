"""Complex values by their parts: arrays, numbers, expressions, outputs of loops.

A complex array lies in memory as pairs of doubles, so its real and its imaginary part
are views of the same memory with every second element.  Loops know real numbers only:
what they compute of complex ones is two expressions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from ..emission.values import I64, Array, Scalar, Static
from ..fusion.expressions import Expr, Leaf, Pair
from ..kernels.plan import KernelOutput

if TYPE_CHECKING:
    from ..emission.function import Emitter

FLOAT = np.dtype(np.float64)
COMPLEX = np.dtype(np.complex128)
_DOUBLES = ir.DoubleType().as_pointer()


def part_of_array(e: Emitter, array: Array, k: int) -> Array:
    """The real (0) or the imaginary (1) part of an array: a view of its memory."""
    b = e.builder
    data = b.gep(b.bitcast(array.data, _DOUBLES), [I64(k)])
    strides = [b.mul(s, I64(2)) for s in array.strides]
    return Array(FLOAT, array.block, data, array.shape, strides)


def part(e: Emitter, expr: Expr, k: int) -> Expr:
    """The expression of one part of an expression."""
    if isinstance(expr, Pair):
        found: Expr = expr.inputs[k]
        return found
    if expr.dtype.kind != "c":
        return Leaf(Static(0.0), FLOAT) if k else expr
    assert isinstance(expr, Leaf)
    value = expr.value
    if isinstance(value, Static):
        number = complex(value.value)
        return Leaf(Static(number.imag if k else number.real), FLOAT)
    assert isinstance(value, Array | Scalar)
    if value.dtype.kind != "c":
        # What is real may be meant as something complex.
        return Leaf(Static(0.0), FLOAT) if k else Leaf(value, value.dtype)
    if isinstance(value, Array):
        return Leaf(part_of_array(e, value, k), FLOAT)
    return Leaf(Scalar(FLOAT, e.builder.extract_value(value.register, k)), FLOAT)


def halves(e: Emitter, expr: Expr) -> Pair:
    """An expression as the expressions of both its parts."""
    return Pair(part(e, expr, 0), part(e, expr, 1))


def by_parts(e: Emitter, outputs: list[KernelOutput]) -> list[KernelOutput]:
    """The same, with two real outputs for each complex one."""
    found: list[KernelOutput] = []
    for output in outputs:
        if output.dtype.kind != "c":
            found.append(output)
            continue
        for k in (0, 1):
            out = part_of_array(e, output.out, k)
            found.append(replace(output, expr=part(e, output.expr, k), out=out))
    return found


def is_complex(dtype: np.dtype[Any] | None) -> bool:
    """Whether numbers are complex ones that native code knows."""
    return dtype is not None and dtype == COMPLEX
