"""scipy.special: error functions, logistic functions, entropies, powers and losses.

The gamma and Bessel families have files of their own, read from here.
"""

from __future__ import annotations

import numpy as np
from scipy import special

import anadrome.primitives.scipy.special_bessel
import anadrome.primitives.scipy.special_gamma  # noqa: F401  (registers rules)
from anadrome.primitives.helpers import axes_of, sum_to_shape
from anadrome.primitives.registry import (
    call,
    elementwise,
    nondifferentiable,
    primitive,
)
from anadrome.primitives.sampling import unary
from anadrome.primitives.scipy.samples import many

# A few of SciPy's ufuncs compute in double precision when a Python number meets a
# single precision array; `astype` brings the derivative back.

# ------------------------------------------------------------------ error functions
# 2/√π = 1.1283791670955126, √π/2 = 0.886226925452758


# fmt: off
@elementwise(special.erf, samples=unary((-2, 2)), partials=(
    lambda z, x: 1.1283791670955126 * np.exp(-x * x),))
def erf(x):
    """The error function 2/√π ∫₀ˣ exp(-t²) dt."""


@elementwise(special.erfc, samples=unary((-2, 2)), partials=(
    lambda z, x: -1.1283791670955126 * np.exp(-x * x),))
def erfc(x):
    """1 - erf(x)."""


@elementwise(special.erfcx, samples=unary((-1, 4)), partials=(
    lambda z, x: 2 * x * z - 1.1283791670955126,))
def erfcx(x):
    """exp(x²) erfc(x)."""


@elementwise(special.erfi, samples=unary((-2, 2)), partials=(
    lambda z, x: 1.1283791670955126 * np.exp(x * x),))
def erfi(x):
    """-i erf(ix)."""


@elementwise(special.erfinv, samples=unary((-0.9, 0.9)), partials=(
    lambda z, y: 0.886226925452758 * np.exp(z * z),))
def erfinv(y):
    """The inverse of erf."""


@elementwise(special.erfcinv, samples=unary((0.2, 1.8)), partials=(
    lambda z, y: -0.886226925452758 * np.exp(z * z),))
def erfcinv(y):
    """The inverse of erfc."""


@elementwise(special.dawsn, samples=unary((-2, 2)), partials=(
    lambda z, x: 1 - 2 * x * z,))
def dawsn(x):
    """Dawson's integral exp(-x²) ∫₀ˣ exp(t²) dt."""


# ---------------------------------------------------------- the normal distribution
# 1/√(2π) = 0.3989422804014327, √(2/π) = 0.7978845608028654, √(2π) = 2.506628274631

@elementwise(special.ndtr, samples=unary((-3, 3)), partials=(
    lambda z, x: 0.3989422804014327 * np.exp(-0.5 * x * x),))
def ndtr(x):
    """The distribution function of the standard normal."""


@elementwise(special.log_ndtr, samples=unary((-30, 5)), partials=(
    # The left tail is a ratio of two vanishing numbers; erfcx is that ratio.
    lambda z, x: np.where(
        x < 0,
        0.7978845608028654 / special.erfcx(-0.7071067811865476 * np.minimum(x, 0)),
        0.3989422804014327 * np.exp(-0.5 * x * x - z)),))
def log_ndtr(x):
    """log(ndtr(x)), also where ndtr(x) underflows."""


@elementwise(special.ndtri, samples=unary((0.05, 0.95)), partials=(
    lambda z, y: 2.5066282746310002 * np.exp(0.5 * z * z),))
def ndtri(y):
    """The inverse of ndtr."""


@elementwise(special.ndtri_exp, samples=unary((-8, -0.2)), partials=(
    lambda z, y: 2.5066282746310002 * np.exp(y + 0.5 * z * z),))
def ndtri_exp(y):
    """The inverse of log_ndtr."""


@elementwise(special.owens_t, samples=many((-2, 2), (-2, 2)), partials=(
    lambda z, h, a: -0.19947114020071635 * np.exp(-0.5 * h * h)
    * special.erf(0.7071067811865476 * a * h),
    lambda z, h, a: 0.15915494309189535 * np.exp(-0.5 * h * h * (1 + a * a))
    / (1 + a * a)))
def owens_t(h, a):
    """Owen's T: the probability that X > h and 0 < Y < aX for standard normals."""


# --------------------------------------------------------------------- the logistic

@elementwise(special.expit, samples=unary((-4, 4)), partials=(
    lambda z, x: z * (1 - z),))
