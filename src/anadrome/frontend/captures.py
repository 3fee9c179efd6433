"""What a function takes from around it, and how that is read at each call."""

from __future__ import annotations

import types as pytypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from anadrome.infer.values import callable_data, known_by_identity
from anadrome.ir.graph import Parameter

FOLDED = (bool, int, str, type(None), tuple, type, np.dtype, slice, type(Ellipsis))


class Capture:
    """A captured value: how to read it at each call."""

    def __init__(self, read: Callable[[], Any], parameter: Parameter, key: Any) -> None:
        self.read = read
        self.parameter = parameter
        self.key = key


class Guard:
    """A fact about a captured value that the graph relies on."""

    def __init__(self, read: Callable[[], Any], expected: Any, key: Any) -> None:
        self.read = read
        self.expected = expected
        self.key = key

    def holds(self) -> bool:
        """Whether the fact is still true."""
        try:
            now = self.read()
        except Exception:
            return False
        if now is self.expected:
            return True
        if known_by_identity(self.expected):
            return False
        if not callable_data(self.expected) and not isinstance(self.expected, FOLDED):
            return False
        return type(now) is type(self.expected) and bool(now == self.expected)


_ALIASES = {"np": "numpy", "sp": "scipy"}


def keeps_its_name(value: Any, name: str) -> bool:
    """Whether a variable is a library under its usual name, which nobody changes."""
    if not isinstance(value, pytypes.ModuleType):
        return False
    usual = value.__name__.rpartition(".")[2]
    return name == usual or _ALIASES.get(name) == value.__name__


def reader_of(cell: Any) -> Callable[[], Any]:
    return lambda: cell.cell_contents


def item_reader(table: dict[str, Any], name: str) -> Callable[[], Any]:
    return partial(table.__getitem__, name)
