"""What BLEU is made of, for every candidate of an n-best list.

A row of statistics has the matches of 1- to 4-grams, how many there are in the
candidate, and the length of the reference; the statistics of a corpus are the sum of
rows. Tuning compares thousands of sums; final scores are those of `evaluate`.
"""

from __future__ import annotations

import numpy as np

import anadrome as ad
from anadrome.smt.sentences import Array

ORDER = 4
WIDTH = 2 * ORDER + 1


def count_matches(words: Array, starts: Array, reference: Array) -> Array:
    """(N, 9) statistics of candidates, flat words and where each begins."""
    rows = np.zeros((len(starts) - 1, WIDTH))
    _count(words, starts, reference, rows)
    return rows


def bleu_of(statistics: Array) -> Array:
    """BLEU from 0 to 1 of rows (..., 9) of statistics of whole corpora."""
    matches = statistics[..., :ORDER]
    totals = np.maximum(statistics[..., ORDER : 2 * ORDER], 1)
    with np.errstate(divide="ignore"):
        logs = np.log(matches / totals).mean(axis=-1)
        short = 1 - statistics[..., -1] / np.maximum(statistics[..., ORDER], 1e-9)
    return np.exp(logs + np.minimum(short, 0.0))


def smoothed_bleu(statistics: Array, add: float = 1.0) -> Array:
    """Sentence BLEU of rows of statistics, with counts of n > 1 increased."""
    plus = np.array([0.0] + [add] * (ORDER - 1))
    matches = statistics[..., :ORDER] + plus
    totals = np.maximum(statistics[..., ORDER : 2 * ORDER] + plus, 1)
    with np.errstate(divide="ignore"):
        logs = np.log(matches / totals).mean(axis=-1)
        short = 1 - (statistics[..., -1] + add) / (statistics[..., ORDER] + add)
    return np.exp(logs + np.minimum(short, 0.0))


def _same(a: Array, i: int, b: Array, j: int, n: int) -> bool:
    k = 0
    while k < n and a[i + k] == b[j + k]:
        k += 1
    return k == n


@ad.jit
def _count(words: Array, starts: Array, reference: Array, rows: Array) -> None:
    length = reference.shape[0]
    for row in range(starts.shape[0] - 1):
        first = int(starts[row])
        size = int(starts[row + 1]) - first
        rows[row, 2 * ORDER] = length
        for n in range(1, ORDER + 1):
            rows[row, ORDER + n - 1] = max(0, size - n + 1)
            matches = 0
            for i in range(size - n + 1):
                # An n-gram matches as long as the reference has as many of it as the
                # candidate had so far.
                seen = 1
                for j in range(i):
                    if _same(words, first + i, words, first + j, n):
                        seen += 1
                for j in range(length - n + 1):
                    if _same(words, first + i, reference, j, n):
                        seen -= 1
                        if seen == 0:
                            break
                if seen <= 0:
                    matches += 1
            rows[row, n - 1] = matches
