"""The recursive neural tensor network: parts multiply each other, by a tensor.

Socher, Perelygin, Wu, Chuang, Manning, Ng and Potts, "Recursive deep models for
semantic compositionality over a sentiment treebank" (2013), section 4.3.

Axis letters as in `anadrome.models.phrases`; words have H features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.phrases import (
    PhraseConfig,
    label_loss,
    read_words,
    score_phrases,
)
from anadrome.models.registry import model
from anadrome.models.word_vectors import make_words
from anadrome.nn import (
    Linear,
    linear,
    log_softmax,
    make_linear,
    uniform_weights,
)
from anadrome.options import Count, Share
from anadrome.random import Key, split
from anadrome.text import Phrase, PhraseBatch, TokenSizes


@model("trees", name="rntn", cites="Socher et al. (2013)")
@dataclass(frozen=True)
class Config(PhraseConfig):
    """The sizes of the model, and how it is regularised."""

    hidden: Count = 30  # features of a word or phrase; the tensor has 4 times its cube
    dropout: Share = 0.1  # how much of the words' and phrases' features is dropped


@dataclass(frozen=True)
class TensorParams:
    """The weights."""

    words: np.ndarray  # (V, H)
    tensor: np.ndarray  # (2H, 2H·H): a square slice for each feature, side by side
    node: Linear  # (2H, H)
    output: Linear  # (H, K)


def make_params(config: Config, key: Key, sizes: TokenSizes) -> TensorParams:
    """First weights for so many words and labels."""
    H = config.hidden
    keys = split(key, 4)
    return TensorParams(
        make_words(keys[0], sizes, H, "hidden"),
        uniform_weights(keys[1], (2 * H, 2 * H * H), 1 / (4 * H)),
        make_linear(keys[2], 2 * H, H),
        make_linear(keys[3], H, sizes.labels),
    )


def compose(
    p: TensorParams, tree: Phrase, words: np.ndarray, phrases: list[np.ndarray]
) -> np.ndarray:
    """The vector (H,) of a tree over words (T, H): tanh(xᵀ V x + W x + b).

    x is what both parts have, one behind the other; the vectors of all phrases are
    appended to `phrases`, parts first.
    """
    if not tree.parts:
        h = words[tree.place]
    else:
        left, right = tree.parts
        h_l = compose(p, left, words, phrases)
        h_r = compose(p, right, words, phrases)
        x = np.concatenate((h_l, h_r))  # (2H,)
        products = x @ (x @ p.tensor).reshape(len(x), -1)  # xᵀ V x for each slice
        h = np.tanh(products + linear(p.node, x))
    phrases.append(h)
    return h


def scores(
    p: TensorParams, batch: PhraseBatch, config: Config, key: Key | None
) -> np.ndarray:
    """The scores (N, K) of the labels of all phrases of a batch."""
    words = read_words(p.words, batch, config, key)  # (M, H)
    phrases: list[np.ndarray] = []
    for tree, begin in zip(batch.trees, batch.begins):
        compose(p, tree, words[begin:], phrases)
    return score_phrases(p.output, phrases, config, key)


def loss(p: TensorParams, batch: PhraseBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the labels of all phrases."""
    return label_loss(scores(p, batch, config, key), batch)


def predict(p: TensorParams, batch: PhraseBatch, config: Config) -> np.ndarray:
    """The log-probabilities (N, K) of the labels of all phrases."""
    return log_softmax(scores(p, batch, config, None))
