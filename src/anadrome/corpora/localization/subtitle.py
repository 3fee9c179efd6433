"""Gaps of subtitles: the cues of a film that another file does not have yet.

The translation is a file of its own with the same times. A cue whose text is empty,
or still that of the original, is a gap.
"""

from __future__ import annotations

import os
import re

from anadrome.corpora.files import BOM, PathName, decode_text, read_bytes
from anadrome.corpora.localization.placeholders import Code, Template, make_template
from anadrome.corpora.subtitles import Cue, scan_srt, scan_vtt
from anadrome.text.errors import CorpusError, EmptyCorpus, UnequalCounts

_TAGS = re.compile(r"<[^<>]*>|\{[^{}]*\}")
_SPEAKERS = re.compile(r"^\s*(?:<[^<>]*>)*\s*[-–—]\s*\S", re.MULTILINE)


class SubtitleFilling:
    """A file of subtitles and its translation, which may have begun."""

    def __init__(
        self, path: PathName, out: PathName | None, name: str, mark: bool
    ) -> None:
        if out is None or os.path.realpath(out) == os.path.realpath(path):
            raise CorpusError(
                "translated subtitles need a file of their own",
                path=path,
                help="name another file to write to",
            )
        scan = scan_srt if name == "srt" else scan_vtt
        originals = [cue for _, cue in scan(path)]
        begun = os.path.exists(out)
        cues = [cue for _, cue in scan(out)] if begun else originals
        if begun:
            _check_times(originals, cues, path, out)
        content = read_bytes(out if begun else path)
        self.bom = content.startswith(BOM)
        text = decode_text(content, out if begun else path)
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        self.mark = mark and name == "vtt"
        self.vtt = name == "vtt"
        self.gaps: list[tuple[int, Template]] = []
        self.places: list[tuple[Cue, int]] = []  # with how many lines it shall have
        self.kept = 0
        for original, cue in zip(originals, cues):
            if cue.text.strip() and cue.text != original.text:
                self.kept += 1
            elif original.text.strip():
                self.gaps.append((original.lines[0], _template(original.text, name)))
                self.places.append((cue, len(original.text.split("\n"))))

    def accepts(self, template: Template) -> bool:
        """Whether the text does not look like times."""
        return "-->" not in str(template)

    def render(self, found: dict[int, Template]) -> bytes:
        """The subtitles with these translations."""
        lines = list(self.lines)
        end = "\r\n" if lines[0].endswith("\r\n") else "\n"
        for i, template in found.items():
            cue, count = self.places[i]
            times, last = cue.lines
            text = str(template)
            wrapped = text.split("\n") if "\n" in text else _wrap(text, count)
            if not lines[times - 1].endswith("\n"):
                lines[times - 1] += end
            lines[times - 1] += "".join(line + end for line in wrapped)
            for number in range(times, last):
                lines[number] = ""
            if self.mark:
                first = times - 2 if cue.name else times - 1
                lines[first] = f"NOTE needs-review{end}{end}{lines[first]}"
        content = "".join(lines).encode("utf-8")
        return BOM + content if self.bom else content


def _template(text: str, name: str) -> Template:
    # A sentence goes on over the lines of a cue, unless they are those of speakers.
    flat = text if _SPEAKERS.search(text) else re.sub(r"[ \t]*\n[ \t]*", " ", text)
    lines = [part.strip() for part in flat.split("\n")]
    parts: list[str | Code] = []
    for i, line in enumerate(lines):
        dash = re.match(r"[-–—]\s*", line)
        if i:
            parts.append(Code("\n"))
        if dash:
            parts.append(Code(dash[0]))
            line = line[dash.end() :]
        parts.append(line)
    template = make_template(parts)
    if name == "vtt":
        strict = template.strict | set("<>&")
        return Template(template.parts, strict, template.formatted)
    return template


def _wrap(text: str, count: int) -> list[str]:
    """The text in so many lines of about the same length, where it has spaces."""
    inside = [found.span() for found in _TAGS.finditer(text)]
    lines = []
    rest, at = text, 0
    for left in range(count, 1, -1):
        goal = len(rest) / left
        spaces = [
            i
            for i, sign in enumerate(rest)
            if sign == " " and not any(a < at + i < b for a, b in inside)
        ]
        if not spaces:
            break
        cut = min(spaces, key=lambda i: abs(i - goal))
        if not rest[:cut].strip() or not rest[cut:].strip():
            break
        lines.append(rest[:cut])
        rest, at = rest[cut + 1 :], at + cut + 1
    return [*lines, rest]


def _check_times(
    originals: list[Cue], cues: list[Cue], path: PathName, out: PathName
) -> None:
    if not cues:
        raise EmptyCorpus("there is no subtitle here", path=out)
    for original, cue in zip(originals, cues):
        if (original.start, original.end) != (cue.start, cue.end):
            raise UnequalCounts(
                f"this subtitle has other times than line {original.lines[0]} of "
                "the original",
                path=out,
                line=cue.lines[0],
                help="write to another file, or give both files the same times",
            )
    if len(originals) != len(cues):
        raise UnequalCounts(
            f"{len(cues)} subtitles, but the original has {len(originals)}",
            path=out,
            help="write to another file, or give both files the same times",
        )
