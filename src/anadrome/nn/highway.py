"""Highway layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.initializers import glorot
from anadrome.random import Key, split


@dataclass(frozen=True)
class Highway:
    """The weights of the transformation, and of the gate that lets it through."""

    W: np.ndarray  # (H, H)
    b: np.ndarray  # (H,)
    G: np.ndarray  # (H, H)
    c: np.ndarray  # (H,)


def highway(p: Highway, x: np.ndarray) -> np.ndarray:
    """t ⊙ max(0, x W + b) + (1 - t) ⊙ x with t = σ(x G + c), for features (…, H).

    Srivastava, Greff and Schmidhuber, "Highway networks" (2015), equation 3.
    """
    t = sigmoid(x @ p.G + p.c)
    return x + t * (np.maximum(x @ p.W + p.b, 0) - x)


def make_highway(key: Key, H: int, carry: float = 2.0) -> Highway:
    """A layer that begins by carrying its input: the gate's bias is negative."""
    one, other = split(key, 2)
    return Highway(
        glorot(one, (H, H)),
        np.zeros(H, np.float32),
        glorot(other, (H, H)),
        np.full(H, -carry, np.float32),
    )
