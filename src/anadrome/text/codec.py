"""From text to numbers and back: a tokenizer, word pieces and a vocabulary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.text.bpe import BytePairEncoding
from anadrome.text.errors import InvalidVocabulary
from anadrome.text.moses import MosesTokenizer
from anadrome.text.tokenize import Tokenizer
from anadrome.text.vocabulary import SPECIALS, Vocabulary, load_json

FORMAT = "anadrome codec 1"


@dataclass(frozen=True)
class TextCodec:
    """How the text of one language becomes numbers.

    With word pieces every text comes back as its tokenizer normalises it; without
    them, words outside the vocabulary come back as `<unk>`.
    """

    tokenizer: Tokenizer | MosesTokenizer
    vocabulary: Vocabulary
    pieces: BytePairEncoding | None = None

    @classmethod
    def learn(
        cls,
        sentences: Iterable[str],
        *,
        tokenizer: Tokenizer | MosesTokenizer,
        merges: int | None = None,
        max_size: int | None = None,
        min_count: int = 1,
    ) -> TextCodec:
        """The codec of some text: of whole words, or of pieces by so many merges.

        `max_size` and `min_count` limit a vocabulary of words only.
        """
        counts: Counter[str] = Counter()
        for sentence in sentences:
            counts.update(tokenizer.split(sentence))
        if merges is None:
            words = Vocabulary.from_counts(
                counts, max_size=max_size, min_count=min_count
            )
            return cls(tokenizer, words)
        pieces = BytePairEncoding.learn(counts, merges)
        return cls(tokenizer, Vocabulary(pieces.pieces), pieces)

    def split(self, text: str) -> list[str]:
        """The tokens, or the word pieces, of a text."""
        tokens = self.tokenizer.split(text)
        return tokens if self.pieces is None else self.pieces.segment(tokens)

    def encode(self, text: str) -> np.ndarray:
        """The numbers (T,) of a text, without `<s>` and `</s>`."""
        return self.vocabulary.encode(self.split(text))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of numbers, up to the first `</s>`."""
        return self.join(self.vocabulary.decode(ids))

    def join(self, tokens: Iterable[str]) -> str:
        """The text of tokens, or of word pieces."""
        words = tokens if self.pieces is None else self.pieces.join(tokens)
        return self.tokenizer.join(words)

    def words_of_tokens(self, text: str) -> list[str]:
        """For each token of a text, the word that it is or is a piece of."""
        words = self.tokenizer.split(text)
        if self.pieces is None:
            return words
        return [word for word in words for _ in self.pieces.segment([word])]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the codec as JSON."""
        record = {
            "format": FORMAT,
            "tokenizer": asdict(self.tokenizer),
            "tokens": self.vocabulary.tokens[len(SPECIALS) :],
            "pieces": None
            if self.pieces is None
            else {"alphabet": self.pieces.alphabet, "merges": self.pieces.merges},
        }
        Path(path).write_text(json.dumps(record) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> TextCodec:
        """The codec that `save` wrote."""
        record = load_json(path, FORMAT)
        try:
            options: Any = record["tokenizer"]
            kind = MosesTokenizer if "language" in options else Tokenizer
            tokenizer = kind(**options)
            vocabulary = Vocabulary(record["tokens"])  # type: ignore[arg-type]
            saved = record["pieces"]
            pieces = None
            if isinstance(saved, dict):
                merges = [(left, right) for left, right in saved["merges"]]
                pieces = BytePairEncoding(saved["alphabet"], merges)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidVocabulary(
                f"this is not a whole codec ({error})", path=path
            ) from None
        return cls(tokenizer, vocabulary, pieces)
