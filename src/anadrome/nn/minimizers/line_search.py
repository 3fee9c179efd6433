"""How far to go along a direction.

Nocedal and Wright, "Numerical optimization" (2006), chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DECREASE, FLATTER = 1e-4, 0.9
"""The constants c₁ and c₂ of the conditions of Wolfe, as the book has them."""


@dataclass(frozen=True)
class Point:
    """A place on the line: how far along it is, and the loss and the gradient there."""

    size: float
    value: float
    slope: float  # of the loss along the line
    gradient: np.ndarray


def backtrack(
    value_at: Callable[[float], float], value: float, slope: float, limit: int = 30
) -> float:
    """The first of 1, 1/2, 1/4, … with enough of a decrease (algorithm 3.1), or 0."""
    size = 1.0
    for _ in range(limit):
        # written so that a value that is no number is too high
        if value_at(size) <= value + DECREASE * size * slope:
            return size
        size /= 2
    return 0.0


def search_wolfe(
    along: Callable[[float], Point], start: Point, size: float = 1.0, limit: int = 25
) -> Point:
    """A point where the loss is lower and flatter: algorithms 3.5 and 3.6.

    The strong conditions of Wolfe hold there (3.7), unless the limit is reached; then
    it is the lowest point that was seen with enough of a decrease, or the start.
    """

    def is_high(point: Point) -> bool:
        return not point.value <= start.value + DECREASE * point.size * start.slope

    def is_flat(point: Point) -> bool:
        return abs(point.slope) <= -FLATTER * start.slope

    def zoom(low: Point, high: Point) -> Point:
        for _ in range(limit):
            point = along(_between(low, high))
            if is_high(point) or point.value >= low.value:
                high = point
                continue
            if is_flat(point):
                return point
            if point.slope * (high.size - low.size) >= 0:
                high = low
            low = point
        return low

    before = start
    for _ in range(limit):
        point = along(size)
        if is_high(point) or (before is not start and point.value >= before.value):
            return zoom(before, point)
        if is_flat(point):
            return point
        if point.slope >= 0:
            return zoom(point, before)
        before, size = point, 2 * size
    return before


def _between(a: Point, b: Point) -> float:
    """The minimum of the cubic through two points (3.59), not too near to either."""
    middle = (a.size + b.size) / 2
    d = a.slope + b.slope - 3 * (a.value - b.value) / (a.size - b.size)
    square = d * d - a.slope * b.slope
    if not (square >= 0 and math.isfinite(square)):
        return middle
    root = math.copysign(math.sqrt(square), b.size - a.size)
    below = b.slope - a.slope + 2 * root
    if below == 0:
        return middle
    found = b.size - (b.size - a.size) * (b.slope + root - d) / below
    near, far = sorted((a.size, b.size))
    margin = 0.1 * (far - near)
    return min(max(found, near + margin), far - margin)
