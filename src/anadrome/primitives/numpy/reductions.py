"""Functions that combine the entries along some axes into one.

A reverse rule puts the lost axes back with length 1 and lets broadcasting do the
rest. Where several entries are the largest or smallest, they share the derivative
equally.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import (
    averaged_size,
    axes_of,
    is_literal,
    nonzero,
    reduced_size,
    restore_axes,
    spread_over,
    sum_to_shape,
)
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal, distinct


def reduction_samples(complex: bool = True, **options: Any) -> Any:
    """Samples over all, one, several and negative axes, with and without keepdims."""

    def make(rng: np.random.Generator) -> list[Any]:
        variants: list[dict[str, Any]] = [
            {},
            {"axis": 0},
            {"axis": -1},
            {"axis": (0, 2)},
            {"axis": 1, "keepdims": True},
            {"axis": None, "keepdims": True},
            {"axis": (-1, 0), "keepdims": True},
        ]
        made = [call(distinct(rng, 2, 3, 4), **v, **options) for v in variants]
        made.append(call(distinct(rng, 3), **options))
        if complex:
            made.append(call(complex_normal(rng, 2, 3), axis=0, **options))
        return made

    return make


# --- sum, mean, variance -----------------------------------------------------------


@primitive(
    np.sum,
    methods=("sum",),
    linear=("a",),
    samples=lambda rng: [
        *reduction_samples()(rng),
        call(1.5),
        call(rng.normal(size=(0, 3)), axis=0),
        call(rng.normal(size=3), axis=(), initial=2.0),
        call(rng.normal(size=(2, 3)), axis=1, where=np.array([True, False, True])),
    ],
)
def sum(a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True):
    """Sum over axes."""


@sum.vjp
def sum_vjp(z, a, axis, dtype, keepdims, initial, where, *, dz):
    spread = spread_over(restore_axes(dz, axis, keepdims), a)
    return spread if where is True else np.where(where, spread, 0.0)


@sum.jvp
def sum_jvp(z, a, axis, dtype, keepdims, initial, where, *, da):
    return np.sum(da, axis=axis, dtype=dtype, keepdims=keepdims, where=where)


@primitive(
    np.mean,
    methods=("mean",),
    linear=("a",),
    samples=lambda rng: [
        *reduction_samples()(rng),
        call(1.5),
        call(rng.normal(size=(2, 3)), axis=1, where=np.array([True, False, True])),
    ],
)
def mean(a, axis=None, dtype=None, *, keepdims=False, where=True):
    """Mean over axes."""


@mean.vjp
def mean_vjp(z, a, axis, dtype, keepdims, where, *, dz):
    if where is True:
        share = dz / averaged_size(np.shape(a), axis)
        return spread_over(restore_axes(share, axis, keepdims), a)
    present = np.broadcast_to(where, np.shape(a))
    share = restore_axes(dz, axis, keepdims) / count_of(present, axis, a)
    return np.where(present, share, 0.0)


@mean.jvp
def mean_jvp(z, a, axis, dtype, keepdims, where, *, da):
    return np.mean(da, axis=axis, dtype=dtype, keepdims=keepdims, where=where)


def count_of(chosen: Any, axis: Any, like: Any) -> Any:
    """How often `chosen` holds along the axes, at least 1, in the precision of `like`.

    The axes stay, with length 1.
    """
    counted = np.sum(
        chosen, axis=axis, keepdims=True, dtype=np.result_type(np.real(like))
    )
    return np.maximum(counted, 1.0)


@primitive(
    np.var,
    methods=("var",),
    samples=lambda rng: [
        *reduction_samples()(rng),
        *reduction_samples(ddof=1)(rng),
        call(rng.normal(size=(2, 3)), axis=1, correction=1),
    ],
)
def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False, correction=None):
    """Variance over axes."""


@var.vjp
def var_vjp(z, a, axis, dtype, ddof, keepdims, correction, *, dz):
    n = reduced_size(np.shape(a), axis) - (ddof if correction is None else correction)
    deviation = np.conj(a - np.mean(a, axis=axis, keepdims=True))
    return (
        restore_axes(_twice_over(n, ddof, correction) * dz, axis, keepdims) * deviation
    )


@var.jvp
def var_jvp(z, a, axis, dtype, ddof, keepdims, correction, *, da):
    n = reduced_size(np.shape(a), axis) - (ddof if correction is None else correction)
    deviation = np.conj(a - np.mean(a, axis=axis, keepdims=True))
    total = np.sum(np.real(deviation * da), axis=axis, keepdims=keepdims)
    return _twice_over(n, ddof, correction) * total


def _twice_over(n: Any, ddof: Any, correction: Any) -> Any:
    """`2.0 / n`, infinite if a correction leaves no elements."""
    if correction is None and is_literal(ddof) and ddof == 0:
        return 2.0 / n
    return float(np.divide(2.0, n))


@primitive(
    np.std,
    methods=("std",),
    samples=lambda rng: [
        *reduction_samples()(rng),
        *reduction_samples(ddof=1)(rng),
        call(rng.normal(size=(2, 3)), axis=1, correction=1),
    ],
)
def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False, correction=None):
    """Standard deviation over axes; where it is 0 its derivative is taken to be 0."""


@std.vjp
def std_vjp(z, a, axis, dtype, ddof, keepdims, correction, *, dz):
    n = reduced_size(np.shape(a), axis) - (ddof if correction is None else correction)
    deviation = np.conj(a - np.mean(a, axis=axis, keepdims=True))
    return restore_axes(dz / (n * nonzero(z)), axis, keepdims) * deviation


@std.jvp
def std_jvp(z, a, axis, dtype, ddof, keepdims, correction, *, da):
    n = reduced_size(np.shape(a), axis) - (ddof if correction is None else correction)
    deviation = np.conj(a - np.mean(a, axis=axis, keepdims=True))
    slope = np.sum(np.real(deviation * da), axis=axis, keepdims=keepdims)
    return slope / (n * nonzero(z))


@primitive(
    np.average,
    samples=lambda rng: [
        *reduction_samples()(rng),
        call(rng.normal(size=3), weights=rng.uniform(0.5, 1, 3)),
        call(rng.normal(size=(2, 3)), axis=1, weights=rng.uniform(0.5, 1, 3)),
        call(rng.normal(size=(2, 3)), axis=0, weights=rng.uniform(0.5, 1, 2)),
        call(rng.normal(size=(2, 3)), weights=rng.uniform(0.5, 1, (2, 3))),
        call(
            rng.normal(size=(2, 3)),
            axis=-1,
            weights=rng.uniform(0.5, 1, (2, 3)),
            keepdims=True,
        ),
    ],
)
def average(a, axis=None, weights=None, *, keepdims=False):
    """Weighted mean over axes."""


@nondifferentiable
def weights_shape(shape: Any, weights: Any, axis: Any) -> tuple[int, ...]:
    """The shape in which weights broadcast against what they weigh."""
    if shape == weights:
        return tuple(weights)
    axes = axes_of(axis, len(shape))
    if list(axes) != sorted(axes):
        raise NotDifferentiable("np.average: give the axes in ascending order")
    return tuple(n if i in axes else 1 for i, n in enumerate(shape))


@average.vjp
def average_vjp(z, a, axis, weights, keepdims, *, dz):
    spread = restore_axes(dz, axis, keepdims)
    if weights is None:
        share = spread / reduced_size(np.shape(a), axis)
        return spread_over(share, a), 0.0
    shape = weights_shape(np.shape(a), np.shape(weights), axis)
    wide = np.broadcast_to(np.reshape(weights, shape), np.shape(a))
    share = spread / np.sum(wide, axis=axis, keepdims=True)
    dwide = share * (a - restore_axes(z, axis, keepdims))
    dweights = np.reshape(sum_to_shape(dwide, shape), np.shape(weights))
    return share * wide, dweights


@average.jvp
def average_jvp(z, a, axis, weights, keepdims, *, da, dweights):
    if weights is None:
        return np.mean(da, axis=axis, keepdims=keepdims)
    shape = weights_shape(np.shape(a), np.shape(weights), axis)
    wide = np.broadcast_to(np.reshape(weights, shape), np.shape(a))
    deviation = a - restore_axes(z, axis, keepdims)
    slope = wide * da + np.reshape(dweights, shape) * deviation
    total = np.sum(wide, axis=axis, keepdims=keepdims)
    return np.sum(slope, axis=axis, keepdims=keepdims) / total


# --- products ----------------------------------------------------------------------


@primitive(
    np.prod,
    methods=("prod",),
    samples=lambda rng: [
        *reduction_samples()(rng),
        call(np.array([1.5, 0.0, 2.0])),
        call(np.zeros((0, 2)), axis=0),
        call(np.array([1.5, 0.0, 0.0])),
        call(rng.normal(size=3), initial=2.0),
        call(rng.normal(size=(2, 3)), axis=1, where=np.array([True, False, True])),
    ],
)
def prod(a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True):
    """Product over axes, with the right derivative also where entries are 0."""


@nondifferentiable
def last_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """As many axes at the end as a reduction combines."""
    return tuple(range(ndim - len(axes_of(axis, ndim)), ndim))


def products_of_others(a: Any, axis: Any) -> Any:
    """For each entry the product of all the other entries along the axes."""
    if np.size(a) == 0:
        return np.ones_like(a)
    axes = axes_of(axis, np.ndim(a))
    last = last_axes(axis, np.ndim(a))
    moved = np.moveaxis(a, axes, last)
    rows = np.reshape(moved, (-1, reduced_size(np.shape(a), axis)))
    one = np.ones_like(rows[:, :1])
    before = np.cumprod(np.concatenate((one, rows[:, :-1]), 1), 1)
    after = np.cumprod(np.concatenate((one, np.flip(rows[:, 1:], 1)), 1), 1)
    others = np.reshape(before * np.flip(after, 1), np.shape(moved))
    return np.moveaxis(others, last, axes)


@prod.vjp
def prod_vjp(z, a, axis, dtype, keepdims, initial, where, *, dz):
    spread = restore_axes(dz * initial, axis, keepdims)
    if where is True:
        return spread * products_of_others(a, axis)
    others = products_of_others(np.where(where, a, 1.0), axis)
    return np.where(where, spread * others, 0.0)


@prod.jvp
def prod_jvp(z, a, axis, dtype, keepdims, initial, where, *, da):
    chosen = a if where is True else np.where(where, a, 1.0)
    slopes = da * products_of_others(chosen, axis)
    return initial * np.sum(slopes, axis=axis, keepdims=keepdims, where=where)


# --- largest and smallest ----------------------------------------------------------


@primitive(
    np.max,
    np.amax,
    methods=("max",),
    samples=lambda rng: [
        *reduction_samples(complex=False)(rng),
        call(1.5),
        call(distinct(rng, 2, 3), axis=0, initial=-9.0),
        call(distinct(rng, 2, 3), axis=0, initial=9.0),
        call(
            distinct(rng, 2, 3),
            axis=1,
            initial=-9.0,
            where=np.array([True, False, True]),
        ),
    ],
)
def max(a, axis=None, *, keepdims=False, initial=None, where=True):
    """Largest entry over axes."""


@primitive(
    np.min,
    np.amin,
    methods=("min",),
    samples=lambda rng: [
        *reduction_samples(complex=False)(rng),
        call(distinct(rng, 2, 3), axis=0, initial=9.0),
    ],
)
def min(a, axis=None, *, keepdims=False, initial=None, where=True):
    """Smallest entry over axes."""


@primitive(
    np.nanmax,
    samples=lambda rng: [
        *reduction_samples(complex=False)(rng),
        call(with_gaps(rng), axis=1),
    ],
)
def nanmax(a, axis=None, *, keepdims=False, initial=None, where=True):
    """Largest entry over axes that is not NaN."""


@primitive(
    np.nanmin,
    samples=lambda rng: [
        *reduction_samples(complex=False)(rng),
        call(with_gaps(rng), axis=1),
    ],
)
def nanmin(a, axis=None, *, keepdims=False, initial=None, where=True):
    """Smallest entry over axes that is not NaN."""


def with_gaps(rng: np.random.Generator) -> Any:
    """An array of shape (3, 4) with some entries NaN."""
    a = distinct(rng, 3, 4)
    a[0, 1] = a[1, 3] = np.nan
    return a


def entries_equal(a: Any, z: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """Where `a` equals the result of the reduction that it went into."""
    equal = a == restore_axes(z, axis, keepdims)
    return equal if where is True else equal & where


@max.vjp
@min.vjp
@nanmax.vjp
@nanmin.vjp
def extremum_vjp(z, a, axis, keepdims, initial, where, *, dz):
    chosen = entries_equal(a, z, axis, keepdims, where)
    share = restore_axes(dz, axis, keepdims) / count_of(chosen, axis, a)
    return np.where(chosen, share, 0.0)


@max.jvp
@min.jvp
@nanmax.jvp
@nanmin.jvp
def extremum_jvp(z, a, axis, keepdims, initial, where, *, da):
    chosen = entries_equal(a, z, axis, keepdims, where)
    shares = np.where(chosen, da, 0.0) / count_of(chosen, axis, a)
    return np.sum(shares, axis=axis, keepdims=keepdims)


@primitive(np.ptp, samples=reduction_samples(complex=False))
def ptp(a, axis=None, *, keepdims=False):
    """Largest minus smallest entry over axes."""


@ptp.vjp
def ptp_vjp(z, a, axis, keepdims, *, dz):
    largest = a == np.max(a, axis=axis, keepdims=True)
    smallest = a == np.min(a, axis=axis, keepdims=True)
    spread = restore_axes(dz, axis, keepdims)
    up = np.where(largest, spread / count_of(largest, axis, a), 0.0)
    down = np.where(smallest, spread / count_of(smallest, axis, a), 0.0)
    return up - down


@ptp.jvp
def ptp_jvp(z, a, axis, keepdims, *, da):
    largest = a == np.max(a, axis=axis, keepdims=True)
    smallest = a == np.min(a, axis=axis, keepdims=True)
    up = np.where(largest, da, 0.0) / count_of(largest, axis, a)
    down = np.where(smallest, da, 0.0) / count_of(smallest, axis, a)
    return np.sum(up - down, axis=axis, keepdims=keepdims)
