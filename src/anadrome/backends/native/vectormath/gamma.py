"""The gamma function, its logarithm and the derivative of that.

The logarithm goes to the C library, lane by lane; the others are formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

from ..emission.dsl import DOUBLE, Emit, Value, declare
from .exponential import exp
from .logarithm import log_in_two_parts
from .rounding import rint
from .trigonometric import reduced_sin_cos

# B₂ₖ/2k of digamma(x) ~ log x - 1/2x - Σ B₂ₖ/(2k·x²ᵏ).
_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
# B₂ₖ/(2k·(2k - 1)) of log Γ(y) ~ (y - ½)·log y - y + ½·log 2π + Σ B₂ₖ/(…·y²ᵏ⁻¹).
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_FAR = 12
# Γ overflows from the first on, and is zero to the left of minus the second.
_OVERFLOW, _FURTHEST = 171.62437695630272, 200.0
_SMALL, _LIFT = 600.0, 96
_LIFT_LOG, _LIFT_LOG_LOW = 66.54212933375474, 5.778998620092949e-15
# Constants whose digits beyond 53 bits count.
_HALF_LOG_TWO_PI, _HALF_LOG_TWO_PI_LOW = 0.9189385332046728, -3.8782941580672414e-17
_PI_LOW = 1.2246467991473532e-16


def _by_library(name: str, e: Emit, x: Value) -> Value:
    def call(builder: ir.IRBuilder, arguments: Sequence[ir.Value]) -> ir.Value:
        callee = declare(builder.module, name, ir.FunctionType(DOUBLE, [DOUBLE]))
        return builder.call(callee, arguments)

    return e.patch_lanes(x == x, x, [x], call)


def gamma(e: Emit, x: Value) -> Value:
    """Γ(x); NaN at the negative integers.

    Γ(y) = exp(E)/P: E is Stirling's series where it is good, at y + n, and P the
    product of y, y + 1, … below it, both in two parts.  Left of zero
    Γ(x)·Γ(1 - x) = π/sin πx.
    """
    left = x < 0.0
    one = e.like(x, 1.0)
    mirrored, mirrored_low = e.two_sum(one, -e.maximum(x, -_FURTHEST))
    y = e.select(left, mirrored, e.minimum(x, _FURTHEST))
    y_low = e.select(left, mirrored_low, 0.0)
    product, product_low = one, e.like(x, 0.0)
    for _ in range(_FAR):
        near = y < float(_FAR)
        head, tail = e.two_product(product, y)
        tail = tail + e.fma(product, y_low, product_low * y)
        following, lost = e.two_sum(y, one)
        product = e.select(near, head, product)
        product_low = e.select(near, tail, product_low)
        y_low = e.select(near, y_low + lost, y_low)
        y = e.select(near, following, y)
    exponent, exponent_low = _stirling(e, y, y_low)

    # Beside a pole the small exponential is multiplied up again: keep its digits.
    lifted = left & (exponent > _SMALL)
    exponent = e.select(left, -exponent, exponent)
    exponent_low = e.select(left, -exponent_low, exponent_low)
    exponent, lost = e.two_sum(exponent, e.select(lifted, e.like(x, _LIFT_LOG), 0.0))
    lost = lost + e.select(lifted, e.like(x, _LIFT_LOG_LOW), 0.0)
    power = exp(e, exponent, low=exponent_low + lost)

    right = power / product
    # At and beside zero it overflows.
    finite = e.abs(right) < math.inf
    right = e.select(finite, right - right * (product_low / product), right)
    fraction = x - rint(e, x)
    angle, angle_low = e.two_product(e.like(x, math.pi), fraction)
    sine, cosine = reduced_sin_cos(e, angle)
    sine = sine + cosine * e.fma(fraction, _PI_LOW, angle_low)
    value = (math.pi * power) * (product + product_low) / sine
    value = e.select(_is_odd(e, rint(e, x)), -value, value)
    value = value * e.select(lifted, e.like(x, 2.0**-_LIFT), 1.0)
    value = e.select(fraction == 0.0, math.nan, value)
    value = e.select(left, value, right)
    value = e.select(x > _OVERFLOW, math.inf, value)
    return e.select(x == -math.inf, math.nan, e.select(x != x, x, value))


def _stirling(e: Emit, y: Value, y_low: Value) -> tuple[Value, Value]:
    """log Γ(y + y_low) in two parts, for y of at least `_FAR`."""
    log, log_low = log_in_two_parts(e, y)
    inverse = 1.0 / y
    series = inverse * e.polynomial(inverse * inverse, _STIRLING)
    head, low = e.two_product(y - 0.5, log)
    low = low + (y - 0.5) * log_low
    for term in (-y, e.like(y, _HALF_LOG_TWO_PI), series):
        head, lost = e.two_sum(head, term)
        low = low + lost
    low = low + e.fma(y_low, log - 0.5 * inverse, e.like(y, _HALF_LOG_TWO_PI_LOW))
    return e.quick_two_sum(head, low)


def _is_odd(e: Emit, integer: Value) -> Value:
    return rint(e, 0.5 * integer) != 0.5 * integer


def lgamma(e: Emit, x: Value) -> Value:
    """log |Γ(x)|."""
    return _by_library("lgamma", e, x)


def digamma(e: Emit, x: Value) -> Value:
    """The derivative of log Γ; NaN at the negative integers.

    The error is absolute near the function's roots (1.4616… and one between any two
    poles): some 2⁻⁵² of the terms that cancel there.
    """
    left = x <= 0.0
    # digamma(x) = digamma(1 - x) - π/tan(πx)
    positive = e.select(left, 1.0 - x, x)
    # digamma(x) = digamma(x + n) - Σ 1/(x + i): walk to where the series is good.
    total, total_low = e.like(x, 0.0), e.like(x, 0.0)
    shifted = positive
    for _ in range(_FAR):
        near = shifted < float(_FAR)
        term = e.select(near, 1.0 / shifted, 0.0)
        total, lost = e.two_sum(total, term)
        total_low = total_low + lost
        shifted = e.select(near, shifted + 1.0, shifted)
    inverse = 1.0 / shifted
    square = inverse * inverse
    series = square * e.polynomial(square, _BERNOULLI)
    high, low = log_in_two_parts(e, shifted)
    value, lost = e.two_sum(high, -total)
    value = value + (((lost + low) - total_low) - (0.5 * inverse + series))
    value = e.select(positive == math.inf, positive, value)

    fraction = x - rint(e, x)
    sine, cosine = reduced_sin_cos(e, math.pi * fraction)
    value = e.select(left, value - math.pi * (cosine / sine), value)
    pole = e.copysign(e.like(x, math.inf), -x)
    value = e.select(e.abs(x) < 2.0**-60, -1.0 / x, value)
    value = e.select(x == 0.0, pole, value)
    value = e.select((x < 0.0) & (fraction == 0.0), math.nan, value)
    value = e.select(x == -math.inf, math.nan, value)
    return e.select(x != x, x, value)
