"""Sample arguments on which primitives are tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Spelt without `np.random`, whose import is slow.
Samples = Callable[[Any], list[Any]]
Interval = tuple[float, float]

BROADCASTING_PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (2, 3)),
    ((3, 1), (1, 4)),
    ((), (2, 3)),
    ((2, 3), ()),
    ((2, 1, 3), (4, 1)),
    ((0, 2), (2,)),
)


def complex_normal(rng: np.random.Generator, *shape: int) -> Any:
    """A complex array with independent normal real and imaginary parts."""
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def distinct(rng: np.random.Generator, *shape: int) -> Any:
    """An array without ties, whose entries lie at least 0.05 apart."""
    size = int(np.prod(shape))
    values = 0.1 * rng.permutation(size) + rng.uniform(0, 0.05, size)
    return np.reshape(values - 0.05 * size, shape)


def unary(over: Interval = (-2.0, 2.0), complex: bool = False) -> Samples:
    """Samples of a function of one array with entries in an interval."""

    def make(rng: np.random.Generator) -> list[Any]:
        shapes = [(), (3,), (2, 3), (0, 2)]
        made = [(rng.uniform(*over),), *((rng.uniform(*over, s),) for s in shapes)]
        if complex:
            made += [(complex_normal(rng, 3),), (complex_normal(rng, 2, 3),)]
        return made

    return make


def binary(
    first: Interval = (-2.0, 2.0),
    second: Interval | None = None,
    complex: bool = False,
) -> Samples:
    """Samples of a broadcasting function of two arrays."""
    second = second or first

    def make(rng: np.random.Generator) -> list[Any]:
        made: list[Any] = [
            (rng.uniform(*first, s), rng.uniform(*second, t))
            for s, t in BROADCASTING_PAIRS
        ]
        made.append((rng.uniform(*first), rng.uniform(*second, 3)))
        made.append((rng.uniform(*first, 3), rng.uniform(*second)))
        if complex:
            made.append((complex_normal(rng, 3, 1), complex_normal(rng, 4)))
            made.append((rng.uniform(*first, (2, 3)), complex_normal(rng, 3)))
        return made

    return make
