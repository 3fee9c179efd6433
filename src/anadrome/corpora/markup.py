"""XML that is read in pieces, and edited without touching what is not changed.

A document keeps the place of each element in its bytes, so that a translation can be
put in and everything else stays as it was, byte for byte. Nothing outside the file is
fetched, and a file that declares entities is refused: they are not needed in these
formats, and expanding them can fill the memory.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

from anadrome.corpora.files import BOM, PathName, read_bytes, scan_chunks
from anadrome.text.errors import EmptyCorpus, InvalidEncoding, MalformedFile

_XML = "http://www.w3.org/XML/1998/namespace"
_DEPTH = 256
_START_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.\-]+)["']""")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(eq=False)
class Element:
    """An element with its place: `start` to `end` in the bytes of its document.

    What is inside the element lies from `inner` to `inner_end`. Names are without
    prefix; the attribute xml:lang is called so.
    """

    name: str
    attributes: dict[str, str]
    line: int
    start: int = 0
    inner: int = 0
    inner_end: int = 0
    end: int = 0
    children: list[Element | str] = field(default_factory=list)

    def elements(self, *names: str) -> list[Element]:
        """The children that are elements with one of these names, or any."""
        return [
            child
            for child in self.children
            if isinstance(child, Element) and (not names or child.name in names)
        ]

    def first(self, name: str) -> Element | None:
        """The first child with this name, or None."""
        return next(iter(self.elements(name)), None)

    def text(self, without: Collection[str] = ()) -> str:
        """The text inside, without that of descendants with the names `without`."""
        return "".join(
            child
            if isinstance(child, str)
            else ("" if child.name in without else child.text(without))
            for child in self.children
        )


@dataclass(frozen=True, eq=False)
class Document:
    """An XML file: its bytes as UTF-8, and its root element."""

    path: PathName
    content: bytes
    root: Element
    encoding: str
    mark: bool  # whether a byte order mark of UTF-8 stood before the text

    def raw(self, start: int, end: int) -> str:
        """The text of the document between two places."""
        return self.content[start:end].decode("utf-8")

    def edited(self, edits: list[tuple[int, int, str]]) -> bytes:
        """The file with stretches (start, end) replaced, in its own encoding."""
        parts: list[bytes] = []
        at = 0
        for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
            parts += (self.content[at:start], text.encode("utf-8"))
            at = end
        parts.append(self.content[at:])
        joined = b"".join(parts)
        if self.encoding != "utf-8":
            return joined.decode("utf-8").encode(self.encoding, "xmlcharrefreplace")
        return BOM + joined if self.mark else joined


def read_document(path: PathName, roots: Collection[str], kind: str) -> Document:
    """The whole XML file, whose root element must have one of these names."""
    content = read_bytes(path)
    text, encoding = _decode(content, path)
    mark = text.startswith("\ufeff")
    plain = text.removeprefix("\ufeff").encode("utf-8")
    builder = _Builder(path, roots, kind, None, plain)
    builder.feed(plain, last=True)
    return Document(
        path, plain, builder.ready[0], encoding, mark and encoding == "utf-8"
    )


def scan_elements(
    path: PathName, names: Collection[str], roots: Collection[str], kind: str
) -> Iterator[Element]:
    """The outermost elements with these names, one at a time, without their places."""
    builder = _Builder(path, roots, kind, frozenset(names), None)
    blank = True
    for chunk in scan_chunks(path):
        blank = blank and not chunk.removeprefix(BOM).strip()
        if blank:
            continue
        builder.feed(chunk)
        yield from builder.take()
    if blank:
        raise EmptyCorpus("the file is empty", path=path)
    builder.feed(b"", last=True)
    yield from builder.take()


def escape_text(text: str, path: PathName, line: int | None = None) -> str:
    """The text as XML writes it; a character that XML cannot hold is an error."""
    if found := _NOT_XML.search(text):
        raise InvalidEncoding(
            f"the character U+{ord(found[0]):04X} cannot stand in XML",
            path=path,
            line=line,
        )
    return escape(text)


