"""A binary format that opens at once: arrays in one file, mapped into memory.

The file begins with a line that names the format and the length of the header, which is
JSON and says where each array is; they are aligned to 64 bytes. Numbers are little
endian. Pages are read when they are asked for, and processes share them.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

import numpy as np

from anadrome.corpora.files import write_pieces
from anadrome.ngram.errors import InvalidModel
from anadrome.ngram.tables import CONTEXT, SLOT, SPECIALS, Tables
from anadrome.ngram.words import Words
from anadrome.text.errors import MissingFile

MAGIC = b"anadrome n-gram model 1\n"
"""The first line of every file."""

_ALIGN = 64
_TYPES = {name: np.dtype(name) for name in ("<i4", "<i8", "<f4", "|i1", "|u1")} | {
    "slot": SLOT,
    "context": CONTEXT,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


def write_binary(
    path: str | PathLike[str], words: Words, tables: Tables, order: int
) -> None:
    """Write a model whole or not at all."""
    arrays = {"content": words.content, "starts": words.begin, **tables.arrays()}
    write_pieces(path, _pieces(arrays, order))


def _pieces(arrays: dict[str, np.ndarray], order: int) -> Iterator[bytes]:
    places: dict[str, dict[str, Any]] = {}
    at = 0  # from the end of the header
    little = {}
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        little[name] = array
        places[name] = {"type": _NAMES[array.dtype], "length": len(array), "at": at}
        at += _aligned(array.nbytes)
    header = json.dumps({"order": order, "size": at, "arrays": places}).encode()
    head = MAGIC + b"%d\n" % len(header) + header
    yield head + b" " * (_aligned(len(head)) - len(head))
    for array in little.values():
        yield array.tobytes()
        yield bytes(_aligned(array.nbytes) - array.nbytes)


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def is_binary(path: str | PathLike[str]) -> bool:
    """Whether a file begins as such a model does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except FileNotFoundError:
        raise MissingFile("there is no such file", path=path) from None
    except IsADirectoryError:
        raise MissingFile("this is a folder, not a file", path=path) from None


def open_binary(path: str | PathLike[str]) -> tuple[Words, Tables, int]:
    """The words, the tables and the order of a model, mapped from its file."""
    with open(path, "rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        header, base = _read_header(content)
        if len(content) != base + header["size"]:
            raise ValueError(
                f"it has {len(content)} bytes and should have {base + header['size']}"
            )
        arrays = {}
        for name, place in header["arrays"].items():
            if place["type"] not in _TYPES or place["at"] % _ALIGN:
                raise ValueError(f"the array {name} is of no type that is known")
            arrays[name] = np.frombuffer(
                content, _TYPES[place["type"]], place["length"], base + place["at"]
            )
        words = Words(arrays.pop("content"), arrays.pop("starts"))
        tables = Tables.from_arrays(**arrays)
        _check(words, tables)
        return words, tables, int(header["order"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidModel(
            f"the model is damaged ({error})", path=fspath(path)
        ) from None


def _read_header(content: mmap.mmap) -> tuple[dict[str, Any], int]:
    end = content.find(b"\n", len(MAGIC), len(MAGIC) + 20)
    if end < 0:
        raise ValueError("the length of the header is missing")
    length = int(content[len(MAGIC) : end])
    header = json.loads(content[end + 1 : end + 1 + length])
    return header, _aligned(end + 1 + length)


def _check(words: Words, tables: Tables) -> None:
    """Fail if the arrays do not fit together."""
    entries, contexts = len(tables.words), len(tables.links)
    if not (
        len(words) >= len(SPECIALS)
        and tuple(words[: len(SPECIALS)]) == SPECIALS
        and len(words.content) == words.begin[-1]
        and len(tables.begin) == contexts + 1
        and tables.begin[0] == 0
        and tables.begin[1] == len(words)
        and tables.begin[-1] == entries
        and len(tables.probs) == len(tables.nexts) == entries
        and len(tables.lengths) == contexts
        and len(tables.keys) > entries
        and tables.keys[-1] == -1
    ):
        raise ValueError("its arrays do not fit together")
