"""Losses: of classes, of numbers, of orders.

Each is a mean over the places where a mask is 1. Those of a chain of tags are in `crf`,
those of labels without an alignment in `ctc`.
"""

from __future__ import annotations

import numpy as np

from anadrome.nn.activations import log_sum_exp


def cross_entropy(
    logits: np.ndarray, targets: np.ndarray, mask: np.ndarray, smoothing: float = 0.0
) -> np.ndarray:
    """The mean cross-entropy, in nats, over the places where the mask is 1.

    `logits` (N, V) are unnormalised log-probabilities, `targets` (N,) class numbers.
    With label smoothing ε the wanted distribution is 1 - ε on the target and ε spread
    evenly over all classes (Szegedy et al., "Rethinking the Inception architecture",
    2016, section 7).
    """
    N = targets.shape[0]
    total = log_sum_exp(logits)[:, 0]  # (N,)
    wanted = (1 - smoothing) * logits[np.arange(N), targets]
    if smoothing > 0:
        wanted = wanted + smoothing * np.mean(logits, axis=1)
    return np.sum((total - wanted) * mask) / np.sum(mask)


def word_cross_entropy(
    x: np.ndarray,
    words: np.ndarray,
    bias: np.ndarray,
    targets: np.ndarray,
    mask: np.ndarray,
    smoothing: float = 0.0,
) -> np.ndarray:
    """`cross_entropy` of the logits x @ words.T + bias, for large vocabularies.

    `x` is (N, E), `words` (V, E) has a row for each word. The logits (N, V) are the
    largest array of a language model, so they are read for their log-sum-exp alone: the
    logits of the targets and the mean logits come from (N, E) arrays.
    """
    total = log_sum_exp(x @ words.T + bias)[:, 0]  # (N,)
    keep = 1 - smoothing
    wanted = keep * words[targets] + smoothing * np.mean(words, axis=0)  # (N, E)
    level = keep * bias[targets] + smoothing * np.mean(bias)  # (N,)
    losses = total - np.sum(x * wanted, axis=1) - level
    return np.sum(losses * mask) / np.sum(mask)


def word_log_probabilities(
    x: np.ndarray, words: np.ndarray, bias: np.ndarray, targets: np.ndarray
) -> np.ndarray:
    """The log-probabilities (N,) of targets by the logits x @ words.T + bias.

    As in `word_cross_entropy`, the logits are read for their log-sum-exp alone.
    """
    total = log_sum_exp(x @ words.T + bias)[:, 0]  # (N,)
    return np.sum(x * words[targets], axis=1) + bias[targets] - total


def nll(log_probs: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mean negative log-likelihood of targets (N,) by log-probabilities (N, V)."""
    N = targets.shape[0]
    return _mean(-log_probs[np.arange(N), targets], mask)


def binary_cross_entropy(
    logits: np.ndarray, targets: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The mean cross-entropy of logits (N,) for targets between 0 and 1.

    Logistic regression (thesis, 1.4.3); log(1 + exp x) is written so that it never
    overflows.
    """
    return _mean(np.logaddexp(0, logits) - targets * logits, mask)


def hinge(
    scores: np.ndarray, targets: np.ndarray, mask: np.ndarray, margin: float = 1.0
) -> np.ndarray:
    """The mean of Σ max(0, margin - score of the target + score) / V, other classes.

    Scores are (N, V). Weston and Watkins (1999); PyTorch's `multi_margin_loss`.
    """
    N, V = scores.shape
    wanted = scores[np.arange(N), targets]
    over = np.maximum(margin - wanted[:, None] + scores, 0)
    own = max(margin, 0.0)  # the part of the sum that is the target's
    return _mean((np.sum(over, axis=1) - own) / V, mask)


def huber(
    x: np.ndarray, targets: np.ndarray, mask: np.ndarray, delta: float = 1.0
) -> np.ndarray:
    """The mean of d² / 2 for differences |d| up to δ, and of δ (|d| - δ / 2) above.

    Huber, "Robust estimation of a location parameter" (1964).
    """
    d = np.abs(x - targets)
    near = np.minimum(d, delta)
    return _mean(near * (d - 0.5 * near), mask)


def margin_ranking(
    x: np.ndarray,
    other: np.ndarray,
    order: np.ndarray,
    mask: np.ndarray,
    margin: float = 0.0,
) -> np.ndarray:
    """The mean of max(0, margin - order (x - other)).

    The order is 1 where x should rank higher, and -1 where the other should.
    """
    return _mean(np.maximum(margin - order * (x - other), 0), mask)


def poisson_nll(
    log_rates: np.ndarray, counts: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The mean of exp(log rate) - count · log rate, Poisson but for log(count!)."""
    return _mean(np.exp(log_rates) - counts * log_rates, mask)


def _mean(losses: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.sum(losses * mask) / np.sum(mask)
