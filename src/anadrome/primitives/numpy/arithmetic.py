"""Broadcasting functions of two or more arrays: operators, powers, choices."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from anadrome.primitives.helpers import is_literal, nonzero, quotient
from anadrome.primitives.registry import call, elementwise, primitive
from anadrome.primitives.sampling import binary, complex_normal

# --- the four operations -----------------------------------------------------------


@primitive(
    np.add,
    operator.add,
    broadcasts=True,
    linear=("x", "y"),
    samples=binary(complex=True),
)
def add(x, y):
    """`x + y`."""


@add.vjp
def add_vjp(z, x, y, *, dz):
    return dz, dz


@add.jvp
def add_jvp(z, x, y, *, dx, dy):
    return dx + dy


@primitive(
    np.subtract,
    operator.sub,
    broadcasts=True,
    linear=("x", "y"),
    samples=binary(complex=True),
)
def subtract(x, y):
    """`x - y`."""


@subtract.vjp
def subtract_vjp(z, x, y, *, dz):
    return dz, -dz


@subtract.jvp
def subtract_jvp(z, x, y, *, dx, dy):
    return dx - dy


@primitive(
    np.multiply,
    operator.mul,
    broadcasts=True,
    samples=binary(complex=True),
)
def multiply(x, y):
    """`x * y`."""


@multiply.vjp
def multiply_vjp(z, x, y, *, dz):
    return dz * y, dz * x


@multiply.jvp
def multiply_jvp(z, x, y, *, dx, dy):
    return dx * y + x * dy


@primitive(
    np.divide,
    operator.truediv,
    broadcasts=True,
    samples=binary((-2, 2), (0.5, 2), complex=True),
)
def divide(x, y):
    """`x / y`."""


@divide.vjp
def divide_vjp(z, x, y, *, dz):
    return quotient(dz, y, z), -dz * z / y


@divide.jvp
def divide_jvp(z, x, y, *, dx, dy):
    return quotient(dx - z * dy, y, z)


# --- powers ------------------------------------------------------------------------


def power_by_base(z: Any, x: Any, y: Any) -> Any:
    """∂(x ** y)/∂x, which is 0 wherever y is 0."""
    if isinstance(y, (int, float, complex)):
        if (isinstance(y, int) or is_literal(y)) and y == 2:
            return 2 * x
        return y * x ** (y - 1) if y != 0 else y * nonzero(x) ** (y - 1)
    return y * np.where((x == 0) & (y == 0), 1.0, x) ** (y - 1)


def power_by_exponent(z: Any, x: Any, y: Any) -> Any:
    """∂(x ** y)/∂y, which is 0 where x is 0, and for real powers of x < 0."""
    if np.iscomplexobj(z):
        return z * np.log(np.where(x == 0, 1.0, x) + 0j)
    if isinstance(x, (int, float)):
        return z * math.log(x) if x > 0 else 0.0
    return z * np.log(np.where(x > 0, x, 1.0))


@elementwise(
    np.power,
    operator.pow,
    pow,
    partials=(power_by_base, power_by_exponent),
    samples=lambda rng: [
        *binary((0.5, 2), (-2, 2))(rng),
        (rng.normal(size=3), 2),
        (rng.uniform(0.5, 2, 3), 3.0),
        (rng.uniform(1, 2, 3), np.array([0.0, 1.0, 2.0])),
        (rng.uniform(1, 2, 3), np.array([0, 1, 2])),
        (rng.normal(size=(2, 3)), 0),
        (2, rng.normal(size=3)),
        (complex_normal(rng, 2, 3), 2),
        (complex_normal(rng, 3), complex_normal(rng, 3)),
    ],
)
def power(x, y):
    """`x ** y`."""


@elementwise(
    np.float_power,
    math.pow,
    partials=(power_by_base, power_by_exponent),
    samples=lambda rng: [
        *binary((0.5, 2), (-2, 2))(rng),
        (complex_normal(rng, 2, 3), 2),
    ],
)
def float_power(x, y):
    """`x ** y` in double precision or better."""


# --- remainders --------------------------------------------------------------------


@elementwise(
    np.remainder,
    operator.mod,
    partials=(lambda z, x, y: 1.0, lambda z, x, y: -np.floor_divide(x, y)),
    samples=binary((0.1, 0.9), (1.1, 1.9)),
)
def remainder(x, y):
    """`x % y`, with the sign of y."""


@elementwise(
    np.fmod,
    math.fmod,
    partials=(lambda z, x, y: 1.0, lambda z, x, y: -np.trunc(quotient(x, y, z))),
    samples=binary((-5.9, -5.7), (1.05, 1.1)),
)
def fmod(x, y):
    """Remainder with the sign of x."""


@elementwise(
    math.remainder,
    partials=(lambda z, x, y: 1.0, lambda z, x, y: -np.rint((x - z) / y)),
    samples=lambda rng: [(5.3, 2.0), (-4.1, 1.3)],
)
def nearest_remainder(x, y):
    """Remainder of a number by the nearest multiple of y."""


@primitive(
    np.divmod,
    builtins.divmod,
    broadcasts=True,
    samples=binary((3.1, 3.9), (1.1, 1.25)),
)
def divmod(x, y):
    """`x // y` and `x % y`; the quotient is locally constant."""


@divmod.vjp
def divmod_vjp(z, x, y, *, dz):
    return dz[1], -dz[1] * z[0]


@divmod.jvp
def divmod_jvp(z, x, y, *, dx, dy):
    still = np.zeros_like(z[0])
    # One operand alone may have fewer axes than the result.
    return still, still + dx - z[0] * dy


# --- choices -----------------------------------------------------------------------


@primitive(
    np.maximum,
    broadcasts=True,
    samples=binary((-2, 0), (0.1, 2)),
)
def maximum(x, y):
    """The larger of x and y; where they are equal each gets half the derivative."""


@primitive(
    np.minimum,
    broadcasts=True,
    samples=binary((-2, 0), (0.1, 2)),
)
def minimum(x, y):
    """The smaller of x and y; where they are equal each gets half the derivative."""


@primitive(
    np.fmax,
    broadcasts=True,
    samples=binary((-2, 0), (0.1, 2)),
)
def fmax(x, y):
    """`maximum` that prefers numbers to NaN."""


@primitive(
    np.fmin,
    broadcasts=True,
    samples=binary((-2, 0), (0.1, 2)),
)
def fmin(x, y):
    """`minimum` that prefers numbers to NaN."""


@maximum.vjp
@minimum.vjp
@fmax.vjp
@fmin.vjp
def choice_vjp(z, x, y, *, dz):
    tied = 0.5 * dz
    return (
        np.where(x == y, tied, np.where(x == z, dz, 0.0)),
        np.where(x == y, tied, np.where(y == z, dz, 0.0)),
    )


@maximum.jvp
@minimum.jvp
@fmax.jvp
@fmin.jvp
def choice_jvp(z, x, y, *, dx, dy):
    return np.where(x == y, 0.5 * (dx + dy), np.where(x == z, dx, dy))


@primitive(
    np.clip,
    broadcasts=True,
    methods=("clip",),
    samples=lambda rng: [
        (0.3, 0.0, 1.0),
        (np.array([-2.0, 0.2, 3.0]), -1.0, 1.0),
        (np.array([[-2.0], [0.2], [3.0]]), np.array([-1.0, -0.5]), 1.0),
        (np.array([-2.0, 0.2, 3.0]), None, 1.0),
        (np.array([-2.0, 0.2, 3.0]), 0.0, None),
        call(np.array([-2.0, 0.2, 3.0]), max=1.5),
        call(np.array([-2.0, 0.2, 3.0]), min=-1.0, max=1.5),
    ],
)
def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """`a` limited to an interval: derivative 1 inside, its ends included."""


@clip.vjp
def clip_vjp(z, a, a_min, a_max, min, max, *, dz):
    low = a_min if a_min is not None else min
    high = a_max if a_max is not None else max
    raised, lowered = z > a, z < a
    if low is not None and high is not None:
        # The upper end counts where the two have changed places.
        crossed = low > high
        raised, lowered = raised & ~crossed, lowered | raised & crossed
    below = np.where(raised, dz, 0.0)
    above = np.where(lowered, dz, 0.0)
    return np.where(z == a, dz, 0.0), below, above, below, above


@clip.jvp
def clip_jvp(z, a, a_min, a_max, min, max, *, da, da_min, da_max, dmin, dmax):
    low = da_min if a_min is not None else dmin if min is not None else 0.0
    high = da_max if a_max is not None else dmax if max is not None else 0.0
    lowest = a_min if a_min is not None else min
    highest = a_max if a_max is not None else max
    raised = z > a
    if lowest is not None and highest is not None:
        raised = raised & ~(lowest > highest)
    return np.where(z == a, da, np.where(raised, low, high))


@primitive(
    np.where,
    broadcasts=True,
    masks=True,
    linear=("x", "y"),
    structural=("condition",),
    samples=lambda rng: [
        (True, 1.5, 2.5),
        (rng.normal(size=3) > 0, rng.normal(size=3), rng.normal(size=3)),
        (rng.normal(size=(3, 1)) > 0, rng.normal(size=4), 0.5),
        (rng.normal(size=4) > 0, 0.0, rng.normal(size=(2, 1))),
        (rng.normal(size=3) > 0, complex_normal(rng, 3), rng.normal(size=3)),
    ],
)
def where(condition, x=None, y=None):
    """`x` where the condition holds and `y` elsewhere; alone, its indices."""


@where.vjp
def where_vjp(z, condition, x, y, *, dz):
    return np.where(condition, dz, 0.0), np.where(condition, 0.0, dz)


@where.jvp
def where_jvp(z, condition, x, y, *, dx, dy):
    return np.where(condition, dx, dy)


@elementwise(
    np.heaviside,
    partials=(None, lambda z, x, y: x == 0),
    samples=lambda rng: [
        (np.array([-1.0, 0.0, 2.0]), rng.normal(size=3)),
        (0.7, 0.5),
        (np.array([[0.0], [1.0]]), rng.normal(size=3)),
    ],
)
def heaviside(x, y):
    """0, y or 1 for x below, at or above 0; constant in x."""


@elementwise(
    np.copysign,
    math.copysign,
    partials=(lambda z, x, y: np.sign(x) * np.sign(z), None),
    samples=binary((0.2, 2), (-2, -0.2)),
)
def copysign(x, y):
    """|x| with the sign of y; constant in y."""


@elementwise(
    np.nextafter,
    math.nextafter,
    partials=(lambda z, x, y: 1.0, None),
    samples=binary((0.5, 2), (3, 4)),
)
def nextafter(x, y):
    """The number after x in the direction of y: a constant step from x."""


# --- compound functions ------------------------------------------------------------


@primitive(
    np.ldexp,
    math.ldexp,
    broadcasts=True,
    linear=("x",),
    samples=lambda rng: [
        (1.5, 2),
        (rng.normal(size=(3, 1)), np.array([1, -2])),
    ],
)
def ldexp(x, i):
    """`x * 2**i` for integer i."""


@ldexp.vjp
def ldexp_vjp(z, x, i, *, dz):
    return np.ldexp(dz, i)


@ldexp.jvp
def ldexp_jvp(z, x, i, *, dx):
    return np.ldexp(dx, i)


@elementwise(
    np.hypot,
    partials=(lambda z, x, y: x / nonzero(z), lambda z, x, y: y / nonzero(z)),
    samples=binary((0.5, 2)),
)
def hypot(x, y):
    """√(x² + y²); its derivative at the origin is taken to be 0."""


@elementwise(
    np.arctan2,
    math.atan2,
    partials=(
        lambda z, y, x: x / nonzero(x * x + y * y),
        lambda z, y, x: -y / nonzero(x * x + y * y),
    ),
    samples=binary((0.5, 2), (-2, 2)),
)
def arctan2(y, x):
    """The angle of the point (x, y); its derivative at the origin is taken to be 0."""


def finite_or_zero(z: Any) -> Any:
    """`z` with 0 in place of -∞, so that probabilities of 0 have derivative 0."""
    return np.where(z == -math.inf, 0.0, z)


@elementwise(
    np.logaddexp,
    partials=(
        lambda z, x, y: np.exp(x - finite_or_zero(z)),
        lambda z, x, y: np.exp(y - finite_or_zero(z)),
    ),
    samples=binary(),
)
def logaddexp(x, y):
    """log(eˣ + eʸ)."""


@elementwise(
    np.logaddexp2,
    partials=(
        lambda z, x, y: np.exp2(x - finite_or_zero(z)),
        lambda z, x, y: np.exp2(y - finite_or_zero(z)),
    ),
    samples=binary(),
)
def logaddexp2(x, y):
    """log₂(2ˣ + 2ʸ)."""
