"""Text as numbers: words are numbered in the order in which they are met."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from typing import Literal

import numpy as np

from anadrome.corpora.files import BOM, decode_line, scan_chunks
from anadrome.ngram.errors import InvalidText
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
_SPECIAL = re.compile(rb"(?<![^ \t\r\n])(?:<s>|</s>|<unk>)(?![^ \t\r\n])")
_SPACE = re.compile(rb"[ \t\r\n]+")


class Numbering:
    """Numbers of words as they are met, from 3; the special ones come first."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = defaultdict(
            itertools.count(len(SPECIALS)).__next__
        )
        for number, word in enumerate(SPECIALS):
            self._numbers[word.encode()] = number

    def __len__(self) -> int:
        return len(self._numbers)

    def encode(self, words: list[bytes]) -> np.ndarray:
        """The numbers of words (T,), which are new for words that are."""
        return np.fromiter(
            map(self._numbers.__getitem__, words), np.int32, count=len(words)
        )

    def words(self) -> list[str]:
        """The words in the order of their numbers."""
        return [word.decode() for word in self._numbers]


def encode_text(text: Text, on_special: OnSpecial) -> tuple[np.ndarray, list[str]]:
    """The numbers of all words (T,), each sentence ending with `</s>`; and the words.

    A line is a sentence, also one without words; spaces and tabs divide words.
    """
    numbering = Numbering()
    parts = [numbering.encode(words) for words in scan_words(text, on_special)]
    if not parts:
        raise EmptyCorpus("there is no sentence to count")
    return np.concatenate(parts), numbering.words()


def scan_words(text: Text, on_special: OnSpecial) -> Iterator[list[bytes]]:
    """The words of a text in pieces, with `</s>` at the end of each sentence."""
    if isinstance(text, (str, PathLike)):
        yield from _scan_file(text, on_special)
        return
    sentences: list[bytes] = []
    held = 0
    number = 0
    for item in text:
        if isinstance(item, PathLike):
            yield from _scan_file(item, on_special)
            continue
        number += 1
        line = _sentence(item, number)
        sentences.append(line)
        held += len(line)
        if held >= _CHUNK:
            yield _split(
                _joined(sentences), _NO_FILE, number - len(sentences), on_special
            )
            sentences, held = [], 0
    if sentences:
        yield _split(_joined(sentences), _NO_FILE, number - len(sentences), on_special)


def _sentence(item: Sentence, number: int) -> bytes:
    text = item if isinstance(item, str) else " ".join(item)
    line = text.encode()
    if b"\n" in line or b"\0" in line:
        raise InvalidText(
            "the sentence holds a line end or a NUL", path=_NO_FILE, line=number
        )
    if not isinstance(item, str) and len(_words(line)) != len(item):
        raise InvalidText(
            "a word of the sentence is empty or holds a space",
            path=_NO_FILE,
            line=number,
        )
    return line


def _joined(sentences: list[bytes]) -> bytes:
    return b"\n".join(sentences) + b"\n"


def _scan_file(
    path: str | PathLike[str], on_special: OnSpecial
) -> Iterator[list[bytes]]:
    lines = 0
    blank = True
    for piece in _line_pieces(path):
        blank = blank and not piece.strip()
        yield _split(piece, fspath(path), lines, on_special)
        lines += piece.count(b"\n")
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


def _split(piece: bytes, path: str, before: int, on_special: OnSpecial) -> list[bytes]:
    """The words of whole lines, `</s>` for each line end."""
    _check_utf8(piece, path, before)
    if b"<" in piece and (found := _SPECIAL.search(piece)):
        if on_special == "skip":
            piece = _SPECIAL.sub(b"", piece)
        else:
            while found and on_special == "count" and found[0] == b"<unk>":
                found = _SPECIAL.search(piece, found.end())
            if found:
                _refuse(found, piece, path, before)
    return _words(piece.replace(b"\n", b" </s> "))


def _words(line: bytes) -> list[bytes]:
    # `bytes.split` also divides at form feeds and vertical tabs.
    if b"\f" in line or b"\v" in line:
        return [word for word in _SPACE.split(line) if word]
    return line.split()


def _refuse(found: re.Match[bytes], piece: bytes, path: str, before: int) -> None:
    word = found[0].decode()
    help = 'write it in another way, or pass on_special="skip" to leave it out'
    if word == SPECIALS[UNK]:
        help += ', or on_special="count" to count it as any word'
    raise InvalidText(
        f"the word {word} is reserved",
        path=path,
        line=before + piece.count(b"\n", 0, found.start()) + 1,
        help=help,
    )


def _check_utf8(piece: bytes, path: str, before: int) -> None:
    try:
        piece.decode("utf-8")
        if b"\0" not in piece:
            return
    except UnicodeDecodeError:
        pass
    for number, line in enumerate(piece.split(b"\n"), start=before + 1):
        decode_line(line, path, number)
