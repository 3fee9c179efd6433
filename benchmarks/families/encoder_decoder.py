"""A translator with attention: two layers of LSTM on either side.

It is compiled to see how long that takes; it has no peers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.program import Arguments


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell(weights, x, h, c):
    z = x @ weights["W"] + h @ weights["U"] + weights["b"]
    H = h.shape[1]
    i = sigmoid(z[:, :H])
    f = sigmoid(z[:, H : 2 * H])
    g = np.tanh(z[:, 2 * H : 3 * H])
    o = sigmoid(z[:, 3 * H :])
    c = f * c + i * g
    return o * np.tanh(c), c


def encode(params, source):
    """The states of the upper layer (S, B, H), and the last of either layer."""
    B = source.shape[1]
    H = params["lower"]["U"].shape[0]
    words = params["source words"][source]
    h1 = c1 = h2 = c2 = np.zeros((B, H), dtype=words.dtype)
    states = []
    for t in range(len(source)):
        h1, c1 = cell(params["lower"], words[t], h1, c1)
        h2, c2 = cell(params["upper"], h1, h2, c2)
        states.append(h2)
    return np.stack(states), h1, c1, h2, c2


def attend(params, memory, keys, query):
    """The mean of the memory (S, B, H), weighted by additive attention."""
    energies = np.tanh(keys + query @ params["query"]) @ params["energy"]
    energies = energies - np.max(energies, axis=0)
    weights = np.exp(energies)
    weights = weights / np.sum(weights, axis=0)
    return np.sum(weights[:, :, None] * memory, axis=0)


def loss(params, source, target):
    """The mean cross entropy of the words of the target."""
    memory, h1, c1, h2, c2 = encode(params, source)
    keys = memory @ params["key"]
    words = params["target words"][target]
    rows = np.arange(target.shape[1])
    total = 0.0
    for t in range(len(target) - 1):
        context = attend(params, memory, keys, h2)
        given = np.concatenate((words[t], context), axis=1)
        h1, c1 = cell(params["decoder lower"], given, h1, c1)
        h2, c2 = cell(params["decoder upper"], h1, h2, c2)
        logits = h2 @ params["out"] + params["out bias"]
        logits = logits - np.max(logits, axis=1, keepdims=True)
        normaliser = np.log(np.sum(np.exp(logits), axis=1))
        total += np.sum(normaliser - logits[rows, target[t + 1]])
    return total / ((len(target) - 1) * target.shape[1])


def make_arguments(dtype: Any = np.float32, H: int = 4) -> Arguments:
    """Parameters, and sentences of random words."""
    rng = np.random.default_rng(0)
    vocabulary = 7

    def drawn(*shape: int) -> np.ndarray:
        return (0.5 * rng.normal(size=shape)).astype(dtype)

    def layer(width: int) -> dict[str, Any]:
        return {"W": drawn(width, 4 * H), "U": drawn(H, 4 * H), "b": drawn(4 * H)}

    params = {
        "source words": drawn(vocabulary, H),
        "target words": drawn(vocabulary, H),
        "lower": layer(H),
        "upper": layer(H),
        "decoder lower": layer(2 * H),
        "decoder upper": layer(H),
        "key": drawn(H, H),
        "query": drawn(H, H),
        "energy": drawn(H),
        "out": drawn(H, vocabulary),
        "out bias": drawn(vocabulary),
    }
    source = rng.integers(0, vocabulary, (5, 3))
    return params, source, rng.integers(0, vocabulary, (4, 3))
