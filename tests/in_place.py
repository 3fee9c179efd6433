"""Functions that change their arguments, run in every mode and compared with Python."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import anadrome as ad

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {}


def _layout(make: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    def filled(a: np.ndarray) -> np.ndarray:
        made = make(a)
        made[...] = a
        return made

    LAYOUTS[make.__name__] = filled
    return filled


@_layout
def rows(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, a.dtype)


@_layout
def columns(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, a.dtype, order="F")


@_layout
def strided(a: np.ndarray) -> np.ndarray:
    return np.zeros([2 * n for n in a.shape], a.dtype)[(slice(None, None, 2),) * a.ndim]


@_layout
def reversed_rows(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, a.dtype)[::-1]


@_layout
def misaligned(a: np.ndarray) -> np.ndarray:
    memory = np.zeros(a.nbytes + 8, np.uint8)
    return memory[1 : 1 + a.nbytes].view(a.dtype).reshape(a.shape)


@_layout
def padded(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, np.dtype([("pad", "i1"), ("value", a.dtype)]))["value"]


@_layout
def swapped_bytes(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, a.dtype.newbyteorder(">"))


def copied(args: tuple[Any, ...], layout: str) -> list[Any]:
    """Arguments like these whose arrays lie in memory in some way."""
    lay = LAYOUTS[layout]
    return [
        lay(a) if isinstance(a, np.ndarray) and a.ndim else copy.deepcopy(a)
        for a in args
    ]


def differences(function: Any, args: tuple[Any, ...], layout: str) -> list[Any]:
    """The gradient by central differences, exact where nothing is cubic."""
    step, found = 2.0**-5, []
    for k, a in enumerate(args):
        d = np.zeros(np.shape(a))
        for at in np.ndindex(d.shape):
            ends = []
            for sign in (1, -1):
                moved = np.array(a)
                moved[at] += sign * step
                given = copied((*args[:k], moved, *args[k + 1 :]), layout)
                if not isinstance(a, np.ndarray):
                    given[k] = float(moved)
                ends.append(float(function(*given)))
            d[at] = (ends[0] - ends[1]) / (2 * step)
        found.append(d)
    return found


def check_every_mode(
    function: Any, *args: Any, layout: str = "rows", tolerance: float = 1e-6
) -> None:
    """Values, gradients and changes of arguments are those of Python."""
    changed = copied(args, layout)
    value = function(*changed)
    places = tuple(range(len(args)))
    slopes = differences(function, args, layout)

    def same(found: Any, wanted: Any) -> None:
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)

    given = copied(args, layout)
    same(ad.jit(function)(*given), value)
    for a, b in zip(given, changed):
        same(a, b)
    gradient = ad.value_and_grad(function, places)
    tangents = [np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args]
    for derivative in (gradient, ad.jit(gradient)):
        given = copied(args, layout)
        # Twice: the first call must leave everything as it was.
        for _ in range(2):
            found, gradients = derivative(*given)
            same(found, value)
            for d, wanted in zip(gradients, slopes):
                same(d, wanted)
            for a, b in zip(given, copied(args, layout)):
                np.testing.assert_array_equal(a, b)
    given = copied(args, layout)
    found, slope = ad.jvp(function, tuple(given), tuple(tangents))
    same(found, value)
    same(slope, sum(np.sum(d) for d in slopes))
    for a, b in zip((*given, *tangents), (*copied(args, layout), *np.ones(len(args)))):
        np.testing.assert_array_equal(a, b)
