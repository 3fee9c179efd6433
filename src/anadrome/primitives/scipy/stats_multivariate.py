"""scipy.stats: densities of multivariate distributions."""

from __future__ import annotations

import numpy as np
from scipy import linalg, special, stats

import anadrome.primitives.scipy.linalg  # noqa: F401  (registers rules)
from anadrome.errors import NotDifferentiable
from anadrome.ir.graph import Node
from anadrome.ir.types import Num, deref
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.scipy.linalg_structure import half_lower


def density_type(x: Node, *others: Node, **named: Node) -> Num:
    """The type of densities: axes of length one are left out, so who knows how many."""
    t = deref(x.type)
    vector = isinstance(t, Num) and t.ndim in (0, 1)
    double = np.dtype(np.float64)
    kinds = [deref(n.type) for n in (x, *others, *named.values())]
    known = all(k.dtype == double for k in kinds if isinstance(k, Num))
    return Num(double if known else None, 0 if vector else None)


# -------------------------------------------------------------------- the normal one


@nondifferentiable
def dimensions(mean, cov):
    """The number of variables; a single one, and covariance objects, are refused."""
    if isinstance(cov, stats.Covariance):
        raise NotDifferentiable(
            "a stats.Covariance object hides its entries",
            help="pass the covariance as a matrix",
        )
    matrix = np.shape(cov)[0] if np.ndim(cov) == 2 else 1
    n = max(matrix, np.size(mean) if mean is not None else 1)
    if n == 1:
        raise NotDifferentiable(
            "multivariate_normal with one variable has no derivative here",
            help="use stats.norm.logpdf(x, mean, np.sqrt(cov))",
        )
    return n


def normal_samples(rng):
    m = rng.normal(size=(3, 3))
    cov = m @ m.T + np.eye(3)
    mean = rng.normal(size=3)
    return [
        call(rng.normal(size=3), mean, cov),
        call(rng.normal(size=(4, 3)), mean, cov),
        call(rng.normal(size=(2, 4, 3)), mean, cov),
        call(rng.normal(size=(4, 3)), cov=cov),
        call(rng.normal(size=(4, 3)), mean, 1.7),
        call(rng.normal(size=3), mean),
        call(rng.normal(size=(4, 3)), mean, np.array([1.0, 2.0, 0.5])),
    ]


def centred(x, mean):
    """The deviations from the mean."""
    return x if mean is None else x - mean


def precision(cov, n):
    """The inverse of the covariance, which SciPy reads from its lower triangle."""
    if np.ndim(cov) == 2:
        return linalg.inv(cov, assume_a="sym", lower=True)
    return np.diag(np.ones(n) / cov)


def covariance_cotangent(full, cov):
    """The cotangent of a covariance that was given as a matrix, vector or number."""
    if np.ndim(cov) == 2:
        return half_lower(full + np.transpose(full))
    return np.diagonal(full) if np.ndim(cov) == 1 else np.trace(full)


def log_normal_pullback(dz, x, mean, cov):
    """The cotangents of the log density: Petersen and Pedersen (2012), eqs. 86, 102."""
    n = dimensions(mean, cov)
    inverse = precision(cov, n)
    pulled = centred(x, mean) @ inverse  # [..., n]
    weight = np.expand_dims(dz, -1)
    dx = -weight * pulled
    rows = np.reshape(pulled, (-1, n))
    outer = np.transpose(np.reshape(weight * pulled, (-1, n))) @ rows
    full = 0.5 * (outer - np.sum(dz) * inverse)
    dmean = 0.0 if mean is None else sum_to_shape(-dx, np.shape(mean))
    return dx, dmean, covariance_cotangent(full, cov)


def log_normal_pushforward(x, mean, cov, dx, dmean, dcov):
    """The tangent of the log density."""
    n = dimensions(mean, cov)
    inverse = precision(cov, n)
    pulled = centred(x, mean) @ inverse
    change = dx if mean is None else dx - dmean
    if np.ndim(cov) == 2:
        half = half_lower(dcov)
        full = half + np.transpose(half)
    else:
        full = np.diag(np.full(n, dcov))
    spread = np.sum((pulled @ full) * pulled, axis=-1) - np.sum(inverse * full)
    return 0.5 * spread - np.sum(pulled * change, axis=-1)


@primitive(stats.multivariate_normal.logpdf, samples=normal_samples, infer=density_type)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    """The logarithm of the density of a normal vector."""


