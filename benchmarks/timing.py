"""Times of a call, and what is made of them: bests, ratios, dispersion."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LEAST, MOST = 3, 5000


@dataclass(frozen=True)
class Times:
    """The fastest and the median call of one round, in seconds."""

    best: float
    median: float
    count: int


@dataclass(frozen=True)
class Ratio:
    """A ratio of the best times of all rounds, and its range over the rounds."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{short(self.value)} ({short(self.low)}–{short(self.high)})"


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def measure(call: Callable[[], Any], seconds: float, clock: str = "wall") -> Times:
    """The times of a call, repeated for so many seconds and at least a few times."""
    now = CLOCKS[clock]
    times: list[float] = []
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while len(times) < LEAST or (time.perf_counter() < end and len(times) < MOST):
            begin = now()
            call()
            times.append(now() - begin)
    finally:
        gc.enable()
    return Times(min(times), statistics.median(times), len(times))


def compare(theirs: Sequence[float], ours: Sequence[float]) -> Ratio:
    """Their time ÷ ours, from the best of each round."""
    rounds = [a / b for a, b in zip(theirs, ours)]
    return Ratio(min(theirs) / min(ours), min(rounds), max(rounds))


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def short(value: float) -> str:
    """A number with three digits, or in full when it is large."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def milliseconds(seconds: float) -> str:
    return (
        f"{short(seconds * 1e3)} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.1f} µs"
    )
