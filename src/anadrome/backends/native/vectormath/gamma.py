"""The gamma function, its logarithm and the derivative of that.

The first two go to the C library, lane by lane; the digamma function is a formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

from ..expression import DOUBLE, Emit, Value, declare
from .logarithm import log_in_two_parts
from .rounding import rint
from .trigonometric import reduced_sin_cos

# B₂ₖ/2k of digamma(x) ~ log x - 1/2x - Σ B₂ₖ/(2k·x²ᵏ).
_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_FAR = 12


def _by_library(name: str, e: Emit, x: Value) -> Value:
    def call(builder: ir.IRBuilder, arguments: Sequence[ir.Value]) -> ir.Value:
        callee = declare(builder.module, name, ir.FunctionType(DOUBLE, [DOUBLE]))
        return builder.call(callee, arguments)

    return e.patch_lanes(x == x, x, [x], call)


def gamma(e: Emit, x: Value) -> Value:
    """Γ(x); NaN at the negative integers."""
    return _by_library("tgamma", e, x)


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
