"""The ARPA format: n-grams of all orders as text, with log10-probabilities.

    \\data\\
    ngram 1=3
    ngram 2=2

    \\1-grams:
    -0.5<tab>word<tab>-0.3
    ...
    \\end\\

A back-off weight may be left out, and is one then. `<unk>` may be missing; it gets a
probability of 10⁻¹⁰⁰, as in KenLM.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath

import numpy as np

from anadrome.corpora.files import decode_line, read_bytes, write_pieces
from anadrome.ngram.errors import InvalidModel
from anadrome.ngram.levels import Ngrams, link_levels
from anadrome.ngram.lexicon import compiled
from anadrome.ngram.numerals import NUMERAL, put_lines, take_lines
from anadrome.ngram.tables import SPECIALS, Level
from anadrome.ngram.words import Words

UNKNOWN_LOG_PROB = -100.0
"""What `<unk>` has in a model that says nothing of it."""

_ROWS = 1 << 16  # how many n-grams are written at a time
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(-?\d+)\s*$")


def read_arpa(
    path: str | PathLike[str], *, native: bool = True
) -> tuple[Words, list[Level]]:
    """The words and the n-grams of an ARPA file, which may be compressed by gzip."""
    return _Reader(path, read_bytes(path), native).read()


class _Reader:
    """The content of a file, and how far it is read."""

    def __init__(self, path: str | PathLike[str], content: bytes, native: bool) -> None:
        self.path = fspath(path)
        self.native = native
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n")
        self.content = content if content.endswith(b"\n") else content + b"\n"
        self.at = 0  # the place of the next line
        self.line = 0  # the number of lines read
        self.numbers: dict[bytes, int] = {}

    def fail(self, message: str, line: int | None, help: str | None = None) -> None:
        raise InvalidModel(message, path=self.path, line=line, help=help)

    def read(self) -> tuple[Words, list[Level]]:
        counts = self.read_counts()
        grams = [self.read_words(*self.read_section(1, counts[0]))]
        words = Words.from_list([word.decode() for word in self.numbers])
        for n, count in enumerate(counts[1:], start=2):
            plain = self.read_plain(n, count, words) if self.native else None
            grams.append(plain or self.read_ngrams(n, *self.read_section(n, count)))
        self.read_end()
        return words, link_levels(grams)

    @property
    def more(self) -> bool:
        return self.at < len(self.content)

    def peek(self) -> bytes:
        """The next line, without its end."""
        return self.content[self.at : self.content.index(b"\n", self.at)]

    def next(self) -> bytes:
        line = self.peek()
        self.at += len(line) + 1
        self.line += 1
        return line

    def skip_blank(self) -> bytes:
        """The next line that is not blank, which counts as read; "" at the end."""
        while self.more:
            if line := self.next().strip():
                return line
        return b""

    def read_counts(self) -> list[int]:
        """What the header says of how many n-grams there are of each order."""
        line = self.skip_blank()
        # Other programs may put remarks before it.
        while line and line != b"\\data\\":
            if line.startswith(b"\\"):
                break
            line = self.skip_blank()
        if line != b"\\data\\":
            self.fail(
                "this is not an ARPA file: there is no line \\data\\",
                1,
                "is it a model in a binary format of another program?",
            )
        counts: list[int] = []
        while self.more and not self.peek().lstrip().startswith(b"\\"):
            line = self.next().strip()
            if not line:
                continue
            found = _COUNT.match(line)
            if found is None:
                self.fail(f"not a count of n-grams: {_show(line)}", self.line)
                raise AssertionError
            n, count = int(found[1]), int(found[2])
            if n != len(counts) + 1:
                self.fail(f"the count of {n}-grams stands out of order", self.line)
            if count < 0:
                self.fail(f"the count of {n}-grams is negative", self.line)
            counts.append(count)
        if not counts:
            self.fail("the header has no counts of n-grams", self.line)
        return counts

    def read_title(self, n: int) -> None:
        line = self.skip_blank()
        if line != f"\\{n}-grams:".encode():
            what = "the file ends" if not line else f"there is {_show(line)}"
            self.fail(f"{what} where the {n}-grams should begin", self.line)

    def read_plain(self, n: int, count: int, words: Words) -> Ngrams | None:
        """The n-grams of one order in native code; None if that cannot read them."""
        at, line = self.at, self.line
        self.read_title(n)
        ids = np.empty((count, n), np.int32)
        probs, backoffs = np.empty(count), np.empty(count)
        lexicon = words.lexicon
        end = compiled(take_lines)(
            np.frombuffer(self.content, np.uint8),
            self.at,
            lexicon.content,
            lexicon.begin,
            lexicon.slots,
            ids,
            probs,
            backoffs,
        )
        if end >= 0 and not (probs > 0).any():
            after = self.content[end : end + 1]
            if after in (b"", b"\n", b"\\"):
                places = np.arange(self.line + 1, self.line + count + 1)
                self.at, self.line = end, self.line + count
                return Ngrams(ids, probs, backoffs, places, self.path)
        self.at, self.line = at, line
        return None

    def read_section(
        self, n: int, count: int
    ) -> tuple[list[list[bytes]], np.ndarray, np.ndarray, int]:
        """The fields of the n-grams, their numbers, and the line before the first."""
        self.read_title(n)
        first = self.line
        fields: list[list[bytes]] = []
        # A section ends with a blank line, or where the next one begins.
        while self.more:
            line = self.peek()
            if not line.strip() or line.startswith(b"\\"):
                break
            fields.append(self.next().split())
        if len(fields) != count:
            self.fail(
                f"the header counts {count} {n}-grams, and there are {len(fields)}",
                self.line,
                "the file may have been cut off or joined from parts",
            )
        if not set(map(len, fields)) <= {n + 1, n + 2}:
            self.find_wrong_width(fields, n, first)
        try:
            probs = np.array([float(row[0]) for row in fields])
            backoffs = np.array(
                [float(row[n + 1]) if len(row) == n + 2 else 0.0 for row in fields]
            )
        except ValueError:
            self.find_wrong_number(fields, n, first)
            raise AssertionError from None
        # Other programs write -inf for what cannot come.
        wrong = np.flatnonzero(np.isnan(probs) | (probs > 0))
        if len(wrong):
            self.fail(
                f"{_show(fields[wrong[0]][0])} is not the logarithm of a probability",
                first + int(wrong[0]) + 1,
            )
        wrong = np.flatnonzero(np.isnan(backoffs) | (backoffs == math.inf))
        if len(wrong):
            self.fail(
                f"{_show(fields[wrong[0]][n + 1])} is not a back-off weight",
                first + int(wrong[0]) + 1,
            )
        return fields, probs, backoffs, first

    def read_ngrams(
        self,
        n: int,
        fields: list[list[bytes]],
        probs: np.ndarray,
        backoffs: np.ndarray,
        first: int,
    ) -> Ngrams:
        """The n-grams of an order above one."""
        count = len(fields)
        flat = itertools.chain.from_iterable(row[1 : n + 1] for row in fields)
        known = map(self.numbers.get, flat, itertools.repeat(-1))
        ids = np.fromiter(known, np.int32, count=n * count).reshape(count, n)
        if count and ids.min() < 0:
            row, column = (int(x[0]) for x in np.nonzero(ids < 0))
            self.fail(
                f"the word {_show(fields[row][column + 1])} is not among the unigrams",
                first + row + 1,
            )
        places = np.arange(first + 1, first + count + 1)
        return Ngrams(ids, probs, backoffs, places, self.path)

    def read_words(
        self,
        fields: list[list[bytes]],
        probs: np.ndarray,
        backoffs: np.ndarray,
        first: int,
    ) -> Ngrams:
        """The unigrams, numbered as they stand after the special ones."""
        words = [row[1] for row in fields]
        if b"<unk>" not in words:
            words = [b"<unk>" if word == b"<UNK>" else word for word in words]
        for number, special in enumerate(SPECIALS):
            self.numbers[special.encode()] = number
        for i, word in enumerate(words):
            try:
                word.decode()
            except UnicodeDecodeError:
                decode_line(word, self.path, first + i + 1)
            self.numbers.setdefault(word, len(self.numbers))
        places = np.arange(first + 1, first + len(words) + 1)
        ids = np.array([self.numbers[word] for word in words], np.int32)
        twice = np.flatnonzero(np.bincount(ids, minlength=3) > 1)
        if len(twice):
            row = int(np.flatnonzero(ids == twice[0])[1])
            self.fail(
                f"the word {_show(words[row])} stands here again", first + row + 1
            )
        for special in SPECIALS[1:]:
            if special.encode() not in words:
                self.fail(f"there is no {special} among the unigrams", first)
        if b"<unk>" not in words:
            ids = np.append(ids, np.int32(0))
            probs = np.append(probs, UNKNOWN_LOG_PROB)
            backoffs = np.append(backoffs, 0.0)
            places = np.append(places, first)
        order = np.argsort(ids)
        return Ngrams(
            ids[order].reshape(-1, 1),
            probs[order],
            backoffs[order],
            places[order],
            self.path,
        )

    def read_end(self) -> None:
        line = self.skip_blank()
        if line != b"\\end\\":
            what = "the file ends without" if not line else f"{_show(line)} instead of"
            self.fail(f"{what} the line \\end\\", self.line)
        line = self.skip_blank()
        if line:
            self.fail("there is more after the line \\end\\", self.line)

    def find_wrong_width(self, fields: list[list[bytes]], n: int, first: int) -> None:
        for i, row in enumerate(fields, start=first + 1):
            if len(row) not in (n + 1, n + 2):
                self.fail(
                    f"a {n}-gram has a log-probability, {n} words and perhaps a "
                    f"back-off weight; here are {len(row)} fields",
                    i,
                )

    def find_wrong_number(self, fields: list[list[bytes]], n: int, first: int) -> None:
        for i, row in enumerate(fields, start=first + 1):
            for at in (0, n + 1):
                if at < len(row):
                    try:
                        float(row[at])
                    except ValueError:
                        self.fail(f"{_show(row[at])} is not a number", i)


def _show(text: bytes) -> str:
    shown = text.decode("utf-8", "backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:40] + "…")


def write_arpa(
    path: str | PathLike[str],
    words: Words,
    grams: Iterable[Ngrams],
    *,
    native: bool = True,
) -> None:
    """Write n-grams of order 1, 2, … as ARPA, whole or not at all."""
    write_pieces(path, _format(words, list(grams), native))


def _format(words: Words, grams: Sequence[Ngrams], native: bool) -> Iterator[bytes]:
    head = [b"\\data\\\n"]
    head += [f"ngram {n}={len(g.ids)}\n".encode() for n, g in enumerate(grams, 1)]
    yield b"".join(head)
    sizes = np.diff(words.begin)
    put = compiled(put_lines) if native else put_lines
    for n, gram in enumerate(grams, start=1):
        yield f"\n\\{n}-grams:\n".encode()
        weights = gram.backoffs if n < len(grams) else gram.backoffs[:0]
        for first in range(0, len(gram.ids), _ROWS):
            ids = gram.ids[first : first + _ROWS]
            room = int(sizes[ids].sum()) + len(ids) * (n + 3 + 2 * NUMERAL)
            out = np.empty(room, np.uint8)
            length = put(
                ids,
                gram.probs[first : first + _ROWS],
                weights[first : first + _ROWS],
                words.content,
                words.begin,
                out,
            )
            yield out[: int(length)].tobytes()
    yield b"\n\\end\\\n"
