"""Attention with several heads, as a Transformer has it.

Vaswani et al., "Attention is all you need" (2017), section 3.2.2. Everything is
batch-major: queries come from places (B, T, M), memories are (B, S, M). Weights have an
axis for the N heads, each of which has D features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import softmax
from anadrome.nn.attention import HIDDEN
from anadrome.nn.initializers import glorot
from anadrome.random import Key, split


@dataclass(frozen=True)
class MultiHeadAttention:
    """The projections to queries, keys and values, and back."""

    Q: np.ndarray  # (M, N, D)
    K: np.ndarray  # (M, N, D)
    V: np.ndarray  # (M, N, D)
    O: np.ndarray  # (N, D, M)
    q: np.ndarray  # (N, D)
    k: np.ndarray  # (N, D)
    v: np.ndarray  # (N, D)
    o: np.ndarray  # (M,)


def multi_head_attention(
    p: MultiHeadAttention, x: np.ndarray, memory: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is seen from each place (B, T, M), and the weights (B, N, T, S).

    The mask (B, T, S), or (B, 1, S), or (T, S) is 1 on slots that may be seen.
    """
    keys, values = project_memory(p, memory)
    return look(p, x, keys, values, mask)


def project_memory(
    p: MultiHeadAttention, memory: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The keys and the values (B, N, S, D) of a memory, the same for every place."""
    return _heads(memory, p.K, p.k), _heads(memory, p.V, p.v)


def look(
    p: MultiHeadAttention,
    x: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    mask: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """`multi_head_attention` to a memory that has been projected."""
    B, T, M = x.shape
    queries = _heads(x, p.Q, p.q)  # (B, N, T, D)
    D = p.Q.shape[2]
    energies = queries @ np.swapaxes(keys, 2, 3) / D**0.5
    weights = softmax(energies + (1 - mask[..., None, :, :]) * HIDDEN)
    seen = np.swapaxes(weights @ values, 1, 2).reshape(B, T, -1)  # (B, T, N D)
    return seen @ p.O.reshape(-1, M) + p.o, weights


def _heads(x: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The projections (B, N, T, D) of features (B, T, M), by one product."""
    M, N, D = W.shape
    made = x @ W.reshape(M, -1) + b.reshape(-1)
    return np.swapaxes(made.reshape(x.shape[0], x.shape[1], N, D), 1, 2)


def causal_mask(T: int) -> np.ndarray:
    """The mask (T, T) that hides from each place those that follow it."""
    return np.tril(np.ones((T, T), np.float32))


def make_multi_head_attention(key: Key, M: int, N: int) -> MultiHeadAttention:
    """Attention with N heads of M / N features, and Glorot weights."""
    if M % N:
        raise ValueError(f"{M} features cannot be shared among {N} heads")
    D = M // N
    keys = split(key, 4)
    Q, K, V = (glorot(k, (M, M)).reshape(M, N, D) for k in keys[:3])
    zero = np.zeros((N, D), np.float32)
    O = glorot(keys[3], (M, M)).reshape(N, D, M)
    return MultiHeadAttention(Q, K, V, O, zero, zero, zero, np.zeros(M, np.float32))
