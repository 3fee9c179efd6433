"""How a running text becomes numbers: words or characters, lines that end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from anadrome.text.dictionary import Dictionary
from anadrome.text.errors import InvalidVocabulary
from anadrome.text.matcher import Matcher
from anadrome.text.streams import TextSizes
from anadrome.text.vocabulary import EOS, SPECIALS, UNK, Vocabulary, load_json

_FORMAT = "anadrome language 1"
Unit = Literal["words", "characters"]


@dataclass(frozen=True)
class LanguageCodec:
    """The units that a text consists of.

    Words stand between white space. Every line ends with `</s>`, which among characters
    is the line end itself. With a dictionary, whose tokens span characters, the longer
    ones have the numbers behind the vocabulary.
    """

    unit: Unit
    vocabulary: Vocabulary
    dictionary: Dictionary | None = None

    @classmethod
    def learn(
        cls,
        lines: Iterable[str],
        unit: Unit,
        *,
        max_size: int | None = None,
        min_count: int = 1,
    ) -> LanguageCodec:
        """The units of some lines, the most frequent first."""
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(line.split() if unit == "words" else line)
        return cls(
            unit,
            Vocabulary.from_counts(counts, max_size=max_size, min_count=min_count),
        )

    @property
    def sizes(self) -> TextSizes:
        """How many units there are."""
        if self.dictionary is None:
            return TextSizes(len(self.vocabulary))
        lengths = self.matcher.lengths
        return TextSizes(len(lengths), int(lengths.max()))

    @cached_property
    def longer(self) -> tuple[str, ...]:
        """The tokens of the dictionary that are no units, all of known characters."""
        if self.dictionary is None:
            return ()
        known = {*self.vocabulary.tokens[len(SPECIALS) :], "\n"}
        return tuple(t for t in self.dictionary.longer if known.issuperset(t))

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the tokens of the dictionary among numbers."""
        number = self.vocabulary
        spelt = [
            [EOS if c == "\n" else number[c] for c in token] for token in self.longer
        ]
        return Matcher(len(number), spelt)

    def spelling(self, token: int) -> str:
        """The text of a unit or of a token of the dictionary."""
        units = self.vocabulary.tokens
        if token >= len(units):
            return self.longer[token - len(units)]
        return "\n" if token == EOS else units[token]

    def split(self, line: str) -> Sequence[str]:
        """The units of a line."""
        return line.split() if self.unit == "words" else line

    def encode(self, lines: Iterable[str]) -> np.ndarray:
        """The numbers (N,) of a text."""
        get = self.vocabulary.__getitem__
        numbers: list[int] = []
        for line in lines:
            numbers.extend([get(unit) for unit in self.split(line)])
            numbers.append(EOS)
        return np.array(numbers, np.int64)

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of numbers, with line ends."""
        return self.join(self.vocabulary.tokens[int(n)] for n in numbers)

    def join(self, units: Iterable[str]) -> str:
        """The text of units."""
        between = " " if self.unit == "words" else ""
        lines: list[list[str]] = [[]]
        for unit in units:
            if unit == SPECIALS[EOS]:
                lines.append([])
            else:
                lines[-1].append(unit)
        return "\n".join(between.join(line) for line in lines)

    def unknown(self, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The units without a number, each with the number of its line from 1."""
        for number, line in enumerate(lines, start=1):
            for unit in self.split(line):
                if self.vocabulary[unit] == UNK and unit != SPECIALS[UNK]:
                    yield number, unit

    def save(self, folder: Path) -> None:
        """Write `language.json`."""
        record = {
            "format": _FORMAT,
            "unit": self.unit,
            "tokens": self.vocabulary.tokens[len(SPECIALS) :],
        }
        (folder / "language.json").write_text(json.dumps(record) + "\n", "utf-8")
        if self.dictionary is not None:
            self.dictionary.save(folder / "dictionary.json")

    @classmethod
    def load(cls, folder: Path) -> LanguageCodec:
        """The codec that `save` wrote."""
        path = folder / "language.json"
        record = load_json(path, _FORMAT)
        unit, tokens = record.get("unit"), record.get("tokens")
        texts = isinstance(tokens, list) and all(isinstance(t, str) for t in tokens)
        if unit not in ("words", "characters") or not texts:
            raise InvalidVocabulary("there is no list of tokens here", path=path)
        extra = folder / "dictionary.json"
        dictionary = Dictionary.load(extra) if extra.exists() else None
        return cls(unit, Vocabulary(tokens), dictionary)  # type: ignore[arg-type]
