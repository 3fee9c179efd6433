"""Vectors of words in text files, as word2vec, GloVe and fastText write them.

A line has a word and its numbers, with single spaces between them; word2vec and
fastText put a line with the counts of words and numbers before all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from anadrome.corpora.files import PathName, scan_lines
from anadrome.text.errors import EmptyCorpus, MalformedLine


def scan_vectors(path: PathName) -> Iterator[tuple[int, str, list[str]]]:
    """The words of a file with their lines, and their numbers as they are written."""
    width = None
    for number, line in scan_lines(path):
        parts = line.rstrip().split(" ")
        if number == 1 and len(parts) == 2 and all(p.isdecimal() for p in parts):
            width = int(parts[1])
            continue
        if width is None:
            width = len(parts) - 1
        # GloVe's words may hold spaces: what is behind them is of a known length.
        words, numbers = parts[: len(parts) - width], parts[len(parts) - width :]
        if width < 1 or not words or (words[1:] and all(map(_is_number, words[1:]))):
            raise MalformedLine(
                f"there are {len(parts) - 1} numbers, not {width}"
                if width > 0
                else "there are no numbers behind the word",
                path=path,
                line=number,
                help="a line of vectors is a word and its numbers, one space between",
            )
        yield number, " ".join(words), numbers


def read_vectors(path: PathName, words: Mapping[str, int]) -> np.ndarray:
    """The vectors (V, E) of the words with these numbers; NaN where there is none.

    A word that the file has in capitals only has that vector in small letters, too.
    """
    count = 1 + max(words.values(), default=-1)
    found: np.ndarray | None = None
    exact: set[int] = set()
    for line, word, numbers in scan_vectors(path):
        if found is None:
            found = np.full((count, len(numbers)), np.nan, np.float32)
        place = words.get(word)
        if place is None:
            place = words.get(word.lower())
            if place is None or place in exact or not np.isnan(found[place, 0]):
                continue
        else:
            exact.add(place)
        try:
            vector = np.array(numbers, np.float32)
        except ValueError:
            vector = np.array([np.nan])
        if not np.all(np.isfinite(vector)):
            raise MalformedLine(
                f"what stands behind {word!r} is not all numbers", path=path, line=line
            )
        found[place] = vector
    if found is None:
        raise EmptyCorpus("there are no vectors here", path=path)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
