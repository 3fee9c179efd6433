"""Filling a translation file: what is missing is translated and marked for review."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import fspath
from typing import Protocol

from anadrome.corpora.files import PathName, write_bytes
from anadrome.corpora.formats import find_format
from anadrome.corpora.localization.catalogue import CatalogueFilling
from anadrome.corpora.localization.exchange import XliffFilling
from anadrome.corpora.localization.memory import MemoryFilling
from anadrome.corpora.localization.placeholders import Template
from anadrome.corpora.localization.protection import Translate, translate_templates
from anadrome.corpora.localization.subtitle import SubtitleFilling
from anadrome.corpora.localization.table import TableFilling
from anadrome.text.errors import UnknownFormat


class Filling(Protocol):
    """A file with gaps."""

    gaps: list[tuple[int, Template]]
    """What is to be translated, with the line where it stands."""

    kept: int
    """How many translations are there already."""

    def render(self, found: dict[int, Template]) -> bytes:
        """The file with translations in the gaps with these numbers."""

    def accepts(self, template: Template) -> bool:
        """Whether the file can hold these characters."""


@dataclass(frozen=True)
class Note:
    """A gap that was left, and why."""

    line: int
    source: str
    reason: str


@dataclass(frozen=True)
class FillReport:
    """What was done: translations put in, found there already, and left out."""

    path: str
    filled: int
    kept: int
    notes: tuple[Note, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.path}: {self.filled} filled in to review, {self.kept} left as they "
            f"were, {len(self.notes)} left empty"
        ]
        for note in self.notes:
            lines.append(
                f'File "{self.path}", line {note.line}: {note.reason}: '
                f"{note.source[:60]!r}"
            )
        return "\n".join(lines)


def fill_file(
    path: PathName,
    translate: Translate,
    *,
    out: PathName | None = None,
    format: str | None = None,
    source: str | None = None,
    target: str | None = None,
    columns: tuple[int, int] = (0, 1),
    mark: bool = True,
) -> FillReport:
    """Fill the gaps of a translation file, in place or into `out`; what was done.

    `translate` turns a list of sentences into the list of their translations. What
    people have translated stays as it is, byte for byte; what is put in is marked as
    the format allows (unless not `mark`): fuzzy, needs-review-translation, a note. A
    second run finds nothing to do. `source` and `target` are languages of a memory
    (TMX), `columns` those of a table. Subtitles go into another file, `out`.
    """
    filling = _open(path, out, format, (source, target), columns, mark)
    outcomes = translate_templates([gap for _, gap in filling.gaps], translate)
    found: dict[int, Template] = {}
    notes = []
    for i, ((line, gap), outcome) in enumerate(zip(filling.gaps, outcomes)):
        reason = outcome.reason
        if outcome.template is not None:
            if filling.accepts(outcome.template):
                found[i] = outcome.template
                continue
            reason = "the file cannot hold these characters"
        notes.append(Note(line, str(gap), reason))
    if found or out is not None:
        write_bytes(path if out is None else out, filling.render(found))
    return FillReport(fspath(path), len(found), filling.kept, tuple(notes))


def _open(
    path: PathName,
    out: PathName | None,
    format: str | None,
    languages: tuple[str | None, str | None],
    columns: tuple[int, int],
    mark: bool,
) -> Filling:
    name = find_format(path, format).name
    openers: dict[str, Callable[[], Filling]] = {
        "po": lambda: CatalogueFilling(path, mark),
        "xliff": lambda: XliffFilling(path, mark),
        "tmx": lambda: MemoryFilling(path, languages, mark),
        "tsv": lambda: TableFilling(path, columns, mark),
        "srt": lambda: SubtitleFilling(path, out, name, mark),
        "vtt": lambda: SubtitleFilling(path, out, name, mark),
    }
    if name not in openers:
        raise UnknownFormat(
            f"{name} is not a format of translation files",
            path=path,
            help=f"the formats are {', '.join(openers)}",
        )
    return openers[name]()
