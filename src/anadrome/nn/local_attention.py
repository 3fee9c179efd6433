"""Attention that looks near a place which it predicts.

Luong, Pham and Manning (2015), section 3.2, "local-p".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid, softmax
from anadrome.nn.attention import HIDDEN
from anadrome.nn.initializers import glorot
from anadrome.random import Key, split


@dataclass(frozen=True)
class LocalFocus:
    """The weights that predict the place, and how far around it one can look."""

    W: np.ndarray  # (H, A)
    v: np.ndarray  # (A,)
    window: np.ndarray  # (D, 0) holds no number: its length is the distance D


def local_weights(
    p: LocalFocus, query: np.ndarray, energies: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The weights (…, S) of slots within D of the place that queries (…, H) predict.

    The place is p = S sigmoid(vᵀ tanh(W s)) (equation 9), where S is the number of
    slots that may be seen. Among those near it the weights are a softmax of energies
    (…, S), times a Gaussian around p with a deviation of D / 2 (equation 10); so their
    sum is less than 1.
    """
    D = p.window.shape[0]
    count = np.sum(mask, axis=-1)
    place = count * sigmoid(np.tanh(query @ p.W) @ p.v)  # (…,)
    slots = np.arange(mask.shape[-1]).astype(energies.dtype)
    away = slots - place[..., None]
    near = mask * (np.abs(away) <= D)
    weights = softmax(energies + (1 - near) * HIDDEN)
    return weights * np.exp(-2.0 * (away / D) ** 2)


def make_local_focus(key: Key, H: int, A: int, D: int) -> LocalFocus:
    """A focus with Glorot weights."""
    if D < 1:
        raise ValueError("a window must reach 1 slot at least, to both sides")
    one, other = split(key, 2)
    window = np.zeros((D, 0), np.float32)
    return LocalFocus(glorot(one, (H, A)), glorot(other, (A, 1))[:, 0], window)
