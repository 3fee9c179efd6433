"""Powers and roots."""

from __future__ import annotations

import math

from ..emission.dsl import Emit, Value
from .exponential import exp
from .logarithm import log, log_in_two_parts


def pow(e: Emit, x: Value, y: Value, extended: bool = True) -> Value:
    """x^y as C and NumPy define it (in double precision).

    The logarithm needs more than 53 bits (`extended`) unless the result is going
    to be rounded to single precision.
    """
    size = e.abs(x)
    ordinary = e.select(size < math.inf, e.select(size > 0.0, size, 1.0), 1.0)
    if extended:
        high, low = log_in_two_parts(e, ordinary)
        product, product_low = e.two_product(high, y)
        product_low = e.fma(low, y, product_low)
    else:
        product, product_low = log(e, ordinary) * y, e.like(y, 0.0)
    # Clamped, the exponential still over- or underflows; infinite y comes here too.
    beyond = e.abs(product) < 760.0
    bounded = e.select(product < 0.0, e.like(x, -760.0), 760.0)
    total = e.select(beyond, product, bounded)
    total_low = e.select(beyond, product_low, 0.0)
    value = exp(e, total, low=total_low)
    value = e.select(size == 1.0, 1.0, value)

    extreme = e.select((size > 1.0) == (y > 0.0), e.like(x, math.inf), 0.0)
    value = e.select((size == 0.0) | (size == math.inf), extreme, value)
    integral = _is_integer(e, y)
    odd = integral & ~_is_integer(e, 0.5 * y) & (e.abs(y) < 2.0**53)
    flip = e.select(odd, e.sign_bit(x), e.bits(x) - e.bits(x))
    value = e.from_bits(e.bits(value) | flip)
    needs_integral = (x < 0.0) & (size < math.inf) & ~integral & (e.abs(y) < math.inf)
    value = e.select(needs_integral, math.nan, value)
    value = e.select((x != x) | (y != y), x + y, value)
    return e.select((y == 0.0) | (x == 1.0), 1.0, value)


def _is_integer(e: Emit, y: Value) -> Value:
    size = e.abs(y)
    rounded, _ = e.round_to_integer(e.minimum(size, 2.0**51))
    fits = size < 2.0**51
    # From 2^51 up halves are the finest digits, from 2^52 there are none.
    half_digits = (e.bits(size) & 1) == 0
    fine = e.select(size < 2.0**52, _as_mask(e, half_digits, y), e.like(y, 1.0))
    integral = e.select(rounded == size, e.like(y, 1.0), 0.0)
    return e.select(fits, integral, fine) != 0.0


def _as_mask(e: Emit, condition: Value, model: Value) -> Value:
    return e.select(condition, e.like(model, 1.0), 0.0)


def cbrt(e: Emit, x: Value) -> Value:
    """The cube root (double precision)."""
    size = e.abs(x)
    tiny = size < 2.0**-1022
    scaled = e.select(tiny, size * 2.0**54, size)
    # A third of the exponent by a multiplication: bits/3 plus two thirds of a bias.
    high = e.shift_right(e.bits(scaled), 32)
    third = e.shift_right(high * 1431655766, 32) + 715094163
    root = e.from_bits(third << 32)
    for _ in range(3):
        cube = root * root * root
        root = root - root * ((cube - scaled) / (2.0 * cube + scaled))
    # One last Newton step with the residual in two parts.
    square, square_low = e.two_product(root, root)
    cube, cube_low = e.two_product(square, root)
    residual = (cube - scaled) + (cube_low + square_low * root)
    root = root - residual / (3.0 * square)
    root = e.select(tiny, root * 2.0**-18, root)
    ordinary = (size > 0.0) & (size < math.inf)
    return e.select(ordinary, e.copysign(root, x), x)


def hypot(e: Emit, x: Value, y: Value) -> Value:
    """√(x² + y²) without overflow (double precision)."""
    a, b = e.abs(x), e.abs(y)
    larger, smaller = e.select(a > b, a, b), e.select(a > b, b, a)
    huge, small = larger > 2.0**500, larger < 2.0**-450
    scale = e.select(
        huge, e.like(x, 2.0**-600), e.select(small, e.like(x, 2.0**600), 1.0)
    )
    unscale = e.select(
        huge, e.like(x, 2.0**600), e.select(small, e.like(x, 2.0**-600), 1.0)
    )
    larger, smaller = larger * scale, smaller * scale
    square, square_low = e.two_product(larger, larger)
    other, other_low = e.two_product(smaller, smaller)
    total, total_low = e.quick_two_sum(square, other)
    total_low = total_low + (square_low + other_low)
    root = e.sqrt(total)
    again, again_low = e.two_product(root, root)
    residual = ((total - again) - again_low) + total_low
    value = root + e.select(root > 0.0, residual / (2.0 * root), 0.0)
    value = value * unscale
    infinite = (a == math.inf) | (b == math.inf)
    value = e.select((x != x) | (y != y), x + y, value)
    return e.select(infinite, math.inf, value)


def hypot_single(e: Emit, x: Value, y: Value) -> Value:
    """√(x² + y²) for singles, whose squares doubles hold exactly."""
    a, b = e.to_double(x), e.to_double(y)
    value = e.to_single(e.sqrt(e.fma(a, a, b * b)))
    infinite = (e.abs(x) == math.inf) | (e.abs(y) == math.inf)
    return e.select(infinite, math.inf, value)
