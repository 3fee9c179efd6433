"""scipy.special: Bessel, hypergeometric and elliptic functions, and polynomials."""

from __future__ import annotations

import numpy as np
from scipy import special

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import call, elementwise, primitive
from anadrome.primitives.sampling import unary
from anadrome.primitives.scipy.samples import given

NO_ORDER_DERIVATIVE = (
    "the derivative of a Bessel or hypergeometric function or of an orthogonal "
    "polynomial in its order or parameters has no closed form; keep them constant, or "
    "give the derivative with custom_jvp or custom_vjp"
)


@primitive(refusal=NO_ORDER_DERIVATIVE, raises=False)
def order_derivative(*args):
    """The missing derivative of a special function in its order."""
    raise NotDifferentiable(NO_ORDER_DERIVATIVE)


# fmt: off
@elementwise(special.j0, samples=unary((-4, 4)), partials=(
    lambda z, x: -special.j1(x),))
def j0(x):
    """The Bessel function of the first kind of order 0."""


@elementwise(special.j1, samples=unary((-4, 4)), partials=(
    lambda z, x: 0.5 * (special.j0(x) - special.jv(2, x)),))
def j1(x):
    """The Bessel function of the first kind of order 1."""


@elementwise(special.jv, samples=given(0, 1, 2)(0.5, 4), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: 0.5 * (special.jv(v - 1, x) - special.jv(v + 1, x))))
def jv(v, x):
    """The Bessel function of the first kind of real order."""


@elementwise(special.y0, samples=unary((0.5, 4)), partials=(
    lambda z, x: -special.y1(x),))
def y0(x):
    """The Bessel function of the second kind of order 0."""


@elementwise(special.y1, samples=unary((0.5, 4)), partials=(
    lambda z, x: 0.5 * (special.y0(x) - special.yv(2, x)),))
def y1(x):
    """The Bessel function of the second kind of order 1."""


@elementwise(special.yn, samples=given(0, 1, 2)(0.5, 4), partials=(
    None,
    lambda z, n, x: 0.5 * (special.yn(n - 1, x) - special.yn(n + 1, x))))
def yn(n, x):
    """The Bessel function of the second kind of integer order."""


@elementwise(special.yv, samples=given(0, 1, 2)(0.5, 4), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: 0.5 * (special.yv(v - 1, x) - special.yv(v + 1, x))))
def yv(v, x):
    """The Bessel function of the second kind of real order."""


@elementwise(special.i0, samples=unary((-3, 3)), partials=(
    lambda z, x: special.i1(x),))
def i0(x):
    """The modified Bessel function of the first kind of order 0."""


@elementwise(special.i0e, samples=unary((0.2, 3)), partials=(
    lambda z, x: special.i1e(x) - np.sign(x) * z,))
def i0e(x):
    """exp(-|x|) i0(x)."""


@elementwise(special.i1, samples=unary((-3, 3)), partials=(
    lambda z, x: 0.5 * (special.i0(x) + special.iv(2, x)),))
def i1(x):
    """The modified Bessel function of the first kind of order 1."""


@elementwise(special.i1e, samples=unary((0.2, 3)), partials=(
    lambda z, x: 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * z,))
def i1e(x):
    """exp(-|x|) i1(x)."""


@elementwise(special.iv, samples=given(0, 1, 2)(0.5, 4), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: 0.5 * (special.iv(v - 1, x) + special.iv(v + 1, x))))
def iv(v, x):
    """The modified Bessel function of the first kind of real order."""


@elementwise(special.ive, samples=given(0, 1, 2)(0.5, 4), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: 0.5 * (special.ive(v - 1, x) + special.ive(v + 1, x))
    - np.sign(x) * z))
def ive(v, x):
    """exp(-|x|) iv(v, x), of real x."""


@elementwise(special.k0, samples=unary((0.5, 3)), partials=(
    lambda z, x: -special.k1(x),))
def k0(x):
    """The modified Bessel function of the second kind of order 0."""


@elementwise(special.k0e, samples=unary((0.5, 3)), partials=(
    lambda z, x: z - special.k1e(x),))
def k0e(x):
    """exp(x) k0(x)."""


@elementwise(special.k1, samples=unary((0.5, 3)), partials=(
    lambda z, x: -0.5 * (special.k0(x) + special.kv(2, x)),))
def k1(x):
    """The modified Bessel function of the second kind of order 1."""


