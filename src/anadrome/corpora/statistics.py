"""What is in a corpus, in numbers: lines, tokens, types, lengths, unknown words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

PERCENTILES = (1, 25, 50, 75, 95, 99)

Split = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Statistics:
    """Numbers of a corpus.

    `percentiles` are lengths in tokens, by the share of lines that are not longer, in
    percent. The unknown words are None if no other corpus was given.
    """

    lines: int
    empty: int
    characters: int
    tokens: int
    types: int
    once: int  # types that occur once
    shortest: int
    longest: int
    percentiles: dict[int, int]
    unknown_tokens: int | None = None
    unknown_types: int | None = None

    @property
    def mean_length(self) -> float:
        """Tokens on a line, on average."""
        return self.tokens / self.lines if self.lines else 0.0

    @property
    def unknown_rate(self) -> float | None:
        """The share of tokens that the other corpus does not have."""
        if self.unknown_tokens is None:
            return None
        return self.unknown_tokens / self.tokens if self.tokens else 0.0

    def __str__(self) -> str:
        lengths = "  ".join(f"{p}%: {n}" for p, n in self.percentiles.items())
        rows = [
            f"lines       {self.lines:>12,}  ({self.empty:,} empty)",
            f"characters  {self.characters:>12,}",
            f"tokens      {self.tokens:>12,}  ({self.mean_length:.1f} on a line)",
            f"types       {self.types:>12,}  ({self.once:,} occur once)",
            f"lengths     {self.shortest} to {self.longest}  {lengths}",
        ]
        if self.unknown_tokens is not None and self.unknown_types is not None:
            rows.append(
                f"unknown     {self.unknown_tokens:>12,} tokens "
                f"({100 * (self.unknown_rate or 0):.2f} %), "
                f"{self.unknown_types:,} types"
            )
        return "\n".join(rows)


def corpus_statistics(
    sentences: Iterable[str],
    *,
    split: Split = str.split,
    known: Collection[str] | None = None,
) -> Statistics:
    """The numbers of a corpus, read once; `known` are the words of another one."""
    lengths: Counter[int] = Counter()
    counts: Counter[str] = Counter()
    characters = 0
    for sentence in sentences:
        tokens = list(split(sentence))
        counts.update(tokens)
        lengths[len(tokens)] += 1
        characters += len(sentence)
    unknown = None if known is None else [w for w in counts if w not in known]
    return Statistics(
        lines=lengths.total(),
        empty=lengths[0],
        characters=characters,
        tokens=counts.total(),
        types=len(counts),
        once=sum(count == 1 for count in counts.values()),
        shortest=min(lengths, default=0),
        longest=max(lengths, default=0),
        percentiles=_percentiles(lengths),
        unknown_tokens=None if unknown is None else sum(counts[w] for w in unknown),
        unknown_types=None if unknown is None else len(unknown),
    )


def word_types(sentences: Iterable[str], *, split: Split = str.split) -> set[str]:
    """The different words of a corpus."""
    return {word for sentence in sentences for word in split(sentence)}


def _percentiles(lengths: Counter[int]) -> dict[int, int]:
    """The smallest length that so many percent of the lines do not exceed."""
    total = lengths.total()
    found: dict[int, int] = {}
    seen = 0
    pending = list(PERCENTILES)
    for length in sorted(length for length, count in lengths.items() if count):
        seen += lengths[length]
        while pending and 100 * seen >= pending[0] * total:
            found[pending.pop(0)] = length
    return found
