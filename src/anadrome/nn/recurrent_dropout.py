"""Dropout of the updates of a state."""

from __future__ import annotations

import numpy as np

from anadrome.nn.cells import GatedCell, State
from anadrome.nn.layers import choose
from anadrome.random import Key, bernoulli


def run_with_recurrent_dropout(
    cell: GatedCell, x: np.ndarray, mask: np.ndarray, rate: float, key: Key
) -> tuple[np.ndarray, State]:
    """Like `run`, with the same part of the candidates set to 0 at all times.

    Semeniuta, Severyn and Barth, "Recurrent dropout without memory loss" (2016): what a
    state remembers is never dropped, only what is new. When the model is used there is
    nothing to be done: `run` it.
    """
    a = cell.drive(x)
    state = cell.start(x.shape[1])
    drawn = bernoulli(key, 1.0 - rate, state[-1].shape)  # (B, H)
    kept = drawn.astype(x.dtype) / (1.0 - rate)
    rows = mask[:, :, None]  # (T, B, 1)
    outputs = []
    for t in range(x.shape[0]):
        state = choose(rows[t], cell.step(state, a[t], kept), state)
        outputs.append(state[0])
    return np.stack(outputs) * rows, state
