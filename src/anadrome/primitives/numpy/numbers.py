"""Functions of `math` that take several numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anadrome.primitives.helpers import nonzero
from anadrome.primitives.registry import primitive


def like_given(given: Any, cotangents: list[Any]) -> Any:
    """The cotangents of numbers in the kind of sequence that held them."""
    if isinstance(given, np.ndarray):
        return np.array(cotangents)
    return tuple(cotangents) if isinstance(given, tuple) else cotangents


@primitive(
    math.fsum,
    linear=("seq",),
    samples=lambda rng: [([1.5, 2.5, 3.5],), ((1.5, 2.5),), (rng.normal(size=3),)],
)
def fsum(seq):
    """The exactly rounded sum of numbers."""


@fsum.vjp
def fsum_vjp(z, seq, *, dz):
    return like_given(seq, [dz for _ in seq])


@fsum.jvp
def fsum_jvp(z, seq, *, dseq):
    return math.fsum(dseq)


@primitive(math.hypot, samples=lambda rng: [(3.0, 4.0), (1.5,), (1.0, -2.0, 3.0)])
def hypotenuse(*coordinates):
    """The length of a vector; its derivative at 0 is taken to be 0."""


@hypotenuse.vjp
def hypotenuse_vjp(z, coordinates, *, dz):
    return tuple([dz * x / nonzero(z) for x in coordinates])


@hypotenuse.jvp
def hypotenuse_jvp(z, coordinates, *, dcoordinates):
    return sum([x * dx for x, dx in zip(coordinates, dcoordinates)]) / nonzero(z)


@primitive(
    math.dist,
    samples=lambda rng: [
        ([1.0, 2.0], [4.0, 6.5]),
        ((1.0, 2.0, 3.0), (0.5, 1.0, -1.0)),
        (rng.normal(size=3), rng.normal(size=3)),
    ],
)
def dist(p, q):
    """The distance between two points; its derivative at 0 is taken to be 0."""


@dist.vjp
def dist_vjp(z, p, q, *, dz):
    slopes = [dz * (a - b) / nonzero(z) for a, b in zip(p, q)]
    return like_given(p, slopes), like_given(q, [-slope for slope in slopes])


@dist.jvp
def dist_jvp(z, p, q, *, dp, dq):
    slopes = [(a - b) * (da - db) for a, b, da, db in zip(p, q, dp, dq)]
    return sum(slopes) / nonzero(z)


if hasattr(math, "sumprod"):

    @primitive(
        math.sumprod,
        samples=lambda rng: [([1.0, 2.0], [4.0, 6.5]), ((1.5,), (2.5,))],
    )
    def sumprod(p, q):
        """The sum of the products of two sequences of numbers."""

    @sumprod.vjp
    def sumprod_vjp(z, p, q, *, dz):
        return like_given(p, [dz * b for b in q]), like_given(q, [dz * a for a in p])

    @sumprod.jvp
    def sumprod_jvp(z, p, q, *, dp, dq):
        return sumprod(dp, q) + sumprod(p, dq)


if hasattr(math, "fma"):

    @primitive(math.fma, broadcasts=True, samples=lambda rng: [(1.5, 2.5, 3.5)])
    def fma(x, y, addend):
        """`x * y + addend`, rounded once."""

    @fma.vjp
    def fma_vjp(z, x, y, addend, *, dz):
        return dz * y, dz * x, dz

    @fma.jvp
    def fma_jvp(z, x, y, addend, *, dx, dy, daddend):
        return dx * y + x * dy + daddend
