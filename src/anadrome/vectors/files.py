"""Files of vectors: the text and binary formats of word2vec, and the text of GloVe."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from anadrome.corpora.files import PathName, read_bytes, scan_raw_lines, write_bytes
from anadrome.text.errors import CorpusError, EmptyCorpus, MalformedFile, MalformedLine
from anadrome.vectors.words import WordVectors

_HEADER = re.compile(rb"(\d+) (\d+)\s*")


def read_vectors(path: PathName, *, limit: int | None = None) -> WordVectors:
    """The vectors in a file, or the first so many of them.

    `.bin` is word2vec's binary format; everything else is text, with the line of
    counts that word2vec writes or without it, as GloVe does. Both may be gzipped.
    """
    if ".bin" in Path(path).suffixes:
        return _read_binary(path, limit)
    words: dict[str, int] = {}  # and the lines that they are on
    rows: list[np.ndarray] = []
    count, width = None, 0
    for number, line in scan_raw_lines(path):
        if number == 1 and (header := _HEADER.fullmatch(line)):
            count, width = int(header[1]), int(header[2])
            continue
        if not line.strip():
            continue
        # A word may hold spaces (GloVe's 840B has such); numbers never do.
        parts = line.rstrip().split(b" ")
        if not width:
            width = len(parts) - 1
        row = _numbers(parts[len(parts) - width :], path, number)
        word = _word(b" ".join(parts[: len(parts) - width]), path, number)
        if not word or len(row) != width or not width:
            raise MalformedLine(
                f"there should be a word and {width or 'some'} numbers, separated by "
                "spaces",
                path=path,
                line=number,
            )
        if word in words:
            raise MalformedLine(
                f"{word!r} has a vector on line {words[word]} already",
                path=path,
                line=number,
            )
        words[word] = number
        rows.append(row)
        if limit is not None and len(rows) == limit:
            break
    if not rows:
        raise EmptyCorpus("there are no vectors here", path=path)
    if count not in (None, len(rows)) and len(rows) != limit:
        raise MalformedFile(
            f"the first line counts {count:,} vectors, but there are {len(rows):,}",
            path=path,
        )
    return WordVectors(tuple(words), np.array(rows))


def write_vectors(path: PathName, vectors: WordVectors, *, header: bool = True) -> None:
    """Write vectors: as binary if the name ends so (`.bin`), else as text.

    Text begins with word2vec's line of counts unless there is to be no header.
    """
    V, D = vectors.array.shape
    bad = next((w for w in vectors.words if not w or set(w) & set(" \n\t")), None)
    if bad is not None:
        raise CorpusError(f"{bad!r} cannot be written: it is not one word", path=path)
    counts = f"{V} {D}\n".encode()
    if ".bin" in Path(path).suffixes:
        array = np.ascontiguousarray(vectors.array, "<f4")
        records = (
            word.encode() + b" " + row.tobytes() + b"\n"
            for word, row in zip(vectors.words, array)
        )
        write_bytes(path, counts + b"".join(records))
        return
    lines = (
        f"{word} {' '.join(f'{x:.7g}' for x in row)}\n".encode()
        for word, row in zip(vectors.words, vectors.array)
    )
    write_bytes(path, (counts if header else b"") + b"".join(lines))


def _read_binary(path: PathName, limit: int | None) -> WordVectors:
    content = read_bytes(path)
    end = content.find(b"\n", 0, 64)
    header = _HEADER.fullmatch(content[: end + 1])
    if end < 0 or header is None:
        raise MalformedFile("the first line should have two counts", path=path)
    count, width = int(header[1]), int(header[2])
    if not width:
        raise MalformedFile("vectors of no features", path=path)
    at = end + 1
    words: dict[str, int] = {}
    rows = []
    for number in range(1, min(count, limit or count) + 1):
        space = content.find(b" ", at)
        if space < 0 or space + 1 + 4 * width > len(content):
            raise MalformedFile(
                f"the file ends inside of vector {number} of {count}", path=path
            )
        word = _word(content[at:space].lstrip(b"\n"), path, None)
        if not word or word in words:
            raise MalformedFile(
                f"vector {number} has no word of its own ({word!r})", path=path
            )
        words[word] = number
        rows.append(np.frombuffer(content, "<f4", width, space + 1))
        at = space + 1 + 4 * width
    if not rows:
        raise EmptyCorpus("there are no vectors here", path=path)
    array = np.array(rows, np.float32)
    if not np.isfinite(array).all():
        raise MalformedFile("there is a vector with nan or inf", path=path)
    return WordVectors(tuple(words), array)


def _word(raw: bytes, path: PathName, line: int | None) -> str:
    # word2vec cuts long words at so many bytes, which may be inside of a letter.
    return raw.decode("utf-8", errors="replace").strip()


def _numbers(parts: list[bytes], path: PathName, line: int) -> np.ndarray:
    try:
        row = np.array([float(part) for part in parts], np.float32)
    except ValueError:
        text = next(part for part in parts if not _is_number(part))[:30]
        raise MalformedLine(
            f"{text.decode('utf-8', errors='replace')!r} stands where one of "
            f"{len(parts)} numbers should be",
            path=path,
            line=line,
        ) from None
    if not np.isfinite(row).all():
        raise MalformedLine("nan or inf in a vector", path=path, line=line)
    return row


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True
