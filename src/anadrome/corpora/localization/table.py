"""Gaps of a tab-separated file: lines without a translation."""

from __future__ import annotations

import re

from anadrome.corpora.files import BOM, PathName, decode_text, read_bytes
from anadrome.corpora.localization.placeholders import Template, make_template
from anadrome.text.errors import MalformedLine

REVIEW = "needs-review"
"""The cell at the end of a line whose translation nobody has looked at."""


class TableFilling:
    """A TSV file, of which only the lines with gaps change."""

    def __init__(self, path: PathName, columns: tuple[int, int], mark: bool) -> None:
        content = read_bytes(path)
        self.bom = content.startswith(BOM)
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", decode_text(content, path))
        self.columns, self.mark = columns, mark
        self.gaps: list[tuple[int, Template]] = []
        self.places: list[int] = []
        self.kept = 0
        source, target = columns
        for i, line in enumerate(self.lines):
            cells = line.rstrip("\r\n").split("\t")
            if not line.strip():
                continue
            if len(cells) <= source:
                raise MalformedLine(
                    f"{len(cells)} column(s), but the source is column {source + 1}",
                    path=path,
                    line=i + 1,
                )
            if len(cells) > target and cells[target].strip():
                self.kept += 1
            elif cells[source].strip():
                self.gaps.append((i + 1, make_template(cells[source])))
                self.places.append(i)

    def accepts(self, template: Template) -> bool:
        """Whether a cell can hold the text."""
        return not {"\t", "\n"} & set(str(template))

    def render(self, found: dict[int, Template]) -> bytes:
        """The file with these translations, each with a cell that asks for review."""
        lines = list(self.lines)
        for i, template in found.items():
            line = lines[self.places[i]]
            text = line.rstrip("\r\n")
            cells = text.split("\t")
            cells += [""] * (max(self.columns) + 1 - len(cells))
            cells[self.columns[1]] = str(template)
            if self.mark and cells[-1] != REVIEW:
                cells.append(REVIEW)
            lines[self.places[i]] = "\t".join(cells) + line[len(text) :]
        content = "".join(lines).encode("utf-8")
        return BOM + content if self.bom else content
