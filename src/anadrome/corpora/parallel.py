"""Parallel corpora: two line-aligned files, or one tab-separated file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from anadrome.corpora.files import PathName, read_lines, scan_lines, write_lines
from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    EmptyLine,
    MalformedLine,
    UnequalCounts,
)


@dataclass(frozen=True)
class ParallelCorpus:
    """Sentences and their translations: `source[i]` is translated by `target[i]`."""

    source: tuple[str, ...]
    target: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise UnequalCounts(
                f"{len(self.source)} source sentences, but {len(self.target)} "
                "target sentences"
            )

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(zip(self.source, self.target))


def read_parallel(
    source: PathName, target: PathName, *, skip_empty: bool = False
) -> ParallelCorpus:
    """The corpus in two files whose lines translate each other.

    A line without text on either side is an error, or, with `skip_empty`, left out
    together with its partner.
    """
    source_lines, target_lines = read_lines(source), read_lines(target)
    if len(source_lines) != len(target_lines):
        shorter = min(len(source_lines), len(target_lines))
        longer = source if len(source_lines) > len(target_lines) else target
        raise UnequalCounts(
            f"{len(source_lines)} lines in {Path(source).name}, but "
            f"{len(target_lines)} lines in {Path(target).name}",
            path=longer,
            line=shorter + 1,
            help="line i of one file must translate line i of the other; this is the "
            "first line without a partner",
        )
    return _check(list(zip(source_lines, target_lines)), (source, target), skip_empty)


def scan_parallel(
    source: PathName, target: PathName
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The pairs of two files with their lines, read side by side."""
    sides = zip_longest(scan_lines(source), scan_lines(target))
    for number, (left, right) in enumerate(sides, start=1):
        if left is None or right is None:
            raise UnequalCounts(
                f"line {number} has no partner in "
                f"{Path(source if left is None else target).name}",
                path=target if left is None else source,
                line=number,
                help="line i of one file must translate line i of the other",
            )
        yield number, (left[1], right[1])


def read_tsv(
    path: PathName,
    *,
    columns: tuple[int, int] = (0, 1),
    skip_empty: bool = False,
) -> ParallelCorpus:
    """The corpus in a file with tabs between the sentence and its translation.

    `columns` are the numbers, from 0, of the source and of the target column.
    """
    pairs = [pair for _, pair in scan_tsv(path, columns=columns)]
    return _check(pairs, (path, path), skip_empty)


def scan_tsv(
    path: PathName, *, columns: tuple[int, int] = (0, 1)
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The pairs of a tab-separated file with their lines; a blank line has two blanks.

    `columns` are as in `read_tsv`.
    """
    needed = max(columns) + 1
    for number, line in scan_lines(path):
        if not line.strip():
            yield number, ("", "")
            continue
        cells = line.split("\t")
        if len(cells) < needed:
            raise MalformedLine(
                f"{len(cells)} column(s), but {needed} are needed",
                path=path,
                line=number,
                help="put a tab between the sentence and its translation",
            )
        yield number, (cells[columns[0]], cells[columns[1]])


def write_tsv(pairs: Iterable[tuple[str, str]], path: PathName) -> None:
    """Write pairs to a file that `read_tsv` reads."""

    def lines() -> Iterator[str]:
        for number, pair in enumerate(pairs, start=1):
            if any("\t" in sentence for sentence in pair):
                raise CorpusError("the sentence holds a tab", path=path, line=number)
            yield "\t".join(pair)

    write_lines(path, lines())


def write_parallel(corpus: ParallelCorpus, source: PathName, target: PathName) -> None:
    """Write a corpus to two files that `read_parallel` reads."""
    write_lines(source, corpus.source)
    write_lines(target, corpus.target)


def _check(
    pairs: Sequence[tuple[str, str]], paths: tuple[PathName, PathName], skip: bool
) -> ParallelCorpus:
    kept = []
    for number, pair in enumerate(pairs, start=1):
        empty = [not sentence.strip() for sentence in pair]
        if not any(empty):
            kept.append(pair)
        elif not skip:
            raise EmptyLine(
                "the line is empty",
                path=paths[empty.index(True)],
                line=number,
                help="remove the line on both sides, or skip empty lines",
            )
    if not kept:
        raise EmptyCorpus("no line holds a sentence pair", path=paths[0])
    return ParallelCorpus(tuple(s for s, _ in kept), tuple(t for _, t in kept))
