"""A deep LSTM reads the source backwards, and another one goes on from its states.

Sutskever, Vinyals and Le, "Sequence to sequence learning with neural networks" (2014).
The state of every layer of the encoder is the first state of the same layer of the
decoder (section 2); the source is read from its end (3.3), unless that is switched off.
The words of the output have a matrix of their own.

Axis letters as in `anadrome.nn`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.registry import model
from anadrome.models.target_words import target_loss
from anadrome.nn import (
    LSTM,
    State,
    embed,
    gaussian,
    make_lstm_stack,
    run,
    run_backwards,
    steady_dropout,
)
from anadrome.options import Count, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="deep-lstm", cites="Sutskever, Vinyals and Le (2014)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each layer
    layers: Count = 2  # layers of the encoder, and of the decoder; the paper has 4
    dropout: Share = 0.2  # how much of the input of each layer is dropped in training
    smoothing: Share = 0.1  # label smoothing
    reverse: bool = True  # read the source from its end (3.3)


@dataclass(frozen=True)
class DeepLSTMParams:
    """The weights. The source is read from its end."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: tuple[LSTM, ...]
    decoder: tuple[LSTM, ...]
    words: np.ndarray  # (V, H) what the last state is compared with
    bias: np.ndarray  # (V,)


@dataclass(frozen=True)
class WrittenOrderParams(DeepLSTMParams):
    """The same weights. The source is read as it is written."""


@dataclass(frozen=True)
class Decoding:
    """The state of a search: the states of the layers, one row for each hypothesis."""

    layers: tuple[State, ...]  # (B, H) each


def make_params(config: Config, key: Key, sizes: PairSizes) -> DeepLSTMParams:
    """First weights for vocabularies of these sizes."""
    E, H, N = config.embedding, config.hidden, config.layers
    keys = split(key, 5)
    make = DeepLSTMParams if config.reverse else WrittenOrderParams
    return make(
        source=gaussian(keys[0], (sizes.source, E), 0.1),
        target=gaussian(keys[1], (sizes.target, E), 0.1),
        encoder=make_lstm_stack(keys[2], E, H, N),
        decoder=make_lstm_stack(keys[3], E, H, N),
        words=gaussian(keys[4], (sizes.target, H), 0.1),
        bias=np.zeros(sizes.target, np.float32),
    )


def read(
    p: DeepLSTMParams, reader: LSTM, x: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, State]:
    """What a layer of the encoder writes, and its last state."""
    if isinstance(p, WrittenOrderParams):
        return run(reader, x, mask)
    return run_backwards(reader, x, mask)


def loss(p: DeepLSTMParams, batch: PairBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    x = embed(p.source, batch.source)  # (S, B, E), then (S, B, H)
    y = embed(p.target, batch.target_in)  # (T, B, E), then (T, B, H)
    for n, (reader, writer) in enumerate(zip(p.encoder, p.decoder)):
        x = steady_dropout(x, config.dropout, fold_in(key, 2 * n))
        y = steady_dropout(y, config.dropout, fold_in(key, 2 * n + 1))
        x, state = read(p, reader, x, batch.source_mask)
        a = writer.drive(y)  # (T, B, 4H)
        states = []
        for t in range(y.shape[0]):
            state = writer.step(state, a[t])
            states.append(state[0])
        y = np.stack(states)
    y = steady_dropout(y, config.dropout, fold_in(key, 2 * len(p.decoder)))
    return target_loss(y, p.words, p.bias, batch, config.smoothing)


def start(p: DeepLSTMParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    x = embed(p.source, source)
    states = []
    for reader in p.encoder:
        x, state = read(p, reader, x, mask)
        states.append(state)
    return Decoding(tuple(states))


def step(
    p: DeepLSTMParams,
    decoding: Decoding,
    words: np.ndarray,
    rows: np.ndarray | None = None,
) -> tuple[Decoding, np.ndarray]:
    """The next state, and the scores (B, V) of the word after `words`.

    A score is a log-probability but for a constant of the row. With `rows` (R,) only
    the scores (R, V) of these are given.
    """
    y = embed(p.target, words)  # (B, E), then (B, H)
    states = []
    for writer, state in zip(p.decoder, decoding.layers):
        state = writer.step(state, writer.drive(y))
        states.append(state)
        y = state[0]
    if rows is not None:
        y = y[rows]
    return Decoding(tuple(states)), y @ p.words.T + p.bias
