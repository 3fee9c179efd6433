"""What the networks over trees share: words, and the labels of all their phrases.

Such a network composes a vector for every phrase of its parts, and one linear layer
gives the scores of its label; all phrases are trained, and the root is what is asked
for (Socher et al., "Recursive deep models for semantic compositionality over a
sentiment treebank", 2013).

Axis letters as in `anadrome.text.phrases`; E features of a word, H of a phrase, K
labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn import Linear, cross_entropy, dropout, embed, linear
from anadrome.nn import word_dropout as drop_words
from anadrome.options import Share
from anadrome.random import Key, fold_in
from anadrome.text import UNK, PhraseBatch


@dataclass(frozen=True)
class PhraseConfig:
    """How a network over trees is regularised."""

    dropout: Share = 0.5  # how much of the words' and phrases' features is dropped
    word_dropout: Share = 0.0  # how many words are taken for unknown ones in training


def read_words(
    words: np.ndarray, batch: PhraseBatch, config: PhraseConfig, key: Key | None
) -> np.ndarray:
    """The features (M, E) of the words of a batch; without a key nothing is dropped."""
    if key is None:
        return embed(words, batch.words)
    ids = drop_words(batch.words, config.word_dropout, fold_in(key, 0), UNK)
    return dropout(embed(words, ids), config.dropout, fold_in(key, 1))


def score_phrases(
    output: Linear, phrases: list[np.ndarray], config: PhraseConfig, key: Key | None
) -> np.ndarray:
    """The scores (N, K) of the labels of phrases, each a vector (H,)."""
    h = np.stack(phrases)
    if key is not None:
        h = dropout(h, config.dropout, fold_in(key, 2))
    return linear(output, h)


def label_loss(scores: np.ndarray, batch: PhraseBatch) -> np.ndarray:
    """The mean cross-entropy of the labels of all phrases that have one."""
    return cross_entropy(scores, batch.labels, batch.mask)
