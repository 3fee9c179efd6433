"""scipy.special: gamma, beta and zeta functions and what is made of them.

polygamma is computed by SciPy from Hurwitz's zeta function, but always in double
precision; the rules use zeta itself, which keeps single precision.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import call, elementwise, primitive
from anadrome.primitives.sampling import unary
from anadrome.primitives.scipy.samples import given, many

NO_SHAPE_DERIVATIVE = (
    "the derivative of an incomplete gamma or beta function, or of an inverse of one, "
    "in its shape parameters has no closed form; keep the parameter constant, or give "
    "the derivative with custom_jvp or custom_vjp"
)
NO_ZETA_DERIVATIVE = (
    "the derivative of zeta(x, q) in x has no closed form; keep x constant, or give "
    "the derivative with custom_jvp or custom_vjp"
)


@primitive(refusal=NO_SHAPE_DERIVATIVE, raises=False)
def shape_derivative(*args):
    """The missing derivative of an incomplete function in a shape parameter."""
    raise NotDifferentiable(NO_SHAPE_DERIVATIVE)


@primitive(refusal=NO_ZETA_DERIVATIVE, raises=False)
def zeta_derivative(*args):
    """The missing derivative of the zeta function in its exponent."""
    raise NotDifferentiable(NO_ZETA_DERIVATIVE)


# fmt: off
@elementwise(special.gamma, samples=lambda rng: [
    *unary((0.3, 4))(rng), call(np.array([-0.5, -1.7]))], partials=(
    lambda z, x: z * special.digamma(x),))
def gamma(x):
    """The gamma function."""


@elementwise(special.gammaln, samples=unary((0.3, 20)), partials=(
    lambda z, x: special.digamma(x),))
def gammaln(x):
    """The logarithm of the absolute value of the gamma function."""


@elementwise(special.loggamma, samples=unary((0.3, 20)), partials=(
    lambda z, x: special.digamma(x),))
def loggamma(x):
    """The principal branch of the logarithm of the gamma function."""


@elementwise(special.rgamma, samples=lambda rng: [
    *unary((-2.5, 4))(rng), call(np.array([0.0, -1.0, -2.0, 0.5]))], partials=(
    # Left of ½ by reflection, so that the zeros at 0, -1, … have their slope.
    lambda z, x: np.where(
        x < 0.5,
        np.cos(3.141592653589793 * x) * special.gamma(np.where(x < 0.5, 1 - x, 1)), 0)
    - z * special.digamma(np.where(x < 0.5, 1 - x, x)),))
def rgamma(x):
    """1/gamma(x)."""


@elementwise(special.digamma, samples=lambda rng: [
    *unary((0.3, 4))(rng), call(np.array([-0.5, -1.7]))], partials=(
    lambda z, x: special.zeta(2, x),))
def digamma(x):
    """The logarithmic derivative of the gamma function."""


@elementwise(special.polygamma, samples=given(0, 1, 2)(0.5, 4), partials=(
    None, lambda z, n, x: special.polygamma(n + 1, x)))
def polygamma(n, x):
    """The n-th derivative of digamma."""


@elementwise(special.multigammaln, samples=lambda rng: [
    call(2.5, 2), call(rng.uniform(2, 4, 3), 3)], partials=(
    lambda z, a, d: np.sum(
        special.digamma(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1), None))
def multigammaln(a, d):
    """The logarithm of the d-dimensional gamma function."""


@elementwise(special.poch, samples=many((0.5, 3), (0.5, 3)), partials=(
    lambda p, z, m: p * (special.digamma(z + m) - special.digamma(z)),
    lambda p, z, m: p * special.digamma(z + m)))
def poch(z, m):
    """The rising factorial gamma(z + m)/gamma(z)."""


@elementwise(special.beta, samples=many((0.5, 3), (0.5, 3)), partials=(
    lambda z, a, b: z * (special.digamma(a) - special.digamma(a + b)),
    lambda z, a, b: z * (special.digamma(b) - special.digamma(a + b))))
def beta(a, b):
    """gamma(a) gamma(b)/gamma(a + b)."""


@elementwise(special.betaln, samples=many((0.5, 3), (0.5, 3)), partials=(
    lambda z, a, b: special.digamma(a) - special.digamma(a + b),
    lambda z, a, b: special.digamma(b) - special.digamma(a + b)))
def betaln(a, b):
    """The logarithm of the absolute value of beta(a, b)."""


# -------------------------------------------------------------- incomplete functions

@elementwise(special.gammainc, samples=given(1, 2, 3)(0.2, 4), partials=(
    lambda z, a, x: shape_derivative(a, x),
    lambda z, a, x: gamma_density(a, x)))
def gammainc(a, x):
    """The regularised lower incomplete gamma function."""


@elementwise(special.gammaincc, samples=given(1, 2, 3)(0.2, 4), partials=(
    lambda z, a, x: shape_derivative(a, x),
    lambda z, a, x: -gamma_density(a, x)))
def gammaincc(a, x):
    """The regularised upper incomplete gamma function."""


@elementwise(special.gammaincinv, samples=given(1, 2, 3)(0.2, 0.8), partials=(
    lambda z, a, y: shape_derivative(a, y),
    lambda z, a, y: 1 / gamma_density(a, z).astype(z.dtype)))
def gammaincinv(a, y):
    """The inverse of gammainc in x."""


@elementwise(special.gammainccinv, samples=given(1, 2, 3)(0.2, 0.8), partials=(
    lambda z, a, y: shape_derivative(a, y),
    lambda z, a, y: -1 / gamma_density(a, z).astype(z.dtype)))
def gammainccinv(a, y):
    """The inverse of gammaincc in x."""


@elementwise(special.betainc, samples=lambda rng: [
    call(2, 3, 0.4), call(1, 2, rng.uniform(0.1, 0.9, (2, 3)))], partials=(
    lambda z, a, b, x: shape_derivative(a, b, x),
    lambda z, a, b, x: shape_derivative(a, b, x),
    lambda z, a, b, x: beta_density(a, b, x).astype(z.dtype)))
def betainc(a, b, x):
    """The regularised incomplete beta function."""


@elementwise(special.betaincc, samples=lambda rng: [
    call(2, 3, 0.4), call(1, 2, rng.uniform(0.1, 0.9, (2, 3)))], partials=(
    lambda z, a, b, x: shape_derivative(a, b, x),
    lambda z, a, b, x: shape_derivative(a, b, x),
    lambda z, a, b, x: -beta_density(a, b, x).astype(z.dtype)))
def betaincc(a, b, x):
    """The complement of the regularised incomplete beta function."""


@elementwise(special.betaincinv, samples=lambda rng: [
    call(2, 3, 0.4), call(1, 2, rng.uniform(0.1, 0.9, (2, 3)))], partials=(
    lambda z, a, b, y: shape_derivative(a, b, y),
    lambda z, a, b, y: shape_derivative(a, b, y),
    lambda z, a, b, y: 1 / beta_density(a, b, z).astype(z.dtype)))
def betaincinv(a, b, y):
    """The inverse of betainc in x."""


@elementwise(special.betainccinv, samples=lambda rng: [
    call(2, 3, 0.4), call(1, 2, rng.uniform(0.1, 0.9, (2, 3)))], partials=(
    lambda z, a, b, y: shape_derivative(a, b, y),
    lambda z, a, b, y: shape_derivative(a, b, y),
    lambda z, a, b, y: -1 / beta_density(a, b, z).astype(z.dtype)))
def betainccinv(a, b, y):
    """The inverse of betaincc in x."""


@elementwise(special.chdtr, samples=given(2, 3)(0.5, 4), partials=(
    lambda z, v, x: shape_derivative(v, x),
    lambda z, v, x: 0.5 * gamma_density(0.5 * v, 0.5 * x).astype(z.dtype)))
def chdtr(v, x):
    """The distribution function of chi-squared with v degrees of freedom."""


@elementwise(special.chdtrc, samples=given(2, 3)(0.5, 4), partials=(
    lambda z, v, x: shape_derivative(v, x),
    lambda z, v, x: -0.5 * gamma_density(0.5 * v, 0.5 * x).astype(z.dtype)))
def chdtrc(v, x):
    """The survival function of chi-squared with v degrees of freedom."""


@elementwise(special.stdtr, samples=given(2, 3)(-2, 2), partials=(
    lambda z, df, t: shape_derivative(df, t),
    lambda z, df, t: np.exp(
        -0.5 * (df + 1) * np.log1p(t * t / df)
        - 0.5 * np.log(df) - special.betaln(0.5, 0.5 * df)).astype(z.dtype)))
def stdtr(df, t):
    """The distribution function of Student's t."""


