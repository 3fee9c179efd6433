"""Translation memories: TMX 1.4, read one unit at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from anadrome import __version__
from anadrome.corpora.files import PathName, write_lines
from anadrome.corpora.markup import Element, escape_text, scan_elements
from anadrome.text.errors import EmptyCorpus, MalformedFile

ROOTS = ("tmx",)
CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})
"""Elements that hold codes of the original format, which are not text."""


def scan_tmx(
    path: PathName, *, source: str | None = None, target: str | None = None
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The pairs of a translation memory with their lines.

    The languages are given, or else the source language is the one that the header
    names and the target the other one of the first unit. `en` stands for `en-GB` too.
    Units that lack one of the two are left out.
    """
    pairs = 0
    for element in scan_elements(path, ("header", "tu"), ROOTS, "TMX"):
        if element.name == "header":
            source = source or header_language(element)
            continue
        variants = variants_of(element, path)
        if source is None and variants:
            source = next(iter(variants))
        if target is None:
            others = [name for name in variants if not matches(name, source or "")]
            target = others[0] if others else None
        if source is None or target is None:
            continue
        found = [find_variant(variants, name) for name in (source, target)]
        if found[0] is None or found[1] is None:
            continue
        texts = [segment.text(CODES) for segment in found if segment is not None]
        pairs += 1
        yield element.line, (_flat(texts[0]), _flat(texts[1]))
    if not pairs:
        raise EmptyCorpus(
            f"no unit has both languages ({source or '?'} and {target or '?'})",
            path=path,
            help="name the languages as the attribute xml:lang does",
        )


def write_tmx(
    pairs: Iterable[tuple[str, str]],
    path: PathName,
    *,
    source: str = "x-source",
    target: str = "x-target",
) -> None:
    """Write pairs as a translation memory between two languages."""

    def lines() -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield '<tmx version="1.4">'
        yield (
            f'  <header creationtool="anadrome" creationtoolversion="{__version__}" '
            f'segtype="sentence" o-tmf="anadrome" adminlang="en" '
            f'srclang={quoteattr(source)} datatype="plaintext"/>'
        )
        yield "  <body>"
        for number, pair in enumerate(pairs, start=1):
            yield "    <tu>"
            for language, sentence in zip((source, target), pair):
                text = escape_text(_flat(sentence), path, number)
                name = quoteattr(language)
                yield f"      <tuv xml:lang={name}><seg>{text}</seg></tuv>"
            yield "    </tu>"
        yield "  </body>"
        yield "</tmx>"

    write_lines(path, lines())


def header_language(header: Element) -> str | None:
    """The source language that a header names, None if it is every language."""
    language = header.attributes.get("srclang", "*all*")
    return None if language.lower() == "*all*" else language


def variants_of(unit: Element, path: PathName) -> dict[str, Element]:
    """The segments of a unit by their languages."""
    variants: dict[str, Element] = {}
    for variant in unit.elements("tuv"):
        language = variant.attributes.get("xml:lang") or variant.attributes.get("lang")
        segment = variant.first("seg")
        if not language:
            raise MalformedFile(
                "a <tuv> does not name its language",
                path=path,
                line=variant.line,
                help='write <tuv xml:lang="en">',
            )
        if segment is None:
            raise MalformedFile("a <tuv> has no <seg>", path=path, line=variant.line)
        variants.setdefault(language, segment)
    return variants


def find_variant(variants: dict[str, Element], language: str) -> Element | None:
    """The segment in a language, or in a variety of it."""
    if language in variants:
        return variants[language]
    return next(
        (seg for name, seg in variants.items() if matches(name, language)), None
    )


def matches(name: str, language: str) -> bool:
    """Whether a language is meant by another one's name: en-GB by en, en by EN."""
    name, language = (tag.lower().replace("_", "-") for tag in (name, language))
    return name == language or name.startswith(language + "-")


def _flat(text: str) -> str:
    return " ".join(text.split())
