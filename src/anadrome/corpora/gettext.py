"""Catalogues of GNU gettext: PO, which people edit, and MO, which programs read.

The PO reader keeps the lines of every message, so that a translation can be put in
without touching the rest of the file.
"""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from anadrome.corpora.files import (
    BOM,
    PathName,
    encode_text,
    read_bytes,
    write_bytes,
    write_lines,
)
from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    InvalidEncoding,
    MalformedFile,
    MalformedLine,
)

_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr(?:\[([0-9]{1,2})\])?)\s*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_ESCAPES = dict(zip('ntrabfv"\\', '\n\t\r\a\b\f\v"\\'))
_CHARSET = re.compile(rb'"Content-Type:[^"]*charset=([\w.\-]+)', re.IGNORECASE)
_MO_MAGIC = 0x950412DE


@dataclass
class Message:
    """A message and its translations: one, or one for each plural form.

    `context` is None if there is none, `plural` if the message has no plural.
    `spans` are the first and the last line, from 0, of each translation in the file;
    `flags_line` is the line of its `#,` comment, `head_line` that of its first keyword.
    """

    id: str
    strings: list[str]
    context: str | None = None
    plural: str | None = None
    flags: tuple[str, ...] = ()
    obsolete: bool = False
    line: int = 0
    head_line: int = 0
    flags_line: int | None = None
    spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_header(self) -> bool:
        """Whether this is the message with the catalogue's own facts."""
        return self.id == "" and self.context is None

    @property
    def is_fuzzy(self) -> bool:
        """Whether somebody has to look at the translation."""
        return "fuzzy" in self.flags

    @property
    def is_translated(self) -> bool:
        """Whether every form has a translation that stands."""
        return all(self.strings) and not self.is_fuzzy and not self.obsolete


@dataclass(frozen=True)
class Catalogue:
    """The messages of a PO file, and the file's lines with their ends."""

    messages: tuple[Message, ...]
    lines: tuple[str, ...]
    encoding: str
    mark: bool

    def header(self, name: str) -> str | None:
        """A field of the header, such as Plural-Forms, or None."""
        for message in self.messages:
            if message.is_header and not message.obsolete:
                for line in message.strings[0].split("\n"):
                    key, colon, value = line.partition(":")
                    if colon and key.strip().lower() == name.lower():
                        return value.strip()
        return None


def read_po(path: PathName) -> Catalogue:
    """The catalogue in a PO file."""
    content = read_bytes(path)
    mark = content.startswith(BOM)
    content = content.removeprefix(BOM)
    found = _CHARSET.search(content)
    name = "utf-8" if found is None else found[1].decode("ascii")
    if name.upper() == "CHARSET":  # as a template has it that nobody has filled in
        name = "utf-8"
    try:
        encoding = codecs.lookup(name).name
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidEncoding(
            f"byte {error.start + 1} of the file is not {name}",
            path=path,
            line=content.count(b"\n", 0, error.start) + 1,
            help="the header's Content-Type names the encoding of the file",
        ) from None
    except LookupError:
        raise MalformedFile(f"the encoding {name!r} is unknown", path=path) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InvalidEncoding("the line holds a NUL character", path=path, line=line)
    parser = _PoParser(path)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for number, line in enumerate(lines):
        parser.read(number, line.rstrip("\r\n"))
    parser.finish(len(lines))
    if not parser.messages:
        raise EmptyCorpus("there is no message here", path=path)
    return Catalogue(tuple(parser.messages), tuple(lines), encoding, mark)


