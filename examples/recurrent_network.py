"""A recurrent network in plain NumPy that learns to continue a wave.

The parameters are a dataclass, the gradient is another one of the same class, and the
time steps are a Python loop.
"""

from dataclasses import dataclass, fields

import numpy as np

import anadrome as ad


@dataclass
class Cell:
    W: np.ndarray  # (H, H) from state to state
    U: np.ndarray  # (H,)   from input to state
    b: np.ndarray  # (H,)
    v: np.ndarray  # (H,)   from state to output


def loss(cell, wave):
    """The mean squared error of predicting each value from those before it."""
    h = np.zeros_like(cell.b)
    total = 0.0
    for t in range(len(wave) - 1):
        h = np.tanh(cell.W @ h + cell.U * wave[t] + cell.b)
        total += (cell.v @ h - wave[t + 1]) ** 2
    return total / (len(wave) - 1)


def train(steps=300, size=16, seed=0):
    """The losses of every step of Adam."""
    rng = np.random.default_rng(seed)
    cell = Cell(
        W=0.9 * np.linalg.qr(rng.normal(size=(size, size)))[0],
        U=rng.normal(size=size),
        b=np.zeros(size),
        v=rng.normal(size=size) / size,
    )
    times = np.arange(60)
    wave = np.sin(0.3 * times) * np.cos(0.05 * times)
    step = ad.value_and_grad(loss)
    mean = {f.name: 0.0 for f in fields(cell)}
    square = dict(mean)
    losses = []
    for k in range(1, steps + 1):
        value, gradient = step(cell, wave)
        losses.append(value)
        for name in mean:
            g = getattr(gradient, name)
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.99 * square[name] + 0.01 * g * g
            scale = np.sqrt(square[name] / (1 - 0.99**k)) + 1e-8
            change = 0.005 * mean[name] / (1 - 0.9**k) / scale
            setattr(cell, name, getattr(cell, name) - change)
    return losses


if __name__ == "__main__":
    history = train()
    for k in (0, 10, 30, 100, 200, 299):
        print(f"step {k:3}   mean squared error {history[k]:.6f}")
