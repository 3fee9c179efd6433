"""A continuous-space language model: n-grams through two rectified layers.

Schwenk, "Continuous space language models" (2007), as in section 4.4.1 of the thesis:
7-grams, embeddings of 512, layers of 1536 and 1024 rectifiers (Glorot et al., 2011),
weights that begin between -0.01 and 0.01. Words outside a shortlist are unknown, so
the probability of each is overestimated. `score_ngrams` scores a buffer of n-grams at
once, which is what makes the model fast enough for search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.contexts import contexts, no_context, window_contexts
from anadrome.models.registry import model
from anadrome.nn import (
    Linear,
    dropout,
    embed,
    linear,
    log_softmax,
    log_sum_exp,
    uniform_weights,
    word_log_probabilities,
)
from anadrome.options import Count, Positive, Several, Share
from anadrome.random import Key, split
from anadrome.text import TextSizes, Window

TRAINING = {"batch_tokens": 8 * 64}
DATA = {"window": 8, "max_words": 15000}


@model("lm", name="cslm", cites="Schwenk (2007)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    order: Several = 7  # tokens of an n-gram, the predicted one among them
    embedding: Count = 512  # features of a token
    first: Count = 1536  # rectifiers of the first layer
    second: Count = 1024  # rectifiers of the second layer
    dropout: Share = 0.0  # how much of both layers is dropped
    scale: Positive = 0.01  # first weights lie between -scale and scale


@dataclass(frozen=True)
class CslmParams:
    """The weights."""

    embeddings: np.ndarray  # (V, E)
    first: Linear
    second: Linear
    words: np.ndarray  # (V, H)
    bias: np.ndarray  # (V,)


def make_params(config: Config, key: Key, sizes: TextSizes) -> CslmParams:
    """First weights for so many tokens."""
    keys = split(key, 4)
    V, E, a = sizes.units, config.embedding, config.scale
    wide = (config.order - 1) * E
    return CslmParams(
        uniform_weights(keys[0], (V, E), a),
        _layer(keys[1], wide, config.first, a),
        _layer(keys[2], config.first, config.second, a),
        uniform_weights(keys[3], (V, config.second), a),
        np.zeros(V, np.float32),
    )


def _layer(key: Key, inputs: int, outputs: int, bound: float) -> Linear:
    weights = uniform_weights(key, (inputs, outputs), bound)
    return Linear(weights, np.zeros(outputs, np.float32))


def carry(p: CslmParams, rows: int, config: Config, sizes: TextSizes) -> np.ndarray:
    """The tokens before a text (B, n - 2)."""
    return no_context(rows, config.order)


def features(
    p: CslmParams, context: np.ndarray, config: Config, key: Key | None = None
) -> np.ndarray:
    """What the softmax sees, for contexts (N, n - 1)."""
    x = embed(p.embeddings, context).reshape(context.shape[0], -1)
    x = np.maximum(linear(p.first, x), 0)
    if key is None or config.dropout == 0:
        return np.maximum(linear(p.second, x), 0)
    one, other = split(key, 2)
    x = dropout(x, config.dropout, one)
    return dropout(np.maximum(linear(p.second, x), 0), config.dropout, other)


def score(
    p: CslmParams,
    window: Window,
    config: Config,
    carried: np.ndarray,
    key: Key | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The log-probabilities (T, B) of a window's tokens, and what is carried on."""
    context, carried = window_contexts(window, carried)
    targets = window.tokens[1:]
    x = features(p, context.reshape(-1, context.shape[2]), config, key)
    found = word_log_probabilities(x, p.words, p.bias, targets.reshape(-1))
    return found.reshape(targets.shape), carried


def loss(
    p: CslmParams, window: Window, config: Config, key: Key | None, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The mean negative log-likelihood of a token, and what is carried on."""
    found, carried = score(p, window, config, carried, key)
    return -np.sum(found * window.mask) / np.sum(window.mask), carried


def distributions(
    p: CslmParams, tokens: np.ndarray, config: Config, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The log-probabilities (T, B, V) of what follows each token, and the context."""
    T, B = tokens.shape
    context, carried = contexts(tokens, carried)
    x = features(p, context.reshape(-1, context.shape[2]), config)
    return log_softmax(x @ p.words.T + p.bias).reshape(T, B, -1), carried


def score_ngrams(p: CslmParams, ngrams: np.ndarray, config: Config) -> np.ndarray:
    """The log-probabilities (N,) of the last tokens of a buffer of n-grams (N, n)."""
    x = features(p, ngrams[:, :-1], config)
    return word_log_probabilities(x, p.words, p.bias, ngrams[:, -1])


def score_after(
    p: CslmParams,
    context: np.ndarray,
    which: np.ndarray,
    tokens: np.ndarray,
    config: Config,
) -> np.ndarray:
    """The log-probabilities (N,) of tokens, each after one of the contexts (C, n - 1).

    Many n-grams of a search have the same context; `which` (N,) says which it is.
    """
    x = features(p, context, config)
    total = log_sum_exp(x @ p.words.T + p.bias)[:, 0]  # (C,)
    logits = np.sum(x[which] * p.words[tokens], axis=1) + p.bias[tokens]
    return logits - total[which]
