"""scipy.linalg: Cholesky, LU, QR, singular values and symmetric eigenvalues."""

from __future__ import annotations

import functools

import numpy as np
from scipy import linalg

from anadrome.infer.examples import result_type
from anadrome.primitives.helpers import nonzero
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal
from anadrome.primitives.scipy.linalg_structure import (
    adjoint,
    as_columns,
    as_vector,
    half_lower,
    half_triangle,
    require,
    transpose,
)

# -------------------------------------------------------------------------- Cholesky


def positive_definite(rng, *shape):
    """Symmetric matrices far from singular, with noise that breaks the symmetry."""
    m = rng.normal(size=shape)
    noise = 0.01 * rng.normal(size=shape)
    return m @ np.swapaxes(m, -1, -2) + 2 * np.eye(shape[-1]) + noise


def hermitian(rng, n):
    """A complex Hermitian positive definite matrix."""
    m = complex_normal(rng, n, n)
    return m @ m.conj().T + 2 * np.eye(n)


def cholesky_samples(rng):
    return [
        call(positive_definite(rng, 3, 3)),
        call(positive_definite(rng, 3, 3), lower=True),
        call(positive_definite(rng, 2, 3, 3), lower=True),
        call(hermitian(rng, 3), lower=True),
        call(hermitian(rng, 3)),
    ]


@primitive(linalg.cholesky, samples=cholesky_samples)
def cholesky(a, lower=False, *, check_finite=True):
    """The triangular factor of a positive definite matrix, read from one triangle."""


# Murray, "Differentiation of the Cholesky decomposition" (2016), eqs. 8 and 10, with
# the gradient collected in the triangle that was read.


def cholesky_pullback(factor, dfactor, lower):
    """The cotangent of the matrix from that of its Cholesky factor."""
    l, dl = (factor, dfactor) if lower else (adjoint(factor), adjoint(dfactor))
    p = half_lower(transpose(l) @ dl)
    left = linalg.solve_triangular(l, p, trans=1, lower=True)
    s = transpose(
        linalg.solve_triangular(np.conj(l), transpose(left), trans=1, lower=True)
    )
    g = half_lower(s + adjoint(s))
    return g if lower else adjoint(g)


def cholesky_pushforward(factor, da, lower):
    """The tangent of the Cholesky factor from that of the matrix."""
    l, half = (
        (factor, half_lower(da))
        if lower
        else (adjoint(factor), half_lower(adjoint(da)))
    )
    left = linalg.solve_triangular(l, half + adjoint(half), lower=True)
    both = adjoint(linalg.solve_triangular(l, adjoint(left), lower=True))
    dl = l @ half_lower(both)
    return dl if lower else adjoint(dl)


@cholesky.vjp
def cholesky_vjp(z, a, lower, check_finite, *, dz):
    return cholesky_pullback(z, dz, lower)


@cholesky.jvp
def cholesky_jvp(z, a, lower, check_finite, *, da):
    return cholesky_pushforward(z, da, lower)


# cho_factor leaves the unread triangle of `a` in the other half of its result, or
# zeros: that depends on the version of SciPy.


@nondifferentiable
@functools.cache
def leaves_unread(lower: bool) -> bool:
    """Whether the other half of what cho_factor returns is as it was given."""
    c, _ = linalg.cho_factor(np.array([[4.0, 1.0], [1.0, 4.0]]), lower)
    return bool(np.any(unread_part(c, lower)))


@primitive(linalg.cho_factor, samples=cholesky_samples)
def cho_factor(a, lower=False, *, check_finite=True):
    """A Cholesky factor and whether it is lower, for cho_solve."""


def factor_part(c, lower):
    """The triangle that holds a factor."""
    return np.tril(c) if lower else np.triu(c)


def unread_part(c, lower):
    """The triangle that holds what was there before."""
    return np.triu(c, 1) if lower else np.tril(c, -1)


