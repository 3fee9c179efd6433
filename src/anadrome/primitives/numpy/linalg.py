"""numpy.linalg: inverses, determinants, powers and least squares.

The formulas for complex matrices are those of the plain, unconjugated transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.numpy.predicates import numbers, of_any
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal


def regular(rng: np.random.Generator, *shape: int) -> Any:
    """Real matrices that are far from singular."""
    return rng.normal(size=shape) + 3 * np.eye(shape[-2], shape[-1])


def regular_complex(rng: np.random.Generator, *shape: int) -> Any:
    """Complex matrices that are far from singular."""
    return complex_normal(rng, *shape) + 3 * np.eye(shape[-2], shape[-1])


def matrix_samples(rng: np.random.Generator) -> list[Any]:
    """One matrix, several, and complex ones."""
    return [
        (regular(rng, 3, 3),),
        (regular(rng, 2, 3, 3),),
        (regular(rng, 1, 1),),
        (regular_complex(rng, 3, 3),),
    ]


def adjoint(x: Any) -> Any:
    """The conjugate transpose of matrices."""
    return np.conj(x.mT)


def as_matrices(x: Any) -> Any:
    """`x` with two more axes at the end, to multiply matrices by."""
    return np.expand_dims(x, (-2, -1))


# --- inverse and solution ----------------------------------------------------------


@primitive(np.linalg.inv, samples=matrix_samples)
def inv(a):
    """Inverse of a matrix."""


@inv.vjp
def inv_vjp(z, a, *, dz):
    return -(z.mT @ dz @ z.mT)


@inv.jvp
def inv_jvp(z, a, *, da):
    return -(z @ da @ z)


@primitive(
    np.linalg.solve,
    samples=lambda rng: [
        (regular(rng, 3, 3), rng.normal(size=3)),
        (regular(rng, 3, 3), rng.normal(size=(3, 2))),
        (regular(rng, 2, 3, 3), rng.normal(size=(2, 3, 2))),
        (regular(rng, 2, 3, 3), rng.normal(size=(3, 2))),
        (regular(rng, 3, 3), rng.normal(size=(4, 3, 2))),
        (regular(rng, 2, 3, 3), rng.normal(size=3)),
        (regular_complex(rng, 3, 3), complex_normal(rng, 3, 2)),
        (regular(rng, 3, 3), complex_normal(rng, 3)),
    ],
)
def solve(a, b):
    """The solution x of a @ x = b."""


@solve.vjp
def solve_vjp(z, a, b, *, dz):
    if np.ndim(b) == 1:
        columns = np.linalg.solve(a.mT, np.expand_dims(dz, -1))
        da = sum_to_shape(-columns * np.expand_dims(z, -2), np.shape(a))
        return da, sum_to_shape(np.squeeze(columns, -1), np.shape(b))
    db = np.linalg.solve(a.mT, dz)
    return sum_to_shape(-db @ z.mT, np.shape(a)), sum_to_shape(db, np.shape(b))


@solve.jvp
def solve_jvp(z, a, b, *, da, db):
    if np.ndim(b) == 1:
        rest = np.expand_dims(db, -1) - da @ np.expand_dims(z, -1)
        return np.squeeze(np.linalg.solve(a, rest), -1)
    return np.linalg.solve(a, db - da @ z)


@primitive(
    np.linalg.tensorinv,
    samples=lambda rng: [
        (regular(rng, 6, 6).reshape(2, 3, 6),),
        call(regular(rng, 4, 4).reshape(4, 2, 2), ind=1),
    ],
)
def tensorinv(a, ind=2):
    """Inverse of a tensor as a matrix from its last axes to its first."""


@nondifferentiable
def matrix_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """The shape of a tensor as a square matrix."""
    side = round(np.prod(shape) ** 0.5)
    return side, side


@tensorinv.vjp
def tensorinv_vjp(z, a, ind, *, dz):
    square = matrix_of(np.shape(a))
    inverse = np.reshape(z, square)
    da = -(inverse.mT @ np.reshape(dz, square) @ inverse.mT)
    return np.reshape(da, np.shape(a))


@tensorinv.jvp
def tensorinv_jvp(z, a, ind, *, da):
    square = matrix_of(np.shape(a))
    inverse = np.reshape(z, square)
    return np.reshape(-(inverse @ np.reshape(da, square) @ inverse), np.shape(z))


@primitive(
    np.linalg.tensorsolve,
    samples=lambda rng: [
        (regular(rng, 6, 6).reshape(2, 3, 6), rng.normal(size=(2, 3))),
        (regular(rng, 4, 4).reshape(4, 2, 2), rng.normal(size=4)),
    ],
)
def tensorsolve(a, b):
    """The solution x of tensordot(a, x, x.ndim) = b."""


@tensorsolve.vjp
def tensorsolve_vjp(z, a, b, *, dz):
    matrix = np.reshape(a, matrix_of(np.shape(a)))
    db = np.linalg.solve(matrix.mT, np.ravel(dz))
    da = -np.outer(db, np.ravel(z))
    return np.reshape(da, np.shape(a)), np.reshape(db, np.shape(b))


@tensorsolve.jvp
def tensorsolve_jvp(z, a, b, *, da, db):
    square = matrix_of(np.shape(a))
    rest = np.ravel(db) - np.reshape(da, square) @ np.ravel(z)
    return np.reshape(np.linalg.solve(np.reshape(a, square), rest), np.shape(z))


# --- determinants ------------------------------------------------------------------


@primitive(np.linalg.det, samples=matrix_samples)
def det(a):
    """Determinant; the derivative asks for a regular matrix."""


@det.vjp
def det_vjp(z, a, *, dz):
    return as_matrices(dz * z) * np.linalg.inv(a).mT


@det.jvp
def det_jvp(z, a, *, da):
    return z * np.trace(np.linalg.solve(a, da), 0, -2, -1)


@primitive(np.linalg.slogdet, samples=matrix_samples)
def slogdet(a):
    """Sign of the determinant and logarithm of its absolute value."""


@slogdet.vjp
def slogdet_vjp(z, a, *, dz):
    dsign, dlog = dz
    inverse = np.linalg.inv(a).mT
    if np.iscomplexobj(a):
        turn = np.real(1j * dsign * z[0])
        return as_matrices(dlog - 1j * turn) * inverse
    return as_matrices(dlog) * inverse


@slogdet.jvp
def slogdet_jvp(z, a, *, da):
    dlog = np.trace(np.linalg.solve(a, da), 0, -2, -1)
    if np.iscomplexobj(a):
        return 1j * np.imag(dlog) * z[0], np.real(dlog)
    return np.zeros_like(z[0]), dlog


# --- powers and chains -------------------------------------------------------------


@primitive(
    np.linalg.matrix_power,
    fresh=False,
    samples=lambda rng: (
        [(regular(rng, 3, 3), n) for n in (0, 1, 2, 3, 5, -1, -3)]
        + [(regular(rng, 2, 2, 2), 3), (regular_complex(rng, 2, 2), -2)]
    ),
)
def matrix_power(a, n):
    """A matrix multiplied by itself n times."""


@matrix_power.vjp
def matrix_power_vjp(z, a, n, *, dz):
    if n == 0:
        return np.zeros_like(dz)
    if n > 0:
        return sum(
            np.linalg.matrix_power(a, k).mT
            @ dz
            @ np.linalg.matrix_power(a, n - 1 - k).mT
            for k in range(n)
        )
    return -sum(
        np.linalg.matrix_power(a, k).mT @ dz @ np.linalg.matrix_power(a, n - 1 - k).mT
        for k in range(n, 0)
    )


@matrix_power.jvp
def matrix_power_jvp(z, a, n, *, da):
    if n == 0:
        return np.zeros_like(da)
    if n > 0:
        return sum(
            np.linalg.matrix_power(a, k) @ da @ np.linalg.matrix_power(a, n - 1 - k)
            for k in range(n)
        )
    return -sum(
        np.linalg.matrix_power(a, k) @ da @ np.linalg.matrix_power(a, n - 1 - k)
        for k in range(n, 0)
    )


@primitive(
    np.linalg.multi_dot,
    sequences=("arrays",),
    samples=lambda rng: [
        ([rng.normal(size=(2, 3)), rng.normal(size=(3, 4))],),
        ([rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))],),
        ([rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=4)],),
        ([rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=4)],),
        ([rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))],),
        ([complex_normal(rng, 2, 3), complex_normal(rng, 3, 2)],),
    ],
)
def multi_dot(arrays):
    """The product of several matrices in the cheapest order."""


@nondifferentiable
def factor_shape(shape: tuple[int, ...], is_first: bool) -> tuple[int, ...]:
    """The shape of a factor as a matrix: a vector is a row at first, then a column."""
    if len(shape) == 2:
        return tuple(shape)
    return (1, shape[0]) if is_first else (shape[0], 1)


def as_factors(arrays: Any) -> Any:
    """All factors as matrices."""
    return [
        np.reshape(x, factor_shape(np.shape(x), i == 0)) for i, x in enumerate(arrays)
    ]


def chain(factors: Any, like: Any) -> Any:
    """The product of matrices; if there are none the identity.

    That is in single precision so that it takes on the precision of what it meets.
    """
    if len(factors) == 0:
        return np.eye(like, dtype=np.float32)
    return factors[0] if len(factors) == 1 else chain(factors[:-1], like) @ factors[-1]


@multi_dot.vjp
def multi_dot_vjp(z, arrays, *, dz):
    factors = as_factors(arrays)
    rows, columns = np.shape(factors[0])[0], np.shape(factors[-1])[1]
    whole = np.reshape(dz, (rows, columns))
    return [
        np.reshape(
            chain(factors[:k], rows).T @ whole @ chain(factors[k + 1 :], columns).T,
            np.shape(arrays[k]),
        )
        for k in range(len(arrays))
    ]


@multi_dot.jvp
def multi_dot_jvp(z, arrays, *, darrays):
    return sum(
        np.linalg.multi_dot([*arrays[:k], darrays[k], *arrays[k + 1 :]])
        for k in range(len(arrays))
    )


# --- least squares -----------------------------------------------------------------


@primitive(
    np.linalg.pinv,
    samples=lambda rng: [
        (rng.normal(size=(4, 3)),),
        (rng.normal(size=(3, 4)),),
        (regular(rng, 3, 3),),
        (rng.normal(size=(2, 4, 3)),),
        (complex_normal(rng, 4, 2),),
    ],
)
def pinv(a, rcond=None):
    """Pseudoinverse, of a matrix whose rank does not change nearby."""


def pinv_cotangent(p: Any, a: Any, dp: Any) -> Any:
    """The cotangent of a matrix from that of its pseudoinverse p.

    Golub and Pereyra (1973), eq. 4.12, transposed.
    """
    beside = dp - dp @ (a @ p).mT
    below = dp - (p @ a).mT @ dp
    return (
        -(p.mT @ dp @ p.mT)
        + adjoint((p @ adjoint(p)).mT @ beside)
        + adjoint(below @ (adjoint(p) @ p).mT)
    )


def pinv_tangent(p: Any, a: Any, da: Any) -> Any:
    """The tangent of the pseudoinverse p from that of its matrix."""
    turned = adjoint(da)
    left, right = p @ adjoint(p) @ turned, turned @ adjoint(p) @ p
    return -(p @ da @ p) + (left - left @ a @ p) + (right - p @ a @ right)


@pinv.vjp
def pinv_vjp(z, a, rcond, *, dz):
    return pinv_cotangent(z, a, dz)


@pinv.jvp
def pinv_jvp(z, a, rcond, *, da):
    return pinv_tangent(z, a, da)


@primitive(
    np.linalg.lstsq,
    samples=lambda rng: [
        (rng.normal(size=(5, 3)), rng.normal(size=5)),
        (rng.normal(size=(5, 3)), rng.normal(size=(5, 2))),
        (rng.normal(size=(3, 5)), rng.normal(size=3)),
        (regular(rng, 3, 3), rng.normal(size=(3, 2))),
        (complex_normal(rng, 5, 3), complex_normal(rng, 5)),
    ],
)
def lstsq(a, b, rcond=None):
    """Least squares: solution, squared residuals, rank and singular values."""


def as_columns(b: Any) -> Any:
    """A vector as a column; matrices as they are."""
    return np.expand_dims(b, 1) if np.ndim(b) == 1 else b


@lstsq.vjp
def lstsq_vjp(z, a, b, rcond, *, dz):
    dsolution, dresiduals, _, dsingular = dz
    dx, columns = as_columns(dsolution), as_columns(b)
    p = np.linalg.pinv(a)
    da = pinv_cotangent(p, a, dx @ columns.T)
    db = p.T @ dx
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    da = da + np.conj((u * dsingular) @ vh)
    if np.size(z[1]):
        # At the minimum the residual depends on the solution to second order only.
        rest = 2.0 * dresiduals * np.conj(columns - a @ as_columns(z[0]))
        da, db = da - rest @ as_columns(z[0]).T, db + rest
    return da, np.reshape(db, np.shape(b))


@lstsq.jvp
def lstsq_jvp(z, a, b, rcond, *, da, db):
    da = np.zeros_like(a) + da  # a matrix also where the tangent is zero
    columns, dcolumns = as_columns(b), as_columns(db)
    p = np.linalg.pinv(a)
    dx = pinv_tangent(p, a, da) @ columns + p @ dcolumns
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    dsingular = np.real(np.diagonal(adjoint(u) @ da @ adjoint(vh)))
    x = as_columns(z[0])
    rest = np.conj(columns - a @ x) * (dcolumns - da @ x)
    dresiduals = np.real(2.0 * np.sum(rest, axis=0))
    return (
        np.reshape(dx, np.shape(z[0])),
        dresiduals if np.size(z[1]) else np.zeros_like(z[1]),
        0,
        dsingular,
    )


matrix_rank = of_any(np.linalg.matrix_rank, samples=numbers(np.eye(3)))
