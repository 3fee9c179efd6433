"""Text in pieces of whole lines, and as numbers of words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Literal

import numpy as np

from anadrome.corpora.files import BOM, decode_line, scan_chunks
from anadrome.ngram.errors import InvalidText
from anadrome.ngram.lexicon import ACCEPT_UNKNOWN, REFUSE, SKIP, Lexicon
from anadrome.ngram.tables import SPECIALS, UNK
from anadrome.text.errors import EmptyCorpus

Sentence = str | Sequence[str]
Text = str | PathLike[str] | Iterable[str] | Iterable[Sequence[str]]
"""One file, or several as `Path`s, or sentences, each a string or a list of words."""

OnSpecial = Literal["error", "skip", "count"]
"""What to do with `<s>`, `</s>` and `<unk>` in a text.

They are refused; or left out; or `<unk>` is counted as the word that it is, and the
other two are refused.
"""

_CHUNK = 1 << 23
_NO_FILE = "<sentences>"  # where errors in sentences are said to be
_WORD = re.compile(rb"[^ \t\r\n]+")


@dataclass(frozen=True)
class Piece:
    """Whole lines of a text, each with its line end, and where they stand."""

    content: bytes
    path: str
    before: int  # how many lines come before

    def place(self, at: int) -> int:
        """The number of the line that a byte belongs to."""
        return self.before + self.content.count(b"\n", 0, at) + 1


def encode_text(
    text: Text, lexicon: Lexicon, pad: int, on_special: OnSpecial, *, learn: bool
) -> Iterator[np.ndarray]:
    """The numbers of all words, in pieces (T,).

    Each sentence has `pad` times `<s>` before it and `</s>` after it. A line is a
    sentence, also one without words; spaces and tabs divide words. With `learn` words
    that are new are given numbers.
    """
    action = {"error": REFUSE, "skip": SKIP, "count": ACCEPT_UNKNOWN}[on_special]
    empty = True
    for piece in scan_pieces(text):
        empty = False
        numbers, wrong = lexicon.number(piece.content, pad, action, learn)
        if wrong >= 0:
            _refuse(piece, wrong)
        yield numbers
    if empty:
        raise EmptyCorpus("there is no sentence", path=_NO_FILE)


def scan_pieces(text: Text) -> Iterator[Piece]:
    """A text in pieces of some megabytes, checked."""
    if isinstance(text, (str, PathLike)):
        yield from _scan_file(text)
        return
    sentences: list[bytes] = []
    held = 0
    number = 0
    for item in text:
        if isinstance(item, PathLike):
            yield from _scan_file(item)
            continue
        number += 1
        line = _sentence(item, number)
        sentences.append(line)
        held += len(line)
        if held >= _CHUNK:
            yield _joined(sentences, number)
            sentences, held = [], 0
    if sentences:
        yield _joined(sentences, number)


def _sentence(item: Sentence, number: int) -> bytes:
    text = item if isinstance(item, str) else " ".join(item)
    line = text.encode()
    if b"\n" in line or b"\0" in line:
        raise InvalidText(
            "the sentence holds a line end or a NUL", path=_NO_FILE, line=number
        )
    if not isinstance(item, str) and len(_WORD.findall(line)) != len(item):
        raise InvalidText(
            "a word of the sentence is empty or holds a space",
            path=_NO_FILE,
            line=number,
        )
    return line


def _joined(sentences: list[bytes], last: int) -> Piece:
    return Piece(b"\n".join(sentences) + b"\n", _NO_FILE, last - len(sentences))


def _scan_file(path: str | PathLike[str]) -> Iterator[Piece]:
    before = 0
    blank = True
    for content in _line_pieces(path):
        blank = blank and not content.strip()
        _check_utf8(content, path, before)
        yield Piece(content, fspath(path), before)
        before += content.count(b"\n")
    if blank:
        raise EmptyCorpus("the file is empty", path=path)


def _line_pieces(path: str | PathLike[str]) -> Iterator[bytes]:
    """The content of a file in pieces of whole lines, each with its line end."""
    held: list[bytes] = []
    size = 0
    first = True
    for chunk in itertools.chain(scan_chunks(path), [b""]):
        held.append(chunk)
        size += len(chunk)
        if size < _CHUNK and chunk:
            continue
        piece = b"".join(held)
        end = piece.rfind(b"\n") + 1 if chunk else len(piece)
        held = [piece[end:]]
        size = len(held[0])
        piece = piece[:end]
        if first:
            piece = piece.removeprefix(BOM)
        if piece:
            first = False
            yield piece if piece.endswith(b"\n") else piece + b"\n"


def _refuse(piece: Piece, at: int) -> None:
    word = _WORD.match(piece.content, at)
    assert word is not None
    spelt = word[0].decode()
    help = 'write it in another way, or pass on_special="skip" to leave it out'
    if spelt == SPECIALS[UNK]:
        help += ', or on_special="count" to count it as any word'
    raise InvalidText(
        f"the word {spelt} is reserved",
        path=piece.path,
        line=piece.place(at),
        help=help,
    )


def _check_utf8(content: bytes, path: str | PathLike[str], before: int) -> None:
    try:
        content.decode("utf-8")
        if b"\0" not in content:
            return
    except UnicodeDecodeError:
        pass
    for number, line in enumerate(content.split(b"\n"), start=before + 1):
        decode_line(line, path, number)
