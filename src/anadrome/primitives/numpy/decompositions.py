"""numpy.linalg: Cholesky, QR, eigenvalues and singular values.

Where NumPy reads one triangle of a symmetric matrix, that triangle alone has a
derivative. Where eigenvalues or singular values are equal, their vectors are not
unique; the part of a derivative that would mix them is left out, which is right for
every function that does not depend on the choice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import nonzero
from anadrome.primitives.numpy.diagonals import from_diagonal
from anadrome.primitives.numpy.linalg import (
    adjoint,
    matrix_samples,
    regular,
    regular_complex,
)
from anadrome.primitives.registry import (
    call,
    constant,
    nondifferentiable,
    primitive,
)
from anadrome.primitives.result_types import eig_type, eigenvalues_type
from anadrome.primitives.sampling import complex_normal


def on_diagonal(d: Any) -> Any:
    """The matrices with vectors on their diagonals."""
    n = np.shape(d)[-1]
    return from_diagonal(d, (*np.shape(d), n), 0, -2, -1)


@nondifferentiable
def half_mask(n: int, lower: bool, dtype: Any) -> Any:
    """1 inside a triangle, one half on the diagonal, 0 elsewhere."""
    mask = np.tri(n, dtype=dtype) - np.eye(n, dtype=dtype) / 2
    return (mask if lower else mask.T).astype(dtype)


def half_triangle(x: Any, lower: bool) -> Any:
    """One triangle of matrices, with half of the diagonal."""
    return x * half_mask(np.shape(x)[-1], lower, np.result_type(np.real(x)))


def symmetric_tangent(da: Any, lower: bool) -> Any:
    """The tangent of the Hermitian matrix of which one triangle was read."""
    half = half_triangle(da, lower)
    return half + adjoint(half)


def triangle_cotangent(ds: Any, lower: bool) -> Any:
    """The cotangent of the triangle from that of the Hermitian matrix."""
    return half_triangle(ds + adjoint(ds), lower)


# --- Cholesky ----------------------------------------------------------------------


def positive_samples(rng: np.random.Generator) -> list[Any]:
    """Positive definite matrices, real and complex."""
    a, b, c = regular(rng, 3, 3), regular(rng, 2, 3, 3), regular_complex(rng, 3, 3)
    return [(a @ a.mT,), (b @ b.mT,), (c @ np.conj(c.mT),)]


@primitive(
    np.linalg.cholesky,
    samples=lambda rng: [
        *positive_samples(rng),
        *(call(*sample, upper=True) for sample in positive_samples(rng)),
    ],
)
def cholesky(a, *, upper=False):
    """The triangular factor of a positive definite matrix."""


# Murray, "Differentiation of the Cholesky decomposition" (2016), eqs. 8 and 10.


@cholesky.vjp
def cholesky_vjp(z, a, upper, *, dz):
    factor, dfactor = (adjoint(z), adjoint(dz)) if upper else (z, dz)
    inner = half_triangle(factor.mT @ dfactor, True)
    left = np.linalg.solve(factor.mT, inner)
    ds = np.linalg.solve(adjoint(factor), left.mT).mT
    lower = triangle_cotangent(ds, True)
    return adjoint(lower) if upper else lower


@cholesky.jvp
def cholesky_jvp(z, a, upper, *, da):
    factor = adjoint(z) if upper else z
    ds = symmetric_tangent(adjoint(da) if upper else da, True)
    left = np.linalg.solve(factor, ds)
    inner = adjoint(np.linalg.solve(factor, adjoint(left)))
    dfactor = factor @ half_triangle(inner, True)
    return adjoint(dfactor) if upper else dfactor


# --- QR ----------------------------------------------------------------------------


@primitive(
    np.linalg.qr,
    samples=lambda rng: [
        (regular(rng, 3, 3),),
        (rng.normal(size=(4, 3)),),
        (rng.normal(size=(3, 5)),),
        (rng.normal(size=(2, 4, 3)),),
        (complex_normal(rng, 4, 3),),
        (complex_normal(rng, 3, 5),),
        call(rng.normal(size=(3, 3)), mode="complete"),
        call(rng.normal(size=(4, 3)), mode="r"),
        call(rng.normal(size=(3, 5)), mode="r"),
    ],
)
def qr(a, mode="reduced"):
    """Orthonormal columns q and a triangular r with q @ r = a."""


@nondifferentiable
def leading_columns(shape: tuple[int, ...], mode: str) -> int:
    """How many columns of a matrix determine q, if q and r have a derivative."""
    rows, columns = shape[-2:]
    if mode not in ("reduced", "r") and not (mode == "complete" and rows <= columns):
        raise NotDifferentiable(
            f"np.linalg.qr has no derivative with mode={mode!r} for a matrix of "
            f"{rows} by {columns}: use mode='reduced'"
        )
    return min(rows, columns)


def skew_part(t: Any) -> Any:
    """What of a tangent turns the columns of q: its lower triangle made skew."""
    low = np.tril(t, -1)
    if np.iscomplexobj(t):
        turn = 1j * np.imag(np.diagonal(t, 0, -2, -1))
        return low - adjoint(low) + on_diagonal(turn)
    return low - low.mT


def skew_part_transposed(t: Any) -> Any:
    """The transpose of `skew_part`."""
    low = np.tril(t - adjoint(t), -1)
    if np.iscomplexobj(t):
        return low + on_diagonal(1j * np.imag(np.diagonal(t, 0, -2, -1)))
    return low


@qr.vjp
def qr_vjp(z, a, mode, *, dz):
    k = leading_columns(np.shape(a), mode)
    if mode == "r":
        q, r = np.linalg.qr(a)
        dq, dr = np.zeros_like(q), dz
    else:
        q, r = z
        dq, dr = dz
    square = r[..., :k]
    if np.shape(a)[-1] > k:
        # The further columns of r are those of a, turned by q.
        rest, drest = a[..., k:], dr[..., k:]
        dq = dq + np.conj(rest) @ adjoint(drest)
    inner = q.mT @ dq - dr[..., :k] @ square.mT
    turned = dq + np.conj(q) @ (skew_part_transposed(inner) - inner)
    da = np.linalg.solve(square, turned.mT).mT
    if np.shape(a)[-1] > k:
        return np.concatenate((da, np.conj(q) @ dr[..., k:]), -1)
    return da


@qr.jvp
def qr_jvp(z, a, mode, *, da):
    k = leading_columns(np.shape(a), mode)
    q, r = np.linalg.qr(a) if mode == "r" else z
    square = r[..., :k]
    step = np.linalg.solve(square.mT, da[..., :k].mT).mT
    inner = adjoint(q) @ step
    turn = skew_part(inner)
    dq = q @ (turn - inner) + step
    dsquare = (inner - turn) @ square
    dr = dsquare
    if np.shape(a)[-1] > k:
        drest = adjoint(dq) @ a[..., k:] + adjoint(q) @ da[..., k:]
        dr = np.concatenate((dsquare, drest), -1)
    return dr if mode == "r" else (dq, dr)


# --- eigenvalues of symmetric matrices ---------------------------------------------


def spread_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) for each pair, 0 where they are equal."""
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    return np.where(gaps == 0, 0.0, 1.0 / nonzero(gaps))


