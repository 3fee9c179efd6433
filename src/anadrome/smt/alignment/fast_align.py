"""IBM Model 2 with a single parameter (Dyer, Chahuneau and Smith, 2013).

The prior of a link falls with its distance from the diagonal (their equation 1):

    p(a_j = i | j, m, n) = p0                            if i = 0 (NULL)
                         = (1 - p0) e^(λ h(i,j)) / Z     otherwise,
    h(i, j, m, n) = -|i/n - j/m|

and λ, the tension, is found by gradient steps in every iteration. The lexical table has
a Dirichlet prior. Both are as in the program fast_align.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.options import Count, Positive, Share
from anadrome.smt.alignment.ibm1 import TrainedAligner
from anadrome.smt.alignment.links import (
    Links,
    best_links,
    expect,
    link_words,
    normalise,
)
from anadrome.smt.sentences import Array, Sentences

_STEPS, _RATE = 8, 20.0
_LOWEST, _HIGHEST = 0.1, 14.0  # of the tension


@dataclass(frozen=True)
class FastAlign:
    """Options of the aligner."""

    iterations: Count = 5  # of expectation and maximisation
    null: Share = 0.08  # the probability that a target word has no source word
    tension: Positive = 4.0  # how strongly links stay near the diagonal, at first
    fixed_tension: bool = False  # do not re-estimate the tension
    dirichlet: Positive | None = 0.01  # the prior of the lexical table; none is EM


def train_fast_align(
    source: Sentences, target: Sentences, options: FastAlign | None = None
) -> TrainedAligner:
    """The alignment of target words to source words."""
    options = options or FastAlign()
    links = link_words(source, target)
    distances = diagonal_distances(links)
    tension = options.tension
    table = np.full(len(links.sources), 1e-3)
    likelihoods = []
    for iteration in range(options.iterations):
        priors = diagonal_priors(links, distances, tension, options.null)
        counts = np.zeros(len(table))
        cell_counts = np.zeros(links.cell_count)
        likelihoods.append(expect(links, table, priors, counts, cell_counts))
        if iteration and not options.fixed_tension:
            tension = fit_tension(links, distances, cell_counts, tension)
        table = normalise(links, counts, options.dirichlet)
    priors = diagonal_priors(links, distances, tension, options.null)
    best = best_links(links, table, priors, target)
    parameters = {"tension": tension}
    return TrainedAligner(best, tuple(likelihoods), links, table, parameters)


def diagonal_distances(links: Links) -> Array:
    """|i/n - j/m| of every cell; NaN for NULL."""
    distances = np.empty(links.cell_count)
    for n, m, start in links.blocks:
        i, j = np.arange(n + 1), np.arange(1, m + 1)[:, None]
        block = np.abs(i / max(n, 1) - j / max(m, 1))
        block[:, 0] = np.nan
        distances[start : start + (n + 1) * m] = block.ravel()
    return distances


def diagonal_priors(
    links: Links, distances: Array, tension: float, null: float
) -> Array:
    """The prior of every cell."""
    priors = np.nan_to_num(np.exp(-tension * distances))
    rows, totals = _row_sums(links, priors)
    priors *= (1.0 - null) / np.maximum(totals, np.finfo(float).tiny)[rows]
    priors[np.isnan(distances)] = null
    return priors


def fit_tension(
    links: Links, distances: Array, cell_counts: Array, tension: float
) -> float:
    """The tension after gradient steps on the expected log-likelihood."""
    far = np.nan_to_num(distances)
    tokens = cell_counts.sum()
    observed = -(cell_counts * far).sum() / tokens
    for _ in range(_STEPS):
        weights = np.nan_to_num(np.exp(-tension * distances))
        _, totals = _row_sums(links, weights)
        _, moments = _row_sums(links, weights * far)
        rows = np.repeat(links.occurrences, links.blocks[:, 1])
        means = moments / np.maximum(totals, np.finfo(float).tiny)
        expected = -(rows * means).sum() / tokens
        tension += (observed - expected) * _RATE
        tension = min(max(tension, _LOWEST), _HIGHEST)
    return float(tension)


def _row_sums(links: Links, cells: Array) -> tuple[Array, Array]:
    """The row (target position of a block) of each cell, and the sums of the rows."""
    n, m, _ = links.blocks.T
    widths = np.repeat(n + 1, m)
    rows = np.repeat(np.arange(len(widths)), widths)
    return rows, np.bincount(rows, weights=cells, minlength=len(widths))