def expit(x):
    """The logistic sigmoid 1/(1 + exp(-x))."""


@elementwise(special.logit, samples=unary((0.1, 0.9)), partials=(
    lambda z, x: 1 / (x * (1 - x)),))
def logit(x):
    """log(x/(1 - x)), the inverse of expit."""


@elementwise(special.log_expit, samples=unary((-20, 20)), partials=(
    lambda z, x: special.expit(-x),))
def log_expit(x):
    """log(expit(x)), without cancellation."""


# ------------------------------------------------------- logarithms and exponentials
# log 2 = 0.6931471805599453, log 10 = 2.302585092994046, π/180 = 0.017453292519943295

@elementwise(special.expm1, samples=unary((-1, 1)), partials=(
    lambda z, x: np.exp(x),))
def expm1(x):
    """exp(x) - 1."""


@elementwise(special.log1p, samples=unary((-0.5, 2)), partials=(
    lambda z, x: 1 / (1 + x),))
def log1p(x):
    """log(1 + x)."""


@elementwise(special.exp2, samples=unary((-2, 2)), partials=(
    lambda z, x: 0.6931471805599453 * z,))
def exp2(x):
    """2ˣ."""


@elementwise(special.exp10, samples=unary((-2, 2)), partials=(
    lambda z, x: 2.302585092994046 * z,))
def exp10(x):
    """10ˣ."""


@elementwise(special.cosm1, samples=unary((-1, 1)), partials=(
    lambda z, x: -np.sin(x),))
def cosm1(x):
    """cos(x) - 1."""


@elementwise(special.cbrt, samples=unary((0.2, 3)), partials=(
    lambda z, x: 1 / (3 * z * z),))
def cbrt(x):
    """The real cube root."""


@elementwise(special.exprel, samples=lambda rng: [
    *unary((-2, 2))(rng), call(np.array([0.0, 1e-9, -1e-5]))], partials=(
    lambda z, x: 0.5 * special.hyp1f1(2.0, 3.0, x),))
def exprel(x):
    """(exp(x) - 1)/x, and 1 at 0."""


@elementwise(special.sindg, samples=unary((-90, 90)), partials=(
    lambda z, x: 0.017453292519943295 * special.cosdg(x),))
def sindg(x):
    """The sine of an angle in degrees."""


@elementwise(special.cosdg, samples=unary((-90, 90)), partials=(
    lambda z, x: -0.017453292519943295 * special.sindg(x),))
def cosdg(x):
    """The cosine of an angle in degrees."""


@elementwise(special.tandg, samples=unary((-80, 80)), partials=(
    lambda z, x: 0.017453292519943295 * (1 + z * z),))
def tandg(x):
    """The tangent of an angle in degrees."""


@elementwise(special.cotdg, samples=unary((20, 80)), partials=(
    lambda z, x: -0.017453292519943295 * (1 + z * z),))
def cotdg(x):
    """The cotangent of an angle in degrees."""


@elementwise(special.lambertw, samples=unary((0.1, 3)), partials=(
    lambda w, z, k, tol: np.exp(-w) / (1 + w), None, None))
def lambertw(z, k=0, tol=1e-8):
    """The solution w of w exp(w) = z on branch k, a complex number."""


@elementwise(special.wrightomega, samples=unary((-3, 3)), partials=(
    lambda w, z: w / (1 + w),))
def wrightomega(z):
    """The solution w of w + log(w) = z."""


# ------------------------------------------------------------------------ entropies
# Where both arguments are 0 the function is constant in the second one.

@elementwise(special.entr, samples=unary((0.1, 3)), partials=(
    lambda z, x: -np.log(x) - 1,))
def entr(x):
    """-x log(x), and 0 at 0."""


@elementwise(special.xlogy, samples=lambda rng: [
    *many((-2, 2), (0.2, 3))(rng), call(np.zeros(3), rng.uniform(1, 2, 3))], partials=(
    lambda z, x, y: np.log(y),
    lambda z, x, y: x / np.where((x == 0) & (y == 0), 1, y)))
def xlogy(x, y):
    """x log(y), and 0 where x is 0."""


@elementwise(special.xlog1py, samples=lambda rng: [
    *many((-2, 2), (-0.5, 3))(rng), call(np.zeros(3), rng.uniform(1, 2, 3))], partials=(
    lambda z, x, y: np.log1p(y),
    lambda z, x, y: x / np.where((x == 0) & (y == -1), 1, 1 + y)))
