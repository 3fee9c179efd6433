"""Tree-LSTM: a memory cell for every phrase, and a forget gate for each of its parts.

Tai, Socher and Manning, "Improved semantic representations from tree-structured long
short-term memory networks" (2015), section 3.2, the N-ary Tree-LSTM with N = 2: its
constituency form, in which only leaves read words and only inner nodes have parts.

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


@model("trees", name="tree-lstm", cites="Tai et al. (2015)")
@dataclass(frozen=True)
class Config(PhraseConfig):
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 150  # features of a word
    hidden: Count = 150  # features of a phrase, and of its memory cell


@dataclass(frozen=True)
class TreeLSTMParams:
    """The weights. Gates stand side by side."""

    words: np.ndarray  # (V, E)
    leaf: Linear  # (E, 3H): input and output gate, update
    node: Linear  # (2H, 5H): input gate, two forget gates, output gate, update
    output: Linear  # (H, K)


def make_params(config: Config, key: Key, sizes: TokenSizes) -> TreeLSTMParams:
    """First weights for so many words and labels. Forget gates are open at first."""
    E, H = config.embedding, config.hidden
    keys = split(key, 4)
    node = make_linear(keys[2], 2 * H, 5 * H)
    node.b[H : 3 * H] = 1
    return TreeLSTMParams(
        make_words(keys[0], sizes, E),
        make_linear(keys[1], E, 3 * H),
        node,
        make_linear(keys[3], H, sizes.labels),
    )


def compose(
    p: TreeLSTMParams, tree: Phrase, leaves: np.ndarray, phrases: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The state and the memory cell (H,) of a tree, equations 9 to 14.

    `leaves` (T, 3H) is what its words give to gates and update. The states of all
    phrases are appended to `phrases`, parts first.
    """
    H = p.output.W.shape[0]
    if not tree.parts:
        a = leaves[tree.place]
        c = sigmoid(a[:H]) * np.tanh(a[2 * H :])
        h = sigmoid(a[H : 2 * H]) * np.tanh(c)
    else:
        left, right = tree.parts
        h_l, c_l = compose(p, left, leaves, phrases)
        h_r, c_r = compose(p, right, leaves, phrases)
        a = linear(p.node, np.concatenate((h_l, h_r)))
        i, f_l, f_r = sigmoid(a[:H]), sigmoid(a[H : 2 * H]), sigmoid(a[2 * H : 3 * H])
        c = i * np.tanh(a[4 * H :]) + f_l * c_l + f_r * c_r
        h = sigmoid(a[3 * H : 4 * H]) * np.tanh(c)
    phrases.append(h)
    return h, c


def scores(
    p: TreeLSTMParams, batch: PhraseBatch, config: Config, key: Key | None
) -> np.ndarray:
    """The scores (N, K) of the labels of all phrases of a batch."""
    leaves = linear(p.leaf, read_words(p.words, batch, config, key))  # (M, 3H)
    phrases: list[np.ndarray] = []
    for tree, begin in zip(batch.trees, batch.begins):
        compose(p, tree, leaves[begin:], phrases)
    return score_phrases(p.output, phrases, config, key)


def loss(p: TreeLSTMParams, batch: PhraseBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the labels of all phrases."""
    return label_loss(scores(p, batch, config, key), batch)


def predict(p: TreeLSTMParams, batch: PhraseBatch, config: Config) -> np.ndarray:
    """The log-probabilities (N, K) of the labels of all phrases."""
    return log_softmax(scores(p, batch, config, None))
