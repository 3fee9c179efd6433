"""The words of a model and their numbers."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from anadrome.ngram.lexicon import Lexicon
from anadrome.ngram.tables import SPECIALS, UNK


class Words(Sequence[str]):
    """An immutable numbering of words, `<unk>`, `<s>` and `</s>` first.

    The words are one piece of UTF-8 and where each begins in it, so that nothing need
    be read until it is asked for.
    """

    def __init__(self, content: np.ndarray, begin: np.ndarray) -> None:
        self.content = content  # (bytes,) uint8
        self.begin = begin  # (V + 1,) int64

    @classmethod
    def from_list(cls, words: Sequence[str]) -> Words:
        """The numbering of words as they stand; the special ones must be first."""
        if tuple(words[: len(SPECIALS)]) != SPECIALS:
            raise ValueError(f"the first words must be {', '.join(SPECIALS)}")
        encoded = [word.encode() for word in words]
        begin = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=begin[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), begin)

    def __len__(self) -> int:
        return len(self.begin) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        """The word with a number."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"there are {len(self)} words, and none is {number}")
        at = number % len(self)
        piece = self.content[int(self.begin[at]) : int(self.begin[at + 1])]
        return piece.tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return (word.decode() for word in self.encoded)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.encode() in self._numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and self.encoded == other.encoded

    def __hash__(self) -> int:
        return hash(tuple(self.encoded))

    def __repr__(self) -> str:
        return f"<{len(self)} words>"

    @functools.cached_property
    def encoded(self) -> list[bytes]:
        """All words as UTF-8."""
        content, begin = self.content.tobytes(), self.begin.tolist()
        return [content[a:b] for a, b in itertools.pairwise(begin)]

    @functools.cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {word: number for number, word in enumerate(self.encoded)}

    def number(self, word: str) -> int:
        """The number of a word, `UNK` if it has none."""
        return self._numbers.get(word.encode(), UNK)

    @functools.cached_property
    def lexicon(self) -> Lexicon:
        """The words as a table for native code."""
        return Lexicon(self.content, self.begin)

    @functools.cached_property
    def plain_lexicon(self) -> Lexicon:
        """The same for Python."""
        return Lexicon(self.content, self.begin, native=False)

    def encode(self, words: Iterable[str]) -> np.ndarray:
        """The numbers (T,) of words, `UNK` for those that have none."""
        spelt = [word.encode() for word in words]
        found = map(self._numbers.get, spelt, itertools.repeat(UNK))
        return np.fromiter(found, np.int32, count=len(spelt))
