"""A tagger: bidirectional LSTMs over words and letters, then a field over the tags.

Lample et al., "Neural architectures for named entity recognition" (2016), without
pretrained vectors unless they are given; Ling et al. (2015) with `output="softmax"`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.models.registry import model
from anadrome.models.token_encoder import (
    EncoderConfig,
    TokenEncoder,
    encode_tokens,
    make_token_encoder,
)
from anadrome.nn import (
    CRF,
    Linear,
    crf_loss,
    cross_entropy,
    linear,
    make_crf,
    make_linear,
    viterbi,
)
from anadrome.random import Key, split
from anadrome.text import TokenBatch, TokenSizes


@model("tag", name="bilstm-crf", cites="Lample et al. (2016)")
@dataclass(frozen=True)
class Config(EncoderConfig):
    """The sizes of the model, how it is regularised, and what decides about tags."""

    # a conditional random field over all tags of a sentence, or each tag for itself
    output: Literal["crf", "softmax"] = "crf"


@dataclass(frozen=True)
class TaggerParams:
    """The weights."""

    encoder: TokenEncoder
    output: Linear  # to the scores of K tags
    field: CRF | None


def make_params(config: Config, key: Key, sizes: TokenSizes) -> TaggerParams:
    """First weights for so many words, letters and tags."""
    keys = split(key, 3)
    K = sizes.labels
    return TaggerParams(
        make_token_encoder(config, keys[0], sizes),
        make_linear(keys[1], 2 * config.hidden, K),
        make_crf(keys[2], K) if config.output == "crf" else None,
    )


def loss(p: TaggerParams, batch: TokenBatch, config: Config, key: Key) -> np.ndarray:
    """The mean negative log-likelihood of the tags, for each token."""
    states = encode_tokens(p.encoder, batch, config, key)
    scores = linear(p.output, states)  # (T, B, K)
    if p.field is not None:
        rows = batch.mask.shape[1]
        return crf_loss(p.field, scores, batch.labels, batch.mask) * (
            rows / np.sum(batch.mask)
        )
    K = scores.shape[2]
    return cross_entropy(
        scores.reshape(-1, K), batch.labels.reshape(-1), batch.mask.reshape(-1)
    )


def predict(p: TaggerParams, batch: TokenBatch, config: Config) -> np.ndarray:
    """The best tags (T, B)."""
    scores = linear(p.output, encode_tokens(p.encoder, batch, config, None))
    if p.field is not None:
        tags, _ = viterbi(p.field, scores, batch.mask)
        return tags
    return np.argmax(scores, axis=2)
