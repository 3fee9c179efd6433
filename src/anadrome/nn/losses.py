"""Losses."""

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
