"""A recurrent layer over a lattice: the state of a place is a mean over its arcs.

Thesis, section 8.2, equation 8.5. What a state contributes to its successors, `U h`, is
the same for all arcs that leave it, so the products are those of an ordinary layer,
whatever the number of arcs. The mean can be taken at any point of the step; the
earlier, the less is computed.

Axis letters: T places of a window, B rows, N arcs, n those into one place of all rows,
L the longest token, P older states from which arcs come, G = 4H or 3H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.nn import (
    LSTM,
    NormalizedGRU,
    NormalizedLSTM,
    ResetAfterGRU,
    layer_norm,
    sigmoid,
)
from anadrome.text.lattice import Lattice

ArcCell = LSTM | NormalizedLSTM | ResetAfterGRU | NormalizedGRU

# memories: of cell states and sums of output gates (the thesis); outputs: of all that a
# step gives; sums: of all that enters it.
Average = Literal["memories", "outputs", "sums"]


@dataclass(frozen=True)
class Trail:
    """States and memories of the last L places of each row; a GRU's memory is h."""

    h: np.ndarray  # (B, L, H)
    c: np.ndarray  # (B, L, H)


def run_arcs(
    cell: ArcCell,
    x: np.ndarray,
    drive: np.ndarray,
    lattice: Lattice,
    trail: Trail,
    average: Average,
) -> tuple[np.ndarray, np.ndarray, Trail]:
    """The older states (P, H), those of the window (T, B, H), and the last ones.

    `x` (K, G) is what inputs add to the blocks, `drive` (N,) which row an arc takes.
    """
    B, L, H = trail.h.shape
    T = lattice.first.shape[0] - 2
    old_h = np.swapaxes(trail.h, 0, 1)
    old_c = np.swapaxes(trail.c, 0, 1)
    kept = np.concatenate((lattice.opening, lattice.past))
    P = kept.shape[0]
    older = old_h.reshape(L * B, H)[kept]
    Z = np.zeros((P + T * B, x.shape[1]), x.dtype)
    C = np.zeros((P + T * B, H), x.dtype)
    Z[:P] = _recur(cell, older)
    C[:P] = old_c.reshape(L * B, H)[kept]
    hs, cs = [], []
    for t in range(T):
        lo, hi = lattice.first[t], lattice.first[t + 1]
        source = lattice.sources[lo:hi]
        mean = lattice.mean[:, lo:hi]
        if isinstance(cell, LSTM | NormalizedLSTM):
            a = x[drive[lo:hi]] + Z[source]  # (n, 4H)
            h, c = _step_lstm(cell, a, C[source], mean, average)
        else:
            h = _step_gru(x[drive[lo:hi]], Z[source], C[source], mean, average)
            c = h
        begin = P + t * B
        C[begin : begin + B] = c
        Z[begin : begin + B] = _recur(cell, h)
        hs.append(h)
        cs.append(c)
    new = np.stack(hs)
    last = Trail(
        np.swapaxes(np.concatenate((old_h, new))[T:], 0, 1),
        np.swapaxes(np.concatenate((old_c, np.stack(cs)))[T:], 0, 1),
    )
    return older, new, last


def _recur(cell: ArcCell, h: np.ndarray) -> np.ndarray:
    """What states add to the blocks of their successors."""
    if isinstance(cell, NormalizedLSTM):
        return layer_norm(cell.states, h @ cell.U)
    if isinstance(cell, NormalizedGRU):
        H = h.shape[1]
        u = h @ cell.U
        gates = layer_norm(cell.gate_states, u[:, : 2 * H])
        candidate = layer_norm(cell.candidate_states, u[:, 2 * H :])
        return np.concatenate((gates, candidate), axis=1)
    if isinstance(cell, ResetAfterGRU):
        return h @ cell.U + cell.d
    return h @ cell.U


def _step_lstm(
    cell: LSTM | NormalizedLSTM,
    a: np.ndarray,
    c: np.ndarray,
    mean: np.ndarray,
    average: Average,
) -> tuple[np.ndarray, np.ndarray]:
    """The next h and c (B, H) from the blocks (n, 4H) and memories (n, H) of arcs."""
    H = c.shape[1]
    if average == "sums":
        a, c = mean @ a, mean @ c
    i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
    g = np.tanh(a[:, 2 * H : 3 * H])
    c = f * c + i * g
    if average == "memories":
        c = mean @ c
        o = sigmoid(mean @ a[:, 3 * H :])
    else:
        o = sigmoid(a[:, 3 * H :])
    shown = layer_norm(cell.memory, c) if isinstance(cell, NormalizedLSTM) else c
    h = o * np.tanh(shown)
    if average == "outputs":
        return mean @ h, mean @ c
    return h, c


def _step_gru(
    x: np.ndarray, z: np.ndarray, h: np.ndarray, mean: np.ndarray, average: Average
) -> np.ndarray:
    """The next h (B, H) from the blocks (n, 3H) of inputs and states, and h (n, H)."""
    H = h.shape[1]
    if average == "sums":
        x, z, h = mean @ x, mean @ z, mean @ h
    gates = sigmoid(x[:, : 2 * H] + z[:, : 2 * H])
    r, u = gates[:, :H], gates[:, H:]
    candidate = np.tanh(x[:, 2 * H :] + r * z[:, 2 * H :])
    h = candidate + u * (h - candidate)
    return h if average == "sums" else mean @ h
