"""Histograms: counts are locally constant, edges, densities and weights are not.

Edges that are not given lie evenly between the smallest and the largest entry, whose
derivative they share; entries that tie there share theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import call, nondifferentiable, primitive


@nondifferentiable
def edge_places(z: Any) -> Any:
    """Where each edge lies between the ends, from 0 to 1."""
    return np.linspace(0.0, 1.0, len(z), dtype=np.result_type(z))


@nondifferentiable
def share_of_end(a: Any, last: bool) -> Any:
    """What each entry of `a` contributes to the first or the last edge."""
    share = np.zeros(np.shape(a), np.result_type(a, np.float16))
    if np.size(a) == 0:
        return share
    at_end = a == (np.max(a) if last else np.min(a))
    return (at_end / np.count_nonzero(at_end)).astype(share.dtype)


@nondifferentiable
def bins_of(a: Any, edges: Any) -> Any:
    """The bin of each entry of `a`, one behind the last for what lies in none."""
    flat = np.ravel(a)
    found = np.searchsorted(edges, flat, side="right") - 1
    found = np.where(flat == edges[-1], len(edges) - 2, found)
    return np.where((found < 0) | (found > len(edges) - 2), len(edges) - 1, found)


@nondifferentiable
def refuse_density(density: Any) -> None:
    """Nothing, but that densities in a plane have no derivative here."""
    if density:
        raise NotDifferentiable(
            "np.histogram2d: 'density' has no derivative here; divide the counts by "
            "the areas of the bins"
        )


def edges_pullback(a: Any, z: Any, bins: Any, range: Any, dz: Any) -> Any:
    """The cotangents of `a`, of the bins and of their range for that of the edges."""
    if np.ndim(bins) == 1:
        return np.zeros_like(a), dz, (0.0, 0.0)
    t = edge_places(z)
    low, high = np.sum(dz * (1.0 - t)), np.sum(dz * t)
    da = share_of_end(a, False) * low + share_of_end(a, True) * high
    if range is None:
        return da, 0.0, (0.0, 0.0)
    return np.zeros_like(a), 0.0, (low, high)


def edges_pushforward(
    a: Any, z: Any, bins: Any, range: Any, da: Any, dbins: Any, drange: Any
) -> Any:
    """The tangent of the edges `z` of `a`."""
    if np.ndim(bins) == 1:
        return np.zeros_like(z) + dbins
    t = edge_places(z)
    if range is None:
        low, high = (
            np.sum(share_of_end(a, False) * da),
            np.sum(share_of_end(a, True) * da),
        )
    else:
        low, high = drange[0], drange[1]
    return low * (1.0 - t) + high * t


@primitive(
    np.histogram_bin_edges,
    samples=lambda rng: [
        (rng.normal(size=5), 3),
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=5), bins=4, range=(-1.0, 1.0)),
        (rng.normal(size=5), np.array([-1.0, 0.5, 2.0])),
        (rng.normal(size=5), "sqrt"),
    ],
)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that a histogram counts in."""


@histogram_bin_edges.vjp
def histogram_bin_edges_vjp(z, a, bins, range, weights, *, dz):
    return edges_pullback(a, z, bins, range, dz)


@histogram_bin_edges.jvp
def histogram_bin_edges_jvp(z, a, bins, range, weights, *, da, dbins, drange):
    return edges_pushforward(a, z, bins, range, da, dbins, drange)


