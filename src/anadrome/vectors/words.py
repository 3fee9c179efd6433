"""Words with a vector each, their neighbours, and what is to one as another to a third.

Axis letters: V words, D features.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property

import numpy as np


class UnknownWord(LookupError):
    """A word without a vector."""

    def __str__(self) -> str:
        return str(self.args[0])


class WordVectors:
    """A vector for every word, usually the most frequent words first."""

    def __init__(self, words: Sequence[str], array: np.ndarray) -> None:
        if array.ndim != 2 or len(array) != len(words):
            raise ValueError(
                f"{len(words)} words have an array of shape {array.shape}, "
                f"not of {len(words)} rows"
            )
        self.words = tuple(words)
        self.array = array
        self._numbers = {word: k for k, word in enumerate(self.words)}
        if len(self._numbers) != len(self.words):
            raise ValueError("a word has two vectors")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> np.ndarray:
        return self.array[self.number(word)]

    def number(self, word: str) -> int:
        """The row of a word."""
        found = self._numbers.get(word)
        if found is None:
            near = difflib.get_close_matches(word, self.words, 1)
            hint = f"\nhelp: did you mean {near[0]!r}?" if near else ""
            raise UnknownWord(f"there is no vector for {word!r}{hint}")
        return found

    @cached_property
    def directions(self) -> np.ndarray:
        """The vectors (V, D) with length one; those without a length stay zero."""
        lengths = np.linalg.norm(self.array, axis=1, keepdims=True)
        return (self.array / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def similarity(self, one: str, other: str) -> float:
        """The cosine between two words."""
        ours = self.directions
        return float(ours[self.number(one)] @ ours[self.number(other)])

    def nearest(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words nearest to a word, with their cosines."""
        k = self.number(word)
        return self._nearest(self.directions[k], [k], count)

    def analogy(
        self, a: str, b: str, c: str, count: int = 1
    ) -> list[tuple[str, float]]:
        """The words that are to `c` as `b` is to `a`: nearest to b - a + c.

        Mikolov, Yih and Zweig, "Linguistic regularities in continuous space word
        representations" (2013), equation 4; the three words themselves never answer.
        """
        i, j, k = (self.number(word) for word in (a, b, c))
        ours = self.directions
        aim = ours[j] - ours[i] + ours[k]
        length = float(np.linalg.norm(aim))
        return self._nearest(aim / (length or 1.0), [i, j, k], count)

    def _nearest(
        self, aim: np.ndarray, without: Sequence[int], count: int
    ) -> list[tuple[str, float]]:
        cosines = self.directions @ aim
        cosines[list(without)] = -np.inf
        count = min(count, len(self) - len(set(without)))
        best = np.argsort(-cosines, kind="stable")[: max(0, count)]
        return [(self.words[k], float(cosines[k])) for k in best]
