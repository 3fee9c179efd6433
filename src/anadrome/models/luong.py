"""Luong's attention: the decoder looks at the source after each step, and remembers.

Luong, Pham and Manning, "Effective approaches to attention-based neural machine
translation" (2015): global attention (section 3.1), or local attention to a predicted
place (3.2, "local-p"), with input feeding (3.3). The encoder is the deep LSTM of
`deep_lstm`, which reads the source backwards, and hands over its states.

Axis letters as in `anadrome.nn`; here M = H.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.energies import Energies, make_energies
from anadrome.models.registry import model
from anadrome.models.target_words import target_loss
from anadrome.nn import (
    LSTM,
    Attention,
    LocalFocus,
    State,
    embed,
    gaussian,
    glorot,
    local_weights,
    make_local_focus,
    make_lstm_stack,
    run_backwards,
    softmax,
    steady_dropout,
)
from anadrome.nn.attention import HIDDEN
from anadrome.options import Count, NonNegative, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="luong", cites="Luong, Pham and Manning (2015)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each layer
    layers: Count = 1  # layers of the encoder, and of the decoder; the paper has 4
    dropout: Share = 0.2  # how much of the embeddings and states is dropped in training
    smoothing: Share = 0.1  # label smoothing
    # how a state is compared with the source: section 3.1, general of a lower rank, or
    # by the cosine
    energies: Energies = "general"
    rank: Count = 64  # rank of reduced-rank energies
    longest: Count = 256  # tokens of the longest source, for location energies
    # tokens that can be seen on either side of a predicted place; 0 looks everywhere
    window: NonNegative = 0
    feeding: bool = True  # let h̃ go into the next step


@dataclass(frozen=True)
class LuongParams:
    """The weights."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: tuple[LSTM, ...]
    decoder: tuple[LSTM, ...]
    feed: np.ndarray | None  # (H, 4H) from h̃ to the lowest layer of the decoder
    attention: Attention
    C: np.ndarray  # (H, H) from the context to h̃
    S: np.ndarray  # (H, H) from the state to h̃
    words: np.ndarray  # (V, H) what h̃ is compared with
    bias: np.ndarray  # (V,)
    focus: LocalFocus | None = None  # where to look, if not everywhere


@dataclass(frozen=True)
class Decoding:
    """The state of a search, one row for each hypothesis."""

    seen: np.ndarray  # (B, S, H) what slots add to h̃
    prepared: np.ndarray  # (B, S, A)
    mask: np.ndarray  # (B, S)
    layers: tuple[State, ...]  # (B, H) each
    looked: np.ndarray  # (B, H) the last h̃
    weights: np.ndarray  # (B, S) of the step that led here


def make_params(config: Config, key: Key, sizes: PairSizes) -> LuongParams:
    """First weights for vocabularies of these sizes."""
    E, H, N = config.embedding, config.hidden, config.layers
    keys, D = split(key, 9), config.window
    return LuongParams(
        source=gaussian(keys[0], (sizes.source, E), 0.1),
        target=gaussian(keys[1], (sizes.target, E), 0.1),
        encoder=make_lstm_stack(keys[2], E, H, N),
        decoder=make_lstm_stack(keys[3], E, H, N),
        feed=glorot(keys[4], (H, H), 4) if config.feeding else None,
        attention=make_energies(
            config.energies, keys[5], H, config.rank, config.longest
        ),
        C=glorot(keys[6], (H, H)),
        S=glorot(keys[7], (H, H)),
        words=gaussian(keys[8], (sizes.target, H), 0.1),
        bias=np.zeros(sizes.target, np.float32),
        focus=make_local_focus(fold_in(key, 9), H, H, D) if D else None,
    )


def encode(p: LuongParams, x: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state before the first word, of embedded sources (S, B, E)."""
    states = []
    for reader in p.encoder:
        x, state = run_backwards(reader, x, mask)
        states.append(state)
    slots = np.swapaxes(x, 0, 1)  # (B, S, H)
    return Decoding(
        slots @ p.C,
        p.attention.prepare(slots),
        mask.T,
        tuple(states),
        np.zeros_like(states[0][0]),
        np.zeros_like(mask.T),
    )


def advance(p: LuongParams, d: Decoding, a: np.ndarray) -> Decoding:
    """The next state, where `a` (B, 4H) is the lowest layer's drive by the last word.

    h̃ = tanh(W_c [c; h]) (equation 5), where c is the mean of the slots with the weights
    of equation 7, or of equation 10; h̃ goes into the next step (3.3).
    """
    if p.feed is not None:
        a = a + d.looked @ p.feed
    state = p.decoder[0].step(d.layers[0], a)
    states: tuple[State, ...] = (state,)
    h = state[0]
    for writer, state in zip(p.decoder[1:], d.layers[1:]):
        state = writer.step(state, writer.drive(h))
        states = (*states, state)
        h = state[0]
    energies = p.attention.energies(h, d.prepared)
    weights = softmax(energies + (1 - d.mask) * HIDDEN)
    if p.focus is not None:
        weights = local_weights(p.focus, h, energies, d.mask)
    context = (weights[:, None, :] @ d.seen)[:, 0, :]  # W_c c
    looked = np.tanh(context + h @ p.S)
    return Decoding(d.seen, d.prepared, d.mask, states, looked, weights)


def loss(p: LuongParams, batch: PairBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    x = embed(p.source, batch.source)  # (S, B, E)
    y = embed(p.target, batch.target_in)  # (T, B, E)
    x = steady_dropout(x, config.dropout, fold_in(key, 0))
    y = steady_dropout(y, config.dropout, fold_in(key, 1))
    d = encode(p, x, batch.source_mask)
    a = p.decoder[0].drive(y)  # (T, B, 4H)
    looked = []
    for t in range(y.shape[0]):
        d = advance(p, d, a[t])
        looked.append(d.looked)
    features = steady_dropout(np.stack(looked), config.dropout, fold_in(key, 2))
    return target_loss(features, p.words, p.bias, batch, config.smoothing)


def start(p: LuongParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    return encode(p, embed(p.source, source), mask)


def step(
    p: LuongParams,
    decoding: Decoding,
    words: np.ndarray,
    rows: np.ndarray | None = None,
) -> tuple[Decoding, np.ndarray]:
    """The next state, and the scores (B, V) of the word after `words`.

    A score is a log-probability but for a constant of the row. With `rows` (R,) only
    the scores (R, V) of these are given.
    """
    made = advance(p, decoding, p.decoder[0].drive(embed(p.target, words)))
    looked = made.looked if rows is None else made.looked[rows]
    return made, looked @ p.words.T + p.bias


def attention_weights(decoding: Decoding) -> np.ndarray:
    """Where the last step looked: (B, S)."""
    return decoding.weights
