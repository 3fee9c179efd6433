"""Gaps of a gettext catalogue (PO): messages without translation."""

from __future__ import annotations

import gettext
import re

from anadrome.corpora.files import BOM, PathName
from anadrome.corpora.gettext import Catalogue, Message, format_string, read_po
from anadrome.corpora.localization.placeholders import Template, make_template
from anadrome.text.errors import MalformedFile

_PLURALS = re.compile(r"\s*nplurals\s*=\s*([0-9]{1,2})\s*;\s*plural\s*=\s*([^;]+);?\s*")


class CatalogueFilling:
    """A PO file, of which only the lines of what is filled in change."""

    def __init__(self, path: PathName, mark: bool) -> None:
        self.catalogue = read_po(path)
        self.mark = mark
        self.gaps: list[tuple[int, Template]] = []
        self.places: list[tuple[Message, int]] = []  # the form of a message
        self.kept = 0
        singular = _singular_forms(self.catalogue, path)
        for message in self.catalogue.messages:
            if message.is_header or message.obsolete:
                continue
            for form, string in enumerate(message.strings):
                if string:
                    self.kept += 1
                    continue
                text = message.id
                if message.plural is not None and form not in singular:
                    text = message.plural
                template = make_template(text, flags=message.flags)
                self.gaps.append((message.line, template))
                self.places.append((message, form))

    def accepts(self, template: Template) -> bool:
        """Whether the catalogue's encoding has these characters."""
        try:
            str(template).encode(self.catalogue.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def render(self, found: dict[int, Template]) -> bytes:
        """The catalogue with these translations, marked fuzzy."""
        lines: list[str] = list(self.catalogue.lines)
        end = "\r\n" if lines[0].endswith("\r\n") else "\n"
        marked = []
        for i, template in found.items():
            message, form = self.places[i]
            first, last = message.spans[form]
            keyword = "msgstr" if message.plural is None else f"msgstr[{form}]"
            made = format_string(keyword, str(template))
            lines[first] = end.join(made) + end
            for number in range(first + 1, last + 1):
                lines[number] = ""
            if self.mark and not message.is_fuzzy and message not in marked:
                marked.append(message)
                self._mark(message, lines, end)
        content = "".join(lines).encode(self.catalogue.encoding)
        return BOM + content if self.catalogue.mark else content

    def _mark(self, message: Message, lines: list[str], end: str) -> None:
        if message.flags_line is not None:
            line = lines[message.flags_line]
            lines[message.flags_line] = line.replace("#,", "#, fuzzy,", 1)
            return
        at = message.head_line
        # Flags stand before the comments that hold the message as it was.
        while at and self.catalogue.lines[at - 1].startswith("#|"):
            at -= 1
        lines[at] = f"#, fuzzy{end}{lines[at]}"


def _singular_forms(catalogue: Catalogue, path: PathName) -> frozenset[int]:
    """The forms of the translation that are used for the number one alone.

    A form that other numbers share, as 21 shares that of 1 in Russian, needs the
    placeholder of the plural, which a text such as "one file" may lack.
    """
    declared = catalogue.header("Plural-Forms")
    if declared is None or "EXPRESSION" in declared:
        return frozenset({0})
    found = _PLURALS.fullmatch(declared)
    try:
        if found is None:
            raise ValueError
        choose = gettext.c2py(found[2].strip())
        numbers: dict[int, set[int]] = {}
        for n in range(201):
            numbers.setdefault(choose(n), set()).add(n)
    except (ValueError, RecursionError, ArithmeticError):
        raise MalformedFile(
            f"the plural forms cannot be read: {declared!r}",
            path=path,
            help="write Plural-Forms: nplurals=2; plural=(n != 1);",
        ) from None
    # Zero takes the singular in French, and "0 file" reads well from "%d file".
    return frozenset(form for form, used in numbers.items() if used == {1})
