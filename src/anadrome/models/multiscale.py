"""The multiscale LSTM: a language model of characters that predicts whole tokens.

Thesis, section 8.2. The state of a place is the mean over all tokens that end there
(equation 8.5, with cell states and output gates averaged before the output), and the
likelihood of a text the sum over all ways to cut it into tokens (equation 8.8). With no
longer tokens than characters the model is an LSTM, bit for bit. A layer above another
sees the mean state of the place at which an arc ends.

Axis letters: T places of a window, B rows, N arcs, L the longest token, V tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.models.arcs import ArcCell, Average, Trail, run_arcs
from anadrome.models.lattice import IMPOSSIBLE, Past, advance, begin_fresh
from anadrome.models.registry import model
from anadrome.nn import (
    dropout,
    log_sum_exp,
    make_lstm,
    make_normalized_gru,
    make_normalized_lstm,
    make_reset_after_gru,
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
    hidden: Count = 512  # units of each layer
    layers: Count = 1  # recurrent layers
    cell: Literal["lstm", "gru"] = "lstm"  # what a layer consists of
    # what is averaged over the tokens that end at a place: memories and sums of output
    # gates, all that a step gives, or all that enters it
    mean_of: Average = "memories"
    layer_norm: bool = True  # normalise inside the cell
    dropout: Share = 0.0  # how much of what enters and leaves a layer is dropped


@dataclass(frozen=True)
class MultiscaleParams:
    """The weights."""

    embeddings: np.ndarray  # (V, E)
    layers: tuple[ArcCell, ...]
    words: np.ndarray  # (V, H)
    bias: np.ndarray  # (V,)


def make_params(config: Config, key: Key, sizes: TextSizes) -> MultiscaleParams:
    """First weights for so many tokens."""
    if not sizes.longest:
        raise OptionError(
            "data: the multiscale model reads in tokens of a dictionary\n"
            "help: give --dictionary the number of tokens"
        )
    keys = split(key, 3 + config.layers)  # as those of an `rnn`
    V, E, H = sizes.tokens, config.embedding, config.hidden
    widths = [E] + [H] * (config.layers - 1)
    return MultiscaleParams(
        uniform_weights(keys[0], (V, E), 0.1),
        tuple(_make_cell(config, keys[3 + k], n, H) for k, n in enumerate(widths)),
        uniform_weights(keys[2], (V, H), 0.1),
        np.zeros(V, np.float32),
    )


def _make_cell(config: Config, key: Key, E: int, H: int) -> ArcCell:
    if config.cell == "gru":
        make = make_normalized_gru if config.layer_norm else make_reset_after_gru
        return make(key, E, H)
    return (make_normalized_lstm if config.layer_norm else make_lstm)(key, E, H)


def carry(p: MultiscaleParams, rows: int, config: Config, sizes: TextSizes) -> Past:
    """Nothing before the text."""
    L, H = sizes.longest, p.words.shape[1]
    dtype = p.words.dtype
    zero = np.zeros((rows, L, H), dtype)
    alpha = np.full((rows, L), IMPOSSIBLE, dtype)
    alpha[:, -1] = 0
    return Past(tuple([Trail(zero, zero) for _ in p.layers]), alpha)


def states(
    p: MultiscaleParams,
    window: Window,
    config: Config,
    past: Past,
    key: Key | None = None,
) -> tuple[np.ndarray, tuple[Trail, ...]]:
    """The states (P + T B, H) from which arcs come, and the last ones of each layer."""
    past = begin_fresh(window, past)
    lattice = window.lattice
    T, B = window.mask.shape
    H = p.words.shape[1]
    table = _drop(p.embeddings, config, key, 0)
    cell = p.layers[0]
    if past.alpha.shape[1] == 1:  # the products of an LSTM, for the same bits
        token = lattice.tokens[: T * B].reshape(T, B)
        x = cell.drive(table[token])
        x = x.reshape(T * B, x.shape[2])
        drive = np.arange(T * B)
    else:  # most tokens occur many times
        x = cell.drive(table[lattice.distinct][None])[0]
        drive = lattice.kinds
    older, h, last = run_arcs(cell, x, drive, lattice, past.layers[0], config.mean_of)
    trails = [last]
    for k in range(1, len(p.layers)):
        cell = p.layers[k]
        x = cell.drive(_drop(h, config, key, k))
        x = x.reshape(T * B, x.shape[2])
        older, h, last = run_arcs(
            cell, x, lattice.ends, lattice, past.layers[k], config.mean_of
        )
        trails.append(last)
    return np.concatenate((older, h.reshape(T * B, H))), tuple(trails)


def _drop(x: np.ndarray, config: Config, key: Key | None, place: int) -> np.ndarray:
    if key is None or config.dropout == 0:
        return x
    return dropout(x, config.dropout, fold_in(key, place))


def arc_scores(p: MultiscaleParams, h: np.ndarray, window: Window) -> np.ndarray:
    """The log-probabilities of the arcs that end at the places 1, …, T.

    `h` are the states of all places; the oldest have no such arcs.
    """
    lattice = window.lattice
    begin, skipped = lattice.first[1], lattice.opening.shape[0]
    tokens, sources = lattice.tokens[begin:], lattice.sources[begin:] - skipped
    h = h[skipped:]
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
    h, trails = states(p, window, config, carried, key)
    scores = arc_scores(p, _drop(h, config, key, len(p.layers)), window)
    found, alpha = advance(begin_fresh(window, carried).alpha, scores, window)
    return found, Past(trails, alpha)


def loss(
    p: MultiscaleParams, window: Window, config: Config, key: Key | None, carried: Past
) -> tuple[np.ndarray, Past]:
    """The mean negative log-likelihood of a symbol, and what is carried on."""
    found, carried = score(p, window, config, carried, key)
    return -np.sum(found * window.mask) / np.sum(window.mask), carried
