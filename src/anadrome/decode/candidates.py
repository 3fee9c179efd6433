"""The best next tokens of every row, of which a beam search chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GROUP = 64
"""Tokens are looked through in groups of this many, of which most are passed over."""


@dataclass(frozen=True)
class Candidates:
    """The K likeliest tokens of each row, the likeliest first, the lowest of equals.

    What may not come has the log-probability -inf, and may be any token.
    """

    tokens: np.ndarray  # (R, K)
    log_probs: np.ndarray  # (R, K)


def best_tokens(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The tokens (R, count) of the highest values (R, V) of each row, and the values.

    Those that are found are set to -inf. NaN counts as the highest.
    """
    R, V = values.shape
    highest = _group_maxima(values)
    rows, members = np.arange(R), np.arange(GROUP)
    tokens = np.zeros((R, count), np.int64)
    best = np.zeros((R, count), values.dtype)
    for k in range(count):
        group = np.argmax(highest, axis=1)
        # the last group may have fewer, and has its last one again
        inside = np.minimum(group[:, None] * GROUP + members, V - 1)
        chosen = group * GROUP + np.argmax(values[rows[:, None], inside], axis=1)
        tokens[:, k] = chosen
        best[:, k] = values[rows, chosen]
        values[rows, chosen] = -np.inf
        highest[rows, group] = np.max(values[rows[:, None], inside], axis=1)
    return tokens, best


def _group_maxima(values: np.ndarray) -> np.ndarray:
    """The highest of each group of values (R, V)."""
    R, V = values.shape
    count = V // GROUP
    whole = values[:, : count * GROUP].reshape(R, count, GROUP)
    highest = np.zeros((R, -(-V // GROUP)), values.dtype)
    highest[:, :count] = np.max(whole, axis=2)
    if count * GROUP < V:
        highest[:, count] = np.max(values[:, count * GROUP :], axis=1)
    return highest
