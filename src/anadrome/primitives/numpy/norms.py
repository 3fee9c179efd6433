"""Norms and condition numbers.

The derivative is 0 wherever a norm is 0. Where several entries, rows or singular
values attain a maximum or minimum they share the derivative equally.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import axes_of, nonzero, restore_axes
from anadrome.primitives.numpy.linalg import as_matrices, regular, regular_complex
from anadrome.primitives.numpy.reductions import count_of
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal, distinct


def slope_of_length(z: Any, x: Any) -> Any:
    """The derivative of the Euclidean norm z."""
    return np.conj(x) / nonzero(z)


def slope_of_vector_norm(z: Any, x: Any, ord: Any, axes: Any) -> Any:
    """The derivative of the norm z of vectors; z keeps the reduced axes."""
    if ord is None or ord == 2:
        return slope_of_length(z, x)
    direction = np.conj(np.sign(x))
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return direction
    if is_infinite(ord):
        sizes = np.abs(x)
        if ord > 0:
            chosen = sizes == np.max(sizes, axis=axes, keepdims=True)
        else:
            chosen = sizes == np.min(sizes, axis=axes, keepdims=True)
        return np.where(chosen, direction / count_of(chosen, axes, x), 0.0)
    return direction * (np.abs(nonzero(x)) / nonzero(z)) ** (ord - 1)


@nondifferentiable
def is_infinite(ord: Any) -> bool:
    """Whether a norm is a maximum or minimum of absolute values."""
    return bool(np.isinf(ord))


@nondifferentiable
def matrix_norm_kind(ord: Any) -> str:
    """What a norm of matrices is made of."""
    kinds = {
        None: "length",
        "fro": "length",
        "nuc": "sum",
        2: "largest",
        -2: "smallest",
    }
    return kinds.get(ord) or ("rows" if np.isinf(ord) else "columns")


def slope_of_matrix_norm(z: Any, x: Any, ord: Any, axes: Any) -> Any:
    """The derivative of the norm z of matrices; z keeps the reduced axes."""
    kind = matrix_norm_kind(ord)
    if kind == "length":
        return slope_of_length(z, x)
    if kind != "rows" and kind != "columns":
        matrices = np.moveaxis(x, axes, (-2, -1))
        return np.moveaxis(slope_of_spectral_norm(matrices, kind), (-2, -1), axes)
    summed, counted = (axes[1], axes[0]) if kind == "rows" else (axes[0], axes[1])
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    # Compared among themselves: added up in another order, z differs in the last digit.
    if ord > 0:
        chosen = sums == np.max(sums, axis=counted, keepdims=True)
    else:
        chosen = sums == np.min(sums, axis=counted, keepdims=True)
    share = np.where(chosen, 1.0 / count_of(chosen, counted, x), 0.0)
    return np.conj(np.sign(x)) * share


def slope_of_spectral_norm(x: Any, kind: str) -> Any:
    """The derivative of the sum, the largest or the smallest of singular values."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if kind == "sum":
        return np.conj(u @ vh)
    if kind == "largest":
        chosen = s == np.max(s, axis=-1, keepdims=True)
    else:
        chosen = s == np.min(s, axis=-1, keepdims=True)
    share = np.where(chosen, 1.0 / count_of(chosen, -1, s), 0.0)
    return np.conj((u * np.expand_dims(share, -2)) @ vh)


# --- norm --------------------------------------------------------------------------


@primitive(
    np.linalg.norm,
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3, 2)),),
        (complex_normal(rng, 2, 3),),
        call(rng.normal(size=(2, 3)), axis=1),
        call(rng.normal(size=(2, 3)), axis=-1, keepdims=True),
        call(rng.normal(size=(2, 3)), keepdims=True),
        *(
            call(distinct(rng, 5), ord=p)
            for p in (0, 1, 2, 3, 1.5, np.inf, -np.inf, -1)
        ),
        *(call(complex_normal(rng, 3), ord=p) for p in (1, 3, np.inf)),
        *(call(rng.normal(size=(2, 3)), ord=p, axis=0) for p in (1, 3, np.inf)),
        *(
            call(distinct(rng, 3, 4), ord=p)
            for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
        ),
        *(
            call(distinct(rng, 3, 2, 4), ord=p, axis=(0, 2), keepdims=True)
            for p in (None, "fro", "nuc", 1, -1, 2, -2, np.inf)
        ),
        *(call(distinct(rng, 3, 2, 4), ord=p, axis=(2, 0)) for p in (1, "nuc", np.inf)),
        *(call(complex_normal(rng, 3, 4), ord=p) for p in ("fro", "nuc", 1, 2)),
    ],
)
def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of vectors or matrices."""


@nondifferentiable
def is_matrix_norm(axis: Any, ndim: int) -> bool:
    """Whether `norm` means a norm of matrices rather than of vectors."""
    if axis is None:
        return ndim == 2
    return isinstance(axis, (tuple, list)) and len(axis) == 2


def slope_of_norm(z: Any, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The derivative of `norm`, in the shape of x."""
    kept = restore_axes(z, axis, keepdims)
    if ord is None:
        return slope_of_length(kept, x)
    axes = axes_of(axis, np.ndim(x))
    if is_matrix_norm(axis, np.ndim(x)):
        return slope_of_matrix_norm(kept, x, ord, axes)
    return slope_of_vector_norm(kept, x, ord, axes)


