"""Whether arguments are of the types that a program was made for, asked natively.

Python takes a tenth of a microsecond to look at an argument, which small programs
notice. What is asked is what `key_of` tells apart, for arrays and plain numbers only.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..linking.builtin import make_builtin
from ..target import select_target
from .array_objects import RECOGNISE, array_library

_PLAIN = (float, int, complex, type(None))
_MOST_AXES = 32


class Recogniser:
    """Calls of `recognises` say whether arguments are of the same types as these."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        # The types are known by their addresses, so they must stay.
        self.kept = [a.dtype for a in args if type(a) is np.ndarray]
        table = struct.pack("q", len(args)) + b"".join(map(_row, args))
        address = array_library(select_target()).addresses[RECOGNISE]
        self.recognises: Callable[..., bool] = make_builtin("recognise", address, table)


def can_recognise(args: tuple[Any, ...]) -> bool:
    """Whether native code can tell the types of arguments, and more quickly.

    Where there are no arrays, Python is as quick, and the library may not be there yet.
    """
    if not any(type(a) is np.ndarray for a in args):
        return False
    return all(
        type(a) in _PLAIN or (type(a) is np.ndarray and a.ndim <= _MOST_AXES)
        for a in args
    )


def _row(value: Any) -> bytes:
    """The type of an argument in three words."""
    if type(value) is not np.ndarray:
        return struct.pack("qqq", id(type(value)), 0, 0)
    ones = sum(1 << k for k, n in enumerate(value.shape) if n == 1)
    return struct.pack("qqq", id(np.ndarray), id(value.dtype), value.ndim | ones << 16)
