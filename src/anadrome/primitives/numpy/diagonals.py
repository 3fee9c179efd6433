"""Diagonals and triangles of matrices."""

from __future__ import annotations

import numpy as np

from anadrome.primitives.registry import call, primitive


@primitive(
    np.diagonal,
    methods=("diagonal",),
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(3, 3)),),
        (rng.normal(size=(2, 4)), 1),
        (rng.normal(size=(4, 2)), -1),
        call(rng.normal(size=(2, 3, 4)), axis1=0, axis2=-1),
        call(rng.normal(size=(2, 3, 4)), offset=-1, axis1=2, axis2=0),
    ],
)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal of the matrices that two axes make, along the last axis."""


@diagonal.vjp
def diagonal_vjp(z, a, offset, axis1, axis2, *, dz):
    return from_diagonal(dz, np.shape(a), offset, axis1, axis2)


@diagonal.jvp
def diagonal_jvp(z, a, offset, axis1, axis2, *, da):
    return np.diagonal(da, offset, axis1, axis2)


@primitive(
    linear=("d",),
    samples=lambda rng: [
        (rng.normal(size=3), (3, 3), 0, 0, 1),
        (rng.normal(size=2), (2, 4), 1, 0, 1),
        (rng.normal(size=(3, 2)), (2, 3, 4), 0, 0, -1),
        (rng.normal(size=(3, 2)), (2, 3, 4), -1, 2, 0),
    ],
)
def from_diagonal(d, shape, offset, axis1, axis2):
    """Zeros of a shape with `d` on a diagonal: `diagonal` undone."""
    out = np.zeros(shape, np.result_type(d))
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    i = np.arange(np.shape(d)[-1])
    matrices[..., i - min(offset, 0), i + max(offset, 0)] = d
    return out


@from_diagonal.vjp
def from_diagonal_vjp(z, d, shape, offset, axis1, axis2, *, dz):
    return np.diagonal(dz, offset, axis1, axis2)


@from_diagonal.jvp
def from_diagonal_jvp(z, d, shape, offset, axis1, axis2, *, dd):
    return from_diagonal(dd, shape, offset, axis1, axis2)


@primitive(
    np.linalg.diagonal,
    view=True,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)),),
        call(rng.normal(size=(3, 3)), offset=1),
    ],
)
def linalg_diagonal(x, *, offset=0):
    """A diagonal of the matrices in the last two axes."""


@linalg_diagonal.vjp
def linalg_diagonal_vjp(z, x, offset, *, dz):
    return from_diagonal(dz, np.shape(x), offset, -2, -1)


@linalg_diagonal.jvp
def linalg_diagonal_jvp(z, x, offset, *, dx):
    return np.diagonal(dx, offset, -2, -1)


@primitive(
    np.diag,
    view=True,
    linear=("v",),
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=3), 1),
        (rng.normal(size=(3, 3)),),
        call(rng.normal(size=(2, 4)), k=-1),
    ],
)
def diag(v, k=0):
    """The matrix with a vector on its diagonal, or the diagonal of a matrix."""


@diag.vjp
def diag_vjp(z, v, k, *, dz):
    if np.ndim(v) == 1:
        return np.diagonal(dz, k)
    return from_diagonal(dz, np.shape(v), k, 0, 1)


@diag.jvp
def diag_jvp(z, v, k, *, dv):
    return np.diag(dv, k)


@primitive(
    np.diagflat,
    linear=("v",),
    samples=lambda rng: [(rng.normal(size=3),), (rng.normal(size=(2, 2)), -1)],
)
def diagflat(v, k=0):
    """The matrix with all entries of an array on its diagonal."""


@diagflat.vjp
def diagflat_vjp(z, v, k, *, dz):
    return np.reshape(np.diagonal(dz, k), np.shape(v))


@diagflat.jvp
def diagflat_jvp(z, v, k, *, dv):
    return np.diagflat(dv, k)


def diagonal_of(value, shape, offset, axis1, axis2):
    """Zeros of a shape with one value for each matrix on all of its diagonal."""
    if len(shape) == 2 and axis1 == 0 and axis2 == 1:
        return value * np.eye(shape[0], shape[1], offset, dtype=np.result_type(value))
    ones = np.eye(shape[axis1], shape[axis2], offset, dtype=np.result_type(value))
    matrices = np.expand_dims(value, (-2, -1)) * ones
    return np.moveaxis(matrices, (-2, -1), (axis1, axis2))


@primitive(
    np.trace,
    methods=("trace",),
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(3, 3)),),
        (rng.normal(size=(2, 3)), 1),
        call(rng.normal(size=(2, 3, 4)), offset=-1, axis1=2, axis2=0),
        call(rng.normal(size=(2, 3, 3)), axis1=-2, axis2=-1),
    ],
)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """Sum of a diagonal."""


@trace.vjp
def trace_vjp(z, a, offset, axis1, axis2, dtype, *, dz):
    return diagonal_of(dz, np.shape(a), offset, axis1, axis2)


@trace.jvp
def trace_jvp(z, a, offset, axis1, axis2, dtype, *, da):
    return np.trace(da, offset, axis1, axis2, dtype)


@primitive(
    np.linalg.trace,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 3)),),
        call(rng.normal(size=(3, 3)), offset=1),
    ],
)
def linalg_trace(x, *, offset=0, dtype=None):
    """Sum of a diagonal of the matrices in the last two axes."""


@linalg_trace.vjp
def linalg_trace_vjp(z, x, offset, dtype, *, dz):
    return diagonal_of(dz, np.shape(x), offset, -2, -1)


@linalg_trace.jvp
def linalg_trace_jvp(z, x, offset, dtype, *, dx):
    return np.trace(dx, offset, -2, -1, dtype)


@primitive(
    np.tril,
    linear=("m",),
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=(3, 3)),),
        (rng.normal(size=(2, 3, 4)), 1),
        call(rng.normal(size=(3, 3)), k=-1),
    ],
)
def tril(m, k=0):
    """The entries on and below a diagonal, zeros above it."""


def repeated_rows(d, m):
    """The cotangent of a matrix, or of a vector that is every row of one."""
    return np.sum(d, 0) if np.ndim(m) == 1 else d


@tril.vjp
def tril_vjp(z, m, k, *, dz):
    return repeated_rows(np.tril(dz, k), m)


@tril.jvp
def tril_jvp(z, m, k, *, dm):
    return np.tril(dm, k)


@primitive(
    np.triu,
    linear=("m",),
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=(3, 3)),),
        (rng.normal(size=(2, 3, 4)), 1),
        call(rng.normal(size=(3, 3)), k=-1),
    ],
)
def triu(m, k=0):
    """The entries on and above a diagonal, zeros below it."""


@triu.vjp
def triu_vjp(z, m, k, *, dz):
    return repeated_rows(np.triu(dz, k), m)


@triu.jvp
def triu_jvp(z, m, k, *, dm):
    return np.triu(dm, k)
