"""A recurrent language model: layers of LSTMs, GRUs or Elman networks, then a softmax.

Mikolov et al., "Recurrent neural network based language model" (2010); with the sizes
and the dropout of Zaremba, Sutskever and Vinyals, "Recurrent neural network
regularization" (2014), where only what goes from layer to layer is dropped. Options:
the same dropout at all times (Gal and Ghahramani, 2016), rows of the softmax tied to
the embeddings (Press and Wolf, 2017; Inan et al., 2017), layer normalisation; for large
vocabularies a softmax that is trained on samples, or one of classes of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.models.registry import model
from anadrome.nn import (
    Cell,
    ClassedSoftmax,
    Linear,
    State,
    classed_distributions,
    classed_log_probabilities,
    dropout,
    embed,
    linear,
    log_softmax,
    make_classed_softmax,
    make_elman,
    make_gru,
    make_linear,
    make_lstm,
    make_normalized_gru,
    make_normalized_lstm,
    run_unmasked,
    sampled_log_probabilities,
    steady_dropout,
    uniform_weights,
    word_log_probabilities,
)
from anadrome.options import Count, OptionError, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import TextSizes, Window


@model("lm", name="rnn", cites="Zaremba et al. (2014)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, its cell, and how it is regularised."""

    embedding: Count = 200  # features of a token
    hidden: Count = 200  # units of each layer
    layers: Count = 2  # recurrent layers
    cell: Literal["lstm", "gru", "elman"] = "lstm"  # what a layer consists of
    layer_norm: bool = False  # normalise inside the cells; not for elman
    tied: bool = False  # the softmax has the embeddings for its rows
    dropout: Share = 0.0  # how much of what enters and leaves a layer is dropped
    variational: bool = False  # drop the same features at all times of a window
    # over all words; trained among samples of them; or first over classes of words
    softmax: Literal["full", "sampled", "classes"] = "full"
    samples: Count = 512  # words among which a sampled softmax is trained


@dataclass(frozen=True)
class RnnParams:
    """The weights; `words` are the rows of the softmax unless they are tied."""

    embeddings: np.ndarray  # (V, E)
    layers: tuple[Cell, ...]
    narrow: Linear | None  # from H to E, where tied rows are not as wide as states
    words: np.ndarray | None  # (V, H)
    bias: np.ndarray | None  # (V,)
    classes: ClassedSoftmax | None = None  # instead of words and bias


def make_params(config: Config, key: Key, sizes: TextSizes) -> RnnParams:
    """First weights for so many tokens."""
    V, E, H = sizes.units, config.embedding, config.hidden
    keys = split(key, 3 + config.layers)
    make_cell = _cells(config)
    widths = [E] + [H] * (config.layers - 1)
    classed = config.softmax == "classes"
    if classed and config.tied:
        raise OptionError("model: a softmax of classes is not tied to the embeddings")
    return RnnParams(
        uniform_weights(keys[0], (V, E), 0.1),
        tuple(make_cell(keys[3 + k], n, H) for k, n in enumerate(widths)),
        make_linear(keys[1], H, E) if config.tied and E != H else None,
        None if config.tied or classed else uniform_weights(keys[2], (V, H), 0.1),
        None if classed else np.zeros(V, np.float32),
        make_classed_softmax(keys[2], V, H) if classed else None,
    )


def _cells(config: Config):  # type: ignore[no-untyped-def]
    if config.layer_norm and config.cell == "elman":
        raise OptionError("model: there is no elman network with layer_norm")
    if config.cell == "elman":
        return make_elman
    if config.cell == "gru":
        return make_normalized_gru if config.layer_norm else make_gru
    return make_normalized_lstm if config.layer_norm else make_lstm


def carry(
    p: RnnParams, rows: int, config: Config, sizes: TextSizes
) -> tuple[State, ...]:
    """The states of the layers before a text; rows are the first axis."""
    return tuple([cell.start(rows) for cell in p.layers])


def outputs(
    p: RnnParams,
    tokens: np.ndarray,
    config: Config,
    carried: tuple[State, ...],
    key: Key | None = None,
) -> tuple[np.ndarray, tuple[State, ...]]:
    """What the softmax sees (T, B, H) after each token, and the last states."""
    x = embed(p.embeddings, tokens)
    states: list[State] = []
    for k, cell in enumerate(p.layers):
        x, last = run_unmasked(cell, _drop(x, config, key, k), carried[k])
        states.append(last)
    x = _drop(x, config, key, len(p.layers))
    return x if p.narrow is None else linear(p.narrow, x), tuple(states)


def _drop(x: np.ndarray, config: Config, key: Key | None, place: int) -> np.ndarray:
    if key is None or config.dropout == 0:
        return x
    if config.variational:
        return steady_dropout(x, config.dropout, fold_in(key, place))
    return dropout(x, config.dropout, fold_in(key, place))


def score(
    p: RnnParams,
    window: Window,
    config: Config,
    carried: tuple[State, ...],
    key: Key | None = None,
) -> tuple[np.ndarray, tuple[State, ...]]:
    """The log-probabilities (T, B) of a window's tokens, and what is carried on."""
    kept = 1 - window.fresh[:, None]
    carried = tuple([tuple([s * kept for s in state]) for state in carried])
    x, carried = outputs(p, window.tokens[:-1], config, carried, key)
    targets = window.tokens[1:]
    found = _predict(p, x.reshape(-1, x.shape[2]), targets.reshape(-1), config, key)
    return found.reshape(targets.shape), carried


def _predict(
    p: RnnParams, x: np.ndarray, targets: np.ndarray, config: Config, key: Key | None
) -> np.ndarray:
    """The log-probabilities (N,) of targets; of a sample, where it is trained."""
    V = p.embeddings.shape[0]
    if p.classes is not None:
        return classed_log_probabilities(p.classes, x, targets, V)
    assert p.bias is not None
    words = p.embeddings if p.words is None else p.words
    if config.softmax == "sampled" and key is not None:
        place = fold_in(key, len(p.layers) + 1)
        return sampled_log_probabilities(
            x, words, p.bias, targets, config.samples, place
        )
    return word_log_probabilities(x, words, p.bias, targets)


def loss(
    p: RnnParams,
    window: Window,
    config: Config,
    key: Key | None,
    carried: tuple[State, ...],
) -> tuple[np.ndarray, tuple[State, ...]]:
    """The mean negative log-likelihood of a token, and what is carried on."""
    found, carried = score(p, window, config, carried, key)
    return -np.sum(found * window.mask) / np.sum(window.mask), carried


def distributions(
    p: RnnParams, tokens: np.ndarray, config: Config, carried: tuple[State, ...]
) -> tuple[np.ndarray, tuple[State, ...]]:
    """The log-probabilities (T, B, V) of what follows each token, and the states."""
    x, carried = outputs(p, tokens, config, carried)
    if p.classes is not None:
        V = p.embeddings.shape[0]
        found = classed_distributions(p.classes, x.reshape(-1, x.shape[2]), V)
        return found.reshape(*tokens.shape, V), carried
    words = p.embeddings if p.words is None else p.words
    return log_softmax(x @ words.T + p.bias), carried
