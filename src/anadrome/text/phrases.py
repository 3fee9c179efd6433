"""Trees of phrases, as recursive networks read them.

Axis letters: M words of all trees of a batch, N phrases of them (words are phrases,
too), B trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Phrase:
    """A word, or a phrase and its parts from left to right."""

    place: int  # which word of the sentence it is, or -1
    parts: list[Phrase]


@dataclass(frozen=True)
class EncodedTree:
    """One tree as numbers. Phrases are counted parts first, from left to right."""

    root: Phrase
    words: np.ndarray  # (T,)
    labels: np.ndarray  # one for each phrase, -1 where there is none


@dataclass(frozen=True)
class PhraseBatch:
    """Trees, and the words and labels of all of them, one tree after the other."""

    trees: list[Phrase]
    begins: np.ndarray  # (B,) where the words of each tree begin
    words: np.ndarray  # (M,)
    labels: np.ndarray  # (N,)
    mask: np.ndarray  # (N,) float32: 1 where a phrase has a label, else 0

    @property
    def size(self) -> int:
        """How many words there are."""
        return len(self.words)


def make_phrase_batch(trees: Sequence[EncodedTree], indices: np.ndarray) -> PhraseBatch:
    """The batch of the trees with these indices."""
    chosen = [trees[i] for i in indices]
    lengths = [len(tree.words) for tree in chosen]
    labels = np.concatenate([tree.labels for tree in chosen])
    return PhraseBatch(
        [tree.root for tree in chosen],
        np.cumsum([0, *lengths[:-1]]),
        np.concatenate([tree.words for tree in chosen]),
        np.maximum(labels, 0),
        (labels >= 0).astype(np.float32),
    )
