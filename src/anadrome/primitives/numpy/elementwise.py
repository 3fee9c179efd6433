"""Functions of one array, applied to each element.

Each line of the tables gives the callables, the derivative `(z, x) -> ∂z/∂x`, in
which `z` is the function's own value, and where samples are drawn from.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from anadrome.primitives.registry import (
    Primitive,
    call,
    constant,
    elementwise,
    primitive,
)
from anadrome.primitives.result_types import real_if_close_type
from anadrome.primitives.sampling import complex_normal, unary

LOG_2 = 0.6931471805599453
LOG_10 = 2.302585092994046
TWO_OVER_SQRT_PI = 1.1283791670955126
DEGREE = 0.017453292519943295


def fn(*entry: Any) -> Primitive:
    """The primitive of one line of the table: callables, samples, derivative."""
    *targets, samples, partial = entry

    def declaration(x: Any) -> Any: ...

    declaration.__name__ = targets[0].__name__
    declaration.__doc__ = f"Elementwise {targets[0].__name__}."
    made: Primitive = elementwise(
        *targets, partials=partial, raises=False, samples=samples
    )(declaration)
    return made


POSITIVE = (0.3, 3.0)

ANY = unary(complex=True)
POS = unary(POSITIVE, complex=True)
ONE = unary((-0.9, 0.9), complex=True)
REAL = unary((0.2, 2.0))

# fmt: off
# Powers, exponentials and logarithms
square     = fn(np.square,                ANY, lambda z, x: 2.0 * x)
reciprocal = fn(np.reciprocal,            POS, lambda z, x: -z * z)
sqrt       = fn(np.sqrt, math.sqrt,       POS, lambda z, x: 0.5 / z)
cbrt       = fn(np.cbrt, math.cbrt,       REAL, lambda z, x: 1.0 / (3.0 * z * z))
exp        = fn(np.exp, math.exp,         ANY, lambda z, x: z)
exp2       = fn(np.exp2, math.exp2,       ANY, lambda z, x: z * LOG_2)
expm1      = fn(np.expm1, math.expm1,     ANY, lambda z, x: z + 1.0)
log        = fn(np.log,                   POS, lambda z, x: 1.0 / x)
log2       = fn(np.log2, math.log2,       POS, lambda z, x: 1.0 / (x * LOG_2))
log10      = fn(np.log10, math.log10,     POS, lambda z, x: 1.0 / (x * LOG_10))
log1p      = fn(np.log1p, math.log1p,     ONE, lambda z, x: 1.0 / (1.0 + x))

# Trigonometric functions
sin        = fn(np.sin, math.sin,         ANY, lambda z, x: np.cos(x))
cos        = fn(np.cos, math.cos,         ANY, lambda z, x: -np.sin(x))
tan        = fn(np.tan, math.tan,         ONE, lambda z, x: 1.0 + z * z)
arcsin     = fn(np.arcsin, math.asin,     ONE, lambda z, x: 1.0 / np.sqrt(1.0 - x * x))
arccos     = fn(np.arccos, math.acos,     ONE, lambda z, x: -1.0 / np.sqrt(1.0 - x * x))
arctan     = fn(np.arctan, math.atan,     ANY, lambda z, x: 1.0 / (1.0 + x * x))

# Hyperbolic functions
sinh       = fn(np.sinh, math.sinh,       ANY, lambda z, x: np.cosh(x))
cosh       = fn(np.cosh, math.cosh,       ANY, lambda z, x: np.sinh(x))
tanh       = fn(np.tanh, math.tanh,       ANY, lambda z, x: 1.0 - z * z)
arcsinh    = fn(np.arcsinh, math.asinh,   ANY, lambda z, x: 1.0 / np.sqrt(x * x + 1.0))
arccosh    = fn(np.arccosh, math.acosh,   unary((1.2, 3.0), complex=True),
                lambda z, x: 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0)))
arctanh    = fn(np.arctanh, math.atanh,   ONE, lambda z, x: 1.0 / (1.0 - x * x))

# Angles
degrees    = fn(np.degrees, math.degrees, REAL, lambda z, x: 1.0 / DEGREE)
rad2deg    = fn(np.rad2deg,               REAL, lambda z, x: 1.0 / DEGREE)
radians    = fn(np.radians, math.radians, REAL, lambda z, x: DEGREE)
deg2rad    = fn(np.deg2rad,               REAL, lambda z, x: DEGREE)

# Special functions
fabs       = fn(np.fabs, math.fabs,       REAL, lambda z, x: np.sign(x))
sinc       = fn(np.sinc,                  ANY, lambda z, x: sinc_derivative(x, 1))
i0         = fn(np.i0,                    REAL, lambda z, x: modified_bessel(x, 1))
# fmt: on


@primitive(
    math.log,
    broadcasts=True,
    samples=lambda rng: [(1.7,), (0.3,), (2.5, 3.0), (2.5, 0.4)],
)
def log_to_base(x, base=None):
    """Logarithm of a number to a base, natural if there is none."""


@log_to_base.vjp
def log_to_base_vjp(z, x, base, *, dz):
    if base is None:
        return dz / x, 0.0
    return dz / (x * np.log(base)), -dz * z / (base * np.log(base))


@log_to_base.jvp
def log_to_base_jvp(z, x, base, *, dx, dbase):
    if base is None:
        return dx / x
    return (dx / x - z * dbase / base) / np.log(base)


# --- linear functions --------------------------------------------------------------


@primitive(
    np.negative,
    operator.neg,
    broadcasts=True,
    raises=False,
    linear=("x",),
    samples=unary(complex=True),
)
def negative(x):
    """`-x`."""


@negative.vjp
def negative_vjp(z, x, *, dz):
    return -dz


@negative.jvp
def negative_jvp(z, x, *, dx):
    return -dx


@primitive(
    np.positive,
    operator.pos,
    broadcasts=True,
    raises=False,
    linear=("x",),
    samples=unary(complex=True),
)
def positive(x):
    """`+x`."""


@positive.vjp
def positive_vjp(z, x, *, dz):
    return dz


@positive.jvp
def positive_jvp(z, x, *, dx):
    return dx


# --- absolute value and the parts of complex numbers --------------------------------


@primitive(
    np.absolute,
    operator.abs,
    abs,
    broadcasts=True,
    raises=False,
    samples=lambda rng: [
        (-1.3,),
        (rng.uniform(0.2, 1.0, (2, 3)) * rng.choice([-1.0, 1.0], (2, 3)),),
        (complex_normal(rng),),
        (complex_normal(rng, 2, 3),),
    ],
)
def absolute(x):
    """Modulus; its derivative at 0 is taken to be 0."""


@absolute.vjp
def absolute_vjp(z, x, *, dz):
    return dz * np.conj(np.sign(x))


@absolute.jvp
def absolute_jvp(z, x, *, dx):
    return np.real(dx * np.conj(np.sign(x)))


@primitive(
    np.sign,
    broadcasts=True,
    raises=False,
    samples=lambda rng: [
        (0.7,),
        (rng.uniform(0.5, 1.0, 3) * rng.choice([-1.0, 1.0], 3),),
        (complex_normal(rng, 2, 3),),
    ],
)
def sign(x):
    """-1, 0 or 1 for real x; the direction x / |x| for complex x."""


@sign.vjp
def sign_vjp(z, x, *, dz):
    if np.iscomplexobj(x):
        return (dz - np.conj(z) * np.real(dz * z)) / np.abs(np.where(x == 0, 1.0, x))
    return np.zeros_like(dz)


@sign.jvp
def sign_jvp(z, x, *, dx):
    if np.iscomplexobj(x):
        return (dx - z * np.real(np.conj(z) * dx)) / np.abs(np.where(x == 0, 1.0, x))
    return np.zeros_like(dx)


@primitive(
    np.conjugate,
    broadcasts=True,
    raises=False,
    samples=unary(complex=True),
)
def conjugate(x):
    """Complex conjugate; linear over the reals only."""


@primitive(
    np.ndarray.conjugate,
    np.ndarray.conj,
    broadcasts=True,
    view=True,
    raises=False,
    methods=("conj", "conjugate"),
    samples=lambda rng: [(rng.normal(size=3),), (complex_normal(rng, 2, 3),)],
)
def conjugate_method(x):
    """`x.conj()`, which is x itself if that is real."""


@conjugate.vjp
@conjugate_method.vjp
def conjugate_vjp(z, x, *, dz):
    return np.conj(dz)


@conjugate.jvp
@conjugate_method.jvp
def conjugate_jvp(z, x, *, dx):
    return np.conj(dx)


@primitive(
    np.real,
    broadcasts=True,
    view=True,
    raises=False,
    properties=("real",),
    samples=unary(complex=True),
)
def real(val):
    """Real part."""


@real.vjp
def real_vjp(z, val, *, dz):
    # What is added to it may be complex, in place.
    return np.real(dz) + 0j if np.iscomplexobj(val) else np.real(dz)


@real.jvp
def real_jvp(z, val, *, dval):
    return np.real(dval)


@primitive(
    np.imag,
    broadcasts=True,
    view=True,
    raises=False,
    properties=("imag",),
    samples=lambda rng: [(complex_normal(rng),), (complex_normal(rng, 2, 3),)],
)
def imag(val):
    """Imaginary part."""


@imag.vjp
def imag_vjp(z, val, *, dz):
    return -1j * np.real(dz)


@imag.jvp
def imag_jvp(z, val, *, dval):
    return np.imag(dval)


@primitive(
    np.angle,
    broadcasts=True,
    samples=lambda rng: [
        (complex_normal(rng),),
        (complex_normal(rng, 2, 3),),
        call(complex_normal(rng, 3), deg=True),
        (rng.uniform(0.5, 1.0, 3),),
    ],
)
def angle(x, deg=False):
    """Argument of a complex number; its derivative at 0 is taken to be 0."""


@angle.vjp
def angle_vjp(z, x, deg, *, dz):
    turn = -1j * np.conj(x) / np.where(x == 0, 1.0, np.real(x * np.conj(x)))
    return dz * turn / DEGREE if deg else dz * turn


@angle.jvp
def angle_jvp(z, x, deg, *, dx):
    turn = np.imag(np.conj(x) * dx) / np.where(x == 0, 1.0, np.real(x * np.conj(x)))
    return turn / DEGREE if deg else turn


@primitive(
    np.real_if_close,
    infer=real_if_close_type,
    broadcasts=True,
    view=True,
    samples=lambda rng: [(rng.normal(size=3),), (complex_normal(rng, 2, 3),)],
)
def real_if_close(a, tol=100):
    """`a`, without its imaginary part if that is nearly zero."""


@real_if_close.vjp
def real_if_close_vjp(z, a, tol, *, dz):
    return dz


@real_if_close.jvp
def real_if_close_jvp(z, a, tol, *, da):
    return da if np.iscomplexobj(z) else np.real(da)


# --- numbers apart -----------------------------------------------------------------


@primitive(
    np.nan_to_num,
    broadcasts=True,
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=3), nan=2.0),
        (1.5,),
    ],
)
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None):
    """`x` with numbers in place of what is not finite; constant there."""


@nan_to_num.vjp
def nan_to_num_vjp(z, x, nan, posinf, neginf, *, dz):
    return np.where(np.isfinite(x), dz, 0.0)


@nan_to_num.jvp
def nan_to_num_jvp(z, x, nan, posinf, neginf, *, dx):
    return np.where(np.isfinite(x), dx, 0.0)


@primitive(np.modf, math.modf, broadcasts=True, samples=unary((0.1, 0.9)))
def modf(x):
    """The fractional and the integral part."""


@modf.vjp
def modf_vjp(z, x, *, dz):
    return dz[0]


@modf.jvp
def modf_jvp(z, x, *, dx):
    return dx, np.zeros_like(dx)


@primitive(np.frexp, math.frexp, broadcasts=True, samples=unary((1.1, 1.9)))
def frexp(x):
    """Mantissa and integer exponent."""


@frexp.vjp
def frexp_vjp(z, x, *, dz):
    return np.ldexp(dz[0], -z[1])


@frexp.jvp
def frexp_jvp(z, x, *, dx):
    return np.ldexp(dx, -z[1]), np.zeros_like(dx)


# --- functions whose derivatives NumPy lacks ----------------------------------------


@elementwise(
    partials=(lambda z, x, order: sinc_derivative(x, order + 1), None),
    samples=lambda rng: (
        [(rng.uniform(-4, 4, (2, 3)), n) for n in (1, 2, 3)]
        + [(np.array([0.0, 1e-3, -0.4]), n) for n in (1, 2, 5)]
        + [(complex_normal(rng, 3), 1)]
    ),
)
def sinc_derivative(x, order):
    """The derivative of `np.sinc` of some order, exact also at and near 0."""
    x = np.asarray(x)
    near = np.abs(x) < 0.5 + 0.3 * order
    near_x = np.where(near, x, 0)
    far_x = np.where(near, 1, x)
    # sinc(x) = Σ (-1)^k (πx)^(2k) / (2k+1)!, differentiated term by term.
    near_value = np.zeros_like(near_x * 1.0)
    for k in range((order + 1) // 2, order + 40):
        power = 2 * k - order
        coefficient = (-1) ** k * math.exp(
            2 * k * math.log(math.pi)
            + math.lgamma(2 * k + 1)
            - math.lgamma(power + 1)
            - math.lgamma(2 * k + 2)
        )
        near_value = near_value + coefficient * near_x**power
    # π x sinc(x) = sin(πx) gives a recurrence that is stable away from 0.
    far_value = np.sin(math.pi * far_x) / (math.pi * far_x)
    for n in range(1, order + 1):
        wave = math.pi ** (n - 1) * np.sin(math.pi * far_x + n * math.pi / 2)
        far_value = (wave - n * far_value) / far_x
    return np.where(near, near_value, far_value)[()]


@elementwise(
    partials=(
        lambda z, x, order: (
            0.5 * (modified_bessel(x, order - 1) + modified_bessel(x, order + 1))
        ),
        None,
    ),
    samples=lambda rng: (
        [(rng.uniform(-3, 3, (2, 3)), n) for n in (0, 1, 2)]
        + [(np.array([0.0, 30.0]), 1)]
    ),
)
def modified_bessel(x, order):
    """The modified Bessel function of the first kind, of integer order.

    The trapezoidal rule on ∫ exp(x cos θ) cos(nθ) dθ / 2π converges faster than any
    power; 256 nodes reach double precision wherever the result does not overflow.
    """
    x = np.asarray(x)
    theta = 2 * math.pi * np.arange(256) / 256
    weights = np.cos(order * theta).astype(x.dtype) / x.dtype.type(256)
    return np.exp(x[..., None] * np.cos(theta).astype(x.dtype)) @ weights


# --- `math` only -------------------------------------------------------------------


@elementwise(
    math.erf,
    partials=lambda z, x: TWO_OVER_SQRT_PI * np.exp(-x * x),
    samples=lambda rng: [(-0.7,), (1.2,)],
)
def erf(x):
    """Error function of a number."""


@elementwise(
    math.erfc,
    partials=lambda z, x: -TWO_OVER_SQRT_PI * np.exp(-x * x),
    samples=lambda rng: [(-0.7,), (1.2,)],
)
def erfc(x):
    """Complementary error function of a number."""


@elementwise(
    math.lgamma,
    partials=lambda z, x: polygamma_number(0, x),
    samples=lambda rng: [(0.4,), (3.2,), (-0.6,)],
)
def lgamma(x):
    """Logarithm of |Γ(x)| of a number."""


@elementwise(
    math.gamma,
    partials=lambda z, x: z * polygamma_number(0, x),
    samples=lambda rng: [(0.4,), (3.2,), (-0.6,)],
)
def gamma(x):
    """Γ(x) of a number."""


@elementwise(
    partials=(None, lambda z, n, x: polygamma_number(n + 1, x)),
    samples=lambda rng: [(0, 0.4), (0, -0.6), (1, 3.2), (2, 1.1)],
)
def polygamma_number(n, x):
    """The derivative of order n of the digamma function at a number."""
    from scipy import special

    return special.psi(x) if n == 0 else special.polygamma(n, x)[()]


@constant(np.spacing, math.ulp, samples=lambda rng: [(rng.normal(size=3),)])
def spacing(x):
    """Distance to the next larger number in magnitude."""
