"""Zoneout: units that stay as they were."""

from __future__ import annotations

import numpy as np

from anadrome.nn.cells import Cell, State
from anadrome.nn.layers import choose
from anadrome.random import Key, bernoulli, fold_in


def run_with_zoneout(
    cell: Cell,
    x: np.ndarray,
    mask: np.ndarray,
    rates: tuple[float, ...],
    key: Key | None = None,
) -> tuple[np.ndarray, State]:
    """Like `run`, but at each step a random part of each state keeps its old values.

    Krueger et al., "Zoneout: regularizing RNNs by randomly preserving hidden
    activations" (2017). There is a rate for each array of the state; for an LSTM the
    paper has 0.05 for h and 0.5 for c. Without a key the states are expectations, as
    when the model is used.
    """
    a = cell.drive(x)
    state = cell.start(x.shape[1])
    if len(rates) != len(state):
        raise ValueError("zoneout needs a rate for each array of the state")
    T, dtype = x.shape[0], x.dtype
    if key is None:
        stay = tuple([np.full((T, *s.shape), r, dtype) for s, r in zip(state, rates)])
    else:
        stay = tuple(
            [
                bernoulli(fold_in(key, k), rates[k], (T, *s.shape)).astype(dtype)
                for k, s in enumerate(state)
            ]
        )
    rows = mask[:, :, None]  # (T, B, 1)
    outputs = []
    for t in range(T):
        new = cell.step(state, a[t])
        mixed = tuple([z[t] * o + (1 - z[t]) * n for z, n, o in zip(stay, new, state)])
        state = choose(rows[t], mixed, state)
        outputs.append(state[0])
    return np.stack(outputs) * rows, state
