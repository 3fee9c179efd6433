"""Cells with layer normalisation inside.

Ba, Kiros and Hinton, "Layer normalization" (2016). What comes from the inputs and what
comes from the state are normalised each for itself, all blocks together; the biases of
the cell are those of the normalisations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import sigmoid
from anadrome.nn.cells.cell import State
from anadrome.nn.initializers import glorot, orthogonal_blocks
from anadrome.nn.normalization import LayerNorm, layer_norm, make_layer_norm
from anadrome.random import Key, split


@dataclass(frozen=True)
class NormalizedLSTM:
    """An LSTM by equations 20 to 22; the blocks are those of `LSTM`: i, f, g, o."""

    W: np.ndarray  # (E, 4H)
    U: np.ndarray  # (H, 4H)
    inputs: LayerNorm  # 4H
    states: LayerNorm  # 4H
    memory: LayerNorm  # H

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the four blocks: (T, B, 4H)."""
        return layer_norm(self.inputs, x @ self.W)

    def start(self, B: int) -> State:
        """The zero state h, c."""
        zero = np.zeros((B, self.U.shape[0]), self.U.dtype)
        return zero, zero

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """c' = f ⊙ c + i ⊙ g;  h' = o ⊙ tanh LN(c')."""
        h, c = state
        H = h.shape[1]
        a = a + layer_norm(self.states, h @ self.U)
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
        if kept is not None:
            g = g * kept
        c = f * c + i * g
        return o * np.tanh(layer_norm(self.memory, c)), c


@dataclass(frozen=True)
class NormalizedGRU:
    """A GRU that resets after U, by the paper's supplementary material.

    The blocks are r, z and h̃; r and z are normalised together, h̃ for itself.
    """

    W: np.ndarray  # (E, 3H)
    U: np.ndarray  # (H, 3H)
    gate_inputs: LayerNorm  # 2H
    gate_states: LayerNorm  # 2H
    candidate_inputs: LayerNorm  # H
    candidate_states: LayerNorm  # H

    def drive(self, x: np.ndarray) -> np.ndarray:
        """What the inputs (T, B, E) add to the three blocks: (T, B, 3H)."""
        H = self.U.shape[0]
        a = x @ self.W
        gates = layer_norm(self.gate_inputs, a[..., : 2 * H])
        candidate = layer_norm(self.candidate_inputs, a[..., 2 * H :])
        return np.concatenate((gates, candidate), axis=-1)

    def start(self, B: int) -> State:
        """The zero state."""
        return (np.zeros((B, self.U.shape[0]), self.U.dtype),)

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """h' = z ⊙ h + (1 - z) ⊙ h̃."""
        (h,) = state
        H = h.shape[1]
        u = h @ self.U
        gates = sigmoid(a[:, : 2 * H] + layer_norm(self.gate_states, u[:, : 2 * H]))
        r, z = gates[:, :H], gates[:, H:]
        reset = r * layer_norm(self.candidate_states, u[:, 2 * H :])
        candidate = np.tanh(a[:, 2 * H :] + reset)
        if kept is not None:
            candidate = candidate * kept
        return (candidate + z * (h - candidate),)


def make_normalized_lstm(
    key: Key, E: int, H: int, forget: float = 1.0
) -> NormalizedLSTM:
    """A normalised LSTM whose forget gates begin open."""
    keys = split(key, 2)
    inputs = make_layer_norm(4 * H)
    inputs.bias[H : 2 * H] = forget
    return NormalizedLSTM(
        glorot(keys[0], (E, H), 4),
        orthogonal_blocks(keys[1], H, 4),
        inputs,
        make_layer_norm(4 * H),
        make_layer_norm(H),
    )


def make_normalized_gru(key: Key, E: int, H: int) -> NormalizedGRU:
    """A normalised GRU."""
    keys = split(key, 2)
    return NormalizedGRU(
        glorot(keys[0], (E, H), 3),
        orthogonal_blocks(keys[1], H, 3),
        make_layer_norm(2 * H),
        make_layer_norm(2 * H),
        make_layer_norm(H),
        make_layer_norm(H),
    )