@norm.vjp
def norm_vjp(z, x, ord, axis, keepdims, *, dz):
    slope = slope_of_norm(z, x, ord, axis, keepdims)
    return restore_axes(dz, axis, keepdims) * slope


@norm.jvp
def norm_jvp(z, x, ord, axis, keepdims, *, dx):
    change = np.real(slope_of_norm(z, x, ord, axis, keepdims) * dx)
    return np.sum(change, axis=axis, keepdims=keepdims)


@primitive(
    np.linalg.vector_norm,
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=(2, 3)), axis=0, ord=1),
        call(rng.normal(size=(2, 3, 2)), axis=(0, 2), ord=3, keepdims=True),
        call(distinct(rng, 2, 3), ord=np.inf),
        (complex_normal(rng, 2, 3),),
    ],
)
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """Norm of vectors, of all entries in a row unless told otherwise."""


@vector_norm.vjp
def vector_norm_vjp(z, x, axis, keepdims, ord, *, dz):
    kept = restore_axes(z, axis, keepdims)
    slope = slope_of_vector_norm(kept, x, ord, axes_of(axis, np.ndim(x)))
    return restore_axes(dz, axis, keepdims) * slope


@vector_norm.jvp
def vector_norm_jvp(z, x, axis, keepdims, ord, *, dx):
    kept = restore_axes(z, axis, keepdims)
    slope = slope_of_vector_norm(kept, x, ord, axes_of(axis, np.ndim(x)))
    return np.sum(np.real(slope * dx), axis=axis, keepdims=keepdims)


@primitive(
    np.linalg.matrix_norm,
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(4, 2, 3)),),
        call(distinct(rng, 2, 3), ord="nuc", keepdims=True),
        call(distinct(rng, 4, 2, 3), ord=1),
        call(distinct(rng, 2, 3), ord=2),
        (complex_normal(rng, 2, 3),),
    ],
)
def matrix_norm(x, *, keepdims=False, ord="fro"):
    """Norm of the matrices in the last two axes."""


@matrix_norm.vjp
def matrix_norm_vjp(z, x, keepdims, ord, *, dz):
    kept = restore_axes(z, (-2, -1), keepdims)
    slope = slope_of_matrix_norm(kept, x, ord, axes_of((-2, -1), np.ndim(x)))
    return restore_axes(dz, (-2, -1), keepdims) * slope


@matrix_norm.jvp
def matrix_norm_jvp(z, x, keepdims, ord, *, dx):
    kept = restore_axes(z, (-2, -1), keepdims)
    slope = slope_of_matrix_norm(kept, x, ord, axes_of((-2, -1), np.ndim(x)))
    return np.sum(np.real(slope * dx), axis=(-2, -1), keepdims=keepdims)


# --- condition number --------------------------------------------------------------


@primitive(
    np.linalg.cond,
    samples=lambda rng: [
        (rng.normal(size=(4, 3)),),
        (regular(rng, 3, 3),),
        *((regular(rng, 3, 3), p) for p in (2, -2, 1, -1, "fro", "nuc", np.inf)),
        (regular(rng, 2, 3, 3),),
        (regular(rng, 2, 3, 3), 1),
        (regular_complex(rng, 3, 3), "fro"),
    ],
)
def cond(x, p=None):
    """Condition number: how much a matrix may magnify relative errors."""


@nondifferentiable
def cond_kind(p: Any) -> str:
    """Whether a condition number is made of singular values, and how."""
    return {None: "ratio", 2: "ratio", -2: "inverse ratio"}.get(p, "norms")


def slope_of_cond(z: Any, x: Any, p: Any) -> Any:
    """The derivative of `cond`, in the shape of x."""
    kind = cond_kind(p)
    if kind != "norms":
        largest = slope_of_spectral_norm(x, "largest")
        smallest = slope_of_spectral_norm(x, "smallest")
        s = np.linalg.svdvals(x)
        above = as_matrices(np.max(s, axis=-1))
        below = as_matrices(np.min(s, axis=-1))
        if kind == "inverse ratio":
            return smallest / above - as_matrices(z) * largest / above
        return largest / below - as_matrices(z) * smallest / below
    inverse = np.linalg.inv(x)
    last = axes_of((-2, -1), np.ndim(x))
    size = np.linalg.norm(x, p, axis=(-2, -1), keepdims=True)
    inverse_size = np.linalg.norm(inverse, p, axis=(-2, -1), keepdims=True)
    slope = slope_of_matrix_norm(size, x, p, last)
    back = slope_of_matrix_norm(inverse_size, inverse, p, last)
    return inverse_size * slope - size * (inverse.mT @ back @ inverse.mT)


@cond.vjp
def cond_vjp(z, x, p, *, dz):
    return as_matrices(dz) * slope_of_cond(z, x, p)


@cond.jvp
def cond_jvp(z, x, p, *, dx):
    return np.sum(np.real(slope_of_cond(z, x, p) * dx), axis=(-2, -1))
