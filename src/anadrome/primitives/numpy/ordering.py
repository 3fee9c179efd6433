"""Sorting, medians and quantiles.

The derivative follows the permutation that sorts: among equal entries the stable one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import axes_between, axes_of, reduced_size
from anadrome.primitives.numpy.reductions import reduction_samples, with_gaps
from anadrome.primitives.numpy.selecting import untake
from anadrome.primitives.registry import (
    call,
    constant,
    nondifferentiable,
    primitive,
)
from anadrome.primitives.sampling import complex_normal, distinct


@primitive(
    np.sort,
    samples=lambda rng: [
        (distinct(rng, 5),),
        (distinct(rng, 2, 4),),
        (distinct(rng, 3, 4), 0),
        call(distinct(rng, 3, 4), axis=None),
        call(distinct(rng, 3, 4), kind="stable"),
    ],
)
def sort(a, axis=-1, kind=None, *, stable=None):
    """The entries in ascending order along an axis."""


@sort.vjp
def sort_vjp(z, a, axis, kind, stable, *, dz):
    if axis is None:
        order = np.argsort(a, axis=None, kind="stable")
        return np.reshape(np.take(dz, np.argsort(order)), np.shape(a))
    order = np.argsort(a, axis=axis, kind="stable")
    return np.take_along_axis(dz, np.argsort(order, axis=axis), axis)


@sort.jvp
def sort_jvp(z, a, axis, kind, stable, *, da):
    order = np.argsort(a, axis=axis, kind="stable")
    return np.take_along_axis(da, order, axis)


@primitive(
    np.sort_complex,
    samples=lambda rng: [(complex_normal(rng, 5),), (distinct(rng, 4),)],
)
def sort_complex(a):
    """The entries in ascending order, as complex numbers."""


@sort_complex.vjp
def sort_complex_vjp(z, a, *, dz):
    order = np.argsort(a, axis=-1, kind="stable")
    return np.take_along_axis(dz, np.argsort(order, axis=-1), -1)


@sort_complex.jvp
def sort_complex_jvp(z, a, *, da):
    order = np.argsort(a, axis=-1, kind="stable")
    return np.take_along_axis(da, order, -1) + 0j


@primitive(
    np.partition,
    samples=lambda rng: [
        (distinct(rng, 7), 3),
        (distinct(rng, 3, 5), 2, 1),
        (distinct(rng, 5, 3), (1, 3), 0),
        call(distinct(rng, 3, 4), 5, axis=None),
    ],
)
def partition(a, kth, axis=-1, kind="introselect"):
    """The entries with the k-th in its sorted place, smaller ones before it."""


@nondifferentiable
def partition_order(a: Any, z: Any, axis: int | None) -> Any:
    """The permutation that took `a` to its partition `z`.

    Both sort to the same, whatever algorithm arranged the entries in between.
    """
    from_a = np.argsort(a, axis=axis, kind="stable")
    from_z = np.argsort(z, axis=axis, kind="stable")
    places = np.argsort(from_z, axis=-1 if axis is None else axis)
    return np.take_along_axis(from_a, places, -1 if axis is None else axis)


@partition.vjp
def partition_vjp(z, a, kth, axis, kind, *, dz):
    order = partition_order(a, z, axis)
    if axis is None:
        return np.reshape(np.take(dz, np.argsort(order)), np.shape(a))
    return np.take_along_axis(dz, np.argsort(order, axis=axis), axis)


@partition.jvp
def partition_jvp(z, a, kth, axis, kind, *, da):
    return np.take_along_axis(da, partition_order(a, z, axis), axis)


# --- medians and quantiles ---------------------------------------------------------


@constant(samples=lambda rng: [(distinct(rng, 2, 3), 0.4, None, "linear")])
def quantile_weights(a, q, axis, method):
    """The weights of the entries of `a` with which they sum to its quantiles.

    The shape is that of q followed by that of a. NaN entries have weight 0.
    """
    a, q = np.asarray(a), np.asarray(q, np.float64)
    axes = axes_of(axis, a.ndim)
    last = tuple(range(a.ndim - len(axes), a.ndim))
    moved = np.moveaxis(a, axes, last)
    rows = moved.reshape(-1, reduced_size(a.shape, axis))
    rank = np.argsort(np.argsort(rows, axis=1, kind="stable"), axis=1)
    counts = np.sum(~np.isnan(rows), axis=1)
    # Where between two neighbours in sorted order a quantile lies: NumPy places it
    # among 0, 1, 2, … by whatever method.
    position = np.full((*q.shape, len(counts)), -2.0)
    for n in np.unique(counts[counts > 0]):
        among = np.quantile(np.arange(float(n)), q, method=method)
        position[..., counts == n] = np.asarray(among)[..., None]
    below = np.floor(position)[..., None]
    share = (position[..., None] - below).astype(a.dtype)
    weights = np.where(rank == below, 1 - share, 0) + np.where(
        rank == below + 1, share, 0
    )
    weights = weights.reshape((*q.shape, *moved.shape))
    return np.moveaxis(weights, [q.ndim + i for i in last], [q.ndim + i for i in axes])


@nondifferentiable
def quantile_axes(axis: Any, ndim: int, q: Any) -> tuple[int, ...]:
    """The axes over which weighted entries are summed, behind those of q."""
    return tuple(np.ndim(q) + i for i in axes_of(axis, ndim))


def quantile_cotangent(a: Any, q: Any, axis: Any, method: Any, keepdims: bool, dz: Any):
    """The cotangent of `a` for its quantiles."""
    axes = quantile_axes(axis, np.ndim(a), q)
    spread = dz if keepdims else np.expand_dims(dz, axes)
    weighted = spread * quantile_weights(a, q, axis, method)
    return np.sum(weighted, axis=axes_between(0, np.ndim(q)))


def quantile_tangent(a: Any, q: Any, axis: Any, method: Any, keepdims: bool, da: Any):
    """The tangent of quantiles for a tangent of `a`."""
    weighted = da * quantile_weights(a, q, axis, method)
    axes = quantile_axes(axis, np.ndim(a), q)
    return np.sum(weighted, axis=axes, keepdims=keepdims)


def quantile_samples(scale: float, gaps: bool) -> Any:
    """Samples at one and several places, by several methods."""

    def make(rng: np.random.Generator) -> list[Any]:
        places = scale * np.array([[0.1, 0.5], [0.77, 1.0]])
        places = places[0] if gaps else places
        methods = ("lower", "midpoint", "hazen", "inverted_cdf", "closest_observation")
        return [
            (distinct(rng, 5), 0.4 * scale),
            (distinct(rng, 2, 3), 0.4 * scale),
            (distinct(rng, 3, 4), 0.3 * scale, 0),
            (distinct(rng, 3, 4), places, 1),
            call(distinct(rng, 2, 3, 4), places, axis=(0, -1), keepdims=True),
            call(distinct(rng, 2, 3, 4), places, keepdims=True),
            *(call(distinct(rng, 5), 0.3 * scale, method=m) for m in methods),
            *([call(with_gaps(rng), places, axis=1)] if gaps else []),
        ]

    return make


def median_samples(gaps: bool) -> Any:
    """Samples with odd and even numbers of entries."""

    def make(rng: np.random.Generator) -> list[Any]:
        return [
            *reduction_samples(complex=False)(rng),
            (distinct(rng, 4),),
            *([call(with_gaps(rng), axis=1)] if gaps else []),
        ]

    return make


@primitive(np.median, samples=median_samples(gaps=False))
def median(a, axis=None, *, keepdims=False):
    """The middle entry, or the mean of the two middle ones."""


@primitive(np.nanmedian, samples=median_samples(gaps=True))
def nanmedian(a, axis=None, *, keepdims=False):
    """The middle one of the entries that are not NaN."""


@median.vjp
@nanmedian.vjp
def median_vjp(z, a, axis, keepdims, *, dz):
    return quantile_cotangent(a, 0.5, axis, "linear", keepdims, dz)


@median.jvp
@nanmedian.jvp
def median_jvp(z, a, axis, keepdims, *, da):
    return quantile_tangent(a, 0.5, axis, "linear", keepdims, da)


@primitive(np.quantile, samples=quantile_samples(1.0, gaps=False))
def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    """The entries below which given shares of all entries lie."""


@primitive(np.nanquantile, samples=quantile_samples(1.0, gaps=True))
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    """The quantiles of the entries that are not NaN."""


@quantile.vjp
@nanquantile.vjp
def quantile_vjp(z, a, q, axis, method, keepdims, *, dz):
    return quantile_cotangent(a, q, axis, method, keepdims, dz)


@quantile.jvp
@nanquantile.jvp
def quantile_jvp(z, a, q, axis, method, keepdims, *, da):
    return quantile_tangent(a, q, axis, method, keepdims, da)


@primitive(np.percentile, samples=quantile_samples(100.0, gaps=False))
def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    """The entries below which given percentages of all entries lie."""


@primitive(np.nanpercentile, samples=quantile_samples(100.0, gaps=True))
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    """The percentiles of the entries that are not NaN."""


@percentile.vjp
@nanpercentile.vjp
def percentile_vjp(z, a, q, axis, method, keepdims, *, dz):
    return quantile_cotangent(a, np.divide(q, 100), axis, method, keepdims, dz)


@percentile.jvp
@nanpercentile.jvp
def percentile_jvp(z, a, q, axis, method, keepdims, *, da):
    return quantile_tangent(a, np.divide(q, 100), axis, method, keepdims, da)


# --- distinct entries --------------------------------------------------------------


@primitive(
    np.unique,
    samples=lambda rng: [
        (distinct(rng, 2, 3),),
        call(distinct(rng, 4, 2), axis=0),
        call(distinct(rng, 4), return_index=True, return_counts=True),
    ],
)
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None
):
    """The distinct entries in order; each depends on its first occurrence."""


@nondifferentiable
def first_occurrences(ar: Any, axis: int | None) -> Any:
    """Where the distinct entries stand first."""
    return np.unique(ar, return_index=True, axis=axis)[1]


@unique.vjp
def unique_vjp(z, ar, return_index, return_inverse, return_counts, axis, *, dz):
    dvalues = dz[0] if isinstance(z, tuple) else dz
    return untake(dvalues, first_occurrences(ar, axis), axis, np.shape(ar))


@unique.jvp
def unique_jvp(z, ar, return_index, return_inverse, return_counts, axis, *, dar):
    dvalues = np.take(dar, first_occurrences(ar, axis), axis)
    if isinstance(z, tuple):
        return (dvalues, *[np.zeros_like(numbers) for numbers in z[1:]])
    return dvalues


@primitive(np.unique_values, samples=lambda rng: [(distinct(rng, 2, 3),)])
def unique_values(x):
    """The distinct entries; each depends on its first occurrence."""


@nondifferentiable
def occurrences(x: Any, values: Any) -> Any:
    """Where values stand first, in their own order."""
    ordered, first = np.unique(x, return_index=True)
    return first[np.searchsorted(ordered, values)]


@unique_values.vjp
def unique_values_vjp(z, x, *, dz):
    return untake(dz, occurrences(x, z), None, np.shape(x))


@unique_values.jvp
def unique_values_jvp(z, x, *, dx):
    return np.take(dx, occurrences(x, z))
