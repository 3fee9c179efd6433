"""How much of a gradient is left after many steps: a simple network, and an LSTM.

The last state depends on every input. The norm of its derivative by the input of a step
says how much of that step could still be learnt; `ad.grad` gives all of them at once.
"""

import numpy as np

import anadrome as ad
from anadrome import nn
from anadrome.random import key

T, B, E, H = 64, 1, 16, 32


def last_state(x, cell, direction):
    """A random projection of the state after all inputs (T, B, E)."""
    _, state = nn.run(cell, x, np.ones(x.shape[:2], x.dtype))
    return np.sum(state[0] * direction)


def flow(cell, seed=0):
    """The norms (T,) of the gradient by the input of every step."""
    rng = np.random.default_rng(seed)
    x, direction = rng.normal(size=(T, B, E)), rng.normal(size=(B, H))
    gradient = ad.grad(last_state)(x, cell, direction)
    return np.linalg.norm(gradient, axis=(1, 2))


def small(cell):
    """The same cell with recurrent weights of half the size."""
    return type(cell)(cell.W, 0.5 * cell.U, cell.b)


if __name__ == "__main__":
    cells = {
        "simple network": nn.make_elman(key(0), E, H),
        "simple network, half the weights": small(nn.make_elman(key(0), E, H)),
        "LSTM": nn.make_lstm(key(0), E, H),
        "LSTM, forget gates wide open": nn.make_lstm(key(0), E, H, forget=5.0),
    }
    print(
        f"{'steps before the end':>34}" + "".join(f"{n:>10}" for n in (1, 16, 32, 64))
    )
    for name, cell in cells.items():
        norms = flow(cell)
        print(f"{name:>34}" + "".join(f"{norms[-n]:10.1e}" for n in (1, 16, 32, 64)))