def xlog1py(x, y):
    """x log(1 + y), and 0 where x is 0."""


@elementwise(special.rel_entr, samples=many((0.2, 3), (0.2, 3)), partials=(
    lambda z, x, y: np.log(x / y) + 1,
    lambda z, x, y: -x / np.where((x == 0) & (y == 0), 1, y)))
def rel_entr(x, y):
    """x log(x/y), and 0 where x is 0."""


@elementwise(special.kl_div, samples=many((0.2, 3), (0.2, 3)), partials=(
    lambda z, x, y: np.log(x / y),
    lambda z, x, y: 1 - x / np.where((x == 0) & (y == 0), 1, y)))
def kl_div(x, y):
    """x log(x/y) - x + y, and y where x is 0."""


# --------------------------------------------------------------- losses and Box–Cox

@elementwise(special.huber, samples=lambda rng: [
    *many((0.2, 0.4), (0.5, 3))(rng), *many((2, 3), (-1, 1))(rng)], partials=(
    lambda z, delta, r: np.maximum(np.abs(r) - delta, 0),
    lambda z, delta, r: np.clip(r, -delta, delta)))
def huber(delta, r):
    """r²/2 for |r| ≤ delta, and delta (|r| - delta/2) beyond."""


@elementwise(special.pseudo_huber, samples=many((0.5, 2), (-2, 2)), partials=(
    lambda z, delta, r: (np.hypot(delta, r) - delta) ** 2 / np.hypot(delta, r),
    lambda z, delta, r: delta * r / np.hypot(delta, r)))
def pseudo_huber(delta, r):
    """delta² (√(1 + (r/delta)²) - 1)."""


# (xˡ - 1)/l = log(x) exprel(l log(x)), whose derivative in l is ½ log(x)² ₁F₁(2; 3; ·);
# at x = 0 it is -1/l.

@elementwise(special.boxcox, samples=lambda rng: [
    *many((0.3, 3), (-1, 2))(rng), call(rng.uniform(0.5, 2, 3), np.float64(0))],
    partials=(
    lambda z, x, lmbda: x ** (lmbda - 1),
    lambda z, x, lmbda: np.where(
        x > 0, box_cox_slope(np.log(np.where(x > 0, x, 1)), lmbda), z * z)))
def boxcox(x, lmbda):
    """(x**lmbda - 1)/lmbda, and log(x) at lmbda = 0."""


@elementwise(special.boxcox1p, samples=lambda rng: [
    *many((-0.5, 2), (-1, 2))(rng), call(rng.uniform(0, 2, 3), np.float64(0))],
    partials=(
    lambda z, x, lmbda: (1 + x) ** (lmbda - 1),
    lambda z, x, lmbda: np.where(
        x > -1, box_cox_slope(np.log1p(np.where(x > -1, x, 0)), lmbda), z * z)))
def boxcox1p(x, lmbda):
    """The Box–Cox transformation of 1 + x."""


@elementwise(special.inv_boxcox, samples=lambda rng: [
    *many((0.2, 1), (-0.6, 2))(rng), call(rng.uniform(0.5, 2, 3), np.float64(0))],
    partials=(
    lambda z, y, lmbda: z ** (1 - lmbda),
    lambda z, y, lmbda:
        -0.5 * z * y * y * log1p_slope(lmbda * y).astype(z.dtype)))
def inv_boxcox(y, lmbda):
    """The inverse of boxcox: (1 + lmbda y)**(1/lmbda)."""


@elementwise(special.inv_boxcox1p, samples=lambda rng: [
    *many((0.2, 1), (-0.6, 2))(rng), call(rng.uniform(0.5, 2, 3), np.float64(0))],
    partials=(
    lambda z, y, lmbda: (1 + z) ** (1 - lmbda),
    lambda z, y, lmbda:
        -0.5 * (1 + z) * y * y * log1p_slope(lmbda * y).astype(z.dtype)))
def inv_boxcox1p(y, lmbda):
    """The inverse of boxcox1p."""
# fmt: on


def box_cox_slope(log_x, lmbda):
    """The derivative of the Box–Cox transformation in lmbda."""
    return 0.5 * log_x * log_x * special.hyp1f1(2.0, 3.0, lmbda * log_x)


def log1p_slope(u):
    """-2 times the derivative of log(1 + u)/u, which is 1 at 0."""
    return special.hyp2f1(2.0, 2.0, 3.0, -u)