@cho_factor.vjp
def cho_factor_vjp(z, a, lower, check_finite, *, dz):
    da = cholesky_pullback(factor_part(z[0], lower), factor_part(dz[0], lower), lower)
    return da + unread_part(dz[0], lower) if leaves_unread(lower) else da


@cho_factor.jvp
def cho_factor_jvp(z, a, lower, check_finite, *, da):
    dc = cholesky_pushforward(factor_part(z[0], lower), da, lower)
    return dc + unread_part(da, lower) if leaves_unread(lower) else dc, 0.0


def cho_solve_samples(rng):
    a, b = positive_definite(rng, 3, 3), rng.normal(size=(3, 2))
    return [
        call(linalg.cho_factor(a), rng.normal(size=3)),
        call(linalg.cho_factor(a), b),
        call(linalg.cho_factor(a, lower=True), b),
        call(linalg.cho_factor(hermitian(rng, 3), lower=True), complex_normal(rng, 3)),
        call(linalg.cho_factor(hermitian(rng, 3)), complex_normal(rng, 3)),
    ]


@primitive(linalg.cho_solve, sequences=("c_and_lower",), samples=cho_solve_samples)
def cho_solve(c_and_lower, b, *, check_finite=True):
    """The solution of a linear system from a Cholesky factor."""


@cho_solve.vjp
def cho_solve_vjp(z, c_and_lower, b, check_finite, *, dz):
    c, lower = c_and_lower
    vector = np.ndim(b) == 1
    db = np.conj(linalg.cho_solve(c_and_lower, np.conj(dz)))
    da = -as_columns(db, vector) @ transpose(as_columns(z, vector))
    both = da + adjoint(da)
    factor = np.conj(factor_part(c, lower))
    dc = factor_part(both @ factor if lower else factor @ both, lower)
    return (dc, 0.0), db


@cho_solve.jvp
def cho_solve_jvp(z, c_and_lower, b, check_finite, *, dc_and_lower, db):
    c, lower = c_and_lower
    vector = np.ndim(b) == 1
    x = as_columns(z, vector)
    factor, change = factor_part(c, lower), factor_part(dc_and_lower[0], lower)
    if lower:
        moved = change @ (adjoint(factor) @ x) + factor @ (adjoint(change) @ x)
    else:
        moved = adjoint(change) @ (factor @ x) + adjoint(factor) @ (change @ x)
    dz = linalg.cho_solve(c_and_lower, as_columns(db, vector) - moved)
    return as_vector(dz, vector)


# -------------------------------------------------------------------------------- LU
# With PᵀA = LU and F = L⁻¹ Pᵀ dA U⁻¹: dL = L tril(F, -1) and dU = triu(F) U.


@nondifferentiable
def require_square(shape):
    """Refuse stacks and oblong matrices."""
    require(
        len(shape) == 2 and shape[0] == shape[1],
        f"the derivative of an LU factorisation of shape {shape} is not implemented",
        "factorise square matrices one at a time",
    )


@nondifferentiable
def row_order(pivots):
    """The order of rows that LAPACK's interchanges lead to, and its inverse."""
    order = np.arange(len(pivots))
    for i, p in enumerate(pivots):
        order[[i, p]] = order[[p, i]]
    return order, np.argsort(order)


@nondifferentiable
def order_of(permutation):
    """The row order that a permutation matrix stands for, and its inverse."""
    order = np.argmax(permutation, axis=0)
    return order, np.argsort(order)


def lu_pullback(lu, dlu):
    """The cotangent of the matrix with permuted rows."""
    lt, ut = transpose(np.tril(lu, -1)), transpose(np.triu(lu))
    dl, du = np.tril(dlu, -1), np.triu(dlu)
    f = np.tril(lt @ dl + dl, -1) + np.triu(du @ ut)
    right = transpose(linalg.solve_triangular(np.triu(lu), transpose(f)))
    return linalg.solve_triangular(lu, right, trans=1, lower=True, unit_diagonal=True)


