"""Checks that values fit together: they fail as Python and NumPy do, or do nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.ir.types import NONE
from anadrome.primitives.registry import primitive


def _fit_together(*arrays: Any) -> None:
    np.broadcast_shapes(*map(np.shape, arrays))


def _same_length(a: Any, i: int, b: Any, j: int) -> None:
    first, second = np.shape(a), np.shape(b)
    if first[i] != second[j]:
        raise ValueError(
            f"axes of length {first[i]} and {second[j]} do not go together, of arrays "
            f"of shapes {first} and {second}"
        )


def _check_some(length: int, name: str) -> None:
    if length == 0:
        raise ValueError(f"{name}() iterable argument is empty")


def _check_count(length: int, count: int, more: bool = False) -> None:
    if length > count and not more:
        raise ValueError(f"too many values to unpack (expected {count})")
    if length < count:
        wanted = f"at least {count}" if more else count
        raise ValueError(
            f"not enough values to unpack (expected {wanted}, got {length})"
        )


def _check_arguments(length: int, count: int, more: bool = False) -> None:
    if length < count or (length > count and not more):
        wanted = f"at least {count}" if more else count
        raise TypeError(f"a star gives {length} arguments where {wanted} are taken")


@primitive(_fit_together, pure=False, zero=True, infer=lambda *arrays: NONE)
def fit_together(*arrays):
    """Nothing, if arrays can be broadcast against each other."""


@primitive(_same_length, pure=False, zero=True, infer=lambda a, i, b, j: NONE)
def same_length(a, i, b, j):
    """Nothing, if an axis of one array is as long as an axis of another."""


@primitive(
    _check_count, pure=False, zero=True, infer=lambda length, count, more=None: NONE
)
def check_count(length, count, more=False):
    """Nothing, if there are as many values as names to unpack them into, or more."""


@primitive(
    _check_arguments, pure=False, zero=True, infer=lambda length, count, more=None: NONE
)
def check_arguments(length, count, more=False):
    """Nothing, if a star gives as many arguments as are taken, or more."""


@primitive(_check_some, pure=False, zero=True, infer=lambda length, name: NONE)
def check_some(length, name):
    """Nothing, if there are items to choose from."""
