"""scipy.linalg: linear systems, inverses, determinants and norms.

Factorisations, matrix functions and structured matrices have files of their own, read
from here.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

import anadrome.primitives.scipy.linalg_factor
import anadrome.primitives.scipy.linalg_function
import anadrome.primitives.scipy.linalg_matrix  # noqa: F401  (registers rules)
from anadrome.primitives.helpers import nonzero, restore_axes, sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal, distinct
from anadrome.primitives.scipy.linalg_structure import (
    as_columns,
    as_given,
    as_read,
    as_vector,
    require,
    transpose,
    transposed_structure,
)

# ------------------------------------------------------------------- linear systems


def well_conditioned(rng, *shape):
    """Symmetric positive definite matrices with a little noise on top."""
    m = rng.normal(size=shape)
    noise = 0.1 * rng.normal(size=shape)
    return m @ np.swapaxes(m, -1, -2) + 2 * np.eye(shape[-1]) + noise


def solve_samples(rng):
    a = well_conditioned(rng, 3, 3)
    stack = well_conditioned(rng, 2, 3, 3)
    b = rng.normal(size=(3, 2))
    structures = ["sym", "pos", "her", "gen", "upper triangular", "lower triangular"]
    return [
        call(a, rng.normal(size=3)),
        call(a, b),
        call(stack, rng.normal(size=(2, 3, 2))),
        call(stack, b),
        call(stack, rng.normal(size=3)),
        call(a, b, transposed=True),
        call(a + 1j * complex_normal(rng, 3, 3), complex_normal(rng, 3)),
        *(call(a, b, assume_a=s, lower=lo) for s in structures for lo in (0, 1)),
        call(a, b, assume_a="tridiagonal"),
        call(a, b, assume_a="diagonal"),
    ]


@primitive(linalg.solve, samples=solve_samples)
def solve(a, b, lower=False, *, check_finite=True, assume_a=None, transposed=False):
    """The solution x of a @ x = b."""


@solve.vjp
def solve_vjp(z, a, b, lower, check_finite, assume_a, transposed, *, dz):
    vector = np.ndim(b) == 1
    columns = as_columns(dz, vector)
    if transposed:
        db = linalg.solve(a, columns, lower=lower, assume_a=assume_a)
        da = -as_columns(z, vector) @ transpose(db)
    else:
        flipped = transposed_structure(assume_a)
        db = linalg.solve(transpose(a), columns, lower=not lower, assume_a=flipped)
        da = -db @ transpose(as_columns(z, vector))
    da = sum_to_shape(as_given(da, assume_a, lower), np.shape(a))
    return da, sum_to_shape(as_vector(db, vector), np.shape(b))


@solve.jvp
def solve_jvp(z, a, b, lower, check_finite, assume_a, transposed, *, da, db):
    vector = np.ndim(b) == 1
    change = as_read(da, assume_a, lower)
    change = transpose(change) if transposed else change
    columns = as_columns(db, vector) - change @ as_columns(z, vector)
    dz = linalg.solve(a, columns, lower=lower, assume_a=assume_a, transposed=transposed)
    return as_vector(dz, vector)


def triangular_samples(rng):
    a = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    b = rng.normal(size=(3, 2))
    c = a + 1j * complex_normal(rng, 3, 3)
    return [
        call(a, rng.normal(size=3)),
        call(a, b),
        *(call(a, b, trans=t, lower=lo) for t in (1, "T", 2) for lo in (False, True)),
        call(a, b, lower=True, unit_diagonal=True),
        *(call(c, complex_normal(rng, 3), trans=t) for t in ("N", "T", "C")),
        call(rng.normal(size=(2, 3, 3)) + 3 * np.eye(3), rng.normal(size=(2, 3, 2))),
    ]


@primitive(linalg.solve_triangular, samples=triangular_samples)
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True
):
    """The solution x of a @ x = b, where a is triangular."""


@nondifferentiable
def transposition(trans):
    """Whether `trans` transposes the matrix, and whether it conjugates it."""
    return trans in (1, 2, "T", "C"), trans in (2, "C")


def triangle(x, lower, unit_diagonal):
    """The entries of a triangular matrix that a solver reads."""
    if unit_diagonal:
        return np.tril(x, -1) if lower else np.triu(x, 1)
    return np.tril(x) if lower else np.triu(x)


@solve_triangular.vjp
def solve_triangular_vjp(z, a, b, trans, lower, unit_diagonal, check_finite, *, dz):
    transposed, conjugated = transposition(trans)
    vector = np.ndim(b) == 1
    seen = np.conj(a) if conjugated else a
    back = 0 if transposed else 1
    db = linalg.solve_triangular(
        seen, dz, trans=back, lower=lower, unit_diagonal=unit_diagonal
    )
    x, y = as_columns(z, vector), as_columns(db, vector)
    da = -x @ transpose(y) if transposed else -y @ transpose(x)
    da = triangle(np.conj(da) if conjugated else da, lower, unit_diagonal)
    return sum_to_shape(da, np.shape(a)), sum_to_shape(db, np.shape(b))


@solve_triangular.jvp
def solve_triangular_jvp(z, a, b, trans, lower, unit_diagonal, check_finite, *, da, db):
    transposed, conjugated = transposition(trans)
    vector = np.ndim(b) == 1
    change = triangle(np.conj(da) if conjugated else da, lower, unit_diagonal)
    change = transpose(change) if transposed else change
    columns = as_columns(db, vector) - change @ as_columns(z, vector)
    dz = linalg.solve_triangular(
        a, columns, trans=trans, lower=lower, unit_diagonal=unit_diagonal
    )
    return as_vector(dz, vector)


# A banded matrix is stored by its diagonals: ab[u + i - j, j] == a[i, j].


@nondifferentiable
def band_offsets(l_and_u):
    """How far below the diagonal each row of a banded matrix stands."""
    lower, upper = l_and_u
    return list(range(-upper, lower + 1))


@nondifferentiable
def band_mask(l_and_u, n):
    """Which entries of the banded form belong to the matrix."""
    rows = np.array(band_offsets(l_and_u))[:, None] + np.arange(n)
    return (rows >= 0) & (rows < n)


def banded_samples(rng):
    ab = rng.normal(size=(4, 5))
    ab[1] += 5
    return [
        call((2, 1), ab, rng.normal(size=5)),
        call((2, 1), ab, rng.normal(size=(5, 2))),
        call((0, 1), np.stack([ab[0], ab[1]]), rng.normal(size=5)),
        call((1, 1), ab[:3], rng.normal(size=5)),
    ]


@primitive(linalg.solve_banded, samples=banded_samples)
def solve_banded(l_and_u, ab, b, *, check_finite=True):
    """The solution x of a @ x = b, where a is given by its diagonals."""


@solve_banded.vjp
def solve_banded_vjp(z, l_and_u, ab, b, check_finite, *, dz):
    offsets = band_offsets(l_and_u)
    flipped = np.stack(
        [np.roll(ab[-1 - i], k) for i, k in enumerate(reversed(offsets))]
    )
    db = linalg.solve_banded((l_and_u[1], l_and_u[0]), flipped, dz)
    vector = np.ndim(b) == 1
    x, y = as_columns(z, vector), as_columns(db, vector)
    dab = np.stack([-np.sum(np.roll(y, -k, axis=0) * x, axis=1) for k in offsets])
    return np.where(band_mask(l_and_u, np.shape(ab)[1]), dab, 0), db


@solve_banded.jvp
def solve_banded_jvp(z, l_and_u, ab, b, check_finite, *, dab, db):
    vector = np.ndim(b) == 1
    x = as_columns(z, vector)
    inside = np.where(band_mask(l_and_u, np.shape(ab)[1]), dab, 0)
    offsets = band_offsets(l_and_u)
    change = [np.roll(inside[i][:, None] * x, k, axis=0) for i, k in enumerate(offsets)]
    columns = as_columns(db, vector) - np.sum(np.stack(change), axis=0)
    return as_vector(linalg.solve_banded(l_and_u, ab, columns), vector)


# --------------------------------------------------- matrix equations, Sylvester's &c.


def matrices(rng, *shapes):
    """Random matrices, the square ones far from singular."""
    return [
        rng.normal(size=s) + (4 * np.eye(s[-1]) if s[-1] == s[-2] else 0)
        for s in shapes
    ]


@primitive(
    linalg.solve_sylvester,
    samples=lambda rng: [
        call(*matrices(rng, (3, 3), (2, 2), (3, 2))),
        call(*matrices(rng, (2, 3, 3), (2, 3, 3), (2, 3, 3))),
        call(*(complex_normal(rng, 2, 2) + 4 * np.eye(2) for _ in range(3))),
    ],
)
def solve_sylvester(a, b, q):
    """The solution x of a @ x + x @ b = q."""


@solve_sylvester.vjp
def solve_sylvester_vjp(z, a, b, q, *, dz):
    dq = linalg.solve_sylvester(transpose(a), transpose(b), dz)
    return -dq @ transpose(z), -transpose(z) @ dq, dq


@solve_sylvester.jvp
def solve_sylvester_jvp(z, a, b, q, *, da, db, dq):
    return linalg.solve_sylvester(a, b, dq - da @ z - z @ db)


def lyapunov_samples(rng):
    return [
        call(0.2 * rng.normal(size=(3, 3)) + 0.4 * np.eye(3), rng.normal(size=(3, 3)))
    ]


@primitive(linalg.solve_continuous_lyapunov, samples=lyapunov_samples)
def solve_continuous_lyapunov(a, q):
    """The solution x of a @ x + x @ a.T = q, for real a."""


@solve_continuous_lyapunov.vjp
def solve_continuous_lyapunov_vjp(z, a, q, *, dz):
    require_real(a)
    dq = linalg.solve_continuous_lyapunov(transpose(a), dz)
    return -dq @ transpose(z) - transpose(dq) @ z, dq


@solve_continuous_lyapunov.jvp
def solve_continuous_lyapunov_jvp(z, a, q, *, da, dq):
    require_real(a)
    return linalg.solve_continuous_lyapunov(a, dq - da @ z - z @ transpose(da))


@primitive(linalg.solve_discrete_lyapunov, samples=lyapunov_samples)
def solve_discrete_lyapunov(a, q, method=None):
    """The solution x of a @ x @ a.T - x + q = 0, for real a."""


@solve_discrete_lyapunov.vjp
def solve_discrete_lyapunov_vjp(z, a, q, method, *, dz):
    require_real(a)
    dq = linalg.solve_discrete_lyapunov(transpose(a), dz, method)
    return dq @ a @ transpose(z) + transpose(dq) @ a @ z, dq


@solve_discrete_lyapunov.jvp
def solve_discrete_lyapunov_jvp(z, a, q, method, *, da, dq):
    require_real(a)
    half = da @ z @ transpose(a)
    other = a @ z @ transpose(da)
    return linalg.solve_discrete_lyapunov(a, dq + half + other, method)


@nondifferentiable
def require_real(a):
    """Refuse complex matrices."""
    require(
        not np.iscomplexobj(a),
        "the derivative of a Lyapunov equation is implemented for real matrices only",
        "use scipy.linalg.solve_sylvester(a, a.conj().T, q)",
    )


# --------------------------------------------------------- inverses and determinants


@primitive(
    linalg.inv,
    samples=lambda rng: [
        call(well_conditioned(rng, 3, 3)),
        call(well_conditioned(rng, 2, 3, 3)),
        call(complex_normal(rng, 3, 3) + 4 * np.eye(3)),
        *(
            call(well_conditioned(rng, 3, 3), assume_a=s, lower=lower)
            for s in ("sym", "pos", "upper triangular", "lower triangular")
            for lower in (False, True)
        ),
    ],
)
def inv(a, *, check_finite=True, assume_a=None, lower=False):
    """The inverse of a square matrix."""


@inv.vjp
def inv_vjp(z, a, check_finite, assume_a, lower, *, dz):
    zt = transpose(z)
    return as_given(-zt @ dz @ zt, assume_a, lower)


@inv.jvp
def inv_jvp(z, a, check_finite, assume_a, lower, *, da):
    return -z @ as_read(da, assume_a, lower) @ z


@primitive(
    linalg.pinv,
    samples=lambda rng: [
        call(rng.normal(size=(4, 3))),
        call(rng.normal(size=(3, 4))),
        call(rng.normal(size=(3, 3))),
        call(rng.normal(size=(2, 4, 3))),
    ],
)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """The pseudo-inverse of a real matrix."""


# Golub and Pereyra (1973), eq. 4.12: the rank must not change nearby.


@nondifferentiable
def require_plain_pinv(a, return_rank):
    """Refuse complex matrices and the second result of pinv."""
    require(
        not return_rank and not np.iscomplexobj(a),
        "the derivative of pinv is implemented for real matrices and one result",
        "leave return_rank=False, and compute the rank separately",
    )


@pinv.vjp
def pinv_vjp(z, a, atol, rtol, return_rank, check_finite, *, dz):
    require_plain_pinv(a, return_rank)
    zt, dzt = transpose(z), transpose(dz)
    left, right = dzt @ z @ zt, zt @ z @ dzt
    return -zt @ dz @ zt + left - a @ z @ left + right - right @ z @ a


@pinv.jvp
def pinv_jvp(z, a, atol, rtol, return_rank, check_finite, *, da):
    require_plain_pinv(a, return_rank)
    zt, dat = transpose(z), transpose(da)
    left, right = z @ zt @ dat, dat @ zt @ z
    return -z @ da @ z + left - left @ a @ z + right - z @ a @ right


@primitive(
    linalg.det,
    samples=lambda rng: [
        call(rng.normal(size=(3, 3))),
        call(rng.normal(size=(2, 3, 3))),
        call(complex_normal(rng, 3, 3)),
    ],
)
def det(a, *, check_finite=True):
    """The determinant of a square matrix."""


@det.vjp
def det_vjp(z, a, check_finite, *, dz):
    return np.expand_dims(dz * z, (-2, -1)) * transpose(linalg.inv(a))


@det.jvp
def det_jvp(z, a, check_finite, *, da):
    return z * np.trace(linalg.solve(a, da), axis1=-2, axis2=-1)


# ----------------------------------------------------------------------------- norms


@nondifferentiable
def norm_kind(ndim, ord, axis):
    """Which formula a norm's derivative takes."""
    axes = 2 if axis is None and ndim == 2 else np.size(axis)
    if ord is None or ord == "fro" or (axes == 1 and ord == 2):
        return "euclidean"
    if axes == 1 and ord != 0:
        return "extreme" if np.isinf(ord) else "power"
    whole = axis is None and ndim == 2
    if whole and ord in (1, -1, np.inf, -np.inf):
        return "sums"
    if whole and ord in ("nuc", 2, -2):
        return "singular"
    require(
        False,
        f"norm with ord={ord!r}, axis={axis!r} has no derivative here",
        "loop over the matrices, and call norm without an axis",
    )


