"""Sentences as numbers: one array of words, and where each sentence begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class WordNumbers:
    """A numbering of words, in the order in which they are first met."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}
        for word in words:
            self.add(word)

    def __len__(self) -> int:
        return len(self.words)

    def add(self, word: str) -> int:
        """The number of a word, a new one if it has none."""
        number = self._numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number

    def find(self, word: str) -> int:
        """The number of a word, or -1."""
        return self._numbers.get(word, -1)


@dataclass(frozen=True)
class Sentences:
    """Sentences of numbered words."""

    words: Array  # (W,) int64, all sentences one after the other
    starts: Array  # (S + 1,) int64, where each begins, and the end
    vocabulary: WordNumbers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> Array:
        return self.words[self.starts[i] : self.starts[i + 1]]

    @property
    def lengths(self) -> Array:
        """How many words each sentence has."""
        return np.diff(self.starts)

    def texts(self) -> Iterator[list[str]]:
        """The sentences as words."""
        words = self.vocabulary.words
        for i in range(len(self)):
            yield [words[w] for w in self[i]]


def number_sentences(
    sentences: Iterable[Sequence[str]], vocabulary: WordNumbers | None = None
) -> Sentences:
    """Tokenised sentences as numbers; new words are added to the vocabulary."""
    known = WordNumbers() if vocabulary is None else vocabulary
    numbers: list[int] = []
    starts = [0]
    for sentence in sentences:
        numbers.extend(map(known.add, sentence))
        starts.append(len(numbers))
    return Sentences(
        np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), known
    )
