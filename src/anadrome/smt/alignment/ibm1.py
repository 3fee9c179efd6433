"""IBM Model 1 (Brown et al., 1993): every position is as likely as every other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.smt.alignment.links import (
    Links,
    best_links,
    expect,
    link_words,
    normalise,
)
from anadrome.smt.sentences import Array, Sentences


@dataclass(frozen=True)
class TrainedAligner:
    """An alignment in one direction, and what it was found with."""

    alignment: Array  # (W,) the source position of every target word, or -1
    likelihoods: tuple[float, ...]  # log-likelihood of each iteration
    links: Links
    table: Array  # t(f | e) of every word pair of the links
    parameters: dict[str, float]


def train_ibm1(
    source: Sentences, target: Sentences, *, iterations: int = 5
) -> TrainedAligner:
    """The alignment of Model 1, target words to source words."""
    links = link_words(source, target)
    priors = uniform_priors(links)
    table, likelihoods = fit_ibm1(links, priors, iterations)
    best = best_links(links, table, priors, target)
    return TrainedAligner(best, tuple(likelihoods), links, table, {})


def fit_ibm1(links: Links, priors: Array, iterations: int) -> tuple[Array, list[float]]:
    """The table t(f | e) after some iterations, and their log-likelihoods."""
    table = np.full(len(links.sources), 1e-3)
    likelihoods = []
    unused = np.zeros(links.cell_count)
    for _ in range(iterations):
        counts = np.zeros(len(table))
        likelihoods.append(expect(links, table, priors, counts, unused))
        table = normalise(links, counts)
    return table, likelihoods


def uniform_priors(links: Links) -> Array:
    """The same probability for all positions of a sentence and NULL."""
    n, m, _ = links.blocks.T
    return np.repeat(1.0 / (n + 1), (n + 1) * m)
