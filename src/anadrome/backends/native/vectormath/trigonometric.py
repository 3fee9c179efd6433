"""Sines, cosines and tangents.

x = n·π/2 + r with π/2 in three parts (Cody and Waite), exact up to 2^36: for an
integer n the difference x - n·P₁ is a multiple of P₁'s last digit and small, hence
representable.  Larger arguments go one by one to the C library, which reduces them
with as many digits of π as they need.  That is a branch, so these functions stay
out of line; see `library.py` for how loops that call them are still vectorised.

Single precision computes in double, with the polynomials that single precision
needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

from ..emission.dsl import DOUBLE, FLOAT, Emit, Value, declare
from .coefficients import (
    COS_TAIL_32,
    COS_TAIL_64,
    HALF_PI_64,
    SIN_TAIL_32,
    SIN_TAIL_64,
)

_LARGEST = 2.0**36


def _reduce(e: Emit, x: Value) -> tuple[Value, Value, Value]:
    """(r, what rounding r lost, n) for doubles."""
    first, second, third = HALF_PI_64
    n, i = e.round_to_integer(x * (2.0 / math.pi))
    if e.target.has_fma:
        rest = e.fma(n, -first, x)
    else:
        product, product_low = e.two_product(n, e.like(x, first))
        rest = (x - product) - product_low
    product, product_low = e.two_product(n, e.like(x, second))
    high, low = e.two_sum(rest, -product)
    low = low - e.fma(n, third, product_low)
    return high, low, i


def _reduce_single(e: Emit, x: Value) -> tuple[Value, Value]:
    """(r, n) for doubles that were singles."""
    first, second, _ = HALF_PI_64
    n, i = e.round_to_integer(x * (2.0 / math.pi))
    if e.target.has_fma:
        return e.fma(n, -second, e.fma(n, -first, x)), i
    product, product_low = e.two_product(n, e.like(x, first))
    return (x - product) - e.fma(n, second, product_low), i


def _sin_cos(e: Emit, x: Value) -> tuple[Value, Value, Value]:
    """(sin r, cos r, n) in double precision for x of either precision."""
    if x.element == FLOAT:
        r, n = _reduce_single(e, e.to_double(x))
        z = r * r
        sine = e.fma(r * z, e.polynomial(z, SIN_TAIL_32), r)
        cosine = e.fma(z * z, e.polynomial(z, COS_TAIL_32), 1.0 - 0.5 * z)
        return sine, cosine, n
    r, low, n = _reduce(e, x)
    z = r * r
    sine = r + e.fma(r * z, e.polynomial(z, SIN_TAIL_64), low)
    half = 0.5 * z
    head = 1.0 - half
    tail = e.fma(z * z, e.polynomial(z, COS_TAIL_64), -(r * low))
    return sine, head + (((1.0 - head) - half) + tail), n


def _finish(e: Emit, name: str, x: Value, value: Value) -> Value:
    if x.element == FLOAT:
        value = e.to_single(value)
    if name != "cos":
        # Below, the function is its argument, including the sign of zero.
        tiny = 2.0**-13 if x.element == FLOAT else 2.0**-27
        value = e.select(e.abs(x) < tiny, x, value)
    size = e.abs(x)
    large = (size > _LARGEST) & (size < math.inf)

    def slow(builder: ir.IRBuilder, arguments: Sequence[ir.Value]) -> ir.Value:
        (scalar,) = arguments
        callee = declare(builder.module, name, ir.FunctionType(DOUBLE, [DOUBLE]))
        if x.element == DOUBLE:
            return builder.call(callee, [scalar])
        wide = builder.call(callee, [builder.fpext(scalar, DOUBLE)])
        return builder.fptrunc(wide, FLOAT)

    return e.patch_lanes(large, value, [x], slow)


def _quadrant_sign(e: Emit, n: Value) -> Value:
    """The sign bit that quadrants 2 and 3 give."""
    return (n & 2) << 62


def _is_odd(n: Value) -> Value:
    return (n & 1) != 0


def reduced_sin_cos(e: Emit, x: Value) -> tuple[Value, Value]:
    """(sin x, cos x) of doubles in [-π/2, π/2]."""
    sine, cosine, n = _sin_cos(e, x)
    odd = _is_odd(n)
    # n is -1, 0 or 1, and the cosine is never negative here.
    signed = e.from_bits(e.bits(cosine) ^ e.sign_bit(x))
    return e.select(odd, signed, sine), e.select(odd, e.abs(sine), cosine)


def sin(e: Emit, x: Value) -> Value:
    """The sine."""
    sine, cosine, n = _sin_cos(e, x)
    value = e.select(_is_odd(n), cosine, sine)
    value = e.from_bits(e.bits(value) ^ _quadrant_sign(e, n))
    return _finish(e, "sin", x, value)


def cos(e: Emit, x: Value) -> Value:
    """The cosine."""
    sine, cosine, n = _sin_cos(e, x)
    value = e.select(_is_odd(n), sine, cosine)
    value = e.from_bits(e.bits(value) ^ _quadrant_sign(e, n + 1))
    return _finish(e, "cos", x, value)


def tan(e: Emit, x: Value) -> Value:
    """The tangent."""
    sine, cosine, n = _sin_cos(e, x)
    odd = _is_odd(n)
    value = e.select(odd, -cosine, sine) / e.select(odd, sine, cosine)
    return _finish(e, "tan", x, value)