# ---------------------------------------------------- zeta, dilogarithm, integrals

@elementwise(special.zeta, samples=given(2, 3)(0.5, 4), partials=(
    lambda z, x, q: zeta_derivative(x, q),
    lambda z, x, q: -x * special.zeta(x + 1, q)))
def zeta(x, q=None):
    """Hurwitz's zeta function Σ (k + q)⁻ˣ; Riemann's for q = None."""


@elementwise(special.spence, samples=lambda rng: [
    *unary((0.2, 4))(rng), call(np.array([1.0, 1 + 1e-9]))], partials=(
    lambda z, x: -special.hyp2f1(1.0, 1.0, 2.0, 1 - x).astype(z.dtype),))
def spence(x):
    """The dilogarithm ∫₁ˣ log(t)/(1 - t) dt."""


@elementwise(special.exp1, samples=unary((0.3, 4)), partials=(
    lambda z, x: -np.exp(-x) / x,))
def exp1(x):
    """The exponential integral ∫₁^∞ exp(-xt)/t dt."""


@elementwise(special.expi, samples=unary((0.3, 4)), partials=(
    lambda z, x: np.exp(x) / x,))
def expi(x):
    """The exponential integral ∫ exp(t)/t dt from -∞ to x."""


@elementwise(special.expn, samples=given(0, 1, 3)(0.3, 4), partials=(
    None, lambda z, n, x: np.where(
        n == 0, -z * (1 + 1 / x), -special.expn(np.maximum(n - 1, 0), x))))
