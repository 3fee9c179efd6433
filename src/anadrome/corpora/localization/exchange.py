"""Gaps of XLIFF: units of 1.2 and segments of 2.0 without target."""

from __future__ import annotations

from anadrome.corpora.files import PathName
from anadrome.corpora.localization.markup_gaps import (
    as_markup,
    element_template,
    indent_before,
    prefix_of,
    with_attribute,
)
from anadrome.corpora.localization.placeholders import Template
from anadrome.corpora.markup import Element, is_xml_text, read_document
from anadrome.corpora.xliff import CODES, ROOTS, parts_of
from anadrome.text.errors import MalformedFile

# A target without text in such a state is meant to be empty.
_SETTLED = frozenset({"final", "signed-off", "translated", "reviewed"})


class XliffFilling:
    """An XLIFF file, in which only targets are put in."""

    def __init__(self, path: PathName, mark: bool) -> None:
        self.document = read_document(path, ROOTS, "XLIFF")
        self.mark = mark
        self.gaps: list[tuple[int, Template]] = []
        self.places: list[Element] = []
        self.kept = 0
        self._visit(self.document.root, preserve=False, translated=True)

    def _visit(self, element: Element, preserve: bool, translated: bool) -> None:
        space = element.attributes.get("xml:space")
        preserve = preserve if space is None else space == "preserve"
        answer = element.attributes.get("translate")
        translated = translated if answer is None else answer == "yes"
        if element.name in ("trans-unit", "unit"):
            if translated:
                for part in parts_of(element):
                    self._add(part, preserve)
            return
        for child in element.elements():
            self._visit(child, preserve, translated)

    def _add(self, part: Element, preserve: bool) -> None:
        source, target = part.first("source"), part.first("target")
        if source is None:
            raise MalformedFile(
                f"a <{part.name}> has no <source>",
                path=self.document.path,
                line=part.line,
            )
        state = part.attributes.get("state")
        if target is not None:
            state = target.attributes.get("state", state)
            if target.elements() or target.text().strip():
                self.kept += 1
                return
        if state in _SETTLED or part.attributes.get("approved") == "yes":
            self.kept += target is not None
            return
        if not source.elements() and not source.text().strip():
            return
        own = source.attributes.get("xml:space", "preserve" if preserve else "")
        template = element_template(self.document, source, CODES, own == "preserve")
        self.gaps.append((part.line, template))
        self.places.append(part)

    def accepts(self, template: Template) -> bool:
        """Whether XML has these characters."""
        return is_xml_text(str(template))

    def render(self, found: dict[int, Template]) -> bytes:
        """The file with these targets, to be reviewed."""
        edits: list[tuple[int, int, str]] = []
        for i, template in found.items():
            part, text = self.places[i], as_markup(template, self.document)
            source, target = part.first("source"), part.first("target")
            assert source is not None, "a gap has a source"
            prefix = prefix_of(self.document, source)
            old = part.name == "trans-unit"
            if target is None:
                tag, lead = f"<{prefix}target>", indent_before(self.document, source)
                at = (part.first("seg-source") or source).end
                place = (at, at)
            else:
                tag = self.document.raw(target.start, target.inner)
                tag, lead = tag[:-1].removesuffix("/").rstrip() + ">", ""
                place = (target.start, target.end)
            if self.mark and old:
                tag = with_attribute(tag, "state", "needs-review-translation")
            edits.append((*place, f"{lead}{tag}{text}</{prefix}target>"))
            if self.mark and not old:
                # In 2.0 "translated" is what nobody has reviewed; the segment says it.
                opening = self.document.raw(part.start, part.inner)
                tag = with_attribute(opening, "state", "translated")
                edits.append((part.start, part.inner, tag))
        return self.document.edited(edits)
