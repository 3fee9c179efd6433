"""Recurrent cells: records of weights with the equations of one step.

A cell has three methods. `drive(x)` is the part of a step that needs only the input,
so it is computed for all times at once; `start(B)` is the state before the first
step; `step(state, a)` is the next state. A state is a tuple of arrays (B, H), of
which the first is the output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.initializers import glorot, orthogonal_blocks
from anadrome.random import Key, split

State = tuple[np.ndarray, ...]


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
class LSTM:
    """Long short-term memory with a forget gate.

    Hochreiter and Schmidhuber (1997); Gers, Schmidhuber and Cummins (2000). The blocks
    of the weights are, in this order, the input gate i, the forget gate f, the
    candidate g and the output gate o.
    """

    W: np.ndarray  # (E, 4H)
    U: np.ndarray  # (H, 4H)
    b: np.ndarray  # (4H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the four blocks: (T, B, 4H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state h, c."""
        zero = np.zeros((B, self.U.shape[0]), self.U.dtype)
        return zero, zero

    def step(self, state: State, a: np.ndarray) -> State:
        """c' = f ⊙ c + i ⊙ g;  h' = o ⊙ tanh c'."""
        h, c = state
        H = h.shape[1]
        a = a + h @ self.U
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
        c = f * c + i * g
        return o * np.tanh(c), c


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

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = z ⊙ h + (1 - z) ⊙ h̃ (4.7)."""
        (h,) = state
        H = h.shape[1]
        gates = sigmoid(a[:, : 2 * H] + h @ self.U)  # (4.5), (4.6)
        r, z = gates[:, :H], gates[:, H:]
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ self.V)  # (4.8)
        return (candidate + z * (h - candidate),)


@dataclass(frozen=True)
class ResetAfterGRU:
    """The gated unit of cuDNN and PyTorch, which resets after U.

    h̃ = tanh(W x + b + r ⊙ (V h + d)), so that one product with the state is enough;
    the rest is as in `GRU`. The blocks are r, z and h̃.
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

    def step(self, state: State, a: np.ndarray) -> State:
        """h' = z ⊙ h + (1 - z) ⊙ h̃."""
        (h,) = state
        H = h.shape[1]
        u = h @ self.U + self.d
        gates = sigmoid(a[:, : 2 * H] + u[:, : 2 * H])
        r, z = gates[:, :H], gates[:, H:]
        candidate = np.tanh(a[:, 2 * H :] + r * u[:, 2 * H :])
        return (candidate + z * (h - candidate),)


Cell = Elman | LSTM | GRU | ResetAfterGRU


def make_elman(key: Key, E: int, H: int) -> Elman:
    """An Elman cell: Glorot input weights, orthogonal recurrent ones."""
    keys = split(key, 2)
    return Elman(glorot(keys[0], (E, H)), orthogonal_blocks(keys[1], H, 1), _zeros(H))


def make_lstm(key: Key, E: int, H: int, forget: float = 1.0) -> LSTM:
    """An LSTM whose forget gates begin open (Jozefowicz et al., 2015)."""
    keys = split(key, 2)
    b = _zeros(4 * H)
    b[H : 2 * H] = forget
    return LSTM(glorot(keys[0], (E, H), 4), orthogonal_blocks(keys[1], H, 4), b)


def make_gru(key: Key, E: int, H: int) -> GRU:
    """A GRU of Cho's form."""
    keys = split(key, 3)
    return GRU(
        glorot(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 2),
        orthogonal_blocks(keys[2], H, 1),
        _zeros(3 * H),
    )


def make_reset_after_gru(key: Key, E: int, H: int) -> ResetAfterGRU:
    """A GRU of PyTorch's form."""
    keys = split(key, 2)
    return ResetAfterGRU(
        glorot(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 3),
        _zeros(3 * H),
        _zeros(3 * H),
    )


def _zeros(length: int) -> np.ndarray:
    return np.zeros(length, np.float32)