def lu_pushforward(lu, da):
    """The tangent of both factors from that of the matrix with permuted rows."""
    left = linalg.solve_triangular(lu, da, lower=True, unit_diagonal=True)
    f = transpose(linalg.solve_triangular(lu, transpose(left), trans=1))
    fl, fu = np.tril(f, -1), np.triu(f)
    return fl + np.tril(lu, -1) @ fl + fu @ np.triu(lu)


@primitive(
    linalg.lu_factor,
    samples=lambda rng: [call(rng.normal(size=(3, 3))), call(rng.normal(size=(4, 4)))],
)
def lu_factor(a, *, check_finite=True):
    """The factors of a square matrix in one array, and the row interchanges."""


@lu_factor.vjp
def lu_factor_vjp(z, a, check_finite, *, dz):
    require_square(np.shape(a))
    _, back = row_order(z[1])
    return lu_pullback(z[0], dz[0])[back]


@lu_factor.jvp
def lu_factor_jvp(z, a, check_finite, *, da):
    require_square(np.shape(a))
    order, _ = row_order(z[1])
    return lu_pushforward(z[0], da[order]), 0.0


def _solve_unpermuted(lu_and_piv, *args, **options):
    lu, piv = lu_and_piv
    return linalg.lu_solve((lu, np.zeros_like(piv)), *args, **options)


def lu_solve_type(*args, **keywords):
    """The type of a solution: LAPACK would follow row numbers out of the matrix."""
    return result_type(_solve_unpermuted, args, keywords)


@primitive(
    linalg.lu_solve,
    infer=lu_solve_type,
    sequences=("lu_and_piv",),
    samples=lambda rng: [
        call(linalg.lu_factor(rng.normal(size=(3, 3))), rng.normal(size=3)),
        call(linalg.lu_factor(rng.normal(size=(3, 3))), rng.normal(size=(3, 2))),
        call(linalg.lu_factor(rng.normal(size=(3, 3))), rng.normal(size=3), trans=1),
    ],
)
def lu_solve(lu_and_piv, b, trans=0, *, check_finite=True):
    """The solution of a linear system from LU factors."""


@nondifferentiable
def require_real_transpose(lu, trans):
    """Refuse the conjugate transpose of complex factors."""
    require(
        trans != 2 or not np.iscomplexobj(lu),
        "lu_solve with trans=2 has no derivative for complex matrices",
        "conjugate the right-hand side and the solution, and use trans=1",
    )


@lu_solve.vjp
def lu_solve_vjp(z, lu_and_piv, b, trans, check_finite, *, dz):
    lu, piv = lu_and_piv
    require_real_transpose(lu, trans)
    order, _ = row_order(piv)
    vector = np.ndim(b) == 1
    db = linalg.lu_solve(lu_and_piv, dz, trans=0 if trans else 1)
    x, y = as_columns(z, vector), as_columns(db, vector)
    da = (-x @ transpose(y) if trans else -y @ transpose(x))[order]
    dl = np.tril(da @ transpose(np.triu(lu)), -1)
    du = np.triu(da + transpose(np.tril(lu, -1)) @ da)
    return (dl + du, 0.0), db


@lu_solve.jvp
def lu_solve_jvp(z, lu_and_piv, b, trans, check_finite, *, dlu_and_piv, db):
    lu, piv = lu_and_piv
    require_real_transpose(lu, trans)
    _, back = row_order(piv)
    vector = np.ndim(b) == 1
    dl, du = np.tril(dlu_and_piv[0], -1), np.triu(dlu_and_piv[0])
    da = (dl @ np.triu(lu) + du + np.tril(lu, -1) @ du)[back]
    change = transpose(da) if trans else da
    columns = as_columns(db, vector) - change @ as_columns(z, vector)
    return as_vector(linalg.lu_solve(lu_and_piv, columns, trans=trans), vector)


@primitive(linalg.lu, samples=lambda rng: [call(rng.normal(size=(3, 3)))])
def lu(a, permute_l=False, *, check_finite=True, p_indices=False):
    """The permutation and the factors of a square matrix."""


