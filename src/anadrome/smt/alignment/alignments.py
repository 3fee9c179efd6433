"""Word alignments: points of sentence pairs, the format of Pharaoh, error rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.smt.sentences import Array, Sentences
from anadrome.text.errors import MalformedLine, UnequalCounts


@dataclass(frozen=True)
class Alignments:
    """Alignment points of sentence pairs."""

    points: Array  # (P, 2) int64: source position, target position
    starts: Array  # (S + 1,) where the points of each sentence pair begin

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> Array:
        return self.points[self.starts[i] : self.starts[i + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))


def make_alignments(sentences: Iterable[Iterable[tuple[int, int]]]) -> Alignments:
    """Alignments of lists of points, which are put in order."""
    points: list[tuple[int, int]] = []
    starts = [0]
    for sentence in sentences:
        points.extend(sorted(set(sentence)))
        starts.append(len(points))
    return Alignments(
        np.array(points, dtype=np.int64).reshape(-1, 2), np.array(starts, np.int64)
    )


def format_points(points: Array) -> str:
    """Points as `0-0 1-2 …`, the format of Pharaoh."""
    return " ".join(f"{s}-{t}" for s, t in points.tolist())


def write_alignments(path: PathName, alignments: Alignments) -> None:
    """Write alignments line by line, in the format of Pharaoh."""
    write_lines(path, (format_points(points) for points in alignments))


def read_alignments(
    path: PathName,
    source: Sentences | None = None,
    target: Sentences | None = None,
) -> Alignments:
    """The alignments in a file; with sentences, that they fit is checked."""
    sentences = []
    for number, line in scan_lines(path):
        if "|||" in line or "\t" in line:
            line = line.replace("\t", "|||").rpartition("|||")[2]
        points = [parse_point(cell, path, number) for cell in line.split()]
        for side, other in enumerate((source, target)):
            if other is None or number > len(other):
                continue
            length = int(other.starts[number] - other.starts[number - 1])
            outside = [p for p in points if p[side] >= length]
            if outside:
                raise MalformedLine(
                    f"the point {outside[0][0]}-{outside[0][1]} is outside of the "
                    f"{('source', 'target')[side]} sentence of {length} words",
                    path=path,
                    line=number,
                    help="positions count from 0, the source comes first",
                )
        sentences.append(points)
    for other in (source, target):
        if other is not None and len(other) != len(sentences):
            raise UnequalCounts(
                f"{len(sentences)} alignments of {len(other)} sentences",
                path=path,
                line=min(len(sentences), len(other)) + 1,
            )
    return make_alignments(sentences)


def parse_point(text: str, path: PathName, line: int) -> tuple[int, int]:
    """The point that `3-4`, or `3?4` for a possible one, stands for."""
    left, _, right = text.replace("?", "-").partition("-")
    if not (left.isdecimal() and right.isdecimal()):
        raise MalformedLine(
            f"{text!r} is not an alignment point",
            path=path,
            line=line,
            help="as in 3-4",
        )
    return int(left), int(right)


def alignment_error_rate(
    found: Alignments, sure: Alignments, possible: Alignments | None = None
) -> float:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) (Och and Ney, 2003)."""
    if len(found) != len(sure):
        raise UnequalCounts(f"{len(found)} alignments of {len(sure)} sentences")
    hits = size = 0
    for i in range(len(found)):
        a, s = (set(map(tuple, x[i].tolist())) for x in (found, sure))
        p = s if possible is None else s | set(map(tuple, possible[i].tolist()))
        hits += len(a & s) + len(a & p)
        size += len(a) + len(s)
    return 1.0 - hits / size if size else 0.0
