"""The n - 1 tokens before each token of a window: what feed-forward models read."""

from __future__ import annotations

import numpy as np

from anadrome.text import EOS, Window

# Before the first line is nothing but the ends of lines.


def no_context(rows: int, order: int) -> np.ndarray:
    """The n - 2 tokens (B, n - 2) before the first token of a text."""
    return np.full((rows, order - 2), EOS, np.int64)


def contexts(tokens: np.ndarray, carried: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The contexts (T, B, n - 1) that end with each of the tokens (T, B).

    With them what is to be carried on: the last n - 2 tokens (B, n - 2).
    """
    T = tokens.shape[0]
    n = carried.shape[1] + 1
    line = np.concatenate((carried.T, tokens))  # (n - 2 + T, B)
    found = np.stack([line[k : k + T] for k in range(n)], axis=2)
    return found, line[T:].T


def window_contexts(
    window: Window, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`contexts` of what a window predicts from."""
    before = np.where(window.fresh[:, None] > 0, EOS, carried)
    return contexts(window.tokens[:-1], before)