@elementwise(special.k1e, samples=unary((0.5, 3)), partials=(
    lambda z, x: z - 0.5 * (special.k0e(x) + special.kve(2, x)),))
def k1e(x):
    """exp(x) k1(x)."""


@elementwise(special.kn, samples=given(0, 1, 2)(0.5, 3), partials=(
    None,
    lambda z, n, x: -0.5 * (special.kv(n - 1, x) + special.kv(n + 1, x))))
def kn(n, x):
    """The modified Bessel function of the second kind of integer order."""


@elementwise(special.kv, samples=given(0, 1, 2)(0.5, 3), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: -0.5 * (special.kv(v - 1, x) + special.kv(v + 1, x))))
def kv(v, x):
    """The modified Bessel function of the second kind of real order."""


@elementwise(special.kve, samples=given(0, 1, 2)(0.5, 3), partials=(
    lambda z, v, x: order_derivative(v, x),
    lambda z, v, x: z - 0.5 * (special.kve(v - 1, x) + special.kve(v + 1, x))))
def kve(v, x):
    """exp(x) kv(v, x)."""


# ------------------------------------------------------ hypergeometric and elliptic

@elementwise(special.hyp0f1, samples=given(1, 2)(-2, 2), partials=(
    lambda y, v, z: order_derivative(v, z),
    lambda y, v, z: special.hyp0f1(v + 1, z) / v))
def hyp0f1(v, z):
    """The confluent hypergeometric limit function ₀F₁(; v; z)."""


@elementwise(special.hyp1f1, samples=lambda rng: [
    call(1, 2, 0.7), call(2, 3, rng.normal(size=(2, 3)))], partials=(
    lambda z, a, b, x: order_derivative(a, b, x),
    lambda z, a, b, x: order_derivative(a, b, x),
    lambda z, a, b, x: a / b * special.hyp1f1(a + 1, b + 1, x)))
def hyp1f1(a, b, x):
    """The confluent hypergeometric function ₁F₁(a; b; x)."""


@elementwise(special.hyperu, samples=lambda rng: [
    call(1, 2, 0.7), call(2, 2, rng.uniform(0.5, 2, (2, 3)))], partials=(
    lambda z, a, b, x: order_derivative(a, b, x),
    lambda z, a, b, x: order_derivative(a, b, x),
    lambda z, a, b, x: -a * special.hyperu(a + 1, b + 1, x)))
def hyperu(a, b, x):
    """The confluent hypergeometric function U(a, b, x)."""


@elementwise(special.hyp2f1, samples=lambda rng: [
    call(1, 2, 3, 0.4), call(1, 1, 2, rng.uniform(-2, 0.6, (2, 3)))], partials=(
    lambda y, a, b, c, z: order_derivative(a, b, c, z),
    lambda y, a, b, c, z: order_derivative(a, b, c, z),
    lambda y, a, b, c, z: order_derivative(a, b, c, z),
    lambda y, a, b, c, z: a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)))
def hyp2f1(a, b, c, z):
    """Gauss's hypergeometric function ₂F₁(a, b; c; z)."""


# π/8 = 0.39269908169872414

@elementwise(special.ellipk, samples=unary((-1, 0.7)), partials=(
    lambda z, m:
        0.39269908169872414 * special.hyp2f1(1.5, 1.5, 2.0, m).astype(z.dtype),))
def ellipk(m):
    """The complete elliptic integral of the first kind of parameter m."""


@elementwise(special.ellipe, samples=unary((-1, 0.7)), partials=(
    lambda z, m:
        -0.39269908169872414 * special.hyp2f1(0.5, 1.5, 2.0, m).astype(z.dtype),))
def ellipe(m):
    """The complete elliptic integral of the second kind of parameter m."""


# ------------------------------------------------------------ orthogonal polynomials
# Derivatives lower the degree; SciPy's polynomials of degree -1 are 0, except
# Hermite's, which are not a number.

@elementwise(special.eval_jacobi, samples=lambda rng: [
    call(0, 1, 2, 0.3), call(3, 1, 2, rng.uniform(-1, 1, (2, 3)))], partials=(
    None,
    lambda z, n, alpha, beta, x: order_derivative(n, alpha, beta, x),
    lambda z, n, alpha, beta, x: order_derivative(n, alpha, beta, x),
    lambda z, n, alpha, beta, x: 0.5 * (n + alpha + beta + 1)
    * special.eval_jacobi(n - 1, alpha + 1, beta + 1, x)))
