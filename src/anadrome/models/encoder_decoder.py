"""The RNN encoder–decoder: a sentence in one vector, and out of it again.

Chapter 4 of van Merriënboer's thesis; Cho et al., "Learning phrase representations
using RNN encoder–decoder for statistical machine translation" (2014). The summary c of
the source goes into every step of the decoder and into every output (4.2.2). Where the
details are the paper's appendix's, c enters the candidate state outside the reset gate
here, as Bahdanau et al. (2015) have it.

Axis letters as in `anadrome.nn`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anadrome.models.deep_output import DeepOutput, make_deep_output, word_features
from anadrome.models.registry import model
from anadrome.nn import (
    GRU,
    embed,
    gaussian,
    glorot,
    make_gru,
    run,
    steady_dropout,
    word_cross_entropy,
)
from anadrome.options import Count, NonNegative, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="encoder-decoder", cites="Cho et al. (2014)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each recurrent layer
    maxout: NonNegative = 0  # maxout units of the output; 0 for as many as features
    dropout: Share = 0.2  # how much of the embeddings and states is dropped in training
    smoothing: Share = 0.1  # label smoothing


@dataclass(frozen=True)
class EncoderDecoderParams:
    """The weights."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: GRU
    summary: np.ndarray  # (H, H) makes the summary
    first: np.ndarray  # (H, H) makes the first state
    decoder: GRU
    C: np.ndarray  # (H, 3H) from the summary to the decoder
    output: DeepOutput


class SummaryDecoder(Protocol):
    """The weights that make sentences of summaries, whatever encoder they are from."""

    @property
    def target(self) -> np.ndarray:
        """The embeddings (V, E)."""

    @property
    def first(self) -> np.ndarray:
        """What makes the first state (H, H)."""

    @property
    def decoder(self) -> GRU:
        """The cell."""

    @property
    def C(self) -> np.ndarray:
        """From the summary to the decoder (H, 3H)."""

    @property
    def output(self) -> DeepOutput:
        """What chooses words."""


@dataclass(frozen=True)
class Decoding:
    """The state of a search, one row for each hypothesis."""

    summary: np.ndarray  # (B, H)
    state: np.ndarray  # (B, H)


def make_params(config: Config, key: Key, sizes: PairSizes) -> EncoderDecoderParams:
    """First weights for vocabularies of these sizes."""
    E, H = config.embedding, config.hidden
    keys = split(key, 8)
    return EncoderDecoderParams(
        source=gaussian(keys[0], (sizes.source, E), 0.1),
        target=gaussian(keys[1], (sizes.target, E), 0.1),
        encoder=make_gru(keys[2], E, H),
        summary=glorot(keys[3], (H, H)),
        first=glorot(keys[4], (H, H)),
        decoder=make_gru(keys[5], E, H),
        C=glorot(keys[6], (H, H), 3),
        output=make_deep_output(keys[7], H, E, H, config.maxout or E, sizes.target),
    )


def encode(p: EncoderDecoderParams, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The summaries (B, H) of embedded source sentences (S, B, E) with masks (S, B)."""
    _, last = run(p.encoder, x, mask)
    return np.tanh(last[0] @ p.summary)  # c = tanh(V h⟨N⟩)


def loss(
    p: EncoderDecoderParams, batch: PairBatch, config: Config, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    x = embed(p.source, batch.source)  # (S, B, E)
    x = steady_dropout(x, config.dropout, fold_in(key, 0))
    return loss_of_summary(p, encode(p, x, batch.source_mask), batch, config, key)


def loss_of_summary(
    p: SummaryDecoder, c: np.ndarray, batch: PairBatch, config: Config, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the target words, given the summaries c (B, H)."""
    y = embed(p.target, batch.target_in)  # (T, B, E)
    y = steady_dropout(y, config.dropout, fold_in(key, 1))
    a = p.decoder.drive(y) + c @ p.C  # (T, B, 3H)
    h = np.tanh(c @ p.first)
    states = []
    for t in range(y.shape[0]):
        (h,) = p.decoder.step((h,), a[t])  # h⟨t⟩ = f(h⟨t-1⟩, y, c)
        states.append(h)
    # P(y | …, c) = g(h⟨t⟩, y, c), for all words at once
    features = word_features(
        p.output,
        steady_dropout(np.stack(states), config.dropout, fold_in(key, 2)),
        y,
        c,
    )  # (T, B, E)
    return word_cross_entropy(
        features.reshape(-1, features.shape[2]),
        p.target,
        p.output.g,
        batch.target_out.reshape(-1),
        batch.target_mask.reshape(-1),
        config.smoothing,
    )


def start(p: EncoderDecoderParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    return start_of_summary(p, encode(p, embed(p.source, source), mask))


def start_of_summary(p: SummaryDecoder, c: np.ndarray) -> Decoding:
    """The state of a search before the first word, given the summaries c (B, H)."""
    return Decoding(c, np.tanh(c @ p.first))


def step(
    p: SummaryDecoder,
    decoding: Decoding,
    words: np.ndarray,
    rows: np.ndarray | None = None,
) -> tuple[Decoding, np.ndarray]:
    """The next state, and the scores (B, V) of the word after `words`.

    A score is a log-probability but for a constant of the row. With `rows` (R,) only
    the scores (R, V) of these are given.
    """
    y, c = embed(p.target, words), decoding.summary
    (h,) = p.decoder.step((decoding.state,), p.decoder.drive(y) + c @ p.C)
    made = Decoding(c, h)
    if rows is not None:
        h, y, c = h[rows], y[rows], c[rows]
    return made, word_features(p.output, h, y, c) @ p.target.T + p.output.g