@primitive(
    np.histogram,
    samples=lambda rng: [
        (rng.normal(size=5), 3),
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=5), bins=3, density=True),
        call(rng.normal(size=5), bins=3, weights=rng.normal(size=5)),
        call(
            rng.normal(size=5), bins=3, weights=rng.uniform(1, 2, size=5), density=True
        ),
        call(rng.normal(size=5), bins=np.array([-1.0, 0.5, 2.0]), density=True),
        call(rng.normal(size=5), bins=4, range=(-1.0, 1.5), density=True),
    ],
)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many entries fall into each bin, or the sum of their weights; the edges."""


@histogram.vjp
def histogram_vjp(z, a, bins, range, density, weights, *, dz):
    where = bins_of(a, z[1])
    dcounts = dz[0]
    dedges = dz[1]
    if density:
        # The counts are the density times the widths times the total.
        total = in_bins(weights, where, z[1])
        widths = np.diff(z[1])
        share = dz[0] / widths
        dwidths = share * z[0]
        dedges = dz[1] - np.pad(dwidths, (1, 0)) + np.pad(dwidths, (0, 1))
        dcounts = (share - np.sum(dz[0] * z[0])) / total
    da, dbins, drange = edges_pullback(a, z[1], bins, range, dedges)
    if weights is None:
        return da, dbins, drange, 0.0
    dweights = np.reshape(np.pad(dcounts, (0, 1))[where], np.shape(weights))
    return da, dbins, drange, dweights


@histogram.jvp
def histogram_jvp(z, a, bins, range, density, weights, *, da, dbins, drange, dweights):
    where = bins_of(a, z[1])
    dedges = edges_pushforward(a, z[1], bins, range, da, dbins, drange)
    dcounts = np.zeros(len(z[1]) - 1, np.result_type(z[1]))
    if weights is not None:
        found = np.bincount(where, np.ravel(dweights), len(z[1]))[:-1]
        dcounts = found.astype(np.result_type(dweights))
    if not density:
        return dcounts, dedges
    total = in_bins(weights, where, z[1])
    widths = np.diff(z[1])
    change = dcounts / widths - z[0] * np.sum(dcounts)
    return change / total - z[0] * np.diff(dedges) / widths, dedges


def in_bins(weights: Any, where: Any, edges: Any) -> Any:
    """How many entries lie in bins, or the sum of their weights."""
    inside = where < len(edges) - 1
    if weights is None:
        return np.sum(inside)
    return np.sum(np.ravel(weights) * inside)


@primitive(
    np.histogram2d,
    samples=lambda rng: [
        (rng.normal(size=5), rng.normal(size=5), 3),
        call(
            rng.normal(size=5), rng.normal(size=5), bins=2, range=[[-1, 1], [-1.0, 1]]
        ),
    ],
)
def histogram2d(x, y, bins=10, range=None, density=None):
    """How many points fall into each bin of a plane; the edges of both axes."""


@nondifferentiable
def share_of_ends(a: Any, bins: Any, range: Any, axis: int) -> Any:
    """What each entry of `a` contributes to the first and the last edge of an axis."""
    given = bins if np.ndim(bins) == 0 or len(bins) != 2 else bins[axis]
    if np.ndim(given) == 1 or (range is not None and range[axis] is not None):
        return np.zeros((2, np.size(a)))
    return np.stack((share_of_end(a, False), share_of_end(a, True)))


@histogram2d.vjp
def histogram2d_vjp(z, x, y, bins, range, density, *, dz):
    refuse_density(density)
    ends_x, ends_y = share_of_ends(x, bins, range, 0), share_of_ends(y, bins, range, 1)
    dx = np.stack((1.0 - edge_places(z[1]), edge_places(z[1]))) @ dz[1] @ ends_x
    dy = np.stack((1.0 - edge_places(z[2]), edge_places(z[2]))) @ dz[2] @ ends_y
    return dx, dy


@histogram2d.jvp
def histogram2d_jvp(z, x, y, bins, range, density, *, dx, dy):
    refuse_density(density)
    low_x, high_x = share_of_ends(x, bins, range, 0) @ dx
    low_y, high_y = share_of_ends(y, bins, range, 1) @ dy
    dxedges = low_x * (1.0 - edge_places(z[1])) + high_x * edge_places(z[1])
    dyedges = low_y * (1.0 - edge_places(z[2])) + high_y * edge_places(z[2])
    return np.zeros_like(z[0]), dxedges, dyedges
