"""Attention: where to look in a memory, and what is seen there.

A memory has S slots for each of B rows. Masks (B, S) are 1 on slots that may be seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import softmax
from anadrome.nn.initializers import glorot
from anadrome.random import Key, split

HIDDEN = -1e9
"""Added to the energy of a slot that may not be seen: its weight is exactly 0."""


@dataclass(frozen=True)
class AdditiveAttention:
    """Bahdanau, Cho and Bengio (2015), appendix A.1.2: e = vᵀ tanh(W s + U h)."""

    W: np.ndarray  # (H, A)
    U: np.ndarray  # (M, A)
    v: np.ndarray  # (A,)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The part U h (B, S, A) of the energies, the same for every query."""
        return memory @ self.U

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """How well a query (…, H) fits each slot of what is prepared (…, S, A)."""
        return np.tanh(prepared + (query @ self.W)[..., None, :]) @ self.v


def dot_energies(query: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """The products (B, S) of a query (B, M) with each slot of a memory (B, S, M).

    Luong, Pham and Manning (2015), equation 8, "dot".
    """
    return (memory @ query[:, :, None])[:, :, 0]


def scaled_dot_energies(query: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """`dot_energies` over √M (Vaswani et al., 2017, equation 1)."""
    return dot_energies(query, memory) / np.sqrt(query.shape[1])


def attend(
    energies: np.ndarray, memory: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The weighted mean (B, M) of a memory (B, S, M), and the weights (B, S).

    Bahdanau et al. (2015), equations 5 and 6.
    """
    weights = softmax(energies + (1 - mask) * HIDDEN)
    return (weights[:, None, :] @ memory)[:, 0, :], weights


def make_additive_attention(key: Key, H: int, M: int, A: int) -> AdditiveAttention:
    """Additive attention with Glorot weights."""
    keys = split(key, 3)
    return AdditiveAttention(
        glorot(keys[0], (H, A)), glorot(keys[1], (M, A)), glorot(keys[2], (A, 1))[:, 0]
    )
