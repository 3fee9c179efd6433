"""Tables with named columns: CSV with a header, and JSON objects line by line."""

from __future__ import annotations

import csv
import difflib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.text.errors import CorpusError, EmptyCorpus, MalformedLine

Row = dict[str, Any]
"""The cells of a row by the names of their columns; in CSV all are strings."""


def scan_csv(path: PathName, *, delimiter: str = ",") -> Iterator[tuple[int, Row]]:
    """The rows of a CSV file with the lines on which they begin.

    The first row names the columns. A quoted cell may hold line ends (RFC 4180).
    """
    lines = (line + "\n" for _, line in scan_lines(path))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names: list[str] | None = None
    rows = 0
    while True:
        begin = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            raise MalformedLine(
                f"the row is not CSV ({error})",
                path=path,
                line=begin,
                help='quote a cell with "...", and write a quote inside it twice',
            ) from None
        if not cells:
            continue
        if names is None:
            names = _check_names(cells, path, begin)
            continue
        if len(cells) != len(names):
            raise MalformedLine(
                f"{len(cells)} cell(s), but the header names {len(names)} column(s)",
                path=path,
                line=begin,
                help="quote cells that hold the separator",
            )
        rows += 1
        yield begin, dict(zip(names, cells))
    if not rows:
        raise EmptyCorpus("there is no row below the header", path=path)


def scan_jsonl(path: PathName) -> Iterator[tuple[int, Row]]:
    """The objects of a file with one JSON object on each line, with their lines."""
    for number, line in scan_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            raise MalformedLine(
                f"the line is not JSON ({error.msg}, column {error.colno})",
                path=path,
                line=number,
                help="every line must be a whole JSON object",
            ) from None
        except (ValueError, RecursionError) as error:
            reason = "too deep" if isinstance(error, RecursionError) else str(error)
            raise MalformedLine(
                f"the line cannot be read as JSON ({reason})", path=path, line=number
            ) from None
        if not isinstance(row, dict):
            raise MalformedLine(
                "the line is JSON, but not an object",
                path=path,
                line=number,
                help='write {"source": "...", "target": "..."}',
            )
        yield number, row


def column_texts(
    row: Mapping[str, Any], columns: Sequence[str], path: PathName, line: int
) -> tuple[str, ...]:
    """The texts in the named columns of a row."""
    texts = []
    for name in columns:
        if name not in row:
            near = difflib.get_close_matches(name, list(row), n=1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise MalformedLine(
                f"there is no column {name!r}",
                path=path,
                line=line,
                help=f"{guess}the columns are {', '.join(map(repr, row))}",
            )
        text = row[name]
        if not isinstance(text, str):
            raise MalformedLine(
                f"the column {name!r} holds {type(text).__name__}, not text",
                path=path,
                line=line,
            )
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise MalformedLine(
                f"the column {name!r} holds half of a surrogate pair",
                path=path,
                line=line,
            )
        texts.append(text)
    return tuple(texts)


def write_csv(
    rows: Iterable[Mapping[str, Any]], path: PathName, *, delimiter: str = ","
) -> None:
    """Write rows as CSV; the first one says which columns there are."""

    def lines() -> Iterator[str]:
        names: list[str] | None = None
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
        for number, row in enumerate(rows, start=2):
            if names is None:
                names = list(row)
                writer.writerow(names)
            if row.keys() != set(names):
                raise CorpusError(
                    "the row has other columns than the first", path=path, line=number
                )
            writer.writerow([row[name] for name in names])
            # A cell with a line end takes several lines of the file.
            yield from buffer.getvalue().removesuffix("\n").split("\n")
            buffer.seek(0)
            buffer.truncate()

    write_lines(path, lines())


def write_jsonl(rows: Iterable[Mapping[str, Any]], path: PathName) -> None:
    """Write rows as JSON objects, one on each line."""
    write_lines(path, (json.dumps(dict(row), ensure_ascii=False) for row in rows))


def _check_names(names: list[str], path: PathName, line: int) -> list[str]:
    for name in names:
        if not name.strip():
            raise MalformedLine(
                "a column has no name",
                path=path,
                line=line,
                help="the first row must name the columns",
            )
        if names.count(name) > 1:
            raise MalformedLine(f"two columns are named {name!r}", path=path, line=line)
    return names


def _unique(pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} occurs twice")
    return row
