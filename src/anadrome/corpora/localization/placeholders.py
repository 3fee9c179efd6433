"""The parts of a message that are not language: placeholders, tags, line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

_PRINTF = (
    r"%(?:\(\w+\)|\d+\$)?[-+#0{space}']*(?:\d+|\*)?(?:\.(?:\d+|\*))?"
    r"(?:hh|h|ll|l|q|j|z|t|L)?[diouxXeEfFgGaAcsprbn@]"
)
_OTHERS = (
    r"%%",
    r"%\{\w+\}",  # Ruby
    r"%[A-Z_][A-Z0-9_]+%",  # the environment of Windows
    r"\$\{[^{}]*\}|\$\([\w.]+\)",
    r"\{\{[^{}]*\}\}|\{[^{}]*\}",
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|</?[A-Za-z][^<>]*>",
    r"&(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9A-Fa-f]+);",
    r"\\[nrt\"\\]",
    r"https?://[^\s<>\"]*[^\s<>\".,;:!?)]",
    r"\s*\n\s*|\t+",
)
# A space may be a flag of printf, but "50 % of" is more often just a sentence; only a
# file that says that the text is a format is believed.
_PLAIN, _FORMAT = (
    re.compile("|".join((_PRINTF.replace("{space}", space), *_OTHERS)), re.DOTALL)
    for space in ("", " ")
)
_FORMATS = re.compile(r"(?!no-)(?:c|objc|python|perl|php|sh|awk|lua|ruby)-format")
_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\b")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.\-]*)[^<>]*?(/?)>", re.DOTALL)
# Tags of HTML that nothing closes.
_VOID = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "wbr"))


@dataclass(frozen=True)
class Code:
    """A part that must come back as it is.

    `markup` says that it is markup of the file itself, which is written as it stands.
    """

    text: str
    markup: bool = False
    name: str = ""  # of an element whose tag this is
    edge: str = ""  # "open", "close", or nothing

    @property
    def is_break(self) -> bool:
        """Whether this is a line end or a tab, where a sentence ends too."""
        return not self.markup and not self.text.strip()

    @property
    def is_positional(self) -> bool:
        """Whether the place among its like decides what is put in: `%s`, `{}`."""
        return re.match(r"%(?![(%{]|\d+\$|[A-Z_]+%)|\{[:!}]", self.text) is not None


@dataclass(frozen=True)
class Template:
    """A text as stretches of language (strings) and codes between them.

    `strict` are the signs of which a translation may not have more than the source.
    """

    parts: tuple[str | Code, ...]
    strict: frozenset[str] = frozenset()
    formatted: bool = False

    @property
    def codes(self) -> tuple[Code, ...]:
        """The codes, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Code))

    @property
    def language(self) -> str:
        """The stretches of language alone, an object sign in place of each code."""
        return "".join(p if isinstance(p, str) else "\ufffc" for p in self.parts)

    def __str__(self) -> str:
        return "".join(p if isinstance(p, str) else p.text for p in self.parts)


def make_template(
    parts: str | Iterable[str | Code], *, flags: Collection[str] = ()
) -> Template:
    """The template of a text, or of text and markup.

    `flags` are those of a gettext message, such as python-brace-format.
    """
    formatted = any(_FORMATS.fullmatch(flag) for flag in flags)
    found: list[str | Code] = []
    for part in (parts,) if isinstance(parts, str) else parts:
        found += [part] if isinstance(part, Code) else _split(part, formatted)
    strict = set("%" if formatted else "")
    if any(flag in ("python-brace-format", "c++-format") for flag in flags):
        strict |= set("{}")
    for code in found:
        if isinstance(code, Code) and not code.markup:
            strict |= set(code.text) & set("%{}<>$")
            strict |= {"&"} if code.text[0] == "&" else set()
    return Template(tuple(found), frozenset(strict), formatted)


def placeholders(template: Template) -> Counter[Code]:
    """The codes that are found when the whole text is looked at again."""
    parts: list[str | Code] = [""]
    for part in template.parts:
        if isinstance(part, Code) and part.markup:
            parts += (part, "")
        else:
            assert isinstance(parts[-1], str)
            parts[-1] += part if isinstance(part, str) else part.text
    flags = ("c-format",) if template.formatted else ()
    return Counter(make_template(parts, flags=flags).codes)


def is_icu(text: str) -> bool:
    """Whether this is a message of ICU with plurals or choices inside."""
    return _ICU.search(text) is not None


def are_balanced(codes: Iterable[Code]) -> bool:
    """Whether every opening tag is closed, in order."""
    opened: list[str] = []
    for code in codes:
        if code.edge == "open":
            opened.append(code.name)
        elif code.edge == "close":
            if not opened or opened.pop() != code.name:
                return False
    return not opened


def _split(text: str, formatted: bool) -> list[str | Code]:
    parts: list[str | Code] = []
    at = 0
    for found in (_FORMAT if formatted else _PLAIN).finditer(text):
        if found.start() > at:
            parts.append(text[at : found.start()])
        parts.append(_code(found[0]))
        at = found.end()
    if at < len(text):
        parts.append(text[at:])
    return parts


def _code(text: str) -> Code:
    tag = _TAG.fullmatch(text)
    if tag is None:
        return Code(text)
    name = tag[2].lower()
    if tag[3] or name in _VOID:
        return Code(text, name=name)
    return Code(text, name=name, edge="close" if tag[1] else "open")
