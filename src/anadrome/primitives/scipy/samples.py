"""Sample arguments shared by the declarations of SciPy's primitives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.primitives.registry import Sample, call
from anadrome.primitives.sampling import Interval

SampleMaker = Callable[[np.random.Generator], list[Sample]]


def many(*intervals: Interval) -> SampleMaker:
    """Calls of `f(x, y, …)`: scalars, vectors, and shapes that broadcast."""

    def make(rng: np.random.Generator) -> list[Sample]:
        def draw(shapes: list[tuple[int, ...]]) -> Sample:
            return call(*(rng.uniform(*i, s) for i, s in zip(intervals, shapes)))

        n = len(intervals)
        column_and_row: list[tuple[int, ...]] = [
            (3, 1) if i % 2 else (1, 4) for i in range(n)
        ]
        return [
            call(*(float(rng.uniform(*i)) for i in intervals)),
            draw([(3,)] * n),
            draw(column_and_row),
            draw([() if i else (2, 3) for i in range(n)]),
            draw([(2, 3) if i == n - 1 else () for i in range(n)]),
        ]

    return make


def given(*leading: Any) -> Callable[[float, float], SampleMaker]:
    """Calls of `f(k, x)`: `given(1, 2)(low, high)` takes k from 1, 2."""

    def interval(low: float, high: float) -> SampleMaker:
        def make(rng: np.random.Generator) -> list[Sample]:
            return [
                call(k, x)
                for k in leading
                for x in (
                    float(rng.uniform(low, high)),
                    rng.uniform(low, high, 3),
                    rng.uniform(low, high, (2, 2)),
                )
            ]

        return make

    return interval
