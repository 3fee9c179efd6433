"""Linear layers, of full and of low rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.initializers import glorot
from anadrome.random import Key, split


@dataclass(frozen=True)
class Linear:
    """Weights and biases."""

    W: np.ndarray  # (in, out)
    b: np.ndarray  # (out,)


@dataclass(frozen=True)
class LowRankLinear:
    """Weights that are a product of two narrow matrices (thesis, 1.5.1).

    Rank R has fewer parameters than a full matrix if R (in + out) < in · out.
    """

    U: np.ndarray  # (in, R)
    V: np.ndarray  # (R, out)
    b: np.ndarray  # (out,)


def linear(p: Linear, x: np.ndarray) -> np.ndarray:
    """x W + b, for features (…, in)."""
    return x @ p.W + p.b


def low_rank_linear(p: LowRankLinear, x: np.ndarray) -> np.ndarray:
    """(x U) V + b, for features (…, in)."""
    return (x @ p.U) @ p.V + p.b


def make_linear(key: Key, inputs: int, outputs: int) -> Linear:
    """A layer with Glorot weights."""
    return Linear(glorot(key, (inputs, outputs)), np.zeros(outputs, np.float32))


def make_low_rank_linear(
    key: Key, inputs: int, outputs: int, rank: int
) -> LowRankLinear:
    """A layer of a rank, with Glorot weights."""
    one, other = split(key, 2)
    return LowRankLinear(
        glorot(one, (inputs, rank)),
        glorot(other, (rank, outputs)),
        np.zeros(outputs, np.float32),
    )
