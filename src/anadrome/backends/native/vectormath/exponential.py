"""Exponentials: x = n·ln 2 + r, then 2ⁿ·exp(r) with a polynomial for exp(r)."""

from __future__ import annotations

import math

from ..emission.dsl import FLOAT, Emit, Value
from .coefficients import (
    EXP_TAIL_32,
    EXP_TAIL_64,
    LN2_32,
    LN2_64,
    TANH_TAIL_32,
    TANH_TAIL_64,
)
from .logarithm import log1p

LOG2_E = 1.4426950408889634


def _is_single(x: Value) -> bool:
    return bool(x.element == FLOAT)


def _reduce(e: Emit, x: Value) -> tuple[Value, Value, Value]:
    """(r, n, n as an int) with x = n·ln 2 + r and |r| ≤ ln 2 / 2."""
    high, low = LN2_32 if _is_single(x) else LN2_64
    n, i = e.round_product(x, LOG2_E)
    return e.fma(n, -low, e.fma(n, -high, x)), n, i


def _expm1_reduced(e: Emit, r: Value) -> Value:
    tail = e.polynomial(r, EXP_TAIL_32 if _is_single(r) else EXP_TAIL_64)
    return e.fma(r * r, tail, r)


def _clamp(e: Emit, x: Value, low: float, high: float) -> Value:
    return e.maximum(e.minimum(x, high), low)


def exp(e: Emit, x: Value, shift: int = 0, low: Value | None = None) -> Value:
    """exp(x + low)·2^shift, for a tiny `low`."""
    bounds = (-106.0, 90.0) if _is_single(x) else (-748.0, 712.0)
    return _exp_in_range(e, _clamp(e, x, *bounds), shift, low)


def _exp_in_range(e: Emit, x: Value, shift: int = 0, low: Value | None = None) -> Value:
    """`exp` for arguments whose results do not leave the exponent's range by far."""
    r, n, i = _reduce(e, x)
    near = _expm1_reduced(e, r)
    if low is not None:
        near = near + e.fma(low, near, low)
    if shift:
        n, i = n + float(shift), i + shift
    return e.scale_by(1.0 + near, n, i)


def _exp_of_negative(e: Emit, x: Value) -> Value:
    return _exp_in_range(e, e.maximum(x, -106.0 if _is_single(x) else -748.0))


def exp2(e: Emit, x: Value) -> Value:
    """2^x."""
    bounds = (-152.0, 130.0) if _is_single(x) else (-1078.0, 1026.0)
    x = _clamp(e, x, *bounds)
    n, i = e.round_to_integer(x)
    return e.scale(1.0 + _expm1_reduced(e, (x - n) * math.log(2)), i)


def expm1(e: Emit, x: Value) -> Value:
    """exp(x) - 1, without loss near zero."""
    low, high, no_one = (-18.0, 90.0, 30) if _is_single(x) else (-38.0, 712.0, 60)
    r, _, n = _reduce(e, _clamp(e, x, low, high))
    near = _expm1_reduced(e, r)
    # Far out the 1 is below the rounding error, and 2ⁿ may not be a number.
    small = e.select(n > no_one, n - n, n)
    power = e.power_of_two(small)
    value = e.fma(power, near, power - 1.0)
    value = e.select(n > no_one, e.scale(1.0 + near, n), value)
    # The sum above loses the sign of -0.
    return e.select(x == 0.0, x, value)


def sigmoid(e: Emit, x: Value) -> Value:
    """1 / (1 + exp(-x)), without overflow and with denormal results."""
    decay = _exp_of_negative(e, -e.abs(x))
    divisor = 1.0 + decay
    ratio = e.select(x < 0.0, decay, 1.0) / divisor
    # Make up for what rounding the divisor lost; a line is near enough to 1/divisor.
    lost = (1.0 - divisor) + decay
    reciprocal = e.fma(divisor, -0.4857, 1.457)
    return e.fma(ratio, -(lost * reciprocal), ratio)


def softplus(e: Emit, x: Value) -> Value:
    """log(1 + exp(x))."""
    return e.maximum(x, 0.0) + log1p(e, _exp_of_negative(e, -e.abs(x)))


def logaddexp(e: Emit, x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y))."""
    larger = e.select(x > y, x, y)
    smaller = e.select(x > y, y, x)
    # Equal infinities have no difference.
    gap = e.select(x == y, 0.0, smaller - larger)
    value = larger + log1p(e, exp(e, gap))
    return e.select((x != x) | (y != y), x + y, value)


def tanh(e: Emit, x: Value) -> Value:
    """The hyperbolic tangent."""
    size, square = e.abs(x), x * x
    tail = e.polynomial(square, TANH_TAIL_32 if _is_single(x) else TANH_TAIL_64)
    far = _exp_in_range(e, e.minimum(2.0 * size, 40.0))
    large = 1.0 - 2.0 / (far + 1.0)
    small = e.fma(size * square, tail, size)
    return e.copysign(e.select(size < 0.625, small, large), x)


def sinh(e: Emit, x: Value) -> Value:
    """The hyperbolic sine."""
    size = e.abs(x)
    near = expm1(e, e.minimum(size, 2.0))
    small = 0.5 * (near + near / (1.0 + near))
    half = exp(e, size, shift=-1)
    value = e.select(size < 1.0, small, half - 0.25 / half)
    return e.copysign(value, x)


def cosh(e: Emit, x: Value) -> Value:
    """The hyperbolic cosine."""
    half = exp(e, e.abs(x), shift=-1)
    return half + 0.25 / half