def eval_jacobi(n, alpha, beta, x):
    """Jacobi's polynomial of degree n."""


@elementwise(special.eval_legendre, samples=given(0, 1, 4)(-1, 1), partials=(
    None, lambda z, n, x: 0.5 * (n + 1) * special.eval_jacobi(n - 1, 1, 1, x)))
def eval_legendre(n, x):
    """Legendre's polynomial of degree n."""


@elementwise(special.eval_gegenbauer, samples=lambda rng: [
    call(0, 2, 0.3), call(3, 1, rng.uniform(-1, 1, (2, 3)))], partials=(
    None,
    lambda z, n, alpha, x: order_derivative(n, alpha, x),
    lambda z, n, alpha, x: 2 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x)))
def eval_gegenbauer(n, alpha, x):
    """Gegenbauer's polynomial of degree n."""


@elementwise(special.eval_chebyt, samples=given(0, 1, 4)(-1, 1), partials=(
    None, lambda z, n, x: n * special.eval_chebyu(n - 1, x)))
def eval_chebyt(n, x):
    """Chebyshev's polynomial of the first kind of degree n."""


@elementwise(special.eval_chebyu, samples=given(0, 1, 4)(-1, 1), partials=(
    None, lambda z, n, x: 2 * special.eval_gegenbauer(n - 1, 2, x)))
def eval_chebyu(n, x):
    """Chebyshev's polynomial of the second kind of degree n."""


@elementwise(special.eval_genlaguerre, samples=lambda rng: [
    call(0, 2, 0.3), call(3, 1, rng.uniform(0, 2, (2, 3)))], partials=(
    None,
    lambda z, n, alpha, x: order_derivative(n, alpha, x),
    lambda z, n, alpha, x: -special.eval_genlaguerre(n - 1, alpha + 1, x)))
def eval_genlaguerre(n, alpha, x):
    """The generalised Laguerre polynomial of degree n."""


@elementwise(special.eval_laguerre, samples=given(0, 1, 4)(0, 2), partials=(
    None, lambda z, n, x: -special.eval_genlaguerre(n - 1, 1, x)))
def eval_laguerre(n, x):
    """Laguerre's polynomial of degree n."""


@elementwise(special.eval_hermite, samples=given(0, 1, 4)(-1, 1), partials=(
    None, lambda z, n, x: 2 * n * special.eval_hermite(np.maximum(n - 1, 0), x)))
def eval_hermite(n, x):
    """The physicist's Hermite polynomial of degree n."""


@elementwise(special.eval_hermitenorm, samples=given(0, 1, 4)(-1, 1), partials=(
    None, lambda z, n, x: n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)))
def eval_hermitenorm(n, x):
    """The probabilist's Hermite polynomial of degree n."""
# fmt: on


# ------------------------------------------------------- functions with several values


@primitive(special.airy, samples=unary((-2, 2)))
def airy(z):
    """Airy's functions and their derivatives: Ai, Ai', Bi, Bi'."""


@airy.vjp
def airy_vjp(values, z, *, dz):
    ai, aip, bi, bip = values
    dai, daip, dbi, dbip = dz
    return dai * aip + daip * z * ai + dbi * bip + dbip * z * bi


@airy.jvp
def airy_jvp(values, z, *, dz):
    ai, aip, bi, bip = values
    return dz * aip, dz * z * ai, dz * bip, dz * z * bi


@primitive(special.fresnel, samples=unary((-2, 2)))
def fresnel(z):
    """Fresnel's integrals of sin(πt²/2) and cos(πt²/2)."""


@fresnel.vjp
def fresnel_vjp(values, z, *, dz):
    angle = 1.5707963267948966 * z * z
    return dz[0] * np.sin(angle) + dz[1] * np.cos(angle)


@fresnel.jvp
def fresnel_jvp(values, z, *, dz):
    angle = 1.5707963267948966 * z * z
    return dz * np.sin(angle), dz * np.cos(angle)


# 1/π = 0.3183098861837907


@primitive(special.sici, samples=unary((0.3, 4)))
def sici(x):
    """The sine and the cosine integral."""


@sici.vjp
def sici_vjp(z, x, *, dz):
    return dz[0] * np.sinc(0.3183098861837907 * x) + dz[1] * np.cos(x) / x


@sici.jvp
def sici_jvp(z, x, *, dx):
    return dx * np.sinc(0.3183098861837907 * x), dx * np.cos(x) / x
