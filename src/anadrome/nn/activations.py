"""Functions of one array, element by element or along the last axis."""

from __future__ import annotations

import numpy as np


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), written so that it never overflows."""
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def log_sum_exp(x: np.ndarray) -> np.ndarray:
    """log Σ exp(x) over the last axis, which is kept with length 1.

    Any shift near the maximum prevents overflow. An integer is taken, because its
    derivative is zero: the maximum then has no part in the gradient.
    """
    shift = np.ceil(np.max(x, axis=-1, keepdims=True))
    return shift + np.log(np.sum(np.exp(x - shift), axis=-1, keepdims=True))


def log_softmax(x: np.ndarray) -> np.ndarray:
    """The logarithms of the softmax over the last axis."""
    return x - log_sum_exp(x)


def softmax(x: np.ndarray) -> np.ndarray:
    """Positive weights that sum to 1 over the last axis."""
    e = np.exp(x - np.ceil(np.max(x, axis=-1, keepdims=True)))
    return e / np.sum(e, axis=-1, keepdims=True)


def maxout(x: np.ndarray) -> np.ndarray:
    """The larger of the two halves of the last axis: (…, 2L) to (…, L).

    Goodfellow et al., "Maxout networks" (2013), equation 2, with pools of two.
    """
    L = x.shape[-1] // 2
    return np.maximum(x[..., :L], x[..., L:])
