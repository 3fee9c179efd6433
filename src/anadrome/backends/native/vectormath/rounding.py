"""Rounding, signs and remainders."""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

from ..emission.dsl import FLOAT, Emit, Value, declare


def rint(e: Emit, x: Value) -> Value:
    """The nearest integer, ties to even."""
    if _has_rounding(e):
        return e.intrinsic("rint", x)
    # Without a rounding instruction: add and subtract where the last digit is 1.
    place = 2.0**23 if x.element == FLOAT else 2.0**52
    magic = e.copysign(place, x)
    rounded = e.copysign((x + magic) - magic, x)
    return e.select(e.abs(x) < place, rounded, x)


def floor(e: Emit, x: Value) -> Value:
    """The greatest integer that is not above x."""
    if _has_rounding(e):
        return e.intrinsic("floor", x)
    nearest = rint(e, x)
    return e.copysign(nearest - e.select(nearest > x, e.like(x, 1.0), 0.0), x)


def ceil(e: Emit, x: Value) -> Value:
    """The least integer that is not below x."""
    return -floor(e, -x)


def trunc(e: Emit, x: Value) -> Value:
    """The integer part of x."""
    return e.copysign(floor(e, e.abs(x)), x)


def _has_rounding(e: Emit) -> bool:
    """Whether the target rounds in one instruction (SSE4.1 and its betters)."""
    return e.target.has_fma


def sign(e: Emit, x: Value) -> Value:
    """-1, 0 or 1; NaN stays."""
    value = e.select(x > 0.0, e.like(x, 1.0), e.select(x < 0.0, e.like(x, -1.0), 0.0))
    return e.select(x != x, x, value)


def absolute(e: Emit, x: Value) -> Value:
    """|x|."""
    return e.abs(x)


def sqrt(e: Emit, x: Value) -> Value:
    """The square root, correctly rounded."""
    return e.sqrt(x)


def fmod(e: Emit, x: Value, y: Value) -> Value:
    """The remainder of x/y with the sign of x, exact.

    Quotients that fit a mantissa are found by division; others go one by one to
    the C library.
    """
    a, b = e.abs(x), e.abs(y)
    single = x.element == FLOAT
    largest = 2.0**22 if single else 2.0**51
    ratio = a / b
    quotient = floor(e, e.minimum(ratio, largest))
    product, product_low = e.two_product(quotient, b)
    rest = (a - product) - product_low
    # The rounded ratio may have stepped over an integer, either way.
    rest = e.select(rest < 0.0, rest + b, rest)
    rest = e.select(rest >= b, rest - b, rest)
    value = e.copysign(rest, x)
    value = e.select(b == math.inf, x, value)
    value = e.select((b == 0.0) | (a == math.inf), math.nan, value)
    value = e.select((x != x) | (y != y), x + y, value)
    # Products that would leave the exponent's range lose their second part.
    extreme = (
        (b > 2.0**100) | (b < 2.0**-60) if single else (b > 2.0**900) | (b < 2.0**-900)
    )
    slowly = ((ratio >= largest) | (extreme & (a >= b))) & (a < math.inf) & (b > 0.0)

    def slow(builder: ir.IRBuilder, arguments: Sequence[ir.Value]) -> ir.Value:
        type_ = arguments[0].type
        name = "fmodf" if single else "fmod"
        callee = declare(builder.module, name, ir.FunctionType(type_, [type_, type_]))
        return builder.call(callee, arguments)

    return e.patch_lanes(slowly, value, [x, y], slow)
