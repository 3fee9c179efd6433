"""scipy.linalg: matrices built from blocks, diagonals and columns."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.scipy.linalg_structure import require

# ---------------------------------------------------------------------------- blocks


@nondifferentiable
def block_places(shapes):
    """Where each block stands in a block diagonal matrix, and its shape."""
    places = []
    row = column = 0
    for shape in shapes:
        block = (1, 1, *shape)[-2:] if len(shape) < 2 else shape
        m, n = block[-2:]
        at = (..., slice(row, row + m), slice(column, column + n))
        places.append((at, block))
        row, column = row + m, column + n
    return places


@primitive(
    linalg.block_diag,
    samples=lambda rng: [
        call(rng.normal(size=(2, 3))),
        call(rng.normal(size=(2, 2)), rng.normal(size=(1, 3)), rng.normal(size=2)),
        call(rng.normal(size=(2, 2)), float(rng.normal())),
    ],
)
def block_diag(*arrs):
    """The matrix with `arrs` along its diagonal."""


@block_diag.vjp
def block_diag_vjp(z, arrs, *, dz):
    shapes = [np.shape(a) for a in arrs]
    return tuple(
        np.reshape(sum_to_shape(dz[at], block), shape)
        for shape, (at, block) in zip(shapes, block_places(shapes))
    )


@block_diag.jvp
def block_diag_jvp(z, arrs, *, darrs):
    return linalg.block_diag(*darrs)


@primitive(
    linalg.khatri_rao,
    samples=lambda rng: [call(rng.normal(size=(2, 3)), rng.normal(size=(4, 3)))],
)
def khatri_rao(a, b):
    """The Kronecker products of the columns of two matrices."""


@khatri_rao.vjp
def khatri_rao_vjp(z, a, b, *, dz):
    (m, columns), n = np.shape(a), np.shape(b)[0]
    products = np.reshape(dz, (m, n, columns))  # [i, k, j] belongs to a[i, j] b[k, j]
    da = np.sum(products * b, axis=1)
    db = np.sum(products * np.expand_dims(a, 1), axis=0)
    return da, db


@khatri_rao.jvp
def khatri_rao_jvp(z, a, b, *, da, db):
    return linalg.khatri_rao(da, b) + linalg.khatri_rao(a, db)


# ---------------------------------------------- constant diagonals or antidiagonals


@nondifferentiable
def require_vectors(name, c, r):
    """Refuse stacks of Toeplitz, Hankel and circulant matrices."""
    require(
        len(c) == 1 and (r is None or len(r) == 1),
        f"the derivative of {name} is implemented for vectors only",
        "build the matrices one at a time",
    )


def antidiagonal_sums(x):
    """The sums over i + j = 0, 1, … of a matrix."""
    m, n = np.shape(x)
    # A row padded by m zeros and cut to one entry less moves right by one each time.
    padded = np.pad(x, ((0, 0), (0, m)))
    skewed = np.reshape(np.ravel(padded)[: m * (m + n - 1)], (m, m + n - 1))
    return np.sum(skewed, axis=0)


def diagonal_sums(x):
    """The sums over j - i = 1 - m, …, n - 1 of an m by n matrix."""
    return antidiagonal_sums(x[::-1])


def after_zero(x):
    """`x` with a zero in front."""
    return np.pad(x, (1, 0))


@primitive(
    linalg.toeplitz,
    samples=lambda rng: [
        call(rng.normal(size=3)),
        call(rng.normal(size=3), rng.normal(size=4)),
        call(rng.normal(size=4), rng.normal(size=2)),
    ],
)
def toeplitz(c, r=None):
    """The matrix with first column c, first row r and constant diagonals."""


@toeplitz.vjp
def toeplitz_vjp(z, c, r, *, dz):
    require_vectors("toeplitz", np.shape(c), None if r is None else np.shape(r))
    m = np.shape(c)[0]
    sums = diagonal_sums(dz)
    left, right = sums[:m][::-1], after_zero(sums[m:])
    if r is None:
        return left + np.conj(right), 0.0
    return left, right


@toeplitz.jvp
def toeplitz_jvp(z, c, r, *, dc, dr):
    return linalg.toeplitz(dc) if r is None else linalg.toeplitz(dc, dr)


@primitive(
    linalg.hankel,
    samples=lambda rng: [
        call(rng.normal(size=3)),
        call(rng.normal(size=3), rng.normal(size=4)),
        call(rng.normal(size=4), rng.normal(size=2)),
    ],
)
def hankel(c, r=None):
    """The matrix with first column c, last row r and constant antidiagonals."""


@hankel.vjp
def hankel_vjp(z, c, r, *, dz):
    require_vectors("hankel", np.shape(c), None if r is None else np.shape(r))
    m = np.shape(c)[0]
    sums = antidiagonal_sums(dz)
    return sums[:m], 0.0 if r is None else after_zero(sums[m:])


@hankel.jvp
def hankel_jvp(z, c, r, *, dc, dr):
    return linalg.hankel(dc) if r is None else linalg.hankel(dc, dr)


@primitive(
    linalg.circulant,
    samples=lambda rng: [call(rng.normal(size=4)), call(rng.normal(size=1))],
)
def circulant(c):
    """The matrix whose columns are c, moved down by one each time."""


@circulant.vjp
def circulant_vjp(z, c, *, dz):
    require_vectors("circulant", np.shape(c), None)
    n = np.shape(c)[0]
    sums = diagonal_sums(dz)
    return sums[:n][::-1] + after_zero(sums[n:][::-1])


@circulant.jvp
def circulant_jvp(z, c, *, dc):
    return linalg.circulant(dc)
