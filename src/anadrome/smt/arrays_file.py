"""Arrays and lists of words in one file, which is mapped into memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.corpora.files import write_bytes
from anadrome.smt.sentences import Array
from anadrome.text.errors import MalformedFile, MissingFile

_MAGIC = b"anadrome arrays\n"
_ALIGN = 64


def write_arrays(
    path: Path,
    format: str,
    notes: Mapping[str, Any],
    texts: Mapping[str, Sequence[str]],
    arrays: Mapping[str, Array],
) -> None:
    """Write a file whole or not at all: a line of JSON, then the arrays as they are."""
    pieces = {f"text {k}": _encode(v) for k, v in texts.items()}
    pieces |= {k: np.ascontiguousarray(v) for k, v in arrays.items()}
    places = {}
    at = 0
    for name, array in pieces.items():
        places[name] = [array.dtype.str, list(array.shape), at]
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps(
        {"format": format, "notes": dict(notes), "size": at, "arrays": places}
    ).encode()
    before = len(_MAGIC) + len(header) + 1
    content = bytearray(_MAGIC + header + b"\n" + b" " * (-before % _ALIGN))
    for array in pieces.values():
        content += array.tobytes() + bytes(-array.nbytes % _ALIGN)
    write_bytes(path, bytes(content))


def read_arrays(
    path: Path, format: str, *older: str
) -> tuple[dict[str, Any], dict[str, list[str]], dict[str, Array]]:
    """Notes, words and arrays of a file; the arrays are read when they are used.

    The file may also be in one of the older formats.
    """
    try:
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise MalformedFile(f'this is not in the format "{format}"', path=path)
            line = file.readline()
    except FileNotFoundError:
        raise MissingFile("there is no such file", path=path) from None
    try:
        header = json.loads(line)
        found = header["format"]
    except (ValueError, KeyError):
        raise MalformedFile("the beginning of the file is damaged", path=path) from None
    if found not in (format, *older):
        raise MalformedFile(
            f'this is in the format "{found}", not "{format}"', path=path
        )
    start = -(-(len(_MAGIC) + len(line)) // _ALIGN) * _ALIGN
    if path.stat().st_size != start + header["size"]:
        raise MalformedFile("the file is not whole", path=path)
    arrays = {}
    for name, (dtype, shape, at) in header["arrays"].items():
        empty = 0 in shape
        arrays[name] = (
            np.empty(shape, dtype)
            if empty
            else np.memmap(path, dtype, "r", start + at, tuple(shape)).view(np.ndarray)
        )
    texts = {
        name.removeprefix("text "): arrays.pop(name).tobytes().decode().split("\n")[:-1]
        for name in list(arrays)
        if name.startswith("text ")
    }
    return header["notes"], texts, arrays


def _encode(words: Sequence[str]) -> Array:
    return np.frombuffer("".join(w + "\n" for w in words).encode(), np.uint8)
