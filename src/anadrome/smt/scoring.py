"""Scores of phrase pairs: relative frequencies, lexical weights, smoothing, pruning.

The four standard features are, in the order of Moses's tables, φ(s|t), lex(s|t), φ(t|s)
and lex(t|s). The raw frequencies of rare phrases are too high; Foster, Kuhn and Johnson
(2006) compare smoothings of language models for them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import gammaln

from anadrome.smt.counts import PhraseCounts
from anadrome.smt.lexical import LexicalTable, lexical_weights
from anadrome.smt.sentences import Array

Smoothing = Literal["none", "good-turing", "kneser-ney"]


def score_phrases(
    counts: PhraseCounts, lexical: LexicalTable, smoothing: Smoothing = "none"
) -> Array:
    """(E, 4) probabilities: φ(s|t), lex(s|t), φ(t|s), lex(t|s)."""
    direct, inverse = lexical_weights(
        lexical,
        counts.source.words,
        counts.sources,
        counts.source_lengths,
        counts.target.words,
        counts.targets,
        counts.target_lengths,
        counts.alignments,
    )
    s, t = counts.source_numbers, counts.target_numbers
    if smoothing == "kneser-ney":
        phrase_inverse = _kneser_ney(counts.joint, t, s)
        phrase_direct = _kneser_ney(counts.joint, s, t)
    else:
        joint = counts.joint.astype(float)
        if smoothing == "good-turing":
            joint = _good_turing(counts.joint)
        phrase_inverse = joint / counts.target_counts
        phrase_direct = joint / counts.source_counts
    return np.column_stack([phrase_inverse, inverse, phrase_direct, direct])


def score_orientations(counts: PhraseCounts, smoothing: float = 0.5) -> Array:
    """(E, 6) probabilities of monotone, swap, discontinuous; backward, then forward."""
    scores = np.empty((len(counts), 6))
    for side in (slice(0, 3), slice(3, 6)):
        smoothed = counts.orientations[:, side] + smoothing
        scores[:, side] = smoothed / smoothed.sum(axis=1, keepdims=True)
    return scores


def significance(counts: PhraseCounts, sentences: int) -> Array:
    """(E,) -log p of Fisher's exact test that the two phrases occur together.

    It is the chance that of C(s) and C(t) sentences out of N at least C(s, t) coincide
    (Johnson, Martin, Foster and Kuhn, 2007), with counts of extraction for counts of
    sentences. A pair that is 1-1-1 has α = log N.
    """
    joint = counts.joint.astype(float)
    left = np.minimum(counts.source_counts, sentences)
    right = np.minimum(counts.target_counts, sentences)
    joint = np.minimum(joint, np.minimum(left, right))
    total = float(sentences)
    # The first term dominates; the others fall geometrically, and a few are enough.
    logs = np.full(len(joint), -np.inf)
    for more in range(20):
        k = joint + more
        possible = k <= np.minimum(left, right)
        k = np.where(possible, k, joint)
        rest = np.maximum(total - left - right + k, 0)
        term = (
            gammaln(left + 1)
            + gammaln(total - left + 1)
            + gammaln(right + 1)
            + gammaln(total - right + 1)
            - gammaln(total + 1)
            - gammaln(k + 1)
            - gammaln(left - k + 1)
            - gammaln(right - k + 1)
            - gammaln(rest + 1)
        )
        logs = np.where(possible, np.logaddexp(logs, term), logs)
    return -logs


def is_significant(
    counts: PhraseCounts, sentences: int, threshold: float | None = None
) -> Array:
    """(E,) whether a pair is significant: as much as one that occurs once (α - ε)."""
    least = np.log(sentences) - 1e-6 if threshold is None else threshold
    return significance(counts, sentences) > least


def _good_turing(joint: Array) -> Array:
    """Discounted counts c* = (c + 1) n_(c+1) / n_c for small c (Katz's cut at 5)."""
    highest = 5
    n = np.bincount(np.minimum(joint, highest + 2), minlength=highest + 3).astype(float)
    discounted = joint.astype(float)
    if not n[1]:
        return discounted
    common = (highest + 1) * n[highest + 1] / n[1]
    for c in range(1, highest + 1):
        if not (n[c] and n[c + 1]) or common >= 1:
            continue
        ratio = (c + 1) * n[c + 1] / n[c] / c
        share = (ratio - common) / (1 - common)
        if 0 < share < 1:
            discounted[joint == c] = c * share
    return discounted


def _kneser_ney(joint: Array, given: Array, predicted: Array) -> Array:
    """p(predicted | given) with three discounts and the lower order of types."""
    n = [float((joint == c).sum()) for c in range(1, 5)]
    y = n[0] / (n[0] + 2 * n[1]) if n[0] else 0.0
    discounts = np.zeros(4)
    for c in range(1, 4):
        if n[c - 1]:
            discounts[c] = min(max(c - (c + 1) * y * n[c] / n[c - 1], 0.0), c)
    taken = discounts[np.minimum(joint, 3)]
    total = np.bincount(given, weights=joint)[given]
    mass = np.bincount(given, weights=taken)[given]
    types = np.bincount(predicted).astype(float)
    lower = (types / len(joint))[predicted]
    return (joint - taken + mass * lower) / total
