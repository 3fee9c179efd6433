"""The recursive network: one layer composes the vectors of two parts, all the way up.

Socher, Lin, Ng and Manning, "Parsing natural scenes and natural language with recursive
neural networks" (2011); section 4.1 of Socher et al. (2013). A word is its vector.

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
from anadrome.nn import Linear, linear, log_softmax, make_linear
from anadrome.options import Count, Share
from anadrome.random import Key, split
from anadrome.text import Phrase, PhraseBatch, TokenSizes


@model("trees", name="rnn", cites="Socher et al. (2011)")
@dataclass(frozen=True)
class Config(PhraseConfig):
    """The sizes of the model, and how it is regularised."""

    hidden: Count = 50  # features of a word or phrase
    dropout: Share = 0.2  # how much of the words' and phrases' features is dropped


@dataclass(frozen=True)
class RecursiveParams:
    """The weights."""

    words: np.ndarray  # (V, H)
    node: Linear  # (2H, H)
    output: Linear  # (H, K)


def make_params(config: Config, key: Key, sizes: TokenSizes) -> RecursiveParams:
    """First weights for so many words and labels."""
    H = config.hidden
    keys = split(key, 3)
    return RecursiveParams(
        make_words(keys[0], sizes, H, "hidden"),
        make_linear(keys[1], 2 * H, H),
        make_linear(keys[2], H, sizes.labels),
    )


def compose(
    p: RecursiveParams, tree: Phrase, words: np.ndarray, phrases: list[np.ndarray]
) -> np.ndarray:
    """The vector (H,) of a tree over words (T, H): tanh(W [left; right] + b).

    The vectors of all phrases are appended to `phrases`, parts first.
    """
    if not tree.parts:
        h = words[tree.place]
    else:
        left, right = tree.parts
        h_l = compose(p, left, words, phrases)
        h_r = compose(p, right, words, phrases)
        h = np.tanh(linear(p.node, np.concatenate((h_l, h_r))))
    phrases.append(h)
    return h


def scores(
    p: RecursiveParams, batch: PhraseBatch, config: Config, key: Key | None
) -> np.ndarray:
    """The scores (N, K) of the labels of all phrases of a batch."""
    words = read_words(p.words, batch, config, key)  # (M, H)
    phrases: list[np.ndarray] = []
    for tree, begin in zip(batch.trees, batch.begins):
        compose(p, tree, words[begin:], phrases)
    return score_phrases(p.output, phrases, config, key)


def loss(
    p: RecursiveParams, batch: PhraseBatch, config: Config, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the labels of all phrases."""
    return label_loss(scores(p, batch, config, key), batch)


def predict(p: RecursiveParams, batch: PhraseBatch, config: Config) -> np.ndarray:
    """The log-probabilities (N, K) of the labels of all phrases."""
    return log_softmax(scores(p, batch, config, None))