@nondifferentiable
def require_plain_lu(shape, permute_l, p_indices):
    """Refuse the other forms of lu's result."""
    require_square(shape)
    require(
        not permute_l and not p_indices,
        "lu with permute_l or p_indices has no derivative here",
        "write p, l, u = scipy.linalg.lu(a), and use p @ l",
    )


@lu.vjp
def lu_vjp(z, a, permute_l, check_finite, p_indices, *, dz):
    require_plain_lu(np.shape(a), permute_l, p_indices)
    p, l, u = z
    _, back = order_of(p)
    return lu_pullback(np.tril(l, -1) + u, np.tril(dz[1], -1) + np.triu(dz[2]))[back]


@lu.jvp
def lu_jvp(z, a, permute_l, check_finite, p_indices, *, da):
    require_plain_lu(np.shape(a), permute_l, p_indices)
    p, l, u = z
    order, _ = order_of(p)
    change = lu_pushforward(np.tril(l, -1) + u, da[order])
    return np.zeros_like(p), np.tril(change, -1), np.triu(change)


# -------------------------------------------------------------------------------- QR


@nondifferentiable
def require_unique_qr(a, mode, pivoting):
    """Refuse the forms of QR whose factors are not determined by the matrix."""
    m, n = np.shape(a)[-2:]
    require(
        not pivoting and not np.iscomplexobj(a),
        "qr has a derivative for real matrices without pivoting",
        "leave pivoting=False",
    )
    require(
        mode == "economic" or (mode == "full" and m <= n),
        f"the factors of qr(mode={mode!r}) are not determined by a {m} by {n} matrix",
        'write scipy.linalg.qr(a, mode="economic")',
    )


@primitive(
    linalg.qr,
    samples=lambda rng: [
        call(rng.normal(size=(3, 3))),
        call(rng.normal(size=(4, 3)), mode="economic"),
        call(rng.normal(size=(3, 4))),
        call(rng.normal(size=(3, 4)), mode="economic"),
    ],
)
def qr(a, *, mode="full", pivoting=False, check_finite=True):
    """An orthogonal matrix q and a triangular one r with q @ r = a."""


def qr_pullback(q, r, dq, dr):
    """The cotangent of a matrix with at least as many rows as columns."""
    inner = np.tril(r @ transpose(np.triu(dr)) - transpose(dq) @ q)
    right = dq + q @ (inner + transpose(np.tril(inner, -1)))
    return transpose(linalg.solve_triangular(r, transpose(right)))


@qr.vjp
def qr_vjp(z, a, mode, pivoting, check_finite, *, dz):
    require_unique_qr(a, mode, pivoting)
    (q, r), (dq, dr) = z, dz
    m, n = np.shape(a)[-2:]
    if m >= n:
        return qr_pullback(q, r, dq, dr)
    # The columns beyond the square part are q @ r[:, m:].
    beyond = dr[..., m:]
    dq = dq + a[..., m:] @ transpose(beyond)
    left = qr_pullback(q, r[..., :m], dq, dr[..., :m])
    return np.concatenate([left, q @ beyond], axis=-1)


@qr.jvp
def qr_jvp(z, a, mode, pivoting, check_finite, *, da):
    require_unique_qr(a, mode, pivoting)
    q, r = z
    m, n = np.shape(a)[-2:]
    k = min(m, n)
    square = r[..., :k]
    step = transpose(linalg.solve_triangular(square, transpose(da[..., :k]), trans=1))
    c = transpose(q) @ step
    turn = np.tril(c, -1) - transpose(np.tril(c, -1))
    dq = step - q @ (c - turn)
    dr = (c - turn) @ square
    if m < n:
        beyond = transpose(dq) @ a[..., k:] + transpose(q) @ da[..., k:]
        dr = np.concatenate([dr, beyond], axis=-1)
    return dq, dr


# ------------------------------------------------------------------- singular values