@multivariate_normal_logpdf.vjp
def multivariate_normal_logpdf_vjp(z, x, mean, cov, allow_singular, *, dz):
    return log_normal_pullback(dz, x, mean, cov)


@multivariate_normal_logpdf.jvp
def multivariate_normal_logpdf_jvp(z, x, mean, cov, allow_singular, *, dx, dmean, dcov):
    return log_normal_pushforward(x, mean, cov, dx, dmean, dcov)


@primitive(stats.multivariate_normal.pdf, samples=normal_samples, infer=density_type)
def multivariate_normal_pdf(x, mean=None, cov=1, allow_singular=False):
    """The density of a normal vector."""


@multivariate_normal_pdf.vjp
def multivariate_normal_pdf_vjp(z, x, mean, cov, allow_singular, *, dz):
    return log_normal_pullback(dz * z, x, mean, cov)


@multivariate_normal_pdf.jvp
def multivariate_normal_pdf_jvp(z, x, mean, cov, allow_singular, *, dx, dmean, dcov):
    return z * log_normal_pushforward(x, mean, cov, dx, dmean, dcov)


# ------------------------------------------------------------------------- Dirichlet


def dirichlet_samples(rng):
    # All but the last coordinate, which the others determine.
    return [
        call(np.array([0.2, 0.5]), rng.uniform(1.5, 3, 3)),
        call(np.array([[0.2, 0.3], [0.5, 0.1]]), rng.uniform(1.5, 3, 3)),
    ]


def last_coordinate(x):
    """What the other coordinates leave of 1."""
    return 1 - np.sum(x, axis=0)


def beside(alpha, x):
    """`alpha` in a shape that broadcasts along the coordinates of `x`."""
    return np.expand_dims(alpha, 1) if np.ndim(x) == 2 else alpha


def log_dirichlet_pullback(dz, x, alpha):
    """The cotangents of the log density."""
    a = beside(alpha, x)
    if np.shape(x)[0] == np.shape(alpha)[0]:
        logs = np.log(x)
        dx = dz * (a - 1) / x
    else:
        last = last_coordinate(x)
        logs = np.concatenate([np.log(x), np.expand_dims(np.log(last), 0)])
        dx = dz * ((a[:-1] - 1) / x - (a[-1] - 1) / last)
    norm = special.digamma(np.sum(alpha)) - special.digamma(a)
    dalpha = dz * (logs + norm)
    return dx, np.sum(dalpha, axis=1) if np.ndim(x) == 2 else dalpha


def log_dirichlet_pushforward(x, alpha, dx, dalpha):
    """The tangent of the log density."""
    a, da = beside(alpha, x), beside(dalpha, x)
    norm = special.digamma(np.sum(alpha)) * np.sum(dalpha)
    norm = norm - np.sum(special.digamma(alpha) * dalpha)
    if np.shape(x)[0] == np.shape(alpha)[0]:
        return norm + np.sum(da * np.log(x) + (a - 1) / x * dx, axis=0)
    last = last_coordinate(x)
    inner = np.sum(da[:-1] * np.log(x) + (a[:-1] - 1) / x * dx, axis=0)
    outer = da[-1] * np.log(last) - (a[-1] - 1) / last * np.sum(dx, axis=0)
    return norm + inner + outer


@primitive(stats.dirichlet.logpdf, samples=dirichlet_samples, infer=density_type)
def dirichlet_logpdf(x, alpha):
    """The logarithm of the density of a Dirichlet vector."""


@dirichlet_logpdf.vjp
def dirichlet_logpdf_vjp(z, x, alpha, *, dz):
    return log_dirichlet_pullback(dz, x, alpha)


@dirichlet_logpdf.jvp
def dirichlet_logpdf_jvp(z, x, alpha, *, dx, dalpha):
    return log_dirichlet_pushforward(x, alpha, dx, dalpha)


@primitive(stats.dirichlet.pdf, samples=dirichlet_samples, infer=density_type)
def dirichlet_pdf(x, alpha):
    """The density of a Dirichlet vector."""


@dirichlet_pdf.vjp
def dirichlet_pdf_vjp(z, x, alpha, *, dz):
    return log_dirichlet_pullback(dz * z, x, alpha)


@dirichlet_pdf.jvp
def dirichlet_pdf_jvp(z, x, alpha, *, dx, dalpha):
    return z * log_dirichlet_pushforward(x, alpha, dx, dalpha)
