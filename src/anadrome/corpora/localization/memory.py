"""Gaps of a translation memory (TMX): units without a variant in the language."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from anadrome.corpora.files import PathName
from anadrome.corpora.localization.markup_gaps import (
    as_markup,
    element_template,
    indent_before,
    prefix_of,
)
from anadrome.corpora.localization.placeholders import Template
from anadrome.corpora.markup import Element, is_xml_text, read_document
from anadrome.corpora.tmx import (
    CODES,
    ROOTS,
    find_variant,
    header_language,
    matches,
    variants_of,
)
from anadrome.text.errors import CorpusError

_STATE = '<prop type="x-state">needs-review-translation</prop>'


class MemoryFilling:
    """A TMX file, in which variants of one language are put in."""

    def __init__(
        self, path: PathName, languages: tuple[str | None, str | None], mark: bool
    ) -> None:
        self.document = read_document(path, ROOTS, "TMX")
        self.mark = mark
        self.gaps: list[tuple[int, Template]] = []
        self.places: list[tuple[Element, Element | None]] = []
        self.kept = 0
        root = self.document.root
        body = root.first("body")
        units = [] if body is None else body.elements("tu")
        source, self.target = _languages(path, root, units, languages)
        for unit in units:
            variants = variants_of(unit, path)
            segment = find_variant(variants, source)
            target = find_variant(variants, self.target)
            if target is not None and (target.elements() or target.text().strip()):
                self.kept += 1
                continue
            if segment is None or not (segment.elements() or segment.text().strip()):
                continue
            template = element_template(self.document, segment, CODES, False)
            self.gaps.append((unit.line, template))
            self.places.append((unit, target))

    def accepts(self, template: Template) -> bool:
        """Whether XML has these characters."""
        return is_xml_text(str(template))

    def render(self, found: dict[int, Template]) -> bytes:
        """The memory with these variants, to be reviewed."""
        edits: list[tuple[int, int, str]] = []
        for i, template in found.items():
            (unit, segment), text = self.places[i], as_markup(template, self.document)
            last = unit.elements("tuv")[-1]
            prefix = prefix_of(self.document, last)
            state = _STATE if self.mark and not prefix else ""
            made = f"<{prefix}seg>{text}</{prefix}seg>"
            if segment is not None:
                edits.append((segment.start, segment.end, state + made))
                continue
            lead = indent_before(self.document, last)
            opening = f"<{prefix}tuv xml:lang={quoteattr(self.target)}>"
            variant = f"{lead}{opening}{state}{made}</{prefix}tuv>"
            edits.append((last.end, last.end, variant))
        return self.document.edited(edits)


def _languages(
    path: PathName,
    root: Element,
    units: list[Element],
    given: tuple[str | None, str | None],
) -> tuple[str, str]:
    source, target = given
    header = root.first("header")
    if source is None and header is not None:
        source = header_language(header)
    present = [name for unit in units for name in variants_of(unit, path)]
    if source is None and present:
        source = present[0]
    if target is None and source is not None:
        target = next((name for name in present if not matches(name, source)), None)
    if source is None or target is None:
        raise CorpusError(
            "it is not clear into which language to translate",
            path=path,
            help="name the target language",
        )
    return source, target
