"""Cells run over time: forwards, backwards, both ways and one upon another.

Sequences of a batch may differ in length: masks (T, B) are 1 on them and 0 behind
their ends. Where the mask is 0 a state stays as it is and an output is 0, which is what
PyTorch gives for packed sequences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.cells import Cell, State
from anadrome.nn.dropout import dropout
from anadrome.random import Key, fold_in


@dataclass(frozen=True)
class Bidirectional:
    """Two cells that read a sequence in opposite directions.

    Schuster and Paliwal, "Bidirectional recurrent neural networks" (1997).
    """

    forward: Cell
    backward: Cell


Layer = Cell | Bidirectional


def run(cell: Cell, x: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, State]:
    """The outputs (T, B, H) for inputs (T, B, E), and the last state of each row."""
    a = cell.drive(x)
    state = cell.start(x.shape[1])
    rows = mask[:, :, None]  # (T, B, 1)
    outputs = []
    for t in range(x.shape[0]):
        state = choose(rows[t], cell.step(state, a[t]), state)
        outputs.append(state[0])
    return np.stack(outputs) * rows, state


def run_backwards(
    cell: Cell, x: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, State]:
    """Like `run`, from the last input to the first; output t has read inputs t, t+1, …

    Padding comes first then, and leaves the state at zero until the sequence begins.
    """
    a = cell.drive(x)[::-1]
    state = cell.start(x.shape[1])
    rows = mask[::-1, :, None]  # (T, B, 1)
    outputs = []
    for t in range(x.shape[0]):
        state = tuple([rows[t] * s for s in cell.step(state, a[t])])
        outputs.append(state[0])
    return np.stack(outputs)[::-1], state


def choose(m: np.ndarray, new: State, old: State) -> State:
    """The new state in the rows where the mask (B, 1) is 1, the old one elsewhere."""
    return tuple([m * n + (1 - m) * o for n, o in zip(new, old)])


def run_both_ways(
    layer: Bidirectional, x: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, State, State]:
    """The outputs of both directions side by side (T, B, 2H), and their last states."""
    ahead, last = run(layer.forward, x, mask)
    back, first = run_backwards(layer.backward, x, mask)
    return np.concatenate((ahead, back), axis=2), last, first


def run_stack(
    layers: tuple[Layer, ...],
    x: np.ndarray,
    mask: np.ndarray,
    rate: float = 0.0,
    key: Key | None = None,
) -> np.ndarray:
    """The outputs (T, B, H) of the last of several layers.

    With a key there is dropout at the given rate between layers.
    """
    for k, layer in enumerate(layers):
        if k > 0 and key is not None:
            x = dropout(x, rate, fold_in(key, k))
        if isinstance(layer, Bidirectional):
            x, _, _ = run_both_ways(layer, x, mask)
        else:
            x, _ = run(layer, x, mask)
    return x
