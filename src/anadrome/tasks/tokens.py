"""How labelled sentences become numbers: what tagging and classification share."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.corpora.vectors import read_vectors
from anadrome.text import SPECIALS, TokenSizes, Vocabulary
from anadrome.text.errors import InvalidVocabulary
from anadrome.text.tokens import EncodedTokens
from anadrome.text.vocabulary import load_json
from anadrome.train.task import Trained

_FORMAT = "anadrome labels 1"
MAX_LETTERS = 40
"""Of a longer word only so many letters are read; they cost time for every word."""


@dataclass(frozen=True)
class TokenCodecs:
    """The words, letters and labels that are known. Words are in small letters."""

    words: Vocabulary
    characters: Vocabulary
    labels: tuple[str, ...]
    vectors: np.ndarray | None = None

    @classmethod
    def learn(
        cls,
        sentences: Iterable[Sequence[str]],
        labels: Iterable[str],
        *,
        min_count: int = 1,
        max_words: int | None = None,
        vectors: str | None = None,
    ) -> TokenCodecs:
        """What occurs in training, and the vectors that a file has for its words."""
        words: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        for sentence in sentences:
            for token in sentence:
                words[token.lower()] += 1
                characters.update(token)
        known = Vocabulary.from_counts(words, min_count=min_count, max_size=max_words)
        return cls(
            known,
            Vocabulary.from_counts(characters),
            tuple(sorted(set(labels))),
            find_vectors(vectors, known),
        )

    @property
    def sizes(self) -> TokenSizes:
        """How many there are of each."""
        return TokenSizes(
            len(self.words), len(self.characters), len(self.labels), self.vectors
        )

    def encode(
        self, tokens: Sequence[str], labels: Sequence[str] | None = None
    ) -> EncodedTokens:
        """A sentence as numbers. Labels that are not known count as the first one."""
        numbers = {label: k for k, label in enumerate(self.labels)}
        letters = self.characters
        return EncodedTokens(
            self.words.encode([token.lower() for token in tokens]),
            tuple(tuple(letters[c] for c in token[:MAX_LETTERS]) for token in tokens),
            np.array([numbers.get(label, 0) for label in labels or ()], np.int64),
        )

    def save(self, folder: Path) -> None:
        """Write `words.json`, `characters.json` and `labels.json`."""
        self.words.save(folder / "words.json")
        self.characters.save(folder / "characters.json")
        record = {"format": _FORMAT, "labels": self.labels}
        (folder / "labels.json").write_text(json.dumps(record) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: Path) -> TokenCodecs:
        """The codecs that `save` wrote."""
        labels = load_json(folder / "labels.json", _FORMAT).get("labels")
        texts = isinstance(labels, list) and all(isinstance(x, str) for x in labels)
        if not isinstance(labels, list) or not texts:
            raise InvalidVocabulary("there is no list of labels", path=folder)
        return cls(
            Vocabulary.load(folder / "words.json"),
            Vocabulary.load(folder / "characters.json"),
            tuple(labels),
        )


def find_vectors(path: str | None, words: Vocabulary) -> np.ndarray | None:
    """The vectors (V, E) that a file has for words, if a file is given; else NaN."""
    if path is None:
        return None
    numbers = {word: k for k, word in enumerate(words.tokens) if k >= len(SPECIALS)}
    found = read_vectors(path, numbers)
    missing = np.full((len(words) - len(found), found.shape[1]), np.nan, np.float32)
    return np.concatenate((found, missing))


def predictor(trained: Trained) -> Callable[[Any], np.ndarray]:
    """The function of a batch that gives what the model predicts."""
    model, config = trained.model, trained.config
    predict = _compiled(model.predict) if trained.native else model.predict
    return lambda batch: predict(trained.params, batch, config)


@functools.cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return ad.jit(function)


def batches_by_length(lengths: Sequence[int], size: int) -> list[np.ndarray]:
    """The numbers of sentences in batches of like length."""
    order = np.argsort(np.array(lengths), kind="stable")
    return [order[i : i + size] for i in range(0, len(order), size)]
