"""Which entries of a matrix SciPy's solvers and factorisations look at.

A routine told that its matrix is symmetric or triangular reads one triangle only. Its
derivative in the other one is zero, whatever stands there.
"""

from __future__ import annotations

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import nondifferentiable

STRUCTURES = {
    "sym": "symmetric",
    "symmetric": "symmetric",
    "her": "hermitian",
    "hermitian": "hermitian",
    "pos": "hermitian",
    "positive definite": "hermitian",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
}


@nondifferentiable
def structure_of(assume_a):
    """What `assume_a` says about a matrix: "general" unless entries are left unread."""
    return STRUCTURES.get(assume_a, "general")


@nondifferentiable
def transposed_structure(assume_a):
    """The `assume_a` of the transposed matrix."""
    flipped = {
        "upper triangular": "lower triangular",
        "lower triangular": "upper triangular",
    }
    return flipped.get(assume_a, assume_a)


@nondifferentiable
def require(condition, message, way_out):
    """Refuse what a rule does not cover."""
    if not condition:
        raise NotDifferentiable(message, help=way_out)


def transpose(x):
    """The transposed matrices in a stack."""
    return np.swapaxes(x, -1, -2)


def adjoint(x):
    """The conjugate transposed matrices in a stack."""
    return np.conj(np.swapaxes(x, -1, -2))


def half_lower(x):
    """The lower triangle with half of the diagonal: `h + h.T` completes it."""
    return 0.5 * (np.tril(x) + np.tril(x, -1))


def half_upper(x):
    """The upper triangle with half of the diagonal: `h + h.T` completes it."""
    return 0.5 * (np.triu(x) + np.triu(x, 1))


def half_triangle(x, lower):
    """One triangle with half of the diagonal."""
    return half_lower(x) if lower else half_upper(x)


def as_read(da, assume_a, lower):
    """The change of the matrix that a routine sees when its argument changes by da."""
    structure = structure_of(assume_a)
    if structure == "general":
        return da
    if structure == "symmetric":
        half = half_triangle(da, lower)
        return half + transpose(half)
    if structure == "hermitian":
        half = half_triangle(da, lower)
        return half + adjoint(half)
    return only_read(da, structure)


def as_given(da, assume_a, lower):
    """The cotangent of a routine's argument from that of the matrix it sees."""
    structure = structure_of(assume_a)
    if structure == "general":
        return da
    if structure == "symmetric":
        return half_triangle(da + transpose(da), lower)
    if structure == "hermitian":
        return half_triangle(da + adjoint(da), lower)
    return only_read(da, structure)


def only_read(x, structure):
    """`x` without the entries that a triangular or banded structure ignores."""
    if structure == "upper":
        return np.triu(x)
    if structure == "lower":
        return np.tril(x)
    if structure == "diagonal":
        return np.triu(np.tril(x))
    return np.triu(np.tril(x, 1), -1)


def as_columns(x, vector):
    """A right-hand side as a matrix."""
    return np.expand_dims(x, -1) if vector else x


def as_vector(x, vector):
    """What `as_columns` made, undone."""
    return np.squeeze(x, -1) if vector else x
