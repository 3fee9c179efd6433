"""A recurrent cell of your own, dropped into the tagger.

    anadrome train tag train.conllu --valid dev.conllu --out model --cell own_cell.py

A cell is a record of weights with three methods. Nothing else is needed: its derivative
is made by the compiler, and the training step around it is native code as for any other
cell. This one is the minimal gated unit (Zhou et al., 2016): a GRU with one gate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome import nn
from anadrome.random import key, split


@dataclass(frozen=True)
class MinimalGatedUnit:
    W: np.ndarray  # (E, 2H) inputs to the gate and to the candidate
    U: np.ndarray  # (H, H) the state to the gate
    V: np.ndarray  # (H, H) the gated state to the candidate
    b: np.ndarray  # (2H,)

    def drive(self, x):  # what the inputs add, for all times at once
        return x @ self.W + self.b

    def start(self, B):  # the state before the first word
        return (np.zeros((B, self.U.shape[0]), self.U.dtype),)

    def step(self, state, a):  # the next state
        (h,) = state
        H = h.shape[1]
        f = 1 / (1 + np.exp(-(a[:, :H] + h @ self.U)))
        return ((1 - f) * h + f * np.tanh(a[:, H:] + (f * h) @ self.V),)


def make_cell(key, E, H):
    """First weights for E inputs and H units."""
    keys = split(key, 3)
    U, V = nn.orthogonal(keys[1], H), nn.orthogonal(keys[2], H)
    zeros = np.zeros(2 * H, U.dtype)
    return MinimalGatedUnit(nn.glorot(keys[0], (E, 2 * H)), U, V, zeros)


def energy(cell, x):
    """The mean square of the states over a sequence (T, B, E)."""
    states, _ = nn.run(cell, x, np.ones(x.shape[:2], x.dtype))
    return np.mean(states**2)


if __name__ == "__main__":
    cell = make_cell(key(0), 8, 16)
    x = np.random.default_rng(0).normal(size=(20, 4, 8)).astype(np.float32)
    in_python = ad.grad(energy)(cell, x)
    in_native_code = ad.jit(ad.grad(energy))(cell, x)
    for name in ("W", "U", "V", "b"):
        one, other = getattr(in_python, name), getattr(in_native_code, name)
        print(f"d energy / d {name}: {one.shape}, largest difference between backends")
        print(f"    {np.abs(one - other).max():.1e} of {np.abs(one).max():.1e}")
