"""Tokens with their spelling, as taggers and classifiers read them.

Axis letters: T tokens of a sentence, B sentences, U different words of a batch of like
length, L letters of a word. Arrays are time-major.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from anadrome.text.batching import mask_lengths
from anadrome.text.vocabulary import pad_sentences

LEAST_GROUP = 16
"""So many different words of like length are a group of their own."""


@dataclass(frozen=True)
class TokenSizes:
    """How many words, characters and labels are known.

    `vectors` are first values for the embeddings of words, where there are any: NaN in
    the rows of words without.
    """

    words: int
    characters: int
    labels: int
    vectors: np.ndarray | None = None  # (V, E)


@dataclass(frozen=True)
class EncodedTokens:
    """One sentence as numbers."""

    words: np.ndarray  # (T,)
    spellings: tuple[tuple[int, ...], ...]  # the characters of each word
    labels: np.ndarray  # (T,) of the tokens, or (1,) of the sentence


@dataclass(frozen=True)
class Spellings:
    """Different words of like length, letter by letter."""

    characters: np.ndarray  # (L, U)
    mask: np.ndarray  # (L, U)


@dataclass(frozen=True)
class TokenBatch:
    """Padded sentences. Masks are float32: 1 on tokens and 0 on padding.

    A word that occurs several times is spelt once.
    """

    indices: np.ndarray  # (B,) places of the sentences in the corpus
    words: np.ndarray  # (T, B)
    mask: np.ndarray  # (T, B)
    spelling: np.ndarray  # (T, B) which of the spelt words, one group upon another
    spelt: list[Spellings]
    labels: np.ndarray  # (T, B), or (B,) where the sentence has one

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return int(self.mask.sum())


def make_token_batch(
    sentences: Sequence[EncodedTokens], indices: np.ndarray, *, whole: bool = False
) -> TokenBatch:
    """The batch of the sentences with these indices; `whole` ones have one label."""
    chosen = [sentences[i] for i in indices]
    words, lengths = pad_sentences([s.words for s in chosen])
    # Padding is spelt with nothing, which comes first.
    groups = group_spellings({(), *(w for s in chosen for w in s.spellings)})
    numbers = {w: k for k, w in enumerate(w for group in groups for w in group)}
    spelling, _ = pad_sentences(
        [np.array([numbers[w] for w in s.spellings], np.int64) for s in chosen]
    )
    if whole:
        labels = np.array([s.labels[0] for s in chosen])
    else:
        labels = np.ascontiguousarray(pad_sentences([s.labels for s in chosen])[0].T)
    return TokenBatch(
        np.asarray(indices),
        np.ascontiguousarray(words.T),
        np.ascontiguousarray(mask_lengths(lengths, words.shape[1]).T),
        np.ascontiguousarray(spelling.T),
        [_pad_spellings(group) for group in groups],
        labels,
    )


def group_spellings(words: Iterable[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """The different words by length, so that little of a group is padding.

    Padded to the longest word of a batch two letters of three would be padding, and
    letters are half of a tagger's work. A group has two lengths, or more where there
    are few words: many small ones take as long as few larger ones.
    """
    ordered = sorted(words, key=lambda w: (len(w), w))
    groups: list[list[tuple[int, ...]]] = [[]]
    for _, group in groupby(ordered, key=lambda w: (len(w) + 1) // 2):
        if len(groups[-1]) >= LEAST_GROUP:
            groups.append([])
        groups[-1].extend(group)
    return groups


def _pad_spellings(group: list[tuple[int, ...]]) -> Spellings:
    characters, letters = pad_sentences([np.array(w, np.int64) for w in group])
    return Spellings(
        np.ascontiguousarray(characters.T),
        np.ascontiguousarray(mask_lengths(letters, characters.shape[1]).T),
    )
