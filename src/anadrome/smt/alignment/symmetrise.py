"""Two alignments made one: intersection, union, and what lies between.

Growing (Koehn, Och and Marcu, 2003; Och and Ney, 2003) starts from the intersection and
adds points of the union next to points that are there, as long as a word of theirs has
none; `final` adds points of words that stayed without (`final-and`: of two such words).
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

import anadrome as ad
from anadrome.smt.alignment.alignments import Alignments
from anadrome.smt.sentences import Array, Sentences

Heuristic = Literal[
    "intersection", "union", "grow", "grow-diag", "grow-diag-final",
    "grow-diag-final-and",
]  # fmt: skip
HEURISTICS: tuple[str, ...] = get_args(Heuristic)


def symmetrise(
    forward: Array,
    backward: Array,
    source: Sentences,
    target: Sentences,
    heuristic: Heuristic = "grow-diag-final-and",
) -> Alignments:
    """The points of both directions, joined by a heuristic.

    `forward` has the source position of every target word, `backward` the target
    position of every source word, or -1.
    """
    points = np.empty((len(forward) + len(backward), 2), dtype=np.int64)
    starts = np.zeros(len(source) + 1, dtype=np.int64)
    longest = [int(s.lengths.max(initial=1)) for s in (source, target)]
    _symmetrise(
        forward,
        backward,
        source.starts,
        target.starts,
        HEURISTICS.index(heuristic),
        np.zeros((longest[0], longest[1]), dtype=np.int64),
        points,
        starts,
    )
    return Alignments(points[: starts[-1]].copy(), starts)


def _grow(
    grid: Array, n: int, m: int, diagonal: bool, rows: Array, columns: Array
) -> None:
    """Add neighbours in the union until there is none to add."""
    added = True
    while added:
        added = False
        for i in range(n):
            for j in range(m):
                if grid[i, j] < 4:
                    continue
                for k in range(8 if diagonal else 4):
                    # left, up, right, down; then the diagonals
                    di = (k % 2) * (k - 2) if k < 4 else 2 * (k % 2) - 1
                    dj = (1 - k % 2) * (k - 1) if k < 4 else 2 * (k // 6) - 1
                    a, b = i + di, j + dj
                    if 0 <= a < n and 0 <= b < m and 0 < grid[a, b] < 4:
                        if rows[a] == 0 or columns[b] == 0:
                            grid[a, b] += 4
                            rows[a] += 1
                            columns[b] += 1
                            added = True


def _finish(
    grid: Array, n: int, m: int, bit: int, both: bool, rows: Array, columns: Array
) -> None:
    """Add points of one direction at words that have none."""
    for i in range(n):
        for j in range(m):
            if grid[i, j] < 4 and grid[i, j] & bit:
                free_row, free_column = rows[i] == 0, columns[j] == 0
                if (free_row and free_column) if both else (free_row or free_column):
                    grid[i, j] += 4
                    rows[i] += 1
                    columns[j] += 1


@ad.jit
def _symmetrise(
    forward: Array,
    backward: Array,
    source_starts: Array,
    target_starts: Array,
    heuristic: int,
    grid: Array,
    points: Array,
    starts: Array,
) -> None:
    # A cell has 1 for a point of the forward alignment, 2 for one of the backward
    # alignment, and 4 for one that is taken.
    rows = np.zeros(grid.shape[0], dtype=np.int64)
    columns = np.zeros(grid.shape[1], dtype=np.int64)
    count = 0
    for s in range(source_starts.shape[0] - 1):
        first, first_target = source_starts[s], target_starts[s]
        n = source_starts[s + 1] - first
        m = target_starts[s + 1] - first_target
        for i in range(n):
            rows[i] = 0
            for j in range(m):
                grid[i, j] = 0
        for j in range(m):
            columns[j] = 0
            if forward[first_target + j] >= 0:
                grid[forward[first_target + j], j] = 1
        for i in range(n):
            if backward[first + i] >= 0:
                grid[i, backward[first + i]] += 2
        for i in range(n):
            for j in range(m):
                if grid[i, j] == 3 or (heuristic == 1 and grid[i, j] > 0):
                    grid[i, j] += 4
                    rows[i] += 1
                    columns[j] += 1
        if heuristic >= 2:
            _grow(grid, n, m, heuristic >= 3, rows, columns)
        if heuristic >= 4:
            _finish(grid, n, m, 1, heuristic == 5, rows, columns)
            _finish(grid, n, m, 2, heuristic == 5, rows, columns)
        for i in range(n):
            for j in range(m):
                if grid[i, j] >= 4:
                    points[count, 0] = i
                    points[count, 1] = j
                    count += 1
        starts[s + 1] = count
