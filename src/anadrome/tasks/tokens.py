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
from anadrome.text import TokenSizes, Vocabulary
from anadrome.text.errors import InvalidVocabulary
from anadrome.text.tokens import EncodedTokens
from anadrome.text.vocabulary import SPECIALS, load_json
from anadrome.train.task import Trained
from anadrome.vectors import read_vectors

_FORMAT = "anadrome labels 1"
MAX_LETTERS = 40
"""Of a longer word only so many letters are read; they cost time for every word."""
MOST_VECTORS = 200_000
"""Of a file of vectors only so many are read: the most frequent words come first."""


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
        vectors: str = "",
    ) -> TokenCodecs:
        """What occurs in training, and the words of a file of vectors."""
        words: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        for sentence in sentences:
            for token in sentence:
                words[token.lower()] += 1
                characters.update(token)
        vocabulary = Vocabulary.from_counts(words, min_count=min_count)
        first = None
        if vectors:
            vocabulary, first = with_vectors(vocabulary, vectors)
        return cls(
            vocabulary,
            Vocabulary.from_counts(characters),
            tuple(sorted(set(labels))),
            first,
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


def with_vectors(vocabulary: Vocabulary, path: str) -> tuple[Vocabulary, np.ndarray]:
    """The vocabulary with the words of a file, and the vectors (V, E), NaN if none.

    Words that training does not have are known too: that is what the vectors are for.
    """
    given = read_vectors(path, limit=MOST_VECTORS)
    rows: dict[str, int] = {}  # of the first spelling, which is the most frequent
    for k, word in enumerate(given.words):
        rows.setdefault(word.lower(), k)
    known = vocabulary.tokens[len(SPECIALS) :]
    new = [word for word in rows if word not in vocabulary and word not in SPECIALS]
    made = Vocabulary((*known, *new))
    vectors = np.full((len(made), given.array.shape[1]), np.nan, np.float32)
    for number, word in enumerate(made.tokens):
        if number >= len(SPECIALS) and word in rows:
            vectors[number] = given.array[rows[word]]
    return made, vectors


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