def symmetric_samples(rng: np.random.Generator) -> list[Any]:
    """Real matrices with different eigenvalues, read from either triangle."""
    scale = np.diag([1.0, 4.0, 9.0])
    return [
        (rng.normal(size=(3, 3)) + scale,),
        (rng.normal(size=(2, 3, 3)) + scale,),
        call(rng.normal(size=(3, 3)) + scale, UPLO="U"),
    ]


@primitive(np.linalg.eigh, samples=symmetric_samples)
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of a Hermitian matrix."""


@eigh.vjp
def eigh_vjp(z, a, UPLO, *, dz):
    w, v = z
    dw, dv = dz
    inner = on_diagonal(dw) + spread_gaps(w) * (v.mT @ dv)
    return triangle_cotangent(np.conj(v) @ inner @ v.mT, UPLO == "L")


@eigh.jvp
def eigh_jvp(z, a, UPLO, *, da):
    w, v = z
    inner = adjoint(v) @ symmetric_tangent(da, UPLO == "L") @ v
    dw = np.real(np.diagonal(inner, 0, -2, -1))
    return dw, v @ (spread_gaps(w) * inner)


@primitive(
    np.linalg.eigvalsh,
    samples=lambda rng: [
        *symmetric_samples(rng),
        (complex_normal(rng, 3, 3) + np.diag([1.0, 4.0, 9.0]),),
    ],
)
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of a Hermitian matrix."""


