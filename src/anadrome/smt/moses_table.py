"""Phrase and reordering tables as text, in the formats of Moses."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.smt.alignment.alignments import parse_point
from anadrome.smt.phrase_table import STANDARD, PhraseTable, make_table
from anadrome.smt.sentences import Array, WordNumbers
from anadrome.text.errors import MalformedLine

_SMALLEST = -100.0
"""The logarithm of a probability of 0, as Moses floors it."""


def read_moses_table(path: PathName, reordering: PathName | None = None) -> PhraseTable:
    """The table in a text file, gzipped or not: `source ||| target ||| scores …`.

    Alignments and counts are read if they are there.
    """
    source, target = WordNumbers(), WordNumbers()
    sides: tuple[list[int], list[int]] = ([], [])
    starts: tuple[list[int], list[int]] = ([0], [0])
    scores: list[list[float]] = []
    points: list[tuple[int, int]] = []
    point_starts = [0]
    counts: list[list[float]] = []
    names: dict[str, int] = {}
    for number, line in scan_lines(path):
        cells = _cells(line, path, number, 3)
        key = f"{cells[0]} ||| {cells[1]}"
        if key in names:
            raise MalformedLine(
                "this phrase pair was there before", path=path, line=number
            )
        names[key] = len(scores)
        for words, side, begin, text in zip((source, target), sides, starts, cells):
            side.extend(map(words.add, text.split()))
            begin.append(len(side))
        row = _logs(cells[2], path, number)
        if scores and len(row) != len(scores[0]):
            raise MalformedLine(
                f"{len(row)} scores, but {len(scores[0])} in the lines before",
                path=path,
                line=number,
            )
        scores.append(row)
        size = starts[0][-1] - starts[0][-2], starts[1][-1] - starts[1][-2]
        if len(cells) > 3:
            for cell in cells[3].split():
                point = parse_point(cell, path, number)
                if point[0] >= size[0] or point[1] >= size[1]:
                    raise MalformedLine(
                        f"the alignment point {cell} is outside of the phrases",
                        path=path,
                        line=number,
                    )
                points.append(point)
        point_starts.append(len(points))
        if len(cells) > 4 and cells[4].split():
            counts.append(_numbers(cells[4], path, number))
    orientations = None
    if reordering is not None:
        orientations = _read_orientations(reordering, names)
    width = len(scores[0])
    whole = len(counts) == len(scores) and len({len(c) for c in counts}) == 1
    return make_table(
        source,
        target,
        (np.array(sides[0], np.int64), np.array(starts[0], np.int64)),
        (np.array(sides[1], np.int64), np.array(starts[1], np.int64)),
        np.array(scores),
        STANDARD if width == 4 else [f"score {k}" for k in range(width)],
        reordering=orientations,
        alignments=(
            np.array(points, np.int64).reshape(-1, 2),
            np.array(point_starts, np.int64),
        ),
        counts=np.array(counts) if whole else None,
    )


def write_moses_table(path: PathName, table: PhraseTable) -> None:
    """Write a table as text; a name that ends in `.gz` compresses it."""

    def lines() -> Iterator[str]:
        probabilities = np.exp(table.scores.astype(float))
        for entry in _sorted(table):
            scores = " ".join(f"{p:.6g}" for p in probabilities[entry])
            points = " ".join(f"{s}-{t}" for s, t in table.alignment(entry).tolist())
            counts = " ".join(f"{c:g}" for c in table.counts[entry])
            yield (
                f"{' '.join(table.source_phrase(entry))} ||| "
                f"{' '.join(table.target_phrase(entry))} ||| {scores} ||| {points} ||| "
                f"{counts} ||| |||"
            )

    write_lines(path, lines())


def write_moses_reordering(path: PathName, table: PhraseTable) -> None:
    """Write the orientation scores of a table as text."""

    def lines() -> Iterator[str]:
        probabilities = np.exp(table.reordering.rows.astype(float))
        which = table.reordering.which
        for entry in _sorted(table):
            scores = " ".join(f"{p:.6f}" for p in probabilities[which[entry]])
            yield (
                f"{' '.join(table.source_phrase(entry))} ||| "
                f"{' '.join(table.target_phrase(entry))} ||| {scores}"
            )

    write_lines(path, lines())


def _sorted(table: PhraseTable) -> list[int]:
    """The entries in the order of their source and target phrases."""
    keys = [
        f"{' '.join(table.source_phrase(e))} ||| {' '.join(table.target_phrase(e))} |"
        for e in range(len(table))
    ]
    return sorted(range(len(table)), key=keys.__getitem__)


def _read_orientations(path: PathName, names: dict[str, int]) -> Array:
    """(E, 6) logarithms; pairs that the file lacks have 0, which changes no score."""
    found = np.zeros((len(names), 6))
    for number, line in scan_lines(path):
        cells = _cells(line, path, number, 3)
        row = _logs(cells[2], path, number)
        if len(row) != 6:
            raise MalformedLine(
                f"{len(row)} scores, but msd-bidirectional-fe has 6",
                path=path,
                line=number,
            )
        entry = names.get(f"{cells[0]} ||| {cells[1]}")
        if entry is not None:
            found[entry] = row
    return found


def _cells(line: str, path: PathName, number: int, least: int) -> list[str]:
    cells = [" ".join(cell.split()) for cell in line.split("|||")]
    if len(cells) < least:
        raise MalformedLine(
            f"{len(cells)} column(s), but {least} are needed",
            path=path,
            line=number,
            help="as in: source phrase ||| target phrase ||| scores",
        )
    for side, cell in zip(("source", "target"), cells):
        if not cell:
            raise MalformedLine(f"the {side} phrase is empty", path=path, line=number)
    return cells


def _numbers(text: str, path: PathName, number: int) -> list[float]:
    found = []
    for cell in text.split():
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise MalformedLine(f"{cell!r} is not a number", path=path, line=number)
        found.append(value)
    if not found:
        raise MalformedLine("there are no scores", path=path, line=number)
    return found


def _logs(text: str, path: PathName, number: int) -> list[float]:
    values = _numbers(text, path, number)
    for value in values:
        if value < 0:
            raise MalformedLine(
                f"{value:g} is not a probability", path=path, line=number
            )
    return [math.log(v) if v > 0 else _SMALLEST for v in values]
