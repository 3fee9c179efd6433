"""Logarithms: x = 2ᵏ·(1 + f), then k·ln 2 + log(1 + f).

Double precision uses log(1 + f) = 2·atanh(s) with s = f/(2 + f) and the sum
arranged as f - (f²/2 - s·(f²/2 + R)), whose largest term is exact.
"""

from __future__ import annotations

import math

from ..emission.dsl import DOUBLE, FLOAT, Emit, Value
from .coefficients import (
    LN2_32,
    LN2_64,
    LOG2_E_32,
    LOG2_E_64,
    LOG10_2_32,
    LOG10_2_64,
    LOG10_E_32,
    LOG10_E_64,
    LOG_CUBIC_32,
    LOG_TAIL_64,
    LOG_TAIL_EXTENDED,
)

# (mantissa bits, exponent bias, bits of 1.0, bits of √½, least normal, its lift)
_LAYOUT = {
    FLOAT: (23, 127, 0x3F800000, 0x3F3504F3, 2.0**-126, 23),
    DOUBLE: (52, 1023, 0x3FF0000000000000, 0x3FE6A09E667F3BCD, 2.0**-1022, 52),
}


def split_exponent(e: Emit, x: Value) -> tuple[Value, Value]:
    """(m, k) with x = m·2ᵏ and √½ ≤ m < √2, for positive finite x; k is an int."""
    width, bias, one, root_half, least, lift = _LAYOUT[x.element]
    tiny = x < least
    bits = e.bits(e.select(tiny, x * 2.0**lift, x))
    biased = e.shift_right(bits + (one - root_half), width)
    k = biased - bias
    mantissa = e.from_bits(bits - (k << width))
    return mantissa, k - e.select(tiny, e.constant(k.element, lift), 0)


def _finish(e: Emit, x: Value, value: Value, zero_at: float = 0.0) -> Value:
    """`value` with what a logarithm gives at its pole, beyond it and at infinity."""
    value = e.select(x < math.inf, value, x)
    value = e.select(x == zero_at, -math.inf, value)
    return e.select(x < zero_at, math.nan, value)


def _log_near_one(e: Emit, f: Value, k: Value, correction: Value | None) -> Value:
    """k·ln 2 + log(1 + f) + correction, where k is an integer as a float."""
    high, low = LN2_32 if f.element == FLOAT else LN2_64
    rest = k * low if correction is None else e.fma(k, low, correction)
    half_square = 0.5 * f * f
    if f.element == FLOAT:
        tail = e.fma(f * f * f, e.polynomial(f, LOG_CUBIC_32), rest)
        return e.fma(k, high, f - (half_square - tail))
    s = f / (2.0 + f)
    z = s * s
    tail = z * e.polynomial(z, LOG_TAIL_64)
    inner = e.fma(s, half_square + tail, rest)
    return e.fma(k, high, f - (half_square - inner))


def log(e: Emit, x: Value) -> Value:
    """The natural logarithm."""
    m, k = split_exponent(e, x)
    return _finish(e, x, _log_near_one(e, m - 1.0, e.int_to_float(k), None))


def log1p(e: Emit, x: Value) -> Value:
    """log(1 + x), without loss near zero."""
    u = 1.0 + x
    m, i = split_exponent(e, u)
    k = e.int_to_float(i)
    # What rounding 1 + x lost, relative to the rounded sum.
    lost = e.select(x > 1.0, 1.0 - (u - x), x - (u - 1.0)) / u
    at_home = k == 0.0
    f = e.select(at_home, x, m - 1.0)
    value = _log_near_one(e, f, k, e.select(at_home, 0.0, lost))
    value = e.select(e.abs(x) < 2.0**-60, x, value)
    return _finish(e, x, value, zero_at=-1.0)


def _scaled_log(
    e: Emit,
    x: Value,
    factor: tuple[float, float],
    of_two: tuple[float, float],
) -> Value:
    """log(x)·(factor's two parts) with k·(log 2·factor) added in two parts."""
    m, i = split_exponent(e, x)
    k, f = e.int_to_float(i), m - 1.0
    half_square = 0.5 * f * f
    if x.element == FLOAT:
        inner = f * f * f * e.polynomial(f, LOG_CUBIC_32)
    else:
        s = f / (2.0 + f)
        z = s * s
        inner = s * (half_square + z * e.polynomial(z, LOG_TAIL_64))
    # f - f²/2 with so few bits that its product with a short factor is exact.
    cut = 12 if x.element == FLOAT else 32
    head = e.from_bits(e.bits(f - half_square) & -(1 << cut))
    tail = (f - head) - half_square + inner
    product = head * factor[0]
    rest = e.fma(tail + head, factor[1], tail * factor[0])
    whole = k * of_two[0]
    total = whole + product
    rest = e.fma(k, of_two[1], rest + ((whole - total) + product))
    return _finish(e, x, total + rest)


def log2(e: Emit, x: Value) -> Value:
    """The logarithm to base 2."""
    factor = LOG2_E_32 if x.element == FLOAT else LOG2_E_64
    return _scaled_log(e, x, factor, (1.0, 0.0))


def log10(e: Emit, x: Value) -> Value:
    """The logarithm to base 10."""
    if x.element == FLOAT:
        return _scaled_log(e, x, LOG10_E_32, LOG10_2_32)
    return _scaled_log(e, x, LOG10_E_64, LOG10_2_64)


def log_in_two_parts(e: Emit, x: Value) -> tuple[Value, Value]:
    """log(x) as high + low with about 65 bits, for positive finite x (double)."""
    m, i = split_exponent(e, x)
    k, f = e.int_to_float(i), m - 1.0
    # s = f / (2 + f) in two parts.
    divisor = 1.0 + m
    divisor_low = m - (divisor - 1.0)
    s = f / divisor
    product, product_low = e.two_product(s, divisor)
    s_low = (((f - product) - product_low) - s * divisor_low) / divisor
    # z = s², then 1/3 + z·(1/5 + …) of log(1 + f) = 2s·(1 + z·(1/3 + …)).
    z, z_low = e.two_product(s, s)
    z_low = e.fma(2.0 * s, s_low, z_low)
    third, fifth = LOG_TAIL_EXTENDED[0], LOG_TAIL_EXTENDED[1:]
    sum_, sum_low = e.quick_two_sum(e.like(z, third), z * e.polynomial(z, fifth))
    series, series_low = e.two_product(z, sum_)
    series_low = series_low + e.fma(z, sum_low, z_low * sum_)
    # (2 + z·sum)·s
    factor, factor_low = e.quick_two_sum(e.like(z, 2.0), series)
    factor_low = factor_low + series_low
    head, head_low = e.two_product(factor, s)
    head_low = head_low + e.fma(factor, s_low, factor_low * s)
    total, total_low = e.two_sum(k * LN2_64[0], head)
    return e.quick_two_sum(total, total_low + e.fma(k, LN2_64[1], head_low))
