"""The gated recurrent unit, in both published forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.cells.cell import State, zeros
from anadrome.nn.initializers import Initializer, glorot, orthogonal_blocks
from anadrome.random import Key, split


@dataclass(frozen=True)
class GRU:
    """The gated unit of Cho et al. (2014), which resets the state before U.

    van Merriënboer's thesis, equations 4.5 to 4.8. The blocks are the reset gate r,
    the update gate z and the candidate h̃.
    """

    W: np.ndarray  # (E, 3H)
    U: np.ndarray  # (H, 2H) for r and z
    V: np.ndarray  # (H, H) for h̃
    b: np.ndarray  # (3H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the three blocks: (T, B, 3H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.V.shape[0]), self.V.dtype),)

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """h' = z ⊙ h + (1 - z) ⊙ h̃ (4.7)."""
        (h,) = state
        H = h.shape[1]
        gates = sigmoid(a[:, : 2 * H] + h @ self.U)  # (4.5), (4.6)
        r, z = gates[:, :H], gates[:, H:]
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ self.V)  # (4.8)
        if kept is not None:
            candidate = candidate * kept
        return (candidate + z * (h - candidate),)


@dataclass(frozen=True)
class ResetAfterGRU:
    """The gated unit of cuDNN and PyTorch, which resets after U.

    h̃ = tanh(W x + b + r ⊙ (V h + d)), so that one product with the state is enough;
    the rest is as in `GRU`. The blocks are r, z and h̃. What else is added to the blocks
    for the state can be given as `seen` (B, 3H): r governs it too, as it does the
    summary in the decoder of Cho et al. (2014), appendix A.1.2.
    """

    W: np.ndarray  # (E, 3H)
    U: np.ndarray  # (H, 3H)
    b: np.ndarray  # (3H,)
    d: np.ndarray  # (3H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the three blocks: (T, B, 3H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.U.shape[0]), self.U.dtype),)

    def step(
        self,
        state: State,
        a: np.ndarray,
        kept: np.ndarray | None = None,
        seen: np.ndarray | None = None,
    ) -> State:
        """h' = z ⊙ h + (1 - z) ⊙ h̃."""
        (h,) = state
        H = h.shape[1]
        u = h @ self.U + self.d
        if seen is not None:
            u = u + seen
        gates = sigmoid(a[:, : 2 * H] + u[:, : 2 * H])
        r, z = gates[:, :H], gates[:, H:]
        candidate = np.tanh(a[:, 2 * H :] + r * u[:, 2 * H :])
        if kept is not None:
            candidate = candidate * kept
        return (candidate + z * (h - candidate),)


def make_gru(key: Key, E: int, H: int, weights: Initializer = glorot) -> GRU:
    """A GRU of Cho's form; the matrices of the state are orthogonal."""
    keys = split(key, 3)
    return GRU(
        weights(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 2),
        orthogonal_blocks(keys[2], H, 1),
        zeros(3 * H),
    )


def make_reset_after_gru(
    key: Key, E: int, H: int, weights: Initializer = glorot
) -> ResetAfterGRU:
    """A GRU of PyTorch's form; the matrices of the state are orthogonal."""
    keys = split(key, 2)
    return ResetAfterGRU(
        weights(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 3),
        zeros(3 * H),
        zeros(3 * H),
    )
