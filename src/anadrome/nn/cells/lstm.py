"""Long short-term memory: plain, projected, with peepholes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.cells.cell import State, zeros
from anadrome.nn.initializers import glorot, orthogonal_blocks
from anadrome.random import Key, split


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

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """c' = f ⊙ c + i ⊙ g;  h' = o ⊙ tanh c'."""
        h, c = state
        H = h.shape[1]
        a = a + h @ self.U
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
        if kept is not None:
            g = g * kept
        c = f * c + i * g
        return o * np.tanh(c), c


@dataclass(frozen=True)
class ProjectedLSTM:
    """An LSTM whose output is a projection of its memory, narrower than it.

    Sak, Senior and Beaufays, "Long short-term memory recurrent neural network
    architectures for large scale acoustic modeling" (2014), section 2.2; PyTorch's
    `proj_size`. The blocks are those of `LSTM`; P is the width of the output.
    """

    W: np.ndarray  # (E, 4H)
    U: np.ndarray  # (P, 4H)
    b: np.ndarray  # (4H,)
    R: np.ndarray  # (H, P)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the four blocks: (T, B, 4H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state h (B, P), c (B, H)."""
        H, P = self.R.shape
        return np.zeros((B, P), self.R.dtype), np.zeros((B, H), self.R.dtype)

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """c' = f ⊙ c + i ⊙ g;  h' = R (o ⊙ tanh c')."""
        h, c = state
        H = c.shape[1]
        a = a + h @ self.U
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
        if kept is not None:
            g = g * kept
        c = f * c + i * g
        return (o * np.tanh(c)) @ self.R, c


@dataclass(frozen=True)
class PeepholeLSTM:
    """An LSTM whose gates see the memory.

    Gers, Schraudolph and Schmidhuber, "Learning precise timing with LSTM recurrent
    networks" (2002); Graves, "Generating sequences with recurrent neural networks"
    (2013), equations 7 to 11. The blocks are those of `LSTM`.
    """

    W: np.ndarray  # (E, 4H)
    U: np.ndarray  # (H, 4H)
    p: np.ndarray  # (3, H) for i, f and o
    b: np.ndarray  # (4H,)

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the four blocks: (T, B, 4H)."""
        return x @ self.W + self.b

    def start(self, B: int) -> State:
        """The zero state h, c."""
        zero = np.zeros((B, self.U.shape[0]), self.U.dtype)
        return zero, zero

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """As in `LSTM`; i and f see c, and o sees c'."""
        h, c = state
        H = h.shape[1]
        a = a + h @ self.U
        i = sigmoid(a[:, :H] + c * self.p[0])
        f = sigmoid(a[:, H : 2 * H] + c * self.p[1])
        g = np.tanh(a[:, 2 * H : 3 * H])
        if kept is not None:
            g = g * kept
        c = f * c + i * g
        o = sigmoid(a[:, 3 * H :] + c * self.p[2])
        return o * np.tanh(c), c


def make_lstm(key: Key, E: int, H: int, forget: float = 1.0) -> LSTM:
    """An LSTM whose forget gates begin open (Jozefowicz et al., 2015)."""
    keys = split(key, 2)
    b = zeros(4 * H)
    b[H : 2 * H] = forget
    return LSTM(glorot(keys[0], (E, H), 4), orthogonal_blocks(keys[1], H, 4), b)


def make_lstm_stack(key: Key, E: int, H: int, N: int) -> tuple[LSTM, ...]:
    """N LSTMs, of which the first takes inputs (T, B, E) and each feeds the next."""
    return tuple(
        make_lstm(k, E if n == 0 else H, H) for n, k in enumerate(split(key, N))
    )


def make_projected_lstm(
    key: Key, E: int, H: int, P: int, forget: float = 1.0
) -> ProjectedLSTM:
    """An LSTM of H units with P outputs; the forget gates begin open."""
    keys = split(key, 3)
    b = zeros(4 * H)
    b[H : 2 * H] = forget
    return ProjectedLSTM(
        glorot(keys[0], (E, H), 4),
        glorot(keys[1], (P, H), 4),
        b,
        glorot(keys[2], (H, P)),
    )


def make_peephole_lstm(key: Key, E: int, H: int, forget: float = 1.0) -> PeepholeLSTM:
    """An LSTM whose peepholes begin closed, and its forget gates open."""
    plain = make_lstm(key, E, H, forget)
    return PeepholeLSTM(plain.W, plain.U, np.zeros((3, H), np.float32), plain.b)
