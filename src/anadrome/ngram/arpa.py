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
from anadrome.ngram.tables import SPECIALS, Level
from anadrome.ngram.words import Words

UNKNOWN_LOG_PROB = -100.0
"""What `<unk>` has in a model that says nothing of it."""

_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(-?\d+)\s*$")


def read_arpa(path: str | PathLike[str]) -> tuple[Words, list[Level]]:
    """The words and the n-grams of an ARPA file, which may be compressed by gzip."""
    return _Reader(path, read_bytes(path)).read()


class _Reader:
    """The lines of a file, and how far it is read."""

    def __init__(self, path: str | PathLike[str], content: bytes) -> None:
        self.path = fspath(path)
        self.lines = content.replace(b"\r\n", b"\n").split(b"\n")
        self.at = 0  # the number of lines read
        self.numbers: dict[bytes, int] = {}

    def fail(self, message: str, line: int | None, help: str | None = None) -> None:
        raise InvalidModel(message, path=self.path, line=line, help=help)

    def read(self) -> tuple[Words, list[Level]]:
        counts = self.read_counts()
        grams = []
        for n, count in enumerate(counts, start=1):
            grams.append(self.read_section(n, count, last=n == len(counts)))
        self.read_end()
        words = Words.from_list([word.decode() for word in self.numbers])
        return words, link_levels(grams)

    def skip_blank(self) -> bytes:
        """The next line that is not blank, which counts as read; "" at the end."""
        while self.at < len(self.lines):
            self.at += 1
            if line := self.lines[self.at - 1].strip():
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
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            if line.startswith(b"\\"):
                break
            self.at += 1
            if not line:
                continue
            found = _COUNT.match(line)
            if found is None:
                self.fail(f"not a count of n-grams: {_show(line)}", self.at)
                raise AssertionError
            n, count = int(found[1]), int(found[2])
            if n != len(counts) + 1:
                self.fail(f"the count of {n}-grams stands out of order", self.at)
            if count < 0:
                self.fail(f"the count of {n}-grams is negative", self.at)
            counts.append(count)
        if not counts:
            self.fail("the header has no counts of n-grams", self.at)
        return counts

    def read_section(self, n: int, count: int, *, last: bool) -> Ngrams:
        title = f"\\{n}-grams:".encode()
        line = self.skip_blank()
        if line != title:
            what = "the file ends" if not line else f"there is {_show(line)}"
            self.fail(f"{what} where the {n}-grams should begin", self.at)
        first = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            # A section ends with a blank line; words may begin with a backslash.
            if not line.strip() or line.startswith(b"\\"):
                break
            self.at += 1
        lines = self.lines[first : self.at]
        if len(lines) != count:
            self.fail(
                f"the header counts {count} {n}-grams, and there are {len(lines)}",
                self.at,
                "the file may have been cut off or joined from parts",
            )
        fields = [line.split() for line in lines]
        width = set(map(len, fields))
        if not width <= {n + 1, n + 2}:
            self.find_wrong_width(fields, n, first)
        try:
            probs = np.array([row[0] for row in fields], dtype="S").astype(np.float64)
            backoffs = np.array(
                [row[n + 1] if len(row) == n + 2 else b"0" for row in fields], dtype="S"
            ).astype(np.float64)
        except ValueError:
            self.find_wrong_number(fields, n, first)
            raise AssertionError from None
        wrong = np.flatnonzero(~np.isfinite(probs) | (probs > 0))
        # Those of other programs are -inf for what cannot come.
        wrong = wrong[probs[wrong] != -math.inf]
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
        if n == 1:
            return self.read_words(fields, probs, backoffs, first)
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
            self.fail(f"{what} the line \\end\\", self.at)
        line = self.skip_blank()
        if line:
            self.fail("there is more after the line \\end\\", self.at)

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
    path: str | PathLike[str], words: Words, grams: Iterable[Ngrams]
) -> None:
    """Write n-grams of order 1, 2, … as ARPA, whole or not at all."""
    write_pieces(path, _format(words, list(grams)))


def _format(words: Words, grams: Sequence[Ngrams]) -> Iterator[bytes]:
    head = [b"\\data\\\n"]
    head += [f"ngram {n}={len(g.ids)}\n".encode() for n, g in enumerate(grams, 1)]
    yield b"".join(head)
    encoded = words.encoded
    for n, gram in enumerate(grams, start=1):
        yield f"\n\\{n}-grams:\n".encode()
        last = n == len(grams)
        lines = []
        for row, prob, backoff in zip(
            gram.ids.tolist(), gram.probs.tolist(), gram.backoffs.tolist()
        ):
            text = b" ".join([encoded[i] for i in row])
            if last:
                lines.append(b"%.9g\t%b\n" % (prob, text))
            else:
                lines.append(b"%.9g\t%b\t%.9g\n" % (prob, text, backoff))
        yield b"".join(lines)
    yield b"\n\\end\\\n"
