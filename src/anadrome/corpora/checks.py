"""Checks of a corpus before training, each with a policy and every finding located.

What is looked for: files of unequal length, bytes that are not UTF-8, empty lines,
sentences that are too long or too unlike in length, duplicates, and sentences that are
also in a test set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from itertools import zip_longest
from os import fspath
from pathlib import Path
from typing import Literal, NoReturn

from anadrome.corpora.files import PathName, decode_line, scan_raw_lines
from anadrome.corpora.formats import COLUMNS, find_format, scan_pairs, scan_texts
from anadrome.corpora.parallel import ParallelCorpus
from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    EmptyLine,
    InvalidEncoding,
    MalformedLine,
    UnequalCounts,
    UnknownFormat,
)

Policy = Literal["error", "warn", "drop", "ignore"]
"""What a finding means: the corpus is refused, one is told, the line is left out."""

_KEPT_FINDINGS = 1000  # of each check; the others are counted


@dataclass(frozen=True)
class Policies:
    """What to do about each kind of finding."""

    unequal: Policy = "error"  # one file goes on where the other ends
    encoding: Policy = "error"  # bytes that are not UTF-8
    empty: Policy = "error"  # a line without text on one side
    long: Policy = "warn"  # more tokens than the limit
    ratio: Policy = "warn"  # one side many times as long as the other
    duplicate: Policy = "warn"  # the same line again
    overlap: Policy = "warn"  # the source is in a test set


@dataclass(frozen=True)
class Limits:
    """What is too much: tokens between spaces, and how many times as many."""

    max_tokens: int = 100
    max_ratio: float = 9.0


@dataclass(frozen=True)
class Finding:
    """Something that a check found."""

    check: str
    policy: Policy
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f'{self.policy}: File "{self.path}", line {self.line}: {self.message}'


@dataclass(frozen=True)
class CheckReport:
    """What the checks found, and the lines that may stay."""

    lines: int
    counts: dict[str, int]
    policies: Policies
    findings: tuple[Finding, ...]  # the first ones of each check
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]  # the lines of the rows in the file

    @property
    def errors(self) -> int:
        """How many findings refuse the corpus."""
        return sum(
            count
            for check, count in self.counts.items()
            if getattr(self.policies, check) == "error"
        )

    def raise_errors(self) -> None:
        """Raise the first finding that refuses the corpus, if there is one."""
        for finding in self.findings:
            if finding.policy == "error":
                raise_finding(finding)

    @property
    def corpus(self) -> ParallelCorpus:
        """The pairs that may stay, if nothing refuses the corpus."""
        self.raise_errors()
        if any(len(row) != 2 for row in self.rows):
            raise CorpusError("the corpus has one side only")
        return ParallelCorpus(
            tuple(row[0] for row in self.rows), tuple(row[1] for row in self.rows)
        )

    def __str__(self) -> str:
        lines = [f"{self.lines:,} lines, {len(self.rows):,} kept"]
        for field in fields(Policies):
            if count := self.counts.get(field.name, 0):
                policy = getattr(self.policies, field.name)
                lines.append(f"  {field.name:<10}{count:>9,}  ({policy})")
        return "\n".join(lines)


_ERRORS: dict[str, type[CorpusError]] = {
    "unequal": UnequalCounts,
    "encoding": InvalidEncoding,
    "empty": EmptyLine,
}
_HELP = {
    "unequal": "line i of one file must translate line i of the other",
    "encoding": "save the file as UTF-8, for example with `iconv -t utf-8`",
    "empty": "remove the line on both sides, or drop empty lines",
    "long": "drop long lines, or raise the limit",
    "ratio": "drop such lines, or raise the limit",
    "duplicate": "drop duplicates",
    "overlap": "drop the lines of the test set from training",
}


def raise_finding(finding: Finding) -> NoReturn:
    """Refuse a corpus for something that was found in it."""
    raise _ERRORS.get(finding.check, CorpusError)(
        finding.message,
        path=finding.path,
        line=finding.line,
        help=_HELP[finding.check],
    )


def check_corpus(
    *paths: PathName,
    policies: Policies | None = None,
    limits: Limits | None = None,
    test: Sequence[PathName] = (),
    format: str | None = None,
    columns: tuple[str, str] = COLUMNS,
) -> CheckReport:
    """What is wrong with a corpus: two files of lines, or one of any format.

    `test` are files whose sentences (of pairs, the sources) must not be trained on.
    """
    run = _Checks(policies or Policies(), limits or Limits(), _test_sentences(test))
    for line, sides in _scan(paths, format, columns):
        run.check(line, sides)
    if not run.lines:
        raise EmptyCorpus("the file is empty", path=paths[0])
    return CheckReport(
        run.lines,
        dict(run.counts),
        run.policies,
        tuple(run.findings),
        tuple(run.rows),
        tuple(run.numbers),
    )


@dataclass(frozen=True)
class _Side:
    """One side of a line: bytes as the file has them, or text that is known to be so.

    None stands for a line that is not there.
    """

    path: str
    content: bytes | str | None


class _Checks:
    def __init__(
        self, policies: Policies, limits: Limits, test: dict[bytes, str]
    ) -> None:
        self.policies, self.limits, self.test = policies, limits, test
        self.lines = 0
        self.counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.rows: list[tuple[str, ...]] = []
        self.numbers: list[int] = []
        self.seen: dict[bytes, int] = {}

    def check(self, line: int, sides: tuple[_Side, ...]) -> None:
        """Look at a line, and keep it if nothing speaks against it."""
        self.lines += 1
        missing = [side for side in sides if side.content is None]
        if missing:
            there = next(side for side in sides if side.content is not None)
            # One finding stands for the rest of the file, none of which has a partner.
            if not self.counts["unequal"]:
                name = Path(missing[0].path).name
                self._find("unequal", there, line, f"{name} has ended before this line")
            return
        texts: list[str] = []
        keep = True
        for side in sides:
            text, good = self._decode(side, line)
            texts.append(text)
            keep = keep and good
        if keep:
            keep = self._check_texts(line, sides, tuple(texts))
        if keep:
            self.rows.append(tuple(texts))
            self.numbers.append(line)

    def _check_texts(
        self, line: int, sides: tuple[_Side, ...], texts: tuple[str, ...]
    ) -> bool:
        for side, text in zip(sides, texts):
            if not text.strip():
                return self._find("empty", side, line, "the line is empty")
        keep = True
        lengths = [len(text.split()) for text in texts]
        for side, length in zip(sides, lengths):
            if length > self.limits.max_tokens:
                keep &= self._find("long", side, line, f"{length:,} tokens")
        if max(lengths) > self.limits.max_ratio * min(lengths):
            message = " and ".join(map(str, lengths)) + " tokens"
            keep &= self._find("ratio", sides[0], line, message)
        key = _digest(*texts)
        if key in self.seen:
            message = f"the same as line {self.seen[key]}"
            keep &= self._find("duplicate", sides[0], line, message)
        else:
            self.seen[key] = line
        if self.test and (place := self.test.get(_digest(texts[0]))):
            keep &= self._find("overlap", sides[0], line, f"also in {place}")
        return keep

    def _decode(self, side: _Side, line: int) -> tuple[str, bool]:
        """The text of a side, and whether it may stay."""
        if not isinstance(side.content, bytes):
            return side.content or "", True
        try:
            return decode_line(side.content, side.path, line), True
        except InvalidEncoding as error:
            keep = self._find("encoding", side, line, error.message)
            return side.content.decode("utf-8", "replace"), keep

    def _find(self, check: str, side: _Side, line: int, message: str) -> bool:
        """Write a finding down; whether its line may stay."""
        policy: Policy = getattr(self.policies, check)
        if policy == "ignore":
            return True
        self.counts[check] += 1
        if self.counts[check] <= _KEPT_FINDINGS:
            self.findings.append(Finding(check, policy, side.path, line, message))
        return policy == "warn"


def _scan(
    paths: tuple[PathName, ...],
    format: str | None,
    columns: tuple[str, str],
) -> Iterator[tuple[int, tuple[_Side, ...]]]:
    names = [fspath(path) for path in paths]
    if len(paths) == 2:
        both = zip_longest(*(scan_raw_lines(path) for path in paths))
        for number, sides in enumerate(both, start=1):
            contents = [None if side is None else side[1] for side in sides]
            yield number, tuple(map(_Side, names, contents))
        return
    if len(paths) != 1:
        raise CorpusError(f"one file or two can be checked, not {len(paths)}")
    found = find_format(paths[0], format)
    if found.name == "text":
        for number, raw in scan_raw_lines(paths[0]):
            yield number, (_Side(names[0], raw),)
    elif found.name == "tsv":
        for number, raw in scan_raw_lines(paths[0]):
            cells = raw.split(b"\t")[:2] if raw.strip() else [b"", b""]
            if len(cells) < 2:
                raise MalformedLine(
                    "1 column(s), but 2 are needed", path=paths[0], line=number
                )
            yield number, (_Side(names[0], cells[0]), _Side(names[0], cells[1]))
    elif found.kind in ("pairs", "rows"):
        for number, pair in scan_pairs(paths[0], format, columns=columns):
            yield number, tuple(_Side(names[0], text) for text in pair)
    else:
        for number, text in scan_texts(paths[0], format):
            yield number, (_Side(names[0], text),)


def find_overlap(
    path: PathName,
    texts: Iterable[tuple[int, str]],
    held_out: Iterable[tuple[PathName, int, str]],
    policy: Policy = "warn",
) -> list[Finding]:
    """The texts of a file, with their lines, that are among those held out too."""
    places = _places(held_out)
    return [
        Finding("overlap", policy, fspath(path), line, f"also in {places[key]}")
        for line, text in texts
        if (key := _digest(text)) in places
    ]


def _test_sentences(paths: Sequence[PathName]) -> dict[bytes, str]:
    return _places(
        (path, line, text) for path in paths for line, text in _scan_test(path)
    )


def _scan_test(path: PathName) -> Iterator[tuple[int, str]]:
    try:
        name = find_format(path).name
    except UnknownFormat:
        name = "text"
    return scan_texts(path, name)


def _places(texts: Iterable[tuple[PathName, int, str]]) -> dict[bytes, str]:
    """Where each text stands first, by its digest."""
    places: dict[bytes, str] = {}
    for path, line, text in texts:
        if text.strip():
            places.setdefault(_digest(text), f"{fspath(path)}, line {line}")
    return places


def _digest(*texts: str) -> bytes:
    """A short name of texts, in which only spaces of another length are alike."""
    flat = "\n".join(" ".join(text.split()) for text in texts)
    return blake2b(flat.encode("utf-8", "surrogatepass"), digest_size=16).digest()
