"""Subtitles: SubRip (SRT) and WebVTT, cue by cue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.text.errors import CorpusError, EmptyCorpus, MalformedFile, MalformedLine

_TIME = r"((?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}[.,][0-9]{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s+(.*))?")
_BLOCKS = ("NOTE", "STYLE", "REGION")


@dataclass(frozen=True)
class Cue:
    """A text and when it is shown, from `start` to `end` milliseconds.

    `name` is the cue's own line before the times, `settings` what follows them.
    `lines` are the numbers, from 1, of its times and of its last line in the file.
    """

    start: int
    end: int
    text: str
    name: str = ""
    settings: str = ""
    lines: tuple[int, int] = (0, 0)


def scan_srt(path: PathName) -> Iterator[tuple[int, Cue]]:
    """The cues of a SubRip file with the lines of their times."""
    return _scan(path, vtt=False)


def scan_vtt(path: PathName) -> Iterator[tuple[int, Cue]]:
    """The cues of a WebVTT file with the lines of their times."""
    return _scan(path, vtt=True)


def write_srt(cues: Iterable[Cue], path: PathName) -> None:
    """Write cues as SubRip, numbered from 1."""

    def lines() -> Iterator[str]:
        for number, cue in enumerate(cues, start=1):
            yield str(number)
            yield f"{_time(cue.start, ',')} --> {_time(cue.end, ',')}"
            yield from _text_lines(cue, path)
            yield ""

    write_lines(path, lines())


def write_vtt(cues: Iterable[Cue], path: PathName) -> None:
    """Write cues as WebVTT."""

    def lines() -> Iterator[str]:
        yield "WEBVTT"
        yield ""
        for cue in cues:
            if cue.name:
                yield cue.name
            times = f"{_time(cue.start, '.')} --> {_time(cue.end, '.')}"
            yield f"{times} {cue.settings}".rstrip()
            yield from _text_lines(cue, path)
            yield ""

    write_lines(path, lines())


def _scan(path: PathName, vtt: bool) -> Iterator[tuple[int, Cue]]:
    cues = 0
    for block in _scan_blocks(path):
        number, line = block[0]
        if vtt and number == 1:
            if not re.match(r"WEBVTT(?:[ \t]|$)", line):
                raise MalformedFile(
                    "the file does not begin with WEBVTT", path=path, line=1
                )
            continue
        if vtt and line.split(" ")[0].rstrip() in _BLOCKS and "-->" not in line:
            continue
        cues += 1
        cue = _read_cue(block, path, named=vtt)
        yield cue.lines[0], cue
    if not cues:
        raise EmptyCorpus("there is no subtitle here", path=path)


def _scan_blocks(path: PathName) -> Iterator[list[tuple[int, str]]]:
    """The stretches of lines between blank ones."""
    block: list[tuple[int, str]] = []
    for number, line in scan_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _read_cue(block: list[tuple[int, str]], path: PathName, named: bool) -> Cue:
    at = next((i for i, (_, line) in enumerate(block[:2]) if "-->" in line), None)
    if at is None:
        raise MalformedLine(
            "there are no times for this text",
            path=path,
            line=block[0][0],
            help="a subtitle begins with its number and 00:00:01,000 --> 00:00:02,000",
        )
    name = block[0][1].strip() if at else ""
    number, line = block[at]
    if at and not named and not name.isdecimal():
        raise MalformedLine(
            f"{name!r} is not the number of a subtitle", path=path, line=block[0][0]
        )
    found = _TIMING.fullmatch(line)
    if found is None:
        raise MalformedLine(
            "the times cannot be read",
            path=path,
            line=number,
            help="write 00:00:01,000 --> 00:00:02,000",
        )
    start, end = (_milliseconds(found[i], path, number) for i in (1, 2))
    if end < start:
        raise MalformedLine("the end comes before the start", path=path, line=number)
    for other, text in block[at + 1 :]:
        if "-->" in text:
            raise MalformedLine(
                "times inside the text of a subtitle",
                path=path,
                line=other,
                help="put a blank line between subtitles",
            )
    lines = "\n".join(text for _, text in block[at + 1 :])
    settings = (found[3] or "").strip()
    return Cue(start, end, lines, name, settings, (number, block[-1][0]))


def _milliseconds(time: str, path: PathName, line: int) -> int:
    clock, fraction = re.split("[.,]", time)
    parts = [int(part) for part in clock.split(":")]
    if any(part > 59 for part in parts[-2:]):
        raise MalformedLine(f"{time!r} is not a time", path=path, line=line)
    hours, minutes, seconds = [0, 0, *parts][-3:]
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(fraction.ljust(3, "0"))


def _time(milliseconds: int, point: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{point}{rest:03}"


def _text_lines(cue: Cue, path: PathName) -> list[str]:
    lines = cue.text.split("\n")
    if "-->" in cue.text or not all(line.strip() for line in lines[1:]):
        raise CorpusError("the text of a subtitle would end it early", path=path)
    return lines if cue.text else []
