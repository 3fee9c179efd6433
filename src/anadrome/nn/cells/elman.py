"""The simple recurrent network, saturating and rectified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.cells.cell import State, zeros
from anadrome.nn.initializers import glorot, orthogonal_blocks
from anadrome.random import Key, split


@dataclass(frozen=True)
class Elman:
    """The simple recurrent network (Elman, "Finding structure in time", 1990)."""

    W: np.ndarray  # (E, H)
    U: np.ndarray  # (H, H)
    b: np.ndarray  # (H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the states: (T, B, H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.U.shape[0]), self.U.dtype),)

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = tanh(W x + U h + b)."""
        (h,) = state
        return (np.tanh(a + h @ self.U),)


@dataclass(frozen=True)
class RectifiedElman:
    """The simple recurrent network with max(0, x) in the place of tanh.

    Le, Jaitly and Hinton, "A simple way to initialize recurrent networks of rectified
    linear units" (2015).
    """

    W: np.ndarray  # (E, H)
    U: np.ndarray  # (H, H)
    b: np.ndarray  # (H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the states: (T, B, H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.U.shape[0]), self.U.dtype),)

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = max(0, W x + U h + b)."""
        (h,) = state
        return (np.maximum(a + h @ self.U, 0),)


def make_elman(key: Key, E: int, H: int) -> Elman:
    """An Elman cell: Glorot input weights, orthogonal recurrent ones."""
    keys = split(key, 2)
    return Elman(glorot(keys[0], (E, H)), orthogonal_blocks(keys[1], H, 1), zeros(H))


def make_rectified_elman(key: Key, E: int, H: int) -> RectifiedElman:
    """A rectified cell that begins with the identity (Le et al., 2015, section 3)."""
    return RectifiedElman(glorot(key, (E, H)), np.eye(H, dtype=np.float32), zeros(H))
