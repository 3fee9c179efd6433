"""A classifier of sequences: LSTMs in both directions, pooled over time.

The many-to-one network of the lecture notes: what the layers wrote at every token is
pooled (mean and maximum, or the last states) and a linear layer scores the classes.
With no embeddings of words but those of their letters it classifies names.
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
from anadrome.nn import Linear, cross_entropy, linear, log_softmax, make_linear
from anadrome.options import Share
from anadrome.random import Key, split
from anadrome.text import TokenBatch, TokenSizes

FAR = 1e9
"""What is subtracted where there is no token, so that no maximum is there."""


@model("classify", name="bilstm", cites="Graves (2012)")
@dataclass(frozen=True)
class Config(EncoderConfig):
    """The sizes of the model, and how it is regularised."""

    # what is taken of all times: mean and maximum, or the last state of each direction
    pooling: Literal["mean-max", "last"] = "mean-max"
    smoothing: Share = 0.0  # label smoothing


@dataclass(frozen=True)
class ClassifierParams:
    """The weights."""

    encoder: TokenEncoder
    output: Linear


def make_params(config: Config, key: Key, sizes: TokenSizes) -> ClassifierParams:
    """First weights for so many words, letters and classes."""
    keys = split(key, 2)
    width = (4 if config.pooling == "mean-max" else 2) * config.hidden
    return ClassifierParams(
        make_token_encoder(config, keys[0], sizes),
        make_linear(keys[1], width, sizes.labels),
    )


def scores(
    p: ClassifierParams, batch: TokenBatch, config: Config, key: Key | None
) -> np.ndarray:
    """The scores (B, K) of the classes."""
    states = encode_tokens(p.encoder, batch, config, key)  # (T, B, 2H)
    rows = batch.mask[:, :, None]
    if config.pooling == "mean-max":
        mean = np.sum(states * rows, axis=0) / np.sum(rows, axis=0)
        highest = np.max(states - FAR * (1 - rows), axis=0)
        pooled = np.concatenate((mean, highest), axis=1)
    else:
        H = states.shape[2] // 2
        ends = np.sum(batch.mask, axis=0).astype(np.int64) - 1
        last = states[ends, np.arange(states.shape[1]), :H]
        pooled = np.concatenate((last, states[0, :, H:]), axis=1)
    return linear(p.output, pooled)


def loss(
    p: ClassifierParams, batch: TokenBatch, config: Config, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the classes."""
    given = scores(p, batch, config, key)
    ones = np.ones(given.shape[0], np.float32)
    return cross_entropy(given, batch.labels, ones, config.smoothing)


def predict(p: ClassifierParams, batch: TokenBatch, config: Config) -> np.ndarray:
    """The log-probabilities (B, K) of the classes."""
    return log_softmax(scores(p, batch, config, None))
