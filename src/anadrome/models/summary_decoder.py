"""The decoder that makes a sentence of one vector, whatever encoder that is from.

Cho et al. (2014), appendix A.1.2: the summary c goes into every step, and into every
output. There the reset gate governs what the summary adds to the candidate state, as it
does here in a `ResetAfterGRU`; in a `GRU` it does not, as in Bahdanau et al. (2015).

Axis letters as in `anadrome.nn`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anadrome.models.deep_output import (
    DeepOutput,
    OutputConfig,
    make_deep_output,
    output_words,
    word_features,
)
from anadrome.models.target_words import target_loss
from anadrome.nn import (
    GRU,
    ResetAfterGRU,
    embed,
    make_gru,
    make_reset_after_gru,
    steady_dropout,
)
from anadrome.options import Count, NonNegative, Share
from anadrome.random import Key, fold_in
from anadrome.text import PairBatch


@dataclass(frozen=True)
class SummaryConfig(OutputConfig):
    """The sizes of the model, how it is regularised, how near it is to the paper."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each recurrent layer
    maxout: NonNegative = 0  # maxout units of the output; 0 for as many as features
    dropout: Share = 0.2  # how much of the embeddings and states is dropped in training
    smoothing: Share = 0.1  # label smoothing
    reset_summary: bool = False  # the reset gate governs the summary too (A.1.2)

    def make_decoder(self, key: Key) -> GRU | ResetAfterGRU:
        """The cell of the decoder."""
        make = make_reset_after_gru if self.reset_summary else make_gru
        return make(key, self.embedding, self.hidden, self.weights)

    def make_output(self, key: Key, V: int) -> DeepOutput:
        """The output for a vocabulary of V words."""
        E, H = self.embedding, self.hidden
        return make_deep_output(key, self, (H, E, H, self.maxout or E, V))


class SummaryDecoder(Protocol):
    """The weights that make sentences of summaries."""

    @property
    def target(self) -> np.ndarray:
        """The embeddings (V, E)."""

    @property
    def first(self) -> np.ndarray:
        """What makes the first state (H, H)."""

    @property
    def decoder(self) -> GRU | ResetAfterGRU:
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


def loss_of_summary(
    p: SummaryDecoder, c: np.ndarray, batch: PairBatch, config: SummaryConfig, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the target words, given the summaries c (B, H)."""
    y = embed(p.target, batch.target_in)  # (T, B, E)
    y = steady_dropout(y, config.dropout, fold_in(key, 1))
    seen, gated = c @ p.C, isinstance(p.decoder, ResetAfterGRU)
    a = p.decoder.drive(y)  # (T, B, 3H)
    if not gated:
        a = a + seen
    h = np.tanh(c @ p.first)
    states = []
    for t in range(y.shape[0]):
        # h⟨t⟩ = f(h⟨t-1⟩, y, c)
        if isinstance(p.decoder, ResetAfterGRU):
            (h,) = p.decoder.step((h,), a[t], seen=seen)
        else:
            (h,) = p.decoder.step((h,), a[t])
        states.append(h)
    # P(y | …, c) = g(h⟨t⟩, y, c), for all words at once
    features = word_features(
        p.output,
        steady_dropout(np.stack(states), config.dropout, fold_in(key, 2)),
        y,
        c,
    )  # (T, B, F)
    return target_loss(
        features, output_words(p.output, p.target), p.output.g, batch, config.smoothing
    )


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
    y, c, h = embed(p.target, words), decoding.summary, decoding.state
    a, seen = p.decoder.drive(y), c @ p.C
    if isinstance(p.decoder, ResetAfterGRU):
        (h,) = p.decoder.step((h,), a, seen=seen)
    else:
        (h,) = p.decoder.step((h,), a + seen)
    made = Decoding(c, h)
    if rows is not None:
        h, y, c = h[rows], y[rows], c[rows]
    features = word_features(p.output, h, y, c)
    return made, features @ output_words(p.output, p.target).T + p.output.g
