"""Minimum error rate training (Och, 2003): weights that make BLEU high.

Along a line w + γ d the score of every candidate is a line in γ, so the best candidate
of a sentence changes only where lines of the upper envelope meet. Between all such
points of all sentences BLEU is constant, and the best interval is found exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome.smt.bleu_counts import WIDTH, bleu_of
from anadrome.smt.candidates import Candidates
from anadrome.smt.sentences import Array


@dataclass(frozen=True)
class LineOptimum:
    """The best place on a line."""

    gamma: float
    bleu: float


def line_search(
    candidates: Candidates, weights: Array, direction: Array
) -> LineOptimum:
    """The γ with the highest BLEU on the line, in the middle of its interval.

    Where intervals are equally good, the one that is nearest to 0 is taken.
    """
    points, statistics = bleu_along(candidates, weights, direction)
    scores = bleu_of(statistics)
    lows = np.concatenate([[-np.inf], points])
    highs = np.concatenate([points, [np.inf]])
    distance = np.where(
        (lows <= 0) & (0 <= highs), 0.0, np.minimum(abs(lows), abs(highs))
    )
    # Intervals narrower than rounding are no place to be.
    wide = (highs - lows) > 1e-9
    best = scores[wide].max()
    choice = np.flatnonzero(wide & (scores >= best - 1e-12))
    at = choice[np.argmin(distance[choice])]
    low, high = float(lows[at]), float(highs[at])
    if np.isinf(low) and np.isinf(high):
        gamma = 0.0
    elif np.isinf(low):
        gamma = min(high - 0.1, 0.0) if high > 0 else high - 0.1
    elif np.isinf(high):
        gamma = max(low + 0.1, 0.0) if low < 0 else low + 0.1
    else:
        gamma = (low + high) / 2
    return LineOptimum(gamma, float(scores[at]))


def bleu_along(
    candidates: Candidates, weights: Array, direction: Array
) -> tuple[Array, Array]:
    """The points (P,) where the statistics change, and those between (P + 1, 9)."""
    intercepts = candidates.values @ weights
    slopes = candidates.values @ direction
    count = len(intercepts)
    points = np.empty(count)
    old, new = np.empty(count, np.int64), np.empty(count, np.int64)
    first = np.empty(len(candidates), np.int64)
    widest = int(np.diff(candidates.starts).max(initial=1))
    used = _envelopes(
        intercepts, slopes, candidates.starts, np.empty(widest, np.int64),
        np.empty(widest, np.int64), np.empty(widest), points, old, new, first,
    )  # fmt: skip
    order = np.argsort(points[:used], kind="stable")
    rows = candidates.statistics
    changes = rows[new[order]] - rows[old[order]]
    start = rows[first[first >= 0]].sum(axis=0)
    statistics = np.empty((used + 1, WIDTH))
    statistics[0] = start
    statistics[1:] = start + np.cumsum(changes, axis=0)
    return points[order], statistics


def optimise(
    candidates: Candidates,
    start: Array,
    fixed: Array,
    random: np.random.Generator,
    *,
    directions: int = 5,
    rounds: int = 20,
) -> tuple[Array, float]:
    """Weights that no axis and no random line improves, and their BLEU.

    Lines are searched in a random order, and the weights move at once where one of
    them is better, until none is.
    """
    weights = start.copy()
    free = np.flatnonzero(~fixed)
    best = float(bleu_of(candidates.statistics[candidates.best(weights)].sum(axis=0)))
    for _ in range(rounds):
        lines = [np.eye(len(weights))[k] for k in free]
        for _ in range(directions):
            line = np.zeros(len(weights))
            line[free] = random.normal(size=len(free))
            lines.append(line)
        before = best
        for k in random.permutation(len(lines)):
            found = line_search(candidates, weights, lines[k])
            if found.bleu > best + 1e-7:
                best = found.bleu
                weights = weights + found.gamma * lines[k]
        if best <= before + 1e-5:
            break
    return weights, best


def _sort(order: Array, count: int, slopes: Array, intercepts: Array, at: int) -> None:
    """Sort candidates by slope, then intercept (Shell's method)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            item = int(order[i])
            slope, intercept = float(slopes[at + item]), float(intercepts[at + item])
            j = i
            while j >= gap:
                other = at + int(order[j - gap])
                if slopes[other] < slope:
                    break
                if slopes[other] == slope and intercepts[other] <= intercept:
                    break
                order[j] = order[j - gap]
                j -= gap
            order[j] = item
        gap //= 3


@ad.jit
def _envelopes(
    intercepts: Array,
    slopes: Array,
    starts: Array,
    order: Array,
    hull: Array,
    begins: Array,
    points: Array,
    old: Array,
    new: Array,
    first: Array,
) -> int:
    used = 0
    for s in range(starts.shape[0] - 1):
        at = int(starts[s])
        count = int(starts[s + 1]) - at
        first[s] = -1
        if count == 0:
            continue
        for k in range(count):
            order[k] = k
        _sort(order, count, slopes, intercepts, at)
        size = 0
        for k in range(count):
            line = at + int(order[k])
            begin = -np.inf
            # A line takes the place of those that it meets before they begin.
            while size > 0:
                top = int(hull[size - 1])
                rise = slopes[line] - slopes[top]
                if rise <= 0.0:
                    size -= 1
                    continue
                begin = (intercepts[top] - intercepts[line]) / rise
                if begin > begins[size - 1]:
                    break
                size -= 1
            if size == 0:
                begin = -np.inf
            hull[size] = line
            begins[size] = begin
            size += 1
        first[s] = hull[0]
        for k in range(1, size):
            points[used] = begins[k]
            old[used] = hull[k - 1]
            new[used] = hull[k]
            used += 1
    return used
