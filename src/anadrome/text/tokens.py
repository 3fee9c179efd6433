"""Tokens with their spelling, as taggers and classifiers read them.

Axis letters: T tokens of a sentence, B sentences, U different words of the batch,
L letters of a word. Arrays are time-major.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.text.batching import mask_lengths
from anadrome.text.vocabulary import pad_sentences


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
class TokenBatch:
    """Padded sentences. Masks are float32: 1 on tokens and 0 on padding.

    A word that occurs several times is spelt once.
    """

    indices: np.ndarray  # (B,) places of the sentences in the corpus
    words: np.ndarray  # (T, B)
    mask: np.ndarray  # (T, B)
    spelling: np.ndarray  # (T, B) which of the spelt words a token is
    characters: np.ndarray  # (L, U)
    character_mask: np.ndarray  # (L, U)
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
    numbers: dict[tuple[int, ...], int] = {(): 0}  # padding is spelt with nothing
    spelt = [
        np.array([numbers.setdefault(w, len(numbers)) for w in s.spellings], np.int64)
        for s in chosen
    ]
    spelling, _ = pad_sentences(spelt)
    characters, letters = pad_sentences([np.array(w, np.int64) for w in numbers])
    if whole:
        labels = np.array([s.labels[0] for s in chosen])
    else:
        labels = np.ascontiguousarray(pad_sentences([s.labels for s in chosen])[0].T)
    return TokenBatch(
        np.asarray(indices),
        np.ascontiguousarray(words.T),
        np.ascontiguousarray(mask_lengths(lengths, words.shape[1]).T),
        np.ascontiguousarray(spelling.T),
        np.ascontiguousarray(characters.T),
        np.ascontiguousarray(mask_lengths(letters, characters.shape[1]).T),
        labels,
    )
