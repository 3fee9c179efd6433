"""Connectionist temporal classification: labels without alignments.

Graves et al., "Connectionist temporal classification: labelling unsegmented sequence
data with recurrent neural networks" (2006). Class 0 is the blank. The numbers are those
of PyTorch's `ctc_loss`.
"""

from __future__ import annotations

import numpy as np

from anadrome.nn.activations import log_softmax

IMPOSSIBLE = -1e30
"""The logarithm of a probability of zero, with which one can still calculate."""


def ctc_losses(
    logits: np.ndarray,
    targets: np.ndarray,
    mask: np.ndarray,
    target_mask: np.ndarray,
) -> np.ndarray:
    """The negative log-probabilities of label sequences, for each row: (B,).

    `logits` (T, B, V) with a mask (T, B); `targets` (L, B), none of them 0, with a mask
    (L, B), L at least 1. The forward recursion of section 4.1 in logarithms. A row that
    is too short for its labels has the loss ∞ and no gradient.
    """
    L, B = targets.shape
    S = 2 * L + 1
    rows = mask[:, :, None]
    logs = log_softmax(logits)
    # blank, label, blank, label, …, blank
    path = np.zeros((B, S), np.int64)
    path[:, 1::2] = targets.T
    # A label may follow the label before it without a blank if the two differ.
    differs = np.zeros((B, S), logs.dtype)
    differs[:, 3::2] = targets[1:].T != targets[:-1].T
    barred = (1 - differs) * IMPOSSIBLE
    walls = np.full((B, 2), IMPOSSIBLE, logs.dtype)
    at = np.arange(B)[:, None]
    begin = np.where(np.arange(S) < 2, 0.0, IMPOSSIBLE).astype(logs.dtype)
    alpha = begin + logs[0][at, path]  # (B, S)
    for t in range(1, logs.shape[0]):
        padded = np.concatenate((walls, alpha), axis=1)
        skipped = padded[:, :S] + barred
        reached = np.logaddexp(np.logaddexp(alpha, padded[:, 1 : S + 1]), skipped)
        longer = reached + logs[t][at, path]
        alpha = rows[t] * longer + (1 - rows[t]) * alpha
    count = np.sum(target_mask, axis=0).astype(np.int64)
    every = np.arange(B)
    ending = alpha[every, 2 * count]
    before = alpha[every, np.maximum(2 * count - 1, 0)]
    total = np.where(count > 0, np.logaddexp(ending, before), ending)
    return np.where(total > 0.5 * IMPOSSIBLE, -total, np.inf)


def ctc_loss(
    logits: np.ndarray,
    targets: np.ndarray,
    mask: np.ndarray,
    target_mask: np.ndarray,
) -> np.ndarray:
    """The mean over rows of `ctc_losses`, each divided by its number of labels."""
    losses = ctc_losses(logits, targets, mask, target_mask)
    return np.mean(losses / np.maximum(np.sum(target_mask, axis=0), 1))
