"""Phrase pairs that are consistent with an alignment (thesis, 2.3; Koehn et al., 2003).

A pair of spans is consistent if at least one alignment point lies in both, and no point
lies in one and outside of the other. Words without points at the edges may belong to a
phrase or not, so one target span can have several source spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome.smt.alignment.alignments import Alignments
from anadrome.smt.sentences import Array, Sentences

LONGEST = 7
"""Words that a phrase may have, so that the bits of a number hold its alignment."""

MONOTONE, SWAP, DISCONTINUOUS = 0, 1, 2


@dataclass(frozen=True)
class Extracted:
    """Phrase pairs, one for each occurrence, in the order of the sentences."""

    sources: Array  # (N,) where the source phrase begins in the words of the corpus
    source_lengths: Array  # (N,)
    targets: Array  # (N,)
    target_lengths: Array  # (N,)
    alignments: Array  # (N,) bit LONGEST i + j: source word i is aligned to target j
    previous: Array  # (N,) orientation with respect to the phrase before
    following: Array  # (N,) with respect to the phrase after

    def __len__(self) -> int:
        return len(self.sources)


def extract_phrases(
    source: Sentences, target: Sentences, alignments: Alignments, max_length: int = 7
) -> Extracted:
    """The phrase pairs of all sentence pairs, both sides of at most `max_length`."""
    if not 1 <= max_length <= LONGEST:
        raise ValueError(f"a phrase has 1 to {LONGEST} words, not {max_length}")
    if not len(source) == len(target) == len(alignments):
        raise ValueError(
            f"{len(source)} source sentences, {len(target)} target sentences and "
            f"{len(alignments)} alignments"
        )
    longest = int(max(source.lengths.max(initial=0), target.lengths.max(initial=0)))
    nothing = np.empty((7, 0), dtype=np.int64)
    edges = np.empty((4, longest + 1), dtype=np.int64)
    given = (
        source.starts,
        target.starts,
        alignments.points,
        alignments.starts,
        max_length,
        edges,
    )
    count = _extract(*given, nothing, False)
    out = np.empty((7, count), dtype=np.int64)
    _extract(*given, out, True)
    return Extracted(*out)


def _points_at(points: Array, first: int, end: int, i: int, j: int) -> bool:
    """Whether a position is aligned; sentence ends are, to each other."""
    low = first
    high = end
    while low < high:  # points are in order
        middle = (low + high) // 2
        if points[middle, 0] < i or (points[middle, 0] == i and points[middle, 1] < j):
            low = middle + 1
        else:
            high = middle
    return low < end and points[low, 0] == i and points[low, 1] == j


def _orientation(
    points: Array,
    first: int,
    end: int,
    monotone: tuple[int, int],
    swap: tuple[int, int],
    at_end: bool,
) -> int:
    """Word-based orientation: which corner of the phrase pair the next point is at."""
    straight = at_end or _points_at(points, first, end, monotone[0], monotone[1])
    turned = _points_at(points, first, end, swap[0], swap[1])
    if straight and not turned:
        return MONOTONE
    if turned and not straight:
        return SWAP
    return DISCONTINUOUS


@ad.jit
def _extract(
    source_starts: Array,
    target_starts: Array,
    points: Array,
    starts: Array,
    longest: int,
    edges: Array,
    out: Array,
    fill: bool,
) -> int:
    count = 0
    # Of every source word, the first and last target word, and the other way round.
    for s in range(source_starts.shape[0] - 1):
        source, target = source_starts[s], target_starts[s]
        n = source_starts[s + 1] - source
        m = target_starts[s + 1] - target
        first, end = starts[s], starts[s + 1]
        for i in range(n):
            edges[0, i] = m
            edges[1, i] = -1
        for j in range(m):
            edges[2, j] = n
            edges[3, j] = -1
        for p in range(first, end):
            i, j = points[p, 0], points[p, 1]
            edges[0, i] = min(edges[0, i], j)
            edges[1, i] = max(edges[1, i], j)
            edges[2, j] = min(edges[2, j], i)
            edges[3, j] = max(edges[3, j], i)
        for begin in range(m):
            low, high = n, -1
            for last in range(begin, min(begin + longest, m)):
                low = min(low, edges[2, last])
                high = max(high, edges[3, last])
                if high < 0:
                    continue
                if high - low >= longest:
                    break
                consistent = True
                for i in range(low, high + 1):
                    if edges[1, i] >= 0:
                        if edges[0, i] < begin or edges[1, i] > last:
                            consistent = False
                            break
                if not consistent:
                    continue
                left = low
                while left >= 0 and high - left < longest:
                    right = high
                    while right < n and right - left < longest:
                        if fill:
                            bits = 0
                            for i in range(low, high + 1):
                                for j in range(edges[0, i], edges[1, i] + 1):
                                    if _points_at(points, first, end, i, j):
                                        place = LONGEST * (i - left) + j - begin
                                        bits |= 1 << place
                            out[0, count] = source + left
                            out[1, count] = right - left + 1
                            out[2, count] = target + begin
                            out[3, count] = last - begin + 1
                            out[4, count] = bits
                            out[5, count] = _orientation(
                                points,
                                first,
                                end,
                                (left - 1, begin - 1),
                                (right + 1, begin - 1),
                                left == 0 and begin == 0,
                            )
                            out[6, count] = _orientation(
                                points,
                                first,
                                end,
                                (right + 1, last + 1),
                                (left - 1, last + 1),
                                right == n - 1 and last == m - 1,
                            )
                        count += 1
                        right += 1
                        if right < n and edges[1, right] >= 0:
                            break
                    left -= 1
                    if left >= 0 and edges[1, left] >= 0:
                        break
    return count
