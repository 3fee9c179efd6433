"""Recurrent layers with the interface of PyTorch's `nn.RNN`, `nn.LSTM` and `nn.GRU`.

Several layers, in one direction or both, dropout between them, projections, sequences
of different lengths, either axis first, first states: the numbers are PyTorch's. Last
states are stacked as there: one row for each direction of each layer, from below.

    layers = nn.from_torch_names(weights)  # of module.state_dict(), as arrays
    out, (h, c) = nn.run_layers(layers, x, lengths)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from anadrome.nn.cells import (
    LSTM,
    Cell,
    Elman,
    ProjectedLSTM,
    RectifiedElman,
    ResetAfterGRU,
    State,
)
from anadrome.nn.dropout import dropout
from anadrome.nn.layers import Bidirectional, Layer, Residual, run, run_both_ways
from anadrome.random import Key, fold_in, split


def run_layers(
    layers: tuple[Layer, ...],
    x: np.ndarray,
    lengths: np.ndarray | None = None,
    first: State | None = None,
    batch_first: bool = False,
    rate: float = 0.0,
    key: Key | None = None,
) -> tuple[np.ndarray, State]:
    """The outputs (T, B, D) of the last layer, and the last states of all.

    Inputs are (T, B, E). With `lengths` (B,) the rows are as PyTorch's packed
    sequences: outputs behind an end are 0, and the last state of a row is the one at
    its end. `first` are the states before the first step, each (N, B, H) for the N
    directions of all layers, and so are the last ones. With `batch_first` inputs and
    outputs are (B, T, …); states are not. With a key there is dropout at the given
    rate between layers.
    """
    if batch_first:
        x = np.swapaxes(x, 0, 1)
    mask = length_mask(x, lengths)
    ends: list[State] = []
    for k, layer in enumerate(layers):
        if k > 0 and key is not None:
            x = dropout(x, rate, fold_in(key, k))
        inner = layer.layer if isinstance(layer, Residual) else layer
        if isinstance(inner, Bidirectional):
            n = len(ends)
            y, last, back = run_both_ways(
                inner, x, mask, _row(first, n), _row(first, n + 1)
            )
            ends.append(last)
            ends.append(back)
        else:
            y, last = run(inner, x, mask, _row(first, len(ends)))
            ends.append(last)
        x = x + y if isinstance(layer, Residual) else y
    parts = range(len(ends[0]))
    state = tuple([np.stack([end[i] for end in ends]) for i in parts])
    return np.swapaxes(x, 0, 1) if batch_first else x, state


def length_mask(x: np.ndarray, lengths: np.ndarray | None = None) -> np.ndarray:
    """The mask (T, B) of sequences (T, B, …) that have these lengths, or are full."""
    if lengths is None:
        return np.ones(x.shape[:2], x.dtype)
    return (np.arange(x.shape[0])[:, None] < lengths).astype(x.dtype)


def _row(states: State | None, n: int) -> State | None:
    """The state of one direction of one layer."""
    return None if states is None else tuple([s[n] for s in states])


def make_layers(
    make_cell: Callable[[Key, int, int], Cell],
    key: Key,
    E: int,
    H: int,
    layers: int = 1,
    bidirectional: bool = False,
) -> tuple[Layer, ...]:
    """Layers of cells, each as wide as the outputs of the one below it asks for."""
    made: list[Layer] = []
    for layer_key in split(key, layers):
        one, other = split(layer_key, 2)
        cell = make_cell(one, E, H)
        width = cell.start(1)[0].shape[1]  # narrower than H with a projection
        if bidirectional:
            made.append(Bidirectional(cell, make_cell(other, E, H)))
            width *= 2
        else:
            made.append(cell)
        E = width
    return tuple(made)


# PyTorch's names ----------------------------------------------------------------------


def from_torch_names(
    weights: Mapping[str, np.ndarray], prefix: str = "", rectified: bool = False
) -> tuple[Layer, ...]:
    """The layers whose weights bear the names that PyTorch gives them.

    "weight_ih_l0" (G H, E), "weight_hh_l0_reverse", "bias_ih_l1", "weight_hr_l0" and so
    on, behind a prefix. Which kind of cell it is follows from the shapes; whether an
    Elman network is rectified does not, and must be said. Where PyTorch adds two
    biases ours is their sum.
    """
    layers: list[Layer] = []
    while f"{prefix}weight_ih_l{len(layers)}" in weights:
        suffix = f"l{len(layers)}"
        cell = _from_torch(weights, prefix, suffix, rectified)
        if f"{prefix}weight_ih_{suffix}_reverse" in weights:
            back = _from_torch(weights, prefix, f"{suffix}_reverse", rectified)
            layers.append(Bidirectional(cell, back))
        else:
            layers.append(cell)
    if not layers:
        raise ValueError(
            f"there is no {prefix}weight_ih_l0 among {', '.join(sorted(weights))}"
        )
    return tuple(layers)


def _from_torch(
    weights: Mapping[str, np.ndarray], prefix: str, suffix: str, rectified: bool
) -> Cell:
    def get(name: str) -> np.ndarray | None:
        found = weights.get(f"{prefix}{name}_{suffix}")
        return None if found is None else np.array(found)

    W, U = get("weight_ih"), get("weight_hh")
    if W is None or U is None:
        raise ValueError(f"{prefix}weight_ih_{suffix} or its weight_hh is missing")
    b, d, R = get("bias_ih"), get("bias_hh"), get("weight_hr")
    b = np.zeros(len(W), W.dtype) if b is None else b
    d = np.zeros(len(W), W.dtype) if d is None else d
    if R is not None:
        return ProjectedLSTM(W.T.copy(), U.T.copy(), b + d, R.T.copy())
    gates = len(U) / U.shape[1]
    if gates == 4:
        return LSTM(W.T.copy(), U.T.copy(), b + d)
    if gates == 3:
        return ResetAfterGRU(W.T.copy(), U.T.copy(), b, d)
    if gates == 1:
        kind = RectifiedElman if rectified else Elman
        return kind(W.T.copy(), U.T.copy(), b + d)
    raise ValueError(
        f"{prefix}weight_hh_{suffix} has the shape {U.shape}, which is that of no RNN, "
        "GRU or LSTM"
    )


def to_torch_names(
    layers: tuple[Layer, ...], prefix: str = ""
) -> dict[str, np.ndarray]:
    """The weights of layers by the names that PyTorch gives them.

    Where PyTorch has two biases the second is 0. A GRU must be of the form that resets
    after U.
    """
    named: dict[str, np.ndarray] = {}
    for k, layer in enumerate(layers):
        if isinstance(layer, Bidirectional):
            _to_torch(layer.forward, f"l{k}", prefix, named)
            _to_torch(layer.backward, f"l{k}_reverse", prefix, named)
        else:
            _to_torch(layer, f"l{k}", prefix, named)
    return named


def _to_torch(
    cell: Cell | Residual, suffix: str, prefix: str, named: dict[str, np.ndarray]
) -> None:
    kinds = (Elman, RectifiedElman, LSTM, ProjectedLSTM, ResetAfterGRU)
    if not isinstance(cell, kinds):
        raise ValueError(f"PyTorch has no {type(cell).__name__}")
    named[f"{prefix}weight_ih_{suffix}"] = cell.W.T
    named[f"{prefix}weight_hh_{suffix}"] = cell.U.T
    named[f"{prefix}bias_ih_{suffix}"] = cell.b
    d = cell.d if isinstance(cell, ResetAfterGRU) else np.zeros_like(cell.b)
    named[f"{prefix}bias_hh_{suffix}"] = d
    if isinstance(cell, ProjectedLSTM):
        named[f"{prefix}weight_hr_{suffix}"] = cell.R.T