def inverse_gaps(x):
    """1/(x[j] - x[i]) at [i, j], and 0 where the two are equal."""
    gaps = np.expand_dims(x, -2) - np.expand_dims(x, -1)
    return np.where(gaps == 0, 0, 1 / nonzero(gaps))


@nondifferentiable
def require_unique_svd(a, full_matrices):
    """Refuse the forms of the SVD whose vectors are not determined by the matrix."""
    m, n = np.shape(a)[-2:]
    require(
        not np.iscomplexobj(a),
        "the singular vectors of a complex matrix have a derivative up to phase only",
        "use svdvals, or split the matrix into its real and imaginary part",
    )
    require(
        not full_matrices or m == n,
        f"the full singular vectors of a {m} by {n} matrix are not determined by it",
        "write scipy.linalg.svd(a, full_matrices=False)",
    )


@primitive(
    linalg.svd,
    samples=lambda rng: [
        call(rng.normal(size=(3, 3))),
        call(rng.normal(size=(4, 3)), full_matrices=False),
        call(rng.normal(size=(3, 4)), full_matrices=False),
        call(rng.normal(size=(2, 4, 3)), full_matrices=False),
        call(rng.normal(size=(4, 3)), compute_uv=False),
    ],
)
def svd(
    a, full_matrices=True, compute_uv=True, *, check_finite=True, lapack_driver="gesdd"
):
    """The singular vectors and values u, s, vh of a matrix, or only s."""


@svd.vjp
def svd_vjp(z, a, full_matrices, compute_uv, check_finite, lapack_driver, *, dz):
    if not compute_uv:
        u, _, vh = linalg.svd(a, full_matrices=False)
        return np.conj((u * np.expand_dims(dz, -2)) @ vh)
    require_unique_svd(a, full_matrices)
    (u, s, vh), (du, ds, dvh) = z, dz
    m, n = np.shape(a)[-2:]
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    f = inverse_gaps(s * s)
    uu = transpose(u) @ du
    vv = vh @ transpose(dvh)
    inner = f * (uu - transpose(uu)) * row + column * f * (vv - transpose(vv))
    da = (u @ inner + u * np.expand_dims(ds, -2)) @ vh
    if m > n:
        da = da + ((du - u @ uu) / row) @ vh
    if n > m:
        da = da + u @ ((dvh - transpose(vv) @ vh) / column)
    return da


@svd.jvp
def svd_jvp(z, a, full_matrices, compute_uv, check_finite, lapack_driver, *, da):
    if not compute_uv:
        u, _, vh = linalg.svd(a, full_matrices=False)
        return np.real(np.sum(np.conj(u) * (da @ adjoint(vh)), axis=-2))
    require_unique_svd(a, full_matrices)
    u, s, vh = z
    v = transpose(vh)
    m, n = np.shape(a)[-2:]
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    f = inverse_gaps(s * s)
    p = transpose(u) @ da @ v
    pt = transpose(p)
    du = u @ (f * (p * row + column * pt))
    dv = v @ (f * (column * p + pt * row))
    if m > n:
        du = du + (da @ v - u @ p) / row
    if n > m:
        dv = dv + (transpose(da) @ u - v @ pt) / row
    return du, np.diagonal(p, axis1=-2, axis2=-1), transpose(dv)


@primitive(
    linalg.svdvals,
    samples=lambda rng: [
        call(rng.normal(size=(4, 3))),
        call(rng.normal(size=(3, 4))),
        call(complex_normal(rng, 3, 3)),
    ],
)
def svdvals(a, *, check_finite=True):
    """The singular values of a matrix."""


@svdvals.vjp
def svdvals_vjp(z, a, check_finite, *, dz):
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.conj((u * np.expand_dims(dz, -2)) @ vh)


@svdvals.jvp
def svdvals_jvp(z, a, check_finite, *, da):
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.real(np.sum(np.conj(u) * (da @ adjoint(vh)), axis=-2))


# ------------------------------------------------------------- symmetric eigenvalues


