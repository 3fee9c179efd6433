"""The error function and its complements.

For x ≥ 0, exp(x²)·erfc(x)·(1 + 2x) is one smooth bounded function of
t = (x - 4)/(x + 4), so a single polynomial serves the whole half line.
"""

from __future__ import annotations

import math

from ..emission.dsl import FLOAT, Emit, Value
from .coefficients import ERF_LARGE_32, ERF_SMALL_32, ERF_SMALL_64, ERFCX_64
from .exponential import exp


def _erfcx_positive(e: Emit, x: Value) -> Value:
    """exp(x²)·erfc(x) for x ≥ 0."""
    t = (x - 4.0) / (x + 4.0)
    return e.polynomial(t, ERFCX_64) / (1.0 + 2.0 * x)


def _exp_of_square(e: Emit, x: Value, sign: float) -> Value:
    """exp(±x²) with the square in two parts."""
    square, low = e.two_product(x, x)
    return exp(e, sign * square, low=sign * low)


def _erf_small(e: Emit, x: Value) -> Value:
    z = x * x
    coefficients = ERF_SMALL_32 if x.element == FLOAT else ERF_SMALL_64
    return e.fma(x, e.polynomial(z, coefficients), x)


def erf(e: Emit, x: Value) -> Value:
    """The error function."""
    size = e.abs(x)
    if x.element == FLOAT:
        bounded = e.minimum(size, 4.0)
        far = 1.0 - exp(e, -e.polynomial(bounded, ERF_LARGE_32))
    else:
        bounded = e.minimum(size, 6.0)
        far = 1.0 - _exp_of_square(e, bounded, -1.0) * _erfcx_positive(e, bounded)
    return e.select(size < 1.0, _erf_small(e, x), e.copysign(far, x))


def erfc(e: Emit, x: Value) -> Value:
    """1 - erf(x), without loss for large x (double precision)."""
    size = e.abs(x)
    bounded = e.minimum(size, 28.0)
    far = _exp_of_square(e, bounded, -1.0) * _erfcx_positive(e, bounded)
    far = e.select(x < 0.0, 2.0 - far, far)
    return e.select(size < 0.5, 1.0 - _erf_small(e, x), far)


def erfcx(e: Emit, x: Value) -> Value:
    """exp(x²)·erfc(x) (double precision)."""
    size = e.abs(x)
    bounded = e.minimum(size, 2.0**60)
    value = e.select(size < 2.0**50, _erfcx_positive(e, bounded), _FAR / size)
    growth = _exp_of_square(e, e.maximum(e.minimum(x, 1.0), -30.0), 1.0)
    value = e.select(x < 0.0, 2.0 * growth - value, value)
    return e.select(size < 0.5, growth * (1.0 - _erf_small(e, x)), value)


_FAR = 1.0 / math.sqrt(math.pi)