def is_xml_text(text: str) -> bool:
    """Whether XML can hold every character of the text."""
    return _NOT_XML.search(text) is None


class _Builder:
    """Elements from what expat reports, each finished when its end comes."""

    def __init__(
        self,
        path: PathName,
        roots: Collection[str],
        kind: str,
        wanted: frozenset[str] | None,
        content: bytes | None,
    ) -> None:
        self.path, self.roots, self.kind = path, roots, kind
        self.wanted, self.content = wanted, content
        self.depth = 0
        self.stack: list[Element] = []
        self.ready: list[Element] = []
        # The bytes of a document are UTF-8 here, whatever its first line says.
        self.parser = expat.ParserCreate("utf-8" if content is not None else None, " ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_unknown

    def feed(self, chunk: bytes, last: bool = False) -> None:
        try:
            self.parser.Parse(chunk, last)
        except expat.ExpatError as error:
            raise MalformedFile(
                f"this is not whole XML ({expat.ErrorString(error.code)})",
                path=self.path,
                line=error.lineno,
            ) from None
        except (LookupError, UnicodeError) as error:
            raise self._error(f"the encoding cannot be read ({error})") from None
        except ValueError as error:
            if isinstance(error, MalformedFile):
                raise
            raise self._error(f"the encoding cannot be read ({error})") from None

    def take(self) -> list[Element]:
        taken, self.ready = self.ready, []
        return taken

    def _error(self, message: str, help: str | None = None) -> MalformedFile:
        line = self.parser.CurrentLineNumber
        return MalformedFile(message, path=self.path, line=line, help=help)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        if not self.depth and local not in self.roots:
            raise self._error(f"this is not {self.kind}: the root element is <{local}>")
        self.depth += 1
        if self.depth > _DEPTH:
            raise self._error(f"elements are nested more than {_DEPTH} deep")
        if not self.stack and self.wanted is not None and local not in self.wanted:
            return
        made = Element(
            local,
            {_attribute_name(key): value for key, value in attributes.items()},
            self.parser.CurrentLineNumber,
            self.parser.CurrentByteIndex,
        )
        if self.content is not None:
            tag = _START_TAG.match(self.content, made.start)
            assert tag is not None, "expat has seen a start tag here"
            made.inner = made.inner_end = made.end = tag.end()
        if self.stack:
            self.stack[-1].children.append(made)
        self.stack.append(made)

    def _end(self, _: str) -> None:
        self.depth -= 1
        if not self.stack:
            return
        made = self.stack.pop()
        if self.content is not None and self.content[made.inner - 2] != ord("/"):
            made.inner_end = self.parser.CurrentByteIndex
            made.end = self.content.index(b">", made.inner_end) + 1
        if not self.stack:
            self.ready.append(made)

    def _characters(self, text: str) -> None:
        if self.stack:
            self.stack[-1].children.append(text)

    def _refuse_entity(self, name: str, *_: Any) -> None:
        raise self._error(
            f"the file declares the entity {name!r}",
            "write the text itself; entities of the file's own are not read",
        )

    def _refuse_unknown(self, name: str, *_: Any) -> None:
        raise self._error(f"the entity &{name}; is unknown")


def _attribute_name(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return f"xml:{local}" if space == _XML else name


def _decode(content: bytes, path: PathName) -> tuple[str, str]:
    """The text of an XML file, and the name of its encoding."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    else:
        found = _DECLARATION.match(content[:256].removeprefix(BOM))
        name = "utf-8" if found is None else found[1].decode("ascii")
        try:
            encoding = codecs.lookup(name).name
        except LookupError:
            raise MalformedFile(
                f"the encoding {name!r} is unknown", path=path, line=1
            ) from None
    try:
        return content.decode(encoding), encoding
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidEncoding(
            f"byte {error.start + 1} of the file is not {encoding.upper()}",
            path=path,
            line=line,
        ) from None
    except LookupError:
        # Python calls some codecs encodings that are not encodings of text.
        raise MalformedFile(
            f"{encoding!r} is not an encoding of text", path=path, line=1
        ) from None
