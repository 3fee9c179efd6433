"""The links of a corpus: every target word with every source word of its sentence.

A translation model without fertilities sees nothing else. The word pairs are numbered,
so that a table t(f | e) is one array, and expectation and maximisation are loops over
arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome.smt.hashing import KeyNumbers
from anadrome.smt.sentences import Array, Sentences

NULL = 0
"""The source word of target words that translate none."""


@dataclass(frozen=True)
class Links:
    """The links of sentence pairs, ordered by pair, target word and source word.

    A target word has a link with NULL, and then one with each source word.
    """

    pairs: Array  # (L,) the number of the word pair of each link
    starts: Array  # (S + 1,) where the links of each sentence pair begin
    widths: Array  # (S,) source words of each sentence pair, with NULL
    sources: Array  # (P,) the source word of each word pair plus 1; 0 is NULL
    targets: Array  # (P,) its target word
    cells: Array  # (S,) where the block of the sentence pair's lengths begins
    blocks: Array  # (B, 3) source length, target length, begin of every block
    occurrences: Array  # (B,) how many sentence pairs have these lengths

    @property
    def cell_count(self) -> int:
        """How many cells (target position, source position) all blocks have."""
        n, m, start = self.blocks[-1]
        return int(start + (n + 1) * m)


def link_words(source: Sentences, target: Sentences) -> Links:
    """The links of two sides of a corpus."""
    n, m = source.lengths, target.lengths
    starts = np.concatenate([[0], np.cumsum((n + 1) * m)])
    keys = np.empty(starts[-1], dtype=np.int64)
    size = max(1, len(target.vocabulary))
    _keys(source.words, source.starts, target.words, target.starts, size, keys)
    numbers = KeyNumbers(len(keys) // 8)
    pairs = numbers.add(keys).astype(np.int32)
    found = numbers.keys()
    shapes = n * (int(m.max(initial=0)) + 1) + m
    unique, which, occurrences = np.unique(
        shapes, return_inverse=True, return_counts=True
    )
    lengths = np.stack(np.divmod(unique, int(m.max(initial=0)) + 1), axis=1)
    sizes = (lengths[:, 0] + 1) * lengths[:, 1]
    begins = np.cumsum(sizes) - sizes
    return Links(
        pairs,
        starts,
        n + 1,
        found // size,
        found % size,
        begins[which],
        np.column_stack([lengths, begins]).astype(np.int64),
        occurrences,
    )


def expect(
    links: Links, table: Array, priors: Array, counts: Array, cell_counts: Array
) -> float:
    """Add the posteriors of all links to counts; the log-likelihood.

    p(i | f_j, e) is t(f_j | e_i) times the prior of its cell, normalised. The sums go
    to the counts of the word pairs and to those of the cells.
    """
    return float(
        _expect(
            links.pairs,
            links.starts,
            links.widths,
            links.cells,
            table,
            priors,
            counts,
            cell_counts,
        )
    )


def normalise(links: Links, counts: Array, alpha: float | None = None) -> Array:
    """The table t(f | e) of counts.

    With `alpha` it is the mean field of a symmetric Dirichlet prior (variational
    Bayes, as fast_align does), which sums to less than one and keeps rare words from
    explaining everything.
    """
    totals = np.bincount(links.sources, weights=counts)
    if alpha is None:
        return counts / np.maximum(totals[links.sources], np.finfo(float).tiny)
    types = np.bincount(links.sources)
    table = np.empty(len(counts))
    _variational(counts, links.sources, totals + alpha * types, alpha, table)
    return table


def best_links(links: Links, table: Array, priors: Array, target: Sentences) -> Array:
    """The best source position of every target word, or -1 for NULL."""
    best = np.empty(len(target.words), dtype=np.int64)
    _best(links.pairs, links.starts, links.widths, links.cells, table, priors, best)
    return best


def digamma(x: float) -> float:
    """The derivative of log Γ at x > 0, to about 1e-9."""
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    square = 1.0 / (x * x)
    series = square * (1 / 24 - square * (7 / 960 - square * (31 / 8064)))
    return result + math.log(x) + series


@ad.jit
def _keys(
    source: Array,
    source_starts: Array,
    target: Array,
    target_starts: Array,
    size: int,
    keys: Array,
) -> None:
    k = 0
    for s in range(source_starts.shape[0] - 1):
        for j in range(target_starts[s], target_starts[s + 1]):
            keys[k] = target[j]
            k += 1
            for i in range(source_starts[s], source_starts[s + 1]):
                keys[k] = (source[i] + 1) * size + target[j]
                k += 1


@ad.jit
def _expect(
    pairs: Array,
    starts: Array,
    widths: Array,
    cells: Array,
    table: Array,
    priors: Array,
    counts: Array,
    cell_counts: Array,
) -> float:
    likelihood = 0.0
    posterior = np.zeros(1 if widths.shape[0] == 0 else np.max(widths))
    for s in range(widths.shape[0]):
        width = widths[s]
        cell = cells[s]
        for first in range(starts[s], starts[s + 1], width):
            total = 0.0
            for i in range(width):
                posterior[i] = table[pairs[first + i]] * priors[cell + i]
                total += posterior[i]
            total = max(total, 1e-300)
            for i in range(width):
                p = posterior[i] / total
                counts[pairs[first + i]] += p
                cell_counts[cell + i] += p
            likelihood += math.log(total)
            cell += width
    return likelihood


@ad.jit
def _best(
    pairs: Array,
    starts: Array,
    widths: Array,
    cells: Array,
    table: Array,
    priors: Array,
    best: Array,
) -> None:
    j = 0
    for s in range(widths.shape[0]):
        width = widths[s]
        cell = cells[s]
        for first in range(starts[s], starts[s + 1], width):
            highest = -1.0
            for i in range(width):
                p = table[pairs[first + i]] * priors[cell + i]
                if p > highest:
                    highest = p
                    best[j] = i - 1
            cell += width
            j += 1


@ad.jit
def _variational(
    counts: Array, sources: Array, totals: Array, alpha: float, table: Array
) -> None:
    bases = np.zeros(totals.shape[0])
    for e in range(totals.shape[0]):
        if totals[e] > 0.0:
            bases[e] = digamma(totals[e])
    for k in range(counts.shape[0]):
        table[k] = math.exp(digamma(counts[k] + alpha) - bases[sources[k]])