@eigvalsh.vjp
def eigvalsh_vjp(z, a, UPLO, *, dz):
    _, v = np.linalg.eigh(a, UPLO)
    ds = (np.conj(v) * np.expand_dims(dz, -2)) @ v.mT
    return triangle_cotangent(ds, UPLO == "L")


@eigvalsh.jvp
def eigvalsh_jvp(z, a, UPLO, *, da):
    _, v = np.linalg.eigh(a, UPLO)
    inner = adjoint(v) @ symmetric_tangent(da, UPLO == "L") @ v
    return np.real(np.diagonal(inner, 0, -2, -1))


# --- eigenvalues of any matrices ---------------------------------------------------


def general_samples(rng: np.random.Generator) -> list[Any]:
    """Matrices with real, with paired and with complex eigenvalues."""
    scale = np.diag([1.0, 4.0, 9.0])
    turn = np.array([[0.5, -2.0, 0.1], [1.0, 0.5, 0.3], [0.2, -0.1, 3.0]])
    return [
        (0.3 * rng.normal(size=(3, 3)) + scale,),
        (0.3 * rng.normal(size=(2, 3, 3)) + scale,),
        (turn,),
        (complex_normal(rng, 3, 3) + scale,),
    ]


def as_real_as(da: Any, a: Any) -> Any:
    """The cotangent of a matrix: real if that is, though its eigenvalues may not be."""
    return da if np.iscomplexobj(a) else np.real(da)


@primitive(np.linalg.eig, infer=eig_type, samples=general_samples)
def eig(a):
    """Eigenvalues and eigenvectors of length 1, the largest entry of each real."""


@constant(samples=lambda rng: [(complex_normal(rng, 3, 3),)])
def largest_entries(v):
    """1 at the entry of each column that is largest in absolute value."""
    size = np.abs(v)
    first = np.argmax(size, axis=-2)
    rows = np.arange(v.shape[-2])[:, None]
    return (rows == np.expand_dims(first, -2)).astype(size.dtype)


@eig.vjp
def eig_vjp(z, a, *, dz):
    w, v = z
    dw, dv = dz
    overlap = np.sum(dv * v, axis=-2, keepdims=True)
    along = dv - np.real(overlap) * np.conj(v)
    if np.iscomplexobj(v):
        # The largest entry of each column stays real.
        mark = largest_entries(v)
        size = np.sum(mark * np.real(v), axis=-2, keepdims=True)
        along = along - 1j * mark * np.imag(overlap) / size
    inner = on_diagonal(dw) + spread_gaps(w) * (v.mT @ along)
    return as_real_as(np.linalg.solve(v.mT, inner @ v.mT), a)


@eig.jvp
def eig_jvp(z, a, *, da):
    w, v = z
    inner = np.linalg.solve(v, da @ v)
    free = v @ (spread_gaps(w) * inner)
    dw = np.diagonal(inner, 0, -2, -1)
    longer = np.sum(np.real(np.conj(v) * free), axis=-2, keepdims=True)
    dv = free - v * longer
    if np.iscomplexobj(v):
        mark = largest_entries(v)
        size = np.sum(mark * np.real(v), axis=-2, keepdims=True)
        turned = np.sum(mark * np.imag(free), axis=-2, keepdims=True)
        dv = dv - 1j * v * turned / size
    return dw, dv


@primitive(np.linalg.eigvals, infer=eigenvalues_type, samples=general_samples)
def eigvals(a):
    """Eigenvalues."""


@eigvals.vjp
def eigvals_vjp(z, a, *, dz):
    _, v = np.linalg.eig(a)
    da = np.linalg.solve(v.mT, np.expand_dims(dz, -1) * v.mT)
    return as_real_as(da, a)


@eigvals.jvp
def eigvals_jvp(z, a, *, da):
    _, v = np.linalg.eig(a)
    return np.diagonal(np.linalg.solve(v, da @ v), 0, -2, -1)


# --- singular values ---------------------------------------------------------------


