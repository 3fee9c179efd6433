"""scipy.linalg: functions of a matrix.

For analytic f, f([[A, E], [0, A]]) has the derivative of f at A along E in its upper
right corner (Mathias 1996), and the derivative's transpose is the derivative at Aᵀ.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from anadrome.primitives.registry import call, primitive
from anadrome.primitives.scipy.linalg_structure import transpose


def stack_blocks(a, b, c):
    """The block matrix [[a, b], [0, c]]."""
    top = np.concatenate([a, b], axis=-1)
    bottom = np.concatenate([np.zeros_like(a), c], axis=-1)
    return np.concatenate([top, bottom], axis=-2)


# ----------------------------------------------------------------------- exponential


@primitive(
    linalg.expm,
    samples=lambda rng: [
        call(rng.normal(size=(3, 3))),
        call(rng.normal(size=(2, 3, 3))),
        call(rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))),
    ],
)
def expm(A):
    """The exponential of a square matrix."""


@expm.vjp
def expm_vjp(z, A, *, dz):
    dA = linalg.expm_frechet(transpose(A), dz, compute_expm=False)
    return dA.astype(z.dtype)


@expm.jvp
def expm_jvp(z, A, *, dA):
    dz = linalg.expm_frechet(A, dA, compute_expm=False)
    return dz.astype(z.dtype)


@primitive(
    linalg.expm_frechet,
    samples=lambda rng: [
        call(rng.normal(size=(3, 3)), rng.normal(size=(3, 3))),
        call(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), compute_expm=False),
    ],
)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """The exponential at A and its derivative along E."""


@expm_frechet.vjp
def expm_frechet_vjp(z, A, E, method, compute_expm, check_finite, *, dz):
    n = np.shape(A)[-1]
    dexp, dalong = dz if compute_expm else (np.zeros_like(A), dz)
    both = transpose(stack_blocks(A, E, A))
    corner = stack_blocks(dexp, dalong, np.zeros_like(A))
    d = linalg.expm_frechet(both, corner, compute_expm=False)
    return d[..., :n, :n] + d[..., n:, n:], d[..., :n, n:]


@expm_frechet.jvp
def expm_frechet_jvp(z, A, E, method, compute_expm, check_finite, *, dA, dE):
    n = np.shape(A)[-1]
    both = stack_blocks(A, E, A)
    change = stack_blocks(dA, dE, dA)
    d = linalg.expm_frechet(both, change, compute_expm=False)
    return (d[..., :n, :n], d[..., :n, n:]) if compute_expm else d[..., :n, n:]


# ----------------------------------------------------------------------- square root


def positive(rng, n=3):
    """A matrix whose eigenvalues are positive and apart."""
    return 0.2 * rng.normal(size=(n, n)) + np.diag(1.0 + np.arange(n))


@primitive(linalg.sqrtm, samples=lambda rng: [call(positive(rng))])
def sqrtm(A):
    """The principal square root of a matrix."""


@sqrtm.vjp
def sqrtm_vjp(z, A, *, dz):
    root = transpose(z)
    return linalg.solve_sylvester(root, root, dz)


@sqrtm.jvp
def sqrtm_jvp(z, A, *, dA):
    return linalg.solve_sylvester(z, z, dA)


# ---------------------------------------------------------------------- other functions


def matrix_function(target, description):
    """Declare the primitive of an analytic function of a matrix."""

    def declaration(A):
        pass

    declaration.__name__ = target.__name__
    declaration.__doc__ = description
    made = primitive(target, samples=lambda rng: [call(positive(rng))])(declaration)

    @made.vjp
    def vjp(z, A, *, dz):
        n = np.shape(A)[-1]
        At = transpose(A)
        return target(stack_blocks(At, dz, At))[..., :n, n:]

    @made.jvp
    def jvp(z, A, *, dA):
        n = np.shape(A)[-1]
        return target(stack_blocks(A, dA, A))[..., :n, n:]

    return made


logm = matrix_function(linalg.logm, "The principal logarithm of a matrix.")
sinm = matrix_function(linalg.sinm, "The sine of a matrix.")
cosm = matrix_function(linalg.cosm, "The cosine of a matrix.")
tanm = matrix_function(linalg.tanm, "The tangent of a matrix.")
sinhm = matrix_function(linalg.sinhm, "The hyperbolic sine of a matrix.")
coshm = matrix_function(linalg.coshm, "The hyperbolic cosine of a matrix.")
tanhm = matrix_function(linalg.tanhm, "The hyperbolic tangent of a matrix.")


@primitive(
    linalg.fractional_matrix_power,
    samples=lambda rng: [call(positive(rng), 0.3), call(positive(rng), 2)],
)
def fractional_matrix_power(A, t):
    """A to the power t."""


@fractional_matrix_power.vjp
def fractional_matrix_power_vjp(z, A, t, *, dz):
    n = np.shape(A)[-1]
    At = transpose(A)
    dA = linalg.fractional_matrix_power(stack_blocks(At, dz, At), t)[..., :n, n:]
    return dA, np.sum(dz * (linalg.logm(A) @ z).astype(z.dtype))


@fractional_matrix_power.jvp
def fractional_matrix_power_jvp(z, A, t, *, dA, dt):
    n = np.shape(A)[-1]
    both = linalg.fractional_matrix_power(stack_blocks(A, dA, A), t)
    return both[..., :n, n:] + dt * (linalg.logm(A) @ z).astype(z.dtype)


# ---------------------------------------------------------------- without derivatives

REFUSED = {
    linalg.funm: "scipy.linalg.funm takes any function; use expm, logm, sqrtm, sinm …, "
    "or give its derivative with custom_vjp",
    linalg.eig: "the eigenvectors of a matrix that is not symmetric have no rule; use "
    "eigh for symmetric matrices",
    linalg.eigvals: "the eigenvalues of a matrix that is not symmetric have no rule; "
    "use eigvalsh for symmetric matrices",
    linalg.schur: "the Schur form is not unique, and has no rule; use eigh or svd",
    linalg.hessenberg: "the Hessenberg form is not unique, and has no rule",
    linalg.ldl: "the pivoted LDL factorisation has no rule; use cholesky or eigh",
    linalg.rq: "RQ has no rule; use qr of the matrix with its rows reversed",
    linalg.polar: "polar has no rule; use u, s, vh = svd(a, full_matrices=False) and "
    "u @ vh",
    linalg.orth: "a basis of a range is not unique; use qr or svd",
    linalg.null_space: "a basis of a null space is not unique; use svd",
    linalg.lstsq: "lstsq has no rule; use pinv(a) @ b, or solve(a.T @ a, a.T @ b)",
    linalg.pinvh: "pinvh has no rule; use pinv",
    linalg.solveh_banded: "solveh_banded has no rule; use solve_banded",
    linalg.cho_solve_banded: "cho_solve_banded has no rule; use solve_banded",
    linalg.cholesky_banded: "cholesky_banded has no rule; use cholesky",
    linalg.solve_toeplitz: "solve_toeplitz has no rule; use solve(toeplitz(c, r), b)",
    linalg.solve_circulant: "solve_circulant has no rule; use solve(circulant(c), b)",
    linalg.matrix_balance: "balancing permutes and scales by powers of two; it has no "
    "rule",
}
for _target, _reason in REFUSED.items():
    primitive(_target, refusal=_reason)(_target)
