"""The multiscale LSTM: a language model of characters that predicts whole tokens.

Thesis, section 8.2. The state of a place is the mean over all tokens that end there
(equation 8.5, with cell states and output gates averaged before the output), and the
likelihood of a text the sum over all ways to cut it into tokens (equation 8.8). What a
state contributes to its successors, `U h`, is the same for all arcs that leave it, so
the products are those of an ordinary LSTM, whatever the number of arcs. With no longer
tokens than characters the model is an LSTM, bit for bit.

Axis letters: T places of a window, B rows, N arcs, L the longest token, V tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.lattice import IMPOSSIBLE, Past, advance, begin_fresh
from anadrome.models.registry import model
from anadrome.nn import (
    LSTM,
    NormalizedLSTM,
    dropout,
    layer_norm,
    log_sum_exp,
    make_lstm,
    make_normalized_lstm,
    sigmoid,
    uniform_weights,
)
from anadrome.options import Count, OptionError, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import TextSizes, Window

TRAINING = {"batch_tokens": 100 * 32, "clip": 1.0, "rate": 1e-3}
DATA = {"unit": "characters", "window": 100, "dictionary": 2048}


@model("lm", name="multiscale", cites="van Merriënboer (2018), chapter 8")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 256  # features of a token
    hidden: Count = 512  # units
    layer_norm: bool = True  # normalise inside the cell
    dropout: Share = 0.0  # how much of what enters and leaves the cell is dropped


@dataclass(frozen=True)
class MultiscaleParams:
    """The weights."""

    embeddings: np.ndarray  # (V, E)
    cell: LSTM | NormalizedLSTM
    words: np.ndarray  # (V, H)
    bias: np.ndarray  # (V,)


def make_params(config: Config, key: Key, sizes: TextSizes) -> MultiscaleParams:
    """First weights for so many tokens."""
    if not sizes.longest:
        raise OptionError(
            "data: the multiscale model reads in tokens of a dictionary\n"
            "help: give --dictionary the number of tokens"
        )
    keys = split(key, 4)  # as those of an `rnn` of one layer
    V, E, H = sizes.tokens, config.embedding, config.hidden
    make_cell = make_normalized_lstm if config.layer_norm else make_lstm
    return MultiscaleParams(
        uniform_weights(keys[0], (V, E), 0.1),
        make_cell(keys[3], E, H),
        uniform_weights(keys[2], (V, H), 0.1),
        np.zeros(V, np.float32),
    )


def carry(p: MultiscaleParams, rows: int, config: Config, sizes: TextSizes) -> Past:
    """Nothing before the text."""
    L, H = sizes.longest, p.words.shape[1]
    dtype = p.words.dtype
    zero = np.zeros((rows, L, H), dtype)
    alpha = np.full((rows, L), IMPOSSIBLE, dtype)
    alpha[:, -1] = 0
    return Past(zero, zero, alpha)


def states(
    p: MultiscaleParams,
    window: Window,
    config: Config,
    past: Past,
    key: Key | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """States h and memories c, each ((L + T) B, H), of the past and of the window."""
    past = begin_fresh(window, past)
    lattice, cell = window.lattice, p.cell
    T, B = window.mask.shape
    H = p.words.shape[1]
    before = past.h.shape[1] * B
    table = _drop(p.embeddings, config, key, 0)
    if past.h.shape[1] == 1:  # the products of an LSTM, for the same bits
        token = lattice.tokens[: T * B].reshape(T, B)
        x = cell.drive(table[token]).reshape(T * B, 4 * H)
        drive = np.arange(T * B)
    else:  # most tokens occur many times
        x = cell.drive(table[None])[0]  # (V, 4H)
        drive = lattice.tokens
    Z = np.zeros((before + T * B, 4 * H), x.dtype)
    C = np.zeros((before + T * B, H), x.dtype)
    first = np.swapaxes(past.h, 0, 1).reshape(before, H)
    Z[:before] = _recur(cell, first)
    C[:before] = np.swapaxes(past.c, 0, 1).reshape(before, H)
    outputs = []
    for t in range(T):
        lo, hi = lattice.first[t], lattice.first[t + 1]
        source = lattice.sources[lo:hi]
        mean = lattice.mean[:, lo:hi]
        a = x[drive[lo:hi]] + Z[source]  # (n, 4H)
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g = np.tanh(a[:, 2 * H : 3 * H])
        c = mean @ (f * C[source] + i * g)
        o = sigmoid(mean @ a[:, 3 * H :])
        h = o * np.tanh(_normalize_memory(cell, c))
        begin = before + t * B
        C[begin : begin + B] = c
        Z[begin : begin + B] = _recur(cell, h)
        outputs.append(h)
    h = np.concatenate((first, np.stack(outputs).reshape(T * B, H)))
    return h, C


def _drop(x: np.ndarray, config: Config, key: Key | None, place: int) -> np.ndarray:
    if key is None or config.dropout == 0:
        return x
    return dropout(x, config.dropout, fold_in(key, place))


def _recur(cell: LSTM | NormalizedLSTM, h: np.ndarray) -> np.ndarray:
    """What states add to the four blocks of their successors."""
    if isinstance(cell, NormalizedLSTM):
        return layer_norm(cell.states, h @ cell.U)
    return h @ cell.U


def _normalize_memory(cell: LSTM | NormalizedLSTM, c: np.ndarray) -> np.ndarray:
    return layer_norm(cell.memory, c) if isinstance(cell, NormalizedLSTM) else c


def arc_scores(p: MultiscaleParams, h: np.ndarray, window: Window) -> np.ndarray:
    """The log-probabilities of the arcs that end at the places 1, …, T.

    `h` are the states of all places; the oldest have no such arcs.
    """
    lattice = window.lattice
    B = window.mask.shape[1]
    begin = lattice.first[1]
    tokens, sources = lattice.tokens[begin:], lattice.sources[begin:] - B
    h = h[B:]
    total = log_sum_exp(h @ p.words.T + p.bias)[:, 0]
    return (
        np.sum(h[sources] * p.words[tokens], axis=1) + p.bias[tokens] - total[sources]
    )


def score(
    p: MultiscaleParams,
    window: Window,
    config: Config,
    carried: Past,
    key: Key | None = None,
) -> tuple[np.ndarray, Past]:
    """What each symbol adds (T, B) to the log-likelihood, and what is carried on."""
    T, B = window.mask.shape
    L, H = carried.h.shape[1:]
    h, c = states(p, window, config, carried, key)
    scores = arc_scores(p, _drop(h, config, key, 1), window)
    found, alpha = advance(begin_fresh(window, carried).alpha, scores, window)
    rows = (L, B, H)
    past = Past(
        np.swapaxes(h[T * B :].reshape(rows), 0, 1),
        np.swapaxes(c[T * B :].reshape(rows), 0, 1),
        alpha,
    )
    return found, past


def loss(
    p: MultiscaleParams, window: Window, config: Config, key: Key | None, carried: Past
) -> tuple[np.ndarray, Past]:
    """The mean negative log-likelihood of a symbol, and what is carried on."""
    found, carried = score(p, window, config, carried, key)
    return -np.sum(found * window.mask) / np.sum(window.mask), carried