def norm_samples(rng):
    v, m = distinct(rng, 5), distinct(rng, 3, 4)
    return [
        call(v),
        call(m),
        call(rng.normal(size=(2, 3, 4)), axis=(0, 2)),
        call(m, axis=0),
        call(m, axis=1, keepdims=True),
        call(complex_normal(rng, 3)),
        *(call(v, ord=p) for p in (1, 2, 3, 2.5, np.inf, -np.inf)),
        *(call(m, ord=p, axis=1) for p in (1, 3, np.inf)),
        *(call(m, ord=p) for p in (1, -1, np.inf, -np.inf, 2, -2, "nuc", "fro")),
        call(m, ord=1, keepdims=True),
    ]


@primitive(linalg.norm, samples=norm_samples)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """A norm of a matrix or of vectors."""


def norm_direction(z, a, ord, axis, keepdims):
    """The direction in which the norm grows fastest, 0 where the norm is 0.

    Where several entries or lines reach a maximum, they share it equally.
    """
    if ord is None:
        return a / nonzero(restore_axes(z, axis, keepdims))
    kind = norm_kind(np.ndim(a), ord, axis)
    length = restore_axes(z, axis, keepdims)
    if kind == "euclidean":
        return a / nonzero(length)
    if kind == "power":
        return np.sign(a) * (np.abs(a) / nonzero(length)) ** (ord - 1)
    if kind == "extreme":
        signs = np.where(np.abs(a) == length, np.sign(a), 0)
        return signs / nonzero(np.sum(np.abs(signs), axis=axis, keepdims=True))
    if kind == "sums":
        across = 0 if ord in (1, -1) else 1
        sums = np.sum(np.abs(a), axis=across, keepdims=True)
        reached = np.where(np.isclose(sums, length, rtol=1e-12, atol=0), sums, 0)
        return np.sign(a) * reached / nonzero(np.sum(reached))
    u, _, vh = linalg.svd(a, full_matrices=False)
    if ord == "nuc":
        return u @ vh
    k = 0 if ord == 2 else -1
    return np.outer(u[:, k], vh[k])


@norm.vjp
def norm_vjp(z, a, ord, axis, keepdims, check_finite, *, dz):
    direction = norm_direction(z, a, ord, axis, keepdims)
    return np.conj(direction) * restore_axes(dz, axis, keepdims)


@norm.jvp
def norm_jvp(z, a, ord, axis, keepdims, check_finite, *, da):
    change = np.conj(norm_direction(z, a, ord, axis, keepdims)) * da
    return np.sum(np.real(change), axis=axis, keepdims=keepdims)
