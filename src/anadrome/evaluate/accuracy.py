"""How often predictions are right, and how surprised a model is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def token_accuracy(
    predicted: np.ndarray, target: np.ndarray, mask: np.ndarray | None = None
) -> float:
    """The share of tokens that are right, where the mask is not 0.

    All three have the same shape, batch-major or time-major.
    """
    predicted, target = np.asarray(predicted), np.asarray(target)
    if predicted.shape != target.shape:
        raise ValueError(
            f"predictions have the shape {predicted.shape}, targets {target.shape}"
        )
    counted = np.ones(target.shape, bool) if mask is None else np.asarray(mask) != 0
    if counted.shape != target.shape:
        raise ValueError(
            f"the mask has the shape {counted.shape}, targets {target.shape}"
        )
    total = int(counted.sum())
    if not total:
        raise ValueError("there are no tokens to count")
    return int(((predicted == target) & counted).sum()) / total


def sentence_accuracy(
    predicted: Sequence[Sequence[object]], target: Sequence[Sequence[object]]
) -> float:
    """The share of sentences, of tokens or of characters, that are right throughout."""
    if len(predicted) != len(target):
        raise ValueError(f"{len(predicted)} predictions for {len(target)} targets")
    if not target:
        raise ValueError("there are no sentences to count")
    right = sum(
        len(one) == len(two) and all(a == b for a, b in zip(one, two))
        for one, two in zip(predicted, target)
    )
    return right / len(target)


def perplexity(negative_log_likelihood: float, tokens: int) -> float:
    """The perplexity of a text, from its total negative log-likelihood in nats."""
    if tokens < 1:
        raise ValueError("there are no tokens to count")
    try:
        return math.exp(negative_log_likelihood / tokens)
    except OverflowError:
        return math.inf


def bits_per_character(negative_log_likelihood: float, characters: int) -> float:
    """The bits that a character costs, from the total in nats."""
    if characters < 1:
        raise ValueError("there are no characters to count")
    return negative_log_likelihood / characters / math.log(2)
