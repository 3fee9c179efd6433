"""Templates of XML elements, and their text as XML again."""

from __future__ import annotations

import re
from collections.abc import Collection

from anadrome.corpora.localization.placeholders import Code, Template, make_template
from anadrome.corpora.markup import Document, Element, escape_text

_INDENT = re.compile(r"\r?\n[ \t]*\Z")


def element_template(
    document: Document, element: Element, codes: Collection[str], preserve: bool
) -> Template:
    """What is inside an element: elements named in `codes` whole, others as two tags.

    Unless white space is to be preserved, line ends inside the text are spaces.
    """
    parts: list[str | Code] = []

    def visit(parent: Element) -> None:
        for child in parent.children:
            if isinstance(child, str):
                parts.append(child if preserve else re.sub(r"\s*\n\s*", " ", child))
            elif child.name in codes or child.inner_end == child.inner:
                raw = document.raw(child.start, child.end)
                parts.append(Code(raw, markup=True, name=child.name))
            else:
                opening = document.raw(child.start, child.inner)
                closing = document.raw(child.inner_end, child.end)
                parts.append(Code(opening, True, child.name, "open"))
                visit(child)
                parts.append(Code(closing, True, child.name, "close"))

    visit(element)
    return make_template(_joined(parts))


def as_markup(template: Template, document: Document) -> str:
    """The template as it is written inside an element."""
    return "".join(
        part.text
        if isinstance(part, Code) and part.markup
        else escape_text(part if isinstance(part, str) else part.text, document.path)
        for part in template.parts
    )


def indent_before(document: Document, element: Element) -> str:
    """The line end and the spaces before an element, if it begins a line."""
    found = _INDENT.search(document.raw(max(0, element.start - 200), element.start))
    return found[0] if found else ""


def prefix_of(document: Document, element: Element) -> str:
    """The prefix of an element's name with its colon, or nothing."""
    found = re.match(r"<([^\s/>:]+:)", document.raw(element.start, element.inner))
    return found[1] if found else ""


def with_attribute(tag: str, name: str, value: str) -> str:
    """A start tag, never an empty one, with an attribute set."""
    body = tag[:-1].removesuffix("/").rstrip()
    replaced, count = re.subn(
        rf"""(\s{name}\s*=\s*)(?:"[^"]*"|'[^']*')""", rf'\g<1>"{value}"', body
    )
    return f"{replaced if count else f'{body} {name}={chr(34)}{value}{chr(34)}'}>"


def _joined(parts: list[str | Code]) -> list[str | Code]:
    """The parts with neighbouring strings in one, so that no placeholder is cut."""
    joined: list[str | Code] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined
