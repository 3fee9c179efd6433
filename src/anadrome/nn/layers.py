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


@dataclass(frozen=True)
class Residual:
    """A layer whose outputs are added to its inputs, which are as wide.

    Wu et al., "Google's neural machine translation system" (2016), equation 6.
    """

    layer: Cell | Bidirectional


Layer = Cell | Bidirectional | Residual


def run(
    cell: Cell, x: np.ndarray, mask: np.ndarray, state: State | None = None
) -> tuple[np.ndarray, State]:
    """The outputs (T, B, H) for inputs (T, B, E), and the last state of each row.

    Without a first state the cell's own is taken.
    """
    a = cell.drive(x)
    if state is None:
        state = cell.start(x.shape[1])
    rows = mask[:, :, None]  # (T, B, 1)
    outputs = []
    for t in range(x.shape[0]):
        state = choose(rows[t], cell.step(state, a[t]), state)
        outputs.append(state[0])
    return np.stack(outputs) * rows, state


def run_unmasked(cell: Cell, x: np.ndarray, state: State) -> tuple[np.ndarray, State]:
    """The outputs (T, B, H) for inputs (T, B, E) without padding, and the last state.

    The first one is given, as for the windows of a long text.
    """
    a = cell.drive(x)
    outputs = []
    for t in range(x.shape[0]):
        state = cell.step(state, a[t])
        outputs.append(state[0])
    return np.stack(outputs), state


def run_backwards(
    cell: Cell, x: np.ndarray, mask: np.ndarray, state: State | None = None
) -> tuple[np.ndarray, State]:
    """Like `run`, from the last input to the first; output t has read inputs t, t+1, …

    Padding comes first then, and leaves the state as it is until the sequence begins.
    """
    if state is not None:
        out, last = run(cell, x[::-1], mask[::-1], state)
        return out[::-1], last
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
    layer: Bidirectional,
    x: np.ndarray,
    mask: np.ndarray,
    last: State | None = None,
    first: State | None = None,
) -> tuple[np.ndarray, State, State]:
    """The outputs of both directions side by side (T, B, 2H), and their last states.

    `last` and `first` are the states that they begin with.
    """
    ahead, last = run(layer.forward, x, mask, last)
    back, first = run_backwards(layer.backward, x, mask, first)
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
        inner = layer.layer if isinstance(layer, Residual) else layer
        if isinstance(inner, Bidirectional):
            y, _, _ = run_both_ways(inner, x, mask)
        else:
            y, _ = run(inner, x, mask)
        x = x + y if isinstance(layer, Residual) else y
    return x