def scan_po(
    path: PathName, *, unfinished: bool = False
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The translated messages with their lines; fuzzy ones only with `unfinished`.

    A message with two forms gives a pair for each; with more, the forms of the
    translation have no source of their own, and the first and last are given.
    """
    return _pairs(read_po(path).messages, path, unfinished)


def scan_mo(path: PathName) -> Iterator[tuple[int, tuple[str, str]]]:
    """The messages of a compiled catalogue, numbered from 1."""
    return _pairs(read_mo(path), path, True)


def read_mo(path: PathName) -> list[Message]:
    """The messages of a compiled catalogue."""
    content = read_bytes(path)
    order = next(
        (o for o in "<>" if content[:4] == struct.pack(o + "I", _MO_MAGIC)), None
    )
    if order is None:
        raise MalformedFile("this is not a compiled catalogue (MO)", path=path)

    def words(form: str, at: int) -> tuple[int, ...]:
        if at < 0 or at + struct.calcsize(form) > len(content):
            raise MalformedFile("the catalogue is cut short", path=path)
        return struct.unpack_from(form, content, at)

    def text(at: int) -> str:
        length, start = words(order + "2I", at)
        if start + length > len(content):
            raise MalformedFile("the catalogue is cut short", path=path)
        return _decode(content[start : start + length], path)

    version, count, originals, translations = words(order + "4I", 4)
    if version >> 16 > 1:
        raise MalformedFile(f"version {version >> 16} of MO is unknown", path=path)
    if originals + 8 * count > len(content) or translations + 8 * count > len(content):
        raise MalformedFile("the catalogue is cut short", path=path)
    messages = []
    for i in range(count):
        context, found, key = text(originals + 8 * i).rpartition("\x04")
        singular, has_plural, plural = key.partition("\0")
        strings = text(translations + 8 * i).split("\0")
        messages.append(
            Message(
                singular,
                strings,
                context if found else None,
                plural if has_plural else None,
                line=i + 1,
            )
        )
    if not messages:
        raise EmptyCorpus("there is no message here", path=path)
    return messages


def write_po(
    pairs: Iterable[tuple[str, str]], path: PathName, *, target: str = ""
) -> None:
    """Write pairs as a catalogue; a text that occurs twice has two contexts."""

    def lines() -> Iterator[str]:
        yield 'msgid ""'
        yield 'msgstr ""'
        yield '"MIME-Version: 1.0\\n"'
        yield '"Content-Type: text/plain; charset=UTF-8\\n"'
        yield '"Content-Transfer-Encoding: 8bit\\n"'
        if target:
            yield f'"Language: {target}\\n"'
        for message in _messages(pairs, path):
            yield ""
            if message.context is not None:
                yield from format_string("msgctxt", message.context)
            yield from format_string("msgid", message.id)
            yield from format_string("msgstr", message.strings[0])

    write_lines(path, lines())


def write_mo(pairs: Iterable[tuple[str, str]], path: PathName) -> None:
    """Write pairs as a compiled catalogue."""
    entries = {b"": b"Content-Type: text/plain; charset=UTF-8\n"}
    for message in _messages(pairs, path):
        context = "" if message.context is None else message.context + "\x04"
        key = encode_text(context + message.id, path)
        entries[key] = encode_text(message.strings[0], path)
    keys = sorted(entries)
    texts = keys + [entries[key] for key in keys]
    begin = at = 28 + 8 * len(texts)
    tables = []
    for text in texts:
        tables.append(struct.pack("<2I", len(text), at))
        at += len(text) + 1
    head = struct.pack("<7I", _MO_MAGIC, 0, len(keys), 28, 28 + 8 * len(keys), 0, begin)
    write_bytes(path, head + b"".join(tables) + b"".join(t + b"\0" for t in texts))


def format_string(keyword: str, text: str) -> list[str]:
    """The lines of a keyword and its string, broken after line ends in the text."""
    pieces = re.findall(r"[^\n]*\n|[^\n]+", text)
    quoted = [f'"{_escape(piece)}"' for piece in pieces]
    if len(quoted) > 1:
        return [f'{keyword} ""', *quoted]
    return [f"{keyword} {quoted[0] if quoted else chr(34) * 2}"]


class _PoParser:
    """The state between two lines of a PO file."""

    def __init__(self, path: PathName) -> None:
        self.path = path
        self.messages: list[Message] = []
        self.seen: dict[tuple[str | None, str], int] = {}
        self._reset()

    def _reset(self) -> None:
        self.fields: dict[str, str] = {}
        self.spans: dict[str, tuple[int, int]] = {}
        self.flags: list[str] = []
        self.flags_line: int | None = None
        self.obsolete = False
        self.current: str | None = None

    def read(self, number: int, line: str) -> None:
        text = line.strip()
        if not text:
            self.current = None
            return
        obsolete = text.startswith("#~")
        if obsolete:
            text = text[2:].strip()
            if text.startswith("|") or not text:
                return
            if self.fields and not self.obsolete:
                self.finish(number)
        elif text.startswith("#"):
            if self.fields:
                self.finish(number)
            if text.startswith("#,"):
                self.flags += [flag.strip() for flag in text[2:].split(",")]
                if self.flags_line is None:
                    self.flags_line = number
            return
        found = _KEYWORD.match(text)
        if found:
            self._finish_before(text, number)
            self.obsolete = obsolete
            name = found[1]
            if name in self.fields:
                raise self._error(number, f"a second {name} in one message")
            self.fields[name] = ""
            self.spans[name] = (number, number)
            self.current = name
            text = text[found.end() :]
        elif not text.startswith('"'):
            raise self._error(number, "neither a keyword nor a string")
        if self.current is None:
            raise self._error(number, "a string without a keyword before it")
        string = _STRING.fullmatch(text)
        if string is None:
            raise self._error(number, "the string is not closed, or text follows it")
        self.fields[self.current] += self._unescape(string[1], number)
        self.spans[self.current] = (self.spans[self.current][0], number)

    def _finish_before(self, text: str, number: int) -> None:
        """End the message before if a keyword begins the next one."""
        translated = any(name.startswith("msgstr") for name in self.fields)
        begins = text.startswith("msgctxt") or re.match(r"msgid\b(?!_)", text)
        if translated and begins:
            self.finish(number)

    def finish(self, number: int) -> None:
        """The message that ends before line `number`, from 0."""
        fields = self.fields
        if not fields:
            return
        begin = min(first for first, _ in self.spans.values())
        if "msgid" not in fields:
            raise self._error(begin, "a message without msgid")
        plural = fields.get("msgid_plural")
        names = [name for name in fields if name.startswith("msgstr")]
        expected = (
            ["msgstr"]
            if plural is None
            else [f"msgstr[{i}]" for i in range(max(1, len(names)))]
        )
        if names != expected:
            raise self._error(
                begin,
                f"the message has {', '.join(names) or 'no msgstr'}, not "
                f"{', '.join(expected)}",
            )
        key = (fields.get("msgctxt"), fields["msgid"])
        if not self.obsolete:
            if key in self.seen:
                raise self._error(
                    begin, f"the message of line {self.seen[key]} occurs again"
                )
            self.seen[key] = begin + 1
        self.messages.append(
            Message(
                fields["msgid"],
                [fields[name] for name in names],
                fields.get("msgctxt"),
                plural,
                tuple(self.flags),
                self.obsolete,
                begin + 1,
                begin,
                self.flags_line,
                [self.spans[name] for name in names],
            )
        )
        self._reset()

    def _unescape(self, text: str, number: int) -> str:
        def one(found: re.Match[str]) -> str:
            code = found[1]
            if code in _ESCAPES:
                return _ESCAPES[code]
            if code[0] == "x" and len(code) > 1:
                return chr(int(code[1:], 16))
            if code[0] in "01234567":
                return chr(int(code, 8))
            raise self._error(number, f"the escape \\{code} is unknown")

        return _ESCAPE.sub(one, text)

    def _error(self, number: int, message: str) -> MalformedLine:
        return MalformedLine(message, path=self.path, line=number + 1)


def _escape(text: str) -> str:
    for code, sign in reversed(_ESCAPES.items()):
        text = text.replace(sign, "\\" + code)
    return text


def _pairs(
    messages: Iterable[Message], path: PathName, unfinished: bool
) -> Iterator[tuple[int, tuple[str, str]]]:
    count = 0
    for message in messages:
        if message.is_header or message.obsolete or not all(message.strings):
            continue
        if message.is_fuzzy and not unfinished:
            continue
        count += 1
        if message.plural is None or len(message.strings) > 1:
            yield message.line, (message.id, message.strings[0])
        if message.plural is not None:
            yield message.line, (message.plural, message.strings[-1])
    if not count:
        raise EmptyCorpus("no message is translated", path=path)


def _messages(pairs: Iterable[tuple[str, str]], path: PathName) -> Iterator[Message]:
    seen: dict[str, int] = {}
    for number, (source, target) in enumerate(pairs, start=1):
        if not source:
            raise CorpusError("an empty message is the header", path=path, line=number)
        times = seen[source] = seen.get(source, 0) + 1
        context = None if times == 1 else str(times)
        yield Message(source, [target], context)


def _decode(content: bytes, path: PathName) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidEncoding(
            "the catalogue is not UTF-8", path=path, help="compile it from UTF-8"
        ) from None