if hasattr(special, "softplus"):

    @elementwise(
        special.softplus,
        samples=unary((-20, 20)),
        partials=(lambda z, x: special.expit(x),),
    )
    def softplus(x):
        """log(1 + exp(x)), without overflow."""


# --------------------------------------------------------------- softmax and company


@nondifferentiable
def kept_shape(shape, axis):
    """The shape after reducing over `axis` with keepdims=True."""
    reduced = axes_of(axis, len(shape))
    return tuple(1 if i in reduced else n for i, n in enumerate(shape))


@nondifferentiable
def common_shape(*shapes):
    """The shape that `shapes` broadcast to."""
    return np.broadcast_shapes(*shapes)


def softmax_samples(rng):
    x = rng.normal(size=(2, 3))
    return [
        call(rng.normal(size=4)),
        call(x),
        call(x, axis=0),
        call(x, axis=-1),
        call(rng.normal(size=(2, 3, 2)), axis=(0, 2)),
    ]


@primitive(special.softmax, samples=softmax_samples)
def softmax(x, axis=None):
    """exp(x) divided by its sum over `axis`."""


@softmax.vjp
def softmax_vjp(z, x, axis, *, dz):
    return z * (dz - np.sum(z * dz, axis=axis, keepdims=True))


@softmax.jvp
def softmax_jvp(z, x, axis, *, dx):
    return z * (dx - np.sum(z * dx, axis=axis, keepdims=True))


@primitive(special.log_softmax, samples=softmax_samples)
def log_softmax(x, axis=None):
    """log(softmax(x)), without underflow."""


@log_softmax.vjp
def log_softmax_vjp(z, x, axis, *, dz):
    return dz - np.exp(z) * np.sum(dz, axis=axis, keepdims=True)


@log_softmax.jvp
def log_softmax_jvp(z, x, axis, *, dx):
    return dx - np.sum(np.exp(z) * dx, axis=axis, keepdims=True)


def logsumexp_samples(rng):
    a = rng.normal(size=(2, 3))
    masked = np.array([0.5, -np.inf, 1.0])
    return [
        call(float(rng.normal())),
        call(rng.normal(size=4)),
        call(a),
        call(a, axis=0),
        call(a, axis=-1, keepdims=True),
        call(a, keepdims=True),
        call(rng.normal(size=(2, 3, 2)), axis=(0, 2)),
        call(masked),
        call(a, axis=1, b=rng.uniform(0.5, 2, (2, 3))),
        call(a, axis=1, b=rng.uniform(0.5, 2, 3)),
        call(a, b=rng.uniform(0.5, 2, (2, 1)), keepdims=True),
        call(rng.normal(size=3), axis=1, b=rng.uniform(0.5, 2, (2, 3))),
        call(a, axis=1, b=rng.normal(size=(2, 3)), return_sign=True),
    ]


@primitive(special.logsumexp, samples=logsumexp_samples)
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log(sum(b exp(a))) over `axis`, without overflow."""


def share_of_sum(z, a, axis, b, return_sign):
    """exp(a) divided by the signed sum whose logarithm is `z`, and 0 if all are -inf.

    This is the derivative of the logarithm of the sum in `b`.
    """
    shape = np.shape(a) if b is None else common_shape(np.shape(a), np.shape(b))
    kept = kept_shape(shape, axis)
    total = np.reshape(z[0] if return_sign else z, kept)
    share = np.exp(a - np.where(total == -np.inf, 0, total))
    return share * np.reshape(z[1], kept) if return_sign else share


@logsumexp.vjp
def logsumexp_vjp(z, a, axis, b, keepdims, return_sign, *, dz):
    share = share_of_sum(z, a, axis, b, return_sign)
    dlog = dz[0] if return_sign else dz
    dlog = np.reshape(dlog, kept_shape(np.shape(share), axis))
    if b is None:
        return share * dlog, 0.0
    da = sum_to_shape(b * share * dlog, np.shape(a))
    db = sum_to_shape(share * dlog, np.shape(b))
    return da, db


@logsumexp.jvp
def logsumexp_jvp(z, a, axis, b, keepdims, return_sign, *, da, db):
    share = share_of_sum(z, a, axis, b, return_sign)
    change = share * da if b is None else share * (b * da + db)
    dlog = np.sum(change, axis=axis, keepdims=keepdims)
    return (dlog, np.zeros_like(dlog)) if return_sign else dlog