@primitive(
    np.linalg.svd,
    samples=lambda rng: [
        (regular(rng, 3, 3),),
        (regular(rng, 2, 3, 3),),
        call(rng.normal(size=(4, 3)), full_matrices=False),
        call(rng.normal(size=(3, 5)), full_matrices=False),
        call(rng.normal(size=(2, 4, 3)), full_matrices=False),
        call(rng.normal(size=(4, 3)), compute_uv=False),
        call(complex_normal(rng, 4, 3), compute_uv=False),
    ],
)
def svd(a, full_matrices=True, compute_uv=True):
    """Singular vectors and values: a = (u * s) @ vh."""


@nondifferentiable
def vector_count(shape: tuple[int, ...], full_matrices: bool) -> int:
    """How many singular vectors there are, if all of them have a derivative."""
    rows, columns = shape[-2:]
    if full_matrices and rows != columns:
        raise NotDifferentiable(
            "np.linalg.svd has no derivative with full_matrices=True for a matrix of "
            f"{rows} by {columns}: use full_matrices=False"
        )
    return min(rows, columns)


def svd_cotangent(u: Any, s: Any, vh: Any, du: Any, ds: Any, dvh: Any) -> Any:
    """The cotangent of a matrix from those of its singular vectors and values."""
    v, dv = adjoint(vh), adjoint(dvh)
    row, size = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = spread_gaps(s * s)
    in_u, in_v = u.mT @ du, v.mT @ dv
    from_u, from_v = gaps * in_u, gaps * in_v
    inner = (
        on_diagonal(ds)
        + from_u * row
        + adjoint(size * from_u)
        + size * from_v
        + adjoint(from_v * row)
    )
    if np.iscomplexobj(u):
        turn = 1j * np.imag(np.diagonal(in_u, 0, -2, -1)) / nonzero(s)
        inner = inner + on_diagonal(turn)
    outside_u = (du - np.conj(u) @ in_u) / nonzero(row)
    outside_v = (dv - np.conj(v) @ in_v) / nonzero(row)
    return (
        np.conj(u) @ inner @ v.mT + outside_u @ v.mT + np.conj(u) @ adjoint(outside_v)
    )


@svd.vjp
def svd_vjp(z, a, full_matrices, compute_uv, *, dz):
    if not compute_uv:
        return svdvals_cotangent(a, dz)
    k = vector_count(np.shape(a), full_matrices)
    return svd_cotangent(z[0][..., :k], z[1], z[2], dz[0], dz[1], dz[2])


@svd.jvp
def svd_jvp(z, a, full_matrices, compute_uv, *, da):
    if not compute_uv:
        return svdvals_tangent(a, da)
    k = vector_count(np.shape(a), full_matrices)
    u, s, vh = z[0][..., :k], z[1], z[2]
    v = adjoint(vh)
    row, size = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = spread_gaps(s * s)
    inner = adjoint(u) @ da @ v
    du = u @ (gaps * (inner * row + size * adjoint(inner)))
    dv = v @ (gaps * (size * inner + adjoint(inner) * row))
    if np.iscomplexobj(u):
        turn = 1j * np.imag(np.diagonal(inner, 0, -2, -1)) / nonzero(s)
        du = du + u * np.expand_dims(turn, -2)
    beside = (da @ v - u @ inner) / nonzero(row)
    below = (adjoint(da) @ u - v @ adjoint(inner)) / nonzero(row)
    ds = np.real(np.diagonal(inner, 0, -2, -1))
    return du + beside, ds, adjoint(dv + below)


def svdvals_cotangent(a: Any, ds: Any) -> Any:
    """The cotangent of a matrix from that of its singular values."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.conj((u * np.expand_dims(ds, -2)) @ vh)


def svdvals_tangent(a: Any, da: Any) -> Any:
    """The tangent of singular values."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.real(np.diagonal(adjoint(u) @ da @ adjoint(vh), 0, -2, -1))


@primitive(
    np.linalg.svdvals,
    samples=lambda rng: [*matrix_samples(rng), (rng.normal(size=(4, 3)),)],
)
def svdvals(x):
    """Singular values."""


@svdvals.vjp
def svdvals_vjp(z, x, *, dz):
    return svdvals_cotangent(x, dz)


@svdvals.jvp
def svdvals_jvp(z, x, *, dx):
    return svdvals_tangent(x, dx)
