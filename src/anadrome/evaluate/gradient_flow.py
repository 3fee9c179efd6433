"""How far an error travels back through a recurrent network.

The error of the last step is propagated back, and nothing else; what each earlier step
adds to the gradient of the input weights says how much of it is left there. In a simple
recurrent network every step multiplies it by the same matrix, and it vanishes or
explodes (Hochreiter 1991; Bengio, Simard and Frasconi 1994); the memory of an LSTM
carries it as far as its forget gates are open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.nn import LSTM, Elman


@dataclass(frozen=True)
class GradientFlow:
    """What each step adds to the gradient of the input weights of a cell."""

    name: str
    units: np.ndarray  # (T, K): the norm of it for each column of the weights

    @property
    def norms(self) -> np.ndarray:
        """The norm (T,) of all of it, the last step being the error's own."""
        whole: np.ndarray = np.sqrt((self.units**2).sum(axis=1))
        return whole


def gradient_flow(name: str, cell: Any, x: np.ndarray, error: np.ndarray) -> Any:
    """The flow for inputs (T, B, E) and an error (B, H) of the last output."""

    def last_output(a: np.ndarray) -> np.ndarray:
        state = cell.start(x.shape[1])
        for t in range(a.shape[0]):
            state = cell.step(state, a[t])
        return np.sum(error * state[0])

    # The input weights act through a = x W + b, so ∂L/∂W = Σₜ xₜᵀ ∂L/∂aₜ.
    slopes = ad.grad(last_output)(cell.drive(x))  # (T, B, K)
    added = np.einsum("tbe,tbk->tek", x, slopes)
    return GradientFlow(name, np.sqrt((added**2).sum(axis=1)))


def compare_gradient_flow(
    steps: int = 128,
    *,
    units: int = 32,
    inputs: int = 32,
    batch: int = 8,
    seed: int = 0,
) -> list[GradientFlow]:
    """A simple recurrent network beside LSTMs, before training.

    All weights are normal with a deviation of 0.1. The LSTMs differ in the bias of
    their forget gates, on which it depends how much of the memory stays at each step.
    """
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return 0.1 * rng.normal(size=shape)

    x = rng.normal(size=(steps, batch, inputs))
    error = rng.normal(size=(batch, units)) / np.sqrt(batch * units)
    W, U = normal(inputs, 4 * units), normal(units, 4 * units)
    simple = Elman(W[:, :units], U[:, :units], np.zeros(units))
    made = [gradient_flow("RNN", simple, x, error)]
    for bias in (0.0, 1.0, 5.0):
        b = np.zeros(4 * units)
        b[units : 2 * units] = bias
        name = f"LSTM, forget bias {bias:g}"
        made.append(gradient_flow(name, LSTM(W, U, b), x, error))
    return made
