"""Inverse trigonometric and hyperbolic functions, in double precision."""

from __future__ import annotations

import math

from ..emission.dsl import Emit, Value
from .coefficients import ASIN_TAIL_64, ATAN_TAIL_64, HALF_PI_64
from .logarithm import log, log1p

_HALF_PI, _HALF_PI_LOW = HALF_PI_64[:2]
_TAN_EIGHTH = math.sqrt(2.0) - 1.0


def _atan_ratio(e: Emit, y: Value, x: Value) -> Value:
    """atan(y/x) for 0 ≤ y, 0 ≤ x, not both zero or infinite; in [0, π/2]."""
    steep = y > x
    low, high = e.select(steep, x, y), e.select(steep, y, x)
    # atan(t) = π/4 + atan((t - 1)/(t + 1)) keeps |t| below tan(π/8).
    middle = low > _TAN_EIGHTH * high
    t = e.select(middle, low - high, low) / e.select(middle, low + high, high)
    z = t * t
    tail = t * z * e.polynomial(z, ATAN_TAIL_64)
    base = e.select(middle, e.like(t, _HALF_PI / 2), 0.0)
    base_low = e.select(middle, e.like(t, _HALF_PI_LOW / 2), 0.0)
    # Steep: π/2 - (base + t), and the base is π/4 or 0, so is the difference.
    base = e.select(steep, _HALF_PI - base, base)
    base_low = e.select(steep, _HALF_PI_LOW - base_low, base_low)
    t, tail = e.select(steep, -t, t), e.select(steep, -tail, tail)
    return base + (t + (tail + base_low))


def atan(e: Emit, x: Value) -> Value:
    """The inverse tangent."""
    size = e.abs(x)
    value = _atan_ratio(e, e.minimum(size, 2.0**100), e.like(x, 1.0))
    value = e.select(size < 2.0**-27, size, value)
    return e.copysign(value, x)


def atan2(e: Emit, y: Value, x: Value) -> Value:
    """The angle of the point (x, y), with C's conventions for zeros and infinities."""
    a, b = e.abs(y), e.abs(x)
    both_infinite = (a == math.inf) & (b == math.inf)
    both_zero = (a == 0.0) & (b == 0.0)
    p = e.select(both_infinite | both_zero, 1.0, a)
    q = e.select(both_infinite, 1.0, e.select(both_zero, 1.0, b))
    # Equal scaling keeps the sum and difference of huge or tiny pairs in range.
    huge = (p > 2.0**1000) | (q > 2.0**1000)
    scale = e.select(huge, e.like(p, 2.0**-100), 1.0)
    small = (p < 2.0**-900) & (q < 2.0**-900)
    scale = e.select(small, e.like(p, 2.0**100), scale)
    value = _atan_ratio(e, p * scale, q * scale)
    # Far from the diagonal the ratio is 0 or ∞ and so is exact enough.
    value = e.select(both_zero, 0.0, value)
    left = e.bits(x) < 0
    value = e.select(left, 2 * _HALF_PI - (value - 2 * _HALF_PI_LOW), value)
    value = e.copysign(value, y)
    return e.select((x != x) | (y != y), x + y, value)


def _asin_tail(e: Emit, z: Value) -> Value:
    """asin(√z)/√z - 1 for 0 ≤ z ≤ ¼."""
    return z * e.polynomial(z, ASIN_TAIL_64)


def asin(e: Emit, x: Value) -> Value:
    """The inverse sine."""
    size = e.abs(x)
    large = size > 0.5
    z = e.select(large, 0.5 * (1.0 - size), x * x)
    root = e.select(large, e.sqrt(z), size)
    tail = root * _asin_tail(e, z)
    # Large: π/2 - 2·(root + rest of root + tail).
    lost = e.select(root > 0.0, (z - root * root) / (2.0 * root), 0.0)
    if e.target.has_fma:
        lost = e.select(root > 0.0, e.fma(-root, root, z) / (2.0 * root), 0.0)
    far = _HALF_PI - (2.0 * root - (_HALF_PI_LOW - 2.0 * (tail + lost)))
    return e.copysign(e.select(large, far, root + tail), x)


def acos(e: Emit, x: Value) -> Value:
    """The inverse cosine."""
    size = e.abs(x)
    large = size > 0.5
    z = e.select(large, 0.5 * (1.0 - size), x * x)
    root = e.select(large, e.sqrt(z), x)
    tail = root * _asin_tail(e, z)
    near = _HALF_PI - (root - (_HALF_PI_LOW - tail))
    square, square_low = e.two_product(root, root)
    lost = ((z - square) - square_low) / (2.0 * root)
    lost = e.select(large & (root > 0.0), lost, 0.0)
    right = 2.0 * (root + (tail + lost))
    left = 2.0 * (_HALF_PI - (root - (_HALF_PI_LOW - (tail + lost))))
    return e.select(large, e.select(x < 0.0, left, right), near)


def asinh(e: Emit, x: Value) -> Value:
    """The inverse hyperbolic sine."""
    size = e.abs(x)
    bounded = e.minimum(size, 2.0**30)
    square = bounded * bounded
    near = log1p(e, bounded + square / (1.0 + e.sqrt(1.0 + square)))
    far = log(e, size) + math.log(2.0)
    value = e.select(size < 2.0**28, near, far)
    return e.copysign(e.select(size < 2.0**-28, size, value), x)


def acosh(e: Emit, x: Value) -> Value:
    """The inverse hyperbolic cosine."""
    above = e.minimum(x, 2.0**30) - 1.0
    near = log1p(e, above + e.sqrt(2.0 * above + above * above))
    value = e.select(x < 2.0**28, near, log(e, x) + math.log(2.0))
    return e.select(x < 1.0, math.nan, value)


def atanh(e: Emit, x: Value) -> Value:
    """The inverse hyperbolic tangent."""
    size = e.abs(x)
    value = 0.5 * log1p(e, 2.0 * size / (1.0 - size))
    return e.copysign(e.select(size < 2.0**-28, size, value), x)