def expn(n, x):
    """The exponential integral ∫₁^∞ exp(-xt)/tⁿ dt."""


# -------------------------------------------------------------------- combinatorics

@elementwise(special.binom, samples=many((4, 6), (0.5, 3)), partials=(
    lambda z, n, k: z * (special.digamma(n + 1) - special.digamma(n - k + 1)),
    lambda z, n, k: z * (special.digamma(n - k + 1) - special.digamma(k + 1))))
def binom(n, k):
    """The binomial coefficient of real numbers."""


# comb is 0 outside 0 ≤ k ≤ N, where the digammas may have poles.

@elementwise(special.comb, samples=lambda rng: [
    *many((4, 6), (0.5, 3))(rng), call(4.5, 1.5, repetition=True),
    call(np.array([3.0, 5.0]), np.array([4.0, 2.5]))], partials=(
    lambda z, N, k, exact, repetition: z * (
        special.digamma(np.where(z == 0, 0, N + k - 1 if repetition else N) + 1)
        - special.digamma(np.where(z == 0, 0, N - 1 if repetition else N - k) + 1)),
    lambda z, N, k, exact, repetition: z * (
        special.digamma(np.where(z == 0, 0, N + k - 1 if repetition else N - k) + 1)
        - special.digamma(np.where(z == 0, 0, k) + 1)), None, None))
def comb(N, k, *, exact=False, repetition=False):
    """The number of ways to choose k of N things; gamma functions of real numbers."""


@elementwise(special.factorial, samples=lambda rng: [
    *unary((0.3, 4))(rng), call(np.array([-1.5, -2.0, 2.5]))], partials=(
    lambda z, n, exact, extend:
        z * special.digamma(np.where((n < 0) & (extend == "zero"), 0, n) + 1),
    None, None))
def factorial(n, exact=False, extend="zero"):
    """gamma(n + 1), and 0 for negative n."""
# fmt: on


def gamma_density(a, x):
    """The derivative of gammainc(a, x) in x."""
    return np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def beta_density(a, b, x):
    """The derivative of betainc(a, b, x) in x."""
    log_power = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
    return np.exp(log_power - special.betaln(a, b))
