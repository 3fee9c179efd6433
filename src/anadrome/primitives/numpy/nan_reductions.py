"""Reductions that leave out NaN; entries that are NaN get derivative 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import nonzero, restore_axes
from anadrome.primitives.numpy.reductions import (
    count_of,
    products_of_others,
    reduction_samples,
    with_gaps,
)
from anadrome.primitives.registry import call, primitive


def gap_samples(**options: Any) -> Any:
    """Samples with and without NaN."""

    def make(rng: np.random.Generator) -> list[Any]:
        return [
            *reduction_samples(**options)(rng),
            call(with_gaps(rng), **options),
            call(with_gaps(rng), axis=1, **options),
            call(with_gaps(rng), axis=0, keepdims=True, **options),
        ]

    return make


@primitive(np.nansum, linear=("a",), samples=gap_samples())
def nansum(a, axis=None, dtype=None, *, keepdims=False):
    """Sum over axes of what is not NaN."""


@nansum.vjp
def nansum_vjp(z, a, axis, dtype, keepdims, *, dz):
    return np.where(np.isnan(a), 0.0, restore_axes(dz, axis, keepdims))


@nansum.jvp
def nansum_jvp(z, a, axis, dtype, keepdims, *, da):
    present = np.where(np.isnan(a), 0.0, da)
    return np.sum(present, axis=axis, dtype=dtype, keepdims=keepdims)


@primitive(np.nanmean, linear=("a",), samples=gap_samples())
def nanmean(a, axis=None, dtype=None, *, keepdims=False):
    """Mean over axes of what is not NaN."""


@nanmean.vjp
def nanmean_vjp(z, a, axis, dtype, keepdims, *, dz):
    n = count_of(~np.isnan(a), axis, a)
    return np.where(np.isnan(a), 0.0, restore_axes(dz, axis, keepdims) / n)


@nanmean.jvp
def nanmean_jvp(z, a, axis, dtype, keepdims, *, da):
    shares = np.where(np.isnan(a), 0.0, da) / count_of(~np.isnan(a), axis, a)
    return np.sum(shares, axis=axis, dtype=dtype, keepdims=keepdims)


@primitive(np.nanprod, samples=gap_samples())
def nanprod(a, axis=None, dtype=None, *, keepdims=False):
    """Product over axes of what is not NaN."""


@nanprod.vjp
def nanprod_vjp(z, a, axis, dtype, keepdims, *, dz):
    others = products_of_others(np.where(np.isnan(a), 1.0, a), axis)
    return np.where(np.isnan(a), 0.0, restore_axes(dz, axis, keepdims) * others)


@nanprod.jvp
def nanprod_jvp(z, a, axis, dtype, keepdims, *, da):
    others = products_of_others(np.where(np.isnan(a), 1.0, a), axis)
    slopes = np.where(np.isnan(a), 0.0, da) * others
    return np.sum(slopes, axis=axis, keepdims=keepdims)


def present_deviations(a: Any, axis: Any) -> Any:
    """The conjugated deviations from the mean, 0 where `a` is NaN."""
    deviation = np.conj(a - np.nanmean(a, axis=axis, keepdims=True))
    return np.where(np.isnan(a), 0.0, deviation)


@primitive(np.nanvar, samples=lambda rng: gap_samples()(rng) + gap_samples(ddof=1)(rng))
def nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    """Variance over axes of what is not NaN."""


@nanvar.vjp
def nanvar_vjp(z, a, axis, dtype, ddof, keepdims, *, dz):
    n = count_of(~np.isnan(a), axis, a) - ddof
    return restore_axes(2.0 * dz, axis, keepdims) / n * present_deviations(a, axis)


@nanvar.jvp
def nanvar_jvp(z, a, axis, dtype, ddof, keepdims, *, da):
    n = count_of(~np.isnan(a), axis, a) - ddof
    slopes = np.real(present_deviations(a, axis) * da) / n
    return 2.0 * np.sum(slopes, axis=axis, keepdims=keepdims)


@primitive(np.nanstd, samples=lambda rng: gap_samples()(rng) + gap_samples(ddof=1)(rng))
def nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    """Standard deviation over axes of what is not NaN; flat where it is 0."""


@nanstd.vjp
def nanstd_vjp(z, a, axis, dtype, ddof, keepdims, *, dz):
    n = count_of(~np.isnan(a), axis, a) - ddof
    share = restore_axes(dz / nonzero(z), axis, keepdims) / n
    return share * present_deviations(a, axis)


@nanstd.jvp
def nanstd_jvp(z, a, axis, dtype, ddof, keepdims, *, da):
    n = count_of(~np.isnan(a), axis, a) - ddof
    slopes = np.real(present_deviations(a, axis) * da) / n
    return np.sum(slopes, axis=axis, keepdims=keepdims) / nonzero(z)
