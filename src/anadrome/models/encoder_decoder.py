"""The RNN encoder–decoder: a sentence in one vector, and out of it again.

Chapter 4 of van Merriënboer's thesis; Cho et al., "Learning phrase representations
using RNN encoder–decoder for statistical machine translation" (2014). The summary c of
the source goes into every step of the decoder and into every output (4.2.2). Where the
details are the paper's appendix's, the defaults differ: the words of the output are the
embeddings, and c enters the candidate state outside the reset gate, as Bahdanau et al.
(2015) have it. `examples/recipes/cho2014.toml` has the paper's own.

Axis letters as in `anadrome.nn`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.deep_output import DeepOutput
from anadrome.models.registry import model
from anadrome.models.summary_decoder import (
    Decoding,
    SummaryConfig,
    loss_of_summary,
    start_of_summary,
    step,
)
from anadrome.nn import (
    GRU,
    ResetAfterGRU,
    embed,
    gaussian,
    make_gru,
    run,
    steady_dropout,
)
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes

__all__ = [
    "Config",
    "Decoding",
    "EncoderDecoderParams",
    "encode",
    "loss",
    "make_params",
    "start",
    "step",
    "summarise",
]


@model("translate", name="encoder-decoder", cites="Cho et al. (2014)")
@dataclass(frozen=True)
class Config(SummaryConfig):
    """The sizes of the model, how it is regularised, how near it is to the paper."""


@dataclass(frozen=True)
class EncoderDecoderParams:
    """The weights."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: GRU
    summary: np.ndarray  # (H, H) makes the summary
    first: np.ndarray  # (H, H) makes the first state
    decoder: GRU | ResetAfterGRU
    C: np.ndarray  # (H, 3H) from the summary to the decoder
    output: DeepOutput


def make_params(config: Config, key: Key, sizes: PairSizes) -> EncoderDecoderParams:
    """First weights for vocabularies of these sizes."""
    E, H, weights = config.embedding, config.hidden, config.weights
    keys = split(key, 8)
    return EncoderDecoderParams(
        source=gaussian(keys[0], (sizes.source, E), config.deviation),
        target=gaussian(keys[1], (sizes.target, E), config.deviation),
        encoder=make_gru(keys[2], E, H, weights),
        summary=weights(keys[3], (H, H)),
        first=weights(keys[4], (H, H)),
        decoder=config.make_decoder(keys[5]),
        C=weights(keys[6], (H, H), 3),
        output=config.make_output(keys[7], sizes.target),
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


def summarize(
    p: EncoderDecoderParams, source: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The summaries (B, H) of sentences (T, B)."""
    return encode(p, embed(p.source, source), mask)


def start(p: EncoderDecoderParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    return start_of_summary(p, summarise(p, source, mask))


def summarise(
    p: EncoderDecoderParams, source: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The summaries (B, H) of sentences (S, B), as in figure 4.5 of the thesis."""
    return encode(p, embed(p.source, source), mask)
