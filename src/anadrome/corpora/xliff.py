"""XLIFF 1.2 and 2.0 (OASIS): units with a source and, when translated, a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from anadrome.corpora.files import PathName, write_lines
from anadrome.corpora.markup import Element, escape_text, scan_elements
from anadrome.text.errors import EmptyCorpus, MalformedFile

ROOTS = ("xliff",)
CODES = frozenset(
    {"bpt", "ept", "it", "ph", "x", "bx", "ex", "sub", "sc", "ec", "cp", "sm", "em"}
)
"""Inline elements that stand for codes of the original format, not for text."""

UNFINISHED = frozenset(
    {
        "new",
        "needs-translation",
        "needs-adaptation",
        "needs-l10n",
        "needs-review-translation",
        "needs-review-adaptation",
        "needs-review-l10n",
        "initial",
    }
)
"""States of targets that nobody has approved yet."""


def scan_xliff(
    path: PathName, *, unfinished: bool = False
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The translated units or segments with their lines.

    Those in a state such as needs-review-translation only with `unfinished`.
    """
    units, pairs = 0, 0
    for unit in scan_elements(path, ("trans-unit", "unit"), ROOTS, "XLIFF"):
        for part in parts_of(unit):
            units += 1
            source, target = part.first("source"), part.first("target")
            if source is None:
                raise MalformedFile(
                    f"a <{part.name}> has no <source>", path=path, line=part.line
                )
            if target is None or not target.text(CODES).strip():
                continue
            state = target.attributes.get("state") or part.attributes.get("state")
            if state in UNFINISHED and not unfinished:
                continue
            pairs += 1
            texts = (" ".join(side.text(CODES).split()) for side in (source, target))
            yield part.line, (next(texts), next(texts))
    if not pairs:
        raise EmptyCorpus(
            f"none of {units} unit(s) is translated",
            path=path,
            help=None if unfinished else "unreviewed translations can be read too",
        )


def parts_of(unit: Element) -> list[Element]:
    """What holds source and target: a unit of 1.2 itself, the segments of 2.0."""
    return [unit] if unit.name == "trans-unit" else unit.elements("segment")


def write_xliff(
    pairs: Iterable[tuple[str, str]],
    path: PathName,
    *,
    source: str = "und",
    target: str = "und",
) -> None:
    """Write pairs as XLIFF 1.2."""

    def lines() -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        yield (
            f'  <file original="corpus" datatype="plaintext" '
            f"source-language={quoteattr(source)} target-language={quoteattr(target)}>"
        )
        yield "    <body>"
        for number, pair in enumerate(pairs, start=1):
            texts = [escape_text(" ".join(side.split()), path, number) for side in pair]
            yield f'      <trans-unit id="{number}">'
            yield f"        <source>{texts[0]}</source>"
            yield f'        <target state="translated">{texts[1]}</target>'
            yield "      </trans-unit>"
        yield "    </body>"
        yield "  </file>"
        yield "</xliff>"

    write_lines(path, lines())