@nondifferentiable
def require_all_eigenvalues(b, subset_by_index, subset_by_value):
    """Refuse generalised problems and parts of the spectrum."""
    require(
        b is None,
        "the generalised eigenvalue problem eigh(a, b) has no derivative here",
        "factorise b = l @ l.T, and use eigh(inv(l) @ a @ inv(l).T)",
    )
    require(
        subset_by_index is None and subset_by_value is None,
        "a part of the spectrum has no derivative here",
        "compute all eigenvalues, and take the part from them",
    )


def eigh_samples(rng):
    # LAPACK's default driver chooses the signs of the eigenvectors anew each time.
    return [
        call(rng.normal(size=(3, 3)), driver="ev"),
        call(rng.normal(size=(3, 3)), lower=False, driver="ev"),
        call(rng.normal(size=(2, 3, 3)), driver="ev"),
    ]


@primitive(
    linalg.eigh,
    samples=lambda rng: [
        *eigh_samples(rng),
        call(rng.normal(size=(3, 3)), eigvals_only=True),
    ],
)
def eigh(
    a, b=None, *, lower=True, eigvals_only=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    """The eigenvalues and eigenvectors of a symmetric matrix, from one triangle."""


@eigh.vjp
def eigh_vjp(
    z, a, b, lower, eigvals_only, type, check_finite,
    subset_by_index, subset_by_value, driver, *, dz,
):  # fmt: skip
    require_all_eigenvalues(b, subset_by_index, subset_by_value)
    if eigvals_only:
        return eigvalsh_pullback(a, lower, dz)
    (w, v), (dw, dv) = z, dz
    vt = transpose(v)
    inner = inverse_gaps(w) * (vt @ dv)
    da = (np.conj(v) * np.expand_dims(dw, -2) + np.conj(v) @ inner) @ vt
    return half_triangle(da + adjoint(da), lower)


@eigh.jvp
def eigh_jvp(
    z, a, b, lower, eigvals_only, type, check_finite,
    subset_by_index, subset_by_value, driver, *, da,
):  # fmt: skip
    require_all_eigenvalues(b, subset_by_index, subset_by_value)
    if eigvals_only:
        return eigvalsh_pushforward(a, lower, da)
    w, v = z
    half = half_triangle(da, lower)
    p = adjoint(v) @ (half + adjoint(half)) @ v
    dw = np.real(np.diagonal(p, axis1=-2, axis2=-1))
    return dw, v @ (inverse_gaps(w) * p)


def eigvalsh_pullback(a, lower, dw):
    """The cotangent of a symmetric matrix from that of its eigenvalues."""
    _, v = linalg.eigh(a, lower=lower)
    da = (np.conj(v) * np.expand_dims(dw, -2)) @ transpose(v)
    return half_triangle(da + adjoint(da), lower)


def eigvalsh_pushforward(a, lower, da):
    """The tangent of the eigenvalues of a symmetric matrix."""
    _, v = linalg.eigh(a, lower=lower)
    half = half_triangle(da, lower)
    return np.real(np.sum(np.conj(v) * ((half + adjoint(half)) @ v), axis=-2))


@primitive(
    linalg.eigvalsh,
    samples=lambda rng: [*eigh_samples(rng), call(complex_normal(rng, 3, 3))],
)
def eigvalsh(
    a, b=None, *, lower=True, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    """The eigenvalues of a symmetric matrix, read from one triangle."""


@eigvalsh.vjp
def eigvalsh_vjp(
    z, a, b, lower, type, check_finite,
    subset_by_index, subset_by_value, driver, *, dz,
):  # fmt: skip
    require_all_eigenvalues(b, subset_by_index, subset_by_value)
    return eigvalsh_pullback(a, lower, dz)


@eigvalsh.jvp
def eigvalsh_jvp(
    z, a, b, lower, type, check_finite,
    subset_by_index, subset_by_value, driver, *, da,
):  # fmt: skip
    require_all_eigenvalues(b, subset_by_index, subset_by_value)
    return eigvalsh_pushforward(a, lower, da)
