"""The child-sum Tree-LSTM: phrases of any number of parts, in any order.

Tai, Socher and Manning (2015), section 3.1: gates and update see the sum of the parts'
states, and each part has a forget gate of its own. Words stand at the leaves, as in
bracketed trees.

Axis letters as in `anadrome.models.phrases`.
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
from anadrome.nn import Linear, linear, log_softmax, make_linear, sigmoid
from anadrome.options import Count
from anadrome.random import Key, split
from anadrome.text import Phrase, PhraseBatch, TokenSizes


@model("trees", name="child-sum-tree-lstm", cites="Tai et al. (2015)")
@dataclass(frozen=True)
class Config(PhraseConfig):
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 150  # features of a word
    hidden: Count = 150  # features of a phrase, and of its memory cell


@dataclass(frozen=True)
class ChildSumParams:
    """The weights. Gates stand side by side."""

    words: np.ndarray  # (V, E)
    leaf: Linear  # (E, 3H): input and output gate, update
    node: Linear  # (H, 3H): the same
    forget: Linear  # (H, H): the forget gate of a part, by the part's own state
    output: Linear  # (H, K)


def make_params(config: Config, key: Key, sizes: TokenSizes) -> ChildSumParams:
    """First weights for so many words and labels. Forget gates are open at first."""
    E, H = config.embedding, config.hidden
    keys = split(key, 5)
    forget = make_linear(keys[3], H, H)
    forget.b[:] = 1
    return ChildSumParams(
        make_words(keys[0], sizes, E),
        make_linear(keys[1], E, 3 * H),
        make_linear(keys[2], H, 3 * H),
        forget,
        make_linear(keys[4], H, sizes.labels),
    )


def compose(
    p: ChildSumParams, tree: Phrase, leaves: np.ndarray, phrases: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The state and the memory cell (H,) of a tree, equations 2 to 8.

    `leaves` (T, 3H) is what its words give to gates and update. The states of all
    phrases are appended to `phrases`, parts first.
    """
    H = p.output.W.shape[0]
    total = np.zeros(H, leaves.dtype)  # of the states of the parts
    kept = np.zeros(H, leaves.dtype)  # of what the forget gates leave of their cells
    for part in tree.parts:
        h_k, c_k = compose(p, part, leaves, phrases)
        total = total + h_k
        kept = kept + sigmoid(linear(p.forget, h_k)) * c_k
    a = linear(p.node, total) if tree.parts else leaves[tree.place]
    c = sigmoid(a[:H]) * np.tanh(a[2 * H :]) + kept
    h = sigmoid(a[H : 2 * H]) * np.tanh(c)
    phrases.append(h)
    return h, c


def scores(
    p: ChildSumParams, batch: PhraseBatch, config: Config, key: Key | None
) -> np.ndarray:
    """The scores (N, K) of the labels of all phrases of a batch."""
    leaves = linear(p.leaf, read_words(p.words, batch, config, key))  # (M, 3H)
    phrases: list[np.ndarray] = []
    for tree, begin in zip(batch.trees, batch.begins):
        compose(p, tree, leaves[begin:], phrases)
    return score_phrases(p.output, phrases, config, key)


def loss(p: ChildSumParams, batch: PhraseBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the labels of all phrases."""
    return label_loss(scores(p, batch, config, key), batch)


def predict(p: ChildSumParams, batch: PhraseBatch, config: Config) -> np.ndarray:
    """The log-probabilities (N, K) of the labels of all phrases."""
    return log_softmax(scores(p, batch, config, None))
