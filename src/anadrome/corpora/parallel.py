"""Parallel corpora: two line-aligned files, or one tab-separated file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    EmptyLine,
    InvalidEncoding,
    MalformedLine,
    MissingFile,
    UnequalCounts,
)

PathName = str | PathLike[str]


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


def read_lines(path: PathName) -> list[str]:
    """The lines of a UTF-8 file, without line ends or byte order mark."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFile("there is no such file", path=path) from None
    except IsADirectoryError:
        raise MissingFile("this is a folder, not a file", path=path) from None
    except OSError as error:
        raise CorpusError(f"cannot be read ({error.strerror})", path=path) from None
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        raise EmptyCorpus("the file is empty", path=path)
    # Only the line feed ends a line: `splitlines` would also cut at U+2028 and others,
    # and the two sides of a corpus would drift apart.
    raw = content.removesuffix(b"\n").split(b"\n")
    lines = []
    for number, line in enumerate(raw, start=1):
        try:
            lines.append(line.removesuffix(b"\r").decode("utf-8"))
        except UnicodeDecodeError as error:
            raise InvalidEncoding(
                f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is "
                "not UTF-8",
                path=path,
                line=number,
                help="save the file as UTF-8, for example with `iconv -t utf-8`",
            ) from None
    return lines


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


def read_tsv(
    path: PathName,
    *,
    columns: tuple[int, int] = (0, 1),
    skip_empty: bool = False,
) -> ParallelCorpus:
    """The corpus in a file with tabs between the sentence and its translation.

    `columns` are the numbers, from 0, of the source and of the target column.
    """
    needed = max(columns) + 1
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            pairs.append(("", ""))
            continue
        cells = line.split("\t")
        if len(cells) < needed:
            raise MalformedLine(
                f"{len(cells)} column(s), but {needed} are needed",
                path=path,
                line=number,
                help="put a tab between the sentence and its translation",
            )
        pairs.append((cells[columns[0]], cells[columns[1]]))
    return _check(pairs, (path, path), skip_empty)


def write_parallel(corpus: ParallelCorpus, source: PathName, target: PathName) -> None:
    """Write a corpus to two files that `read_parallel` reads."""
    for path, sentences in ((source, corpus.source), (target, corpus.target)):
        for number, sentence in enumerate(sentences, start=1):
            if "\n" in sentence:
                raise CorpusError(
                    "the sentence holds a line end", path=path, line=number
                )
        text = "".join(sentence + "\n" for sentence in sentences)
        Path(path).write_bytes(text.encode("utf-8"))


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
