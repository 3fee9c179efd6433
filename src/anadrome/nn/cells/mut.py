"""The three units that a search over ten thousand found.

Jozefowicz, Zaremba and Sutskever, "An empirical exploration of recurrent network
architectures" (2015), section 3.4. Each mixes the last state with a candidate, as a
GRU does. The blocks of what drives them are the reset gate r, the update gate z and
the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.cells.cell import State, zeros
from anadrome.nn.initializers import glorot, orthogonal_blocks
from anadrome.random import Key, split


@dataclass(frozen=True)
class MUT1:
    """The update gate does not see the state, the candidate sees x without weights."""

    W: np.ndarray  # (H, 2H) for r and z; inputs have H features
    U: np.ndarray  # (H, H) for r
    V: np.ndarray  # (H, H) for the candidate
    b: np.ndarray  # (3H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, H) add to the three blocks: (T, B, 3H)."""
        return np.concatenate((x @ self.W, np.tanh(x)), axis=-1) + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.V.shape[0]), self.V.dtype),)

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = z ⊙ tanh(V (r ⊙ h) + tanh x + b) + (1 - z) ⊙ h."""
        (h,) = state
        H = h.shape[1]
        r, z = sigmoid(a[:, :H] + h @ self.U), sigmoid(a[:, H : 2 * H])
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ self.V)
        return (h + z * (candidate - h),)


@dataclass(frozen=True)
class MUT2:
    """The reset gate sees x without weights."""

    W: np.ndarray  # (H, 2H) for z and the candidate; inputs have H features
    U: np.ndarray  # (H, 2H) for r and z
    V: np.ndarray  # (H, H) for the candidate
    b: np.ndarray  # (3H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, H) add to the three blocks: (T, B, 3H)."""
        return np.concatenate((x, x @ self.W), axis=-1) + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.V.shape[0]), self.V.dtype),)

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = z ⊙ tanh(V (r ⊙ h) + W x + b) + (1 - z) ⊙ h."""
        (h,) = state
        H = h.shape[1]
        gates = sigmoid(a[:, : 2 * H] + h @ self.U)
        r, z = gates[:, :H], gates[:, H:]
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ self.V)
        return (h + z * (candidate - h),)


@dataclass(frozen=True)
class MUT3:
    """The update gate sees tanh h."""

    W: np.ndarray  # (E, 3H)
    U: np.ndarray  # (H, H) for r
    Z: np.ndarray  # (H, H) for z
    V: np.ndarray  # (H, H) for the candidate
    b: np.ndarray  # (3H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the three blocks: (T, B, 3H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.V.shape[0]), self.V.dtype),)

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = z ⊙ tanh(V (r ⊙ h) + W x + b) + (1 - z) ⊙ h."""
        (h,) = state
        H = h.shape[1]
        r = sigmoid(a[:, :H] + h @ self.U)
        z = sigmoid(a[:, H : 2 * H] + np.tanh(h) @ self.Z)
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ self.V)
        return (h + z * (candidate - h),)


def make_mut1(key: Key, E: int, H: int) -> MUT1:
    """A first unit; E must be H."""
    _check_width("MUT1", E, H)
    keys = split(key, 3)
    return MUT1(
        glorot(keys[0], (H, H), 2),
        orthogonal_blocks(keys[1], H, 1),
        orthogonal_blocks(keys[2], H, 1),
        zeros(3 * H),
    )


def make_mut2(key: Key, E: int, H: int) -> MUT2:
    """A second unit; E must be H."""
    _check_width("MUT2", E, H)
    keys = split(key, 3)
    return MUT2(
        glorot(keys[0], (H, H), 2),
        orthogonal_blocks(keys[1], H, 2),
        orthogonal_blocks(keys[2], H, 1),
        zeros(3 * H),
    )


def make_mut3(key: Key, E: int, H: int) -> MUT3:
    """A third unit."""
    keys = split(key, 4)
    return MUT3(
        glorot(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 1),
        orthogonal_blocks(keys[2], H, 1),
        orthogonal_blocks(keys[3], H, 1),
        zeros(3 * H),
    )


def _check_width(name: str, E: int, H: int) -> None:
    if E != H:
        raise ValueError(
            f"{name} adds its inputs to its blocks, so they need {H} features and not "
            f"{E}; put a linear layer before it, or use MUT3"
        )
