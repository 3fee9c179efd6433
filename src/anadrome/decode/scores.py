"""What a model says of the next token, as a beam search reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LINES = 64
"""Tokens are looked through in columns of this many, of which most are passed over."""


@dataclass(frozen=True)
class Scores:
    """The log-probabilities of the next token, each row shifted by a number of its own.

    The log-probability of token v in row r is values[r, v] - levels[r], so that nothing
    of the size of a vocabulary is normalised of which few are chosen. What may not come
    is -inf.
    """

    values: np.ndarray  # (R, V)
    levels: np.ndarray  # (R,)
    highest: np.ndarray  # (R, C) the column maxima of the values


def column_maxima(values: np.ndarray) -> np.ndarray:
    """The highest of the tokens c, c + C, c + 2C, … of every row, for each c < C.

    A row of tokens is folded into lines of C.
    """
    N, V = values.shape
    C = -(-V // LINES)
    whole = V // C * C
    highest = values[:, :whole].reshape(N, V // C, C).max(axis=1)
    rest = values[:, whole:]
    highest[:, : V - whole] = np.maximum(highest[:, : V - whole], rest)
    return highest
