"""The vocabulary: tokens and their numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from anadrome.text.errors import InvalidVocabulary, MissingFile

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
"""The tokens with the numbers 0 to 3, in every vocabulary."""

_FORMAT = "anadrome vocabulary 1"


class Vocabulary:
    """An immutable numbering of tokens, the special ones first.

    Text never produces a special token other than `<unk>`: a word of a corpus that is
    spelt like one is unknown.
    """

    __slots__ = ("_index", "tokens")

    def __init__(self, tokens: Iterable[str]) -> None:
        ordinary = tuple(tokens)
        index = {token: i for i, token in enumerate(ordinary, start=len(SPECIALS))}
        if len(index) != len(ordinary):
            twice = [t for t, n in Counter(ordinary).items() if n > 1]
            raise InvalidVocabulary(f"the token {twice[0]!r} occurs more than once")
        for special in SPECIALS:
            if special in index:
                raise InvalidVocabulary(f"{special!r} is reserved")
        self.tokens: tuple[str, ...] = SPECIALS + ordinary
        self._index = index

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        max_size: int | None = None,
        min_count: int = 1,
    ) -> Vocabulary:
        """The vocabulary of the most frequent tokens, ties in alphabetical order.

        `max_size` counts the special tokens too.
        """
        kept = [
            token
            for token, count in counts.items()
            if count >= min_count and token not in SPECIALS
        ]
        kept.sort(key=lambda token: (-counts[token], token))
        if max_size is not None:
            kept = kept[: max(0, max_size - len(SPECIALS))]
        return cls(kept)

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[Iterable[str]],
        *,
        max_size: int | None = None,
        min_count: int = 1,
    ) -> Vocabulary:
        """The vocabulary of tokenised sentences; see `from_counts`."""
        counts: Counter[str] = Counter()
        for sentence in sentences:
            counts.update(sentence)
        return cls.from_counts(counts, max_size=max_size, min_count=min_count)

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._index

    def __getitem__(self, token: str) -> int:
        """The number of a token, `UNK` if it has none."""
        return self._index.get(token, UNK)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.tokens == other.tokens

    def __hash__(self) -> int:
        return hash(self.tokens)

    def __repr__(self) -> str:
        return f"<vocabulary of {len(self)} tokens>"

    def encode(
        self, tokens: Iterable[str], *, bos: bool = False, eos: bool = False
    ) -> np.ndarray:
        """The numbers of a sentence's tokens, int64 of shape (T,)."""
        index = self._index
        ids = [BOS] if bos else []
        ids.extend([index.get(token, UNK) for token in tokens])
        if eos:
            ids.append(EOS)
        return np.array(ids, dtype=np.int64)

    def decode(self, ids: Iterable[int], *, keep_specials: bool = False) -> list[str]:
        """The tokens of a sentence, up to and without the first `</s>`.

        With `keep_specials` every number is turned into its token instead.
        """
        out = []
        for number in ids:
            i = int(number)
            if not 0 <= i < len(self.tokens):
                raise IndexError(
                    f"token number {i} is outside the vocabulary of {len(self)} tokens"
                )
            if not keep_specials:
                if i == EOS:
                    break
                if i in (PAD, BOS):
                    continue
            out.append(self.tokens[i])
        return out

    def save(self, path: str | PathLike[str]) -> None:
        """Write the vocabulary as JSON."""
        record = {"format": _FORMAT, "tokens": self.tokens[len(SPECIALS) :]}
        text = json.dumps(record, ensure_ascii=True, indent=0)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Vocabulary:
        """The vocabulary that `save` wrote."""
        record = load_json(path, _FORMAT)
        tokens = record.get("tokens")
        if not isinstance(tokens, list) or not all(isinstance(t, str) for t in tokens):
            raise InvalidVocabulary("there is no list of tokens here", path=path)
        return cls(tokens)


def load_json(path: str | PathLike[str], *expected: str) -> dict[str, object]:
    """The JSON record in a file whose "format" field must be one of those expected."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile("there is no such file", path=path) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidVocabulary(f"this is not JSON ({error})", path=path) from None
    if not isinstance(record, dict) or record.get("format") not in expected:
        raise InvalidVocabulary(
            f'this file is not in the format "{expected[0]}"', path=path
        )
    return record


def pad_sentences(sentences: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Sentences side by side, padded with `PAD`: int64 (B, T), and their lengths (B,).

    T is the longest length, at least 1.
    """
    lengths = np.array([len(s) for s in sentences], dtype=np.int64)
    width = max(1, int(lengths.max(initial=0)))
    padded = np.full((len(sentences), width), PAD, dtype=np.int64)
    for row, sentence in zip(padded, sentences):
        row[: len(sentence)] = sentence
    return padded, lengths
