"""A feed-forward language model of the n - 1 preceding tokens.

Bengio, Ducharme, Vincent and Jauvin, "A neural probabilistic language model" (2003):
y = b + W x + U tanh(d + H x), where x are the features of the context side by side
(equation 1). Without `direct` connections W is 0.
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
    make_linear,
    uniform_weights,
    word_log_probabilities,
)
from anadrome.options import Count, Several, Share
from anadrome.random import Key, split
from anadrome.text import TextSizes, Window

TRAINING = {"batch_tokens": 8 * 64}
DATA = {"window": 8}


@model("lm", name="nnlm", cites="Bengio et al. (2003)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    order: Several = 5  # tokens of an n-gram, the predicted one among them
    embedding: Count = 60  # features of a token
    hidden: Count = 100  # units of the layer between
    direct: bool = True  # connect the features with the output
    dropout: Share = 0.0  # how much of the features and units is dropped


@dataclass(frozen=True)
class NnlmParams:
    """The weights. `words` are U and, behind it, W of equation 1."""

    embeddings: np.ndarray  # (V, E)
    layer: Linear
    words: np.ndarray  # (V, H) or (V, H + (n - 1) E)
    bias: np.ndarray  # (V,)


def make_params(config: Config, key: Key, sizes: TextSizes) -> NnlmParams:
    """First weights for so many tokens."""
    keys = split(key, 3)
    V, E, H = sizes.units, config.embedding, config.hidden
    wide = (config.order - 1) * E
    return NnlmParams(
        uniform_weights(keys[0], (V, E), 0.1),
        make_linear(keys[1], wide, H),
        uniform_weights(keys[2], (V, H + (wide if config.direct else 0)), 0.05),
        np.zeros(V, np.float32),
    )


def carry(p: NnlmParams, rows: int, config: Config, sizes: TextSizes) -> np.ndarray:
    """The tokens before a text (B, n - 2)."""
    return no_context(rows, config.order)


def features(
    p: NnlmParams, context: np.ndarray, config: Config, key: Key | None = None
) -> np.ndarray:
    """What the softmax sees, for contexts (N, n - 1)."""
    x = embed(p.embeddings, context).reshape(context.shape[0], -1)
    if key is not None and config.dropout > 0:
        one, other = split(key, 2)
        x = dropout(x, config.dropout, one)
        h = dropout(np.tanh(linear(p.layer, x)), config.dropout, other)
    else:
        h = np.tanh(linear(p.layer, x))
    return np.concatenate((h, x), axis=1) if config.direct else h


def score(
    p: NnlmParams,
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
    p: NnlmParams, window: Window, config: Config, key: Key | None, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The mean negative log-likelihood of a token, and what is carried on."""
    found, carried = score(p, window, config, carried, key)
    return -np.sum(found * window.mask) / np.sum(window.mask), carried


def distributions(
    p: NnlmParams, tokens: np.ndarray, config: Config, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The log-probabilities (T, B, V) of what follows each token, and the context."""
    T, B = tokens.shape
    context, carried = contexts(tokens, carried)
    x = features(p, context.reshape(-1, context.shape[2]), config)
    return log_softmax(x @ p.words.T + p.bias).reshape(T, B, -1), carried


def score_ngrams(p: NnlmParams, ngrams: np.ndarray, config: Config) -> np.ndarray:
    """The log-probabilities (N,) of the last tokens of n-grams (N, n)."""
    x = features(p, ngrams[:, :-1], config)
    return word_log_probabilities(x, p.words, p.bias, ngrams[:, -1])
