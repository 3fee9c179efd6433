"""Splits whose parts are read one by one, as slices."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.lists.split_to_slices import slice_splits
from anadrome.optimize.passes import optimize


def sliced(function, *args):
    """Whether there were splits, and the text of a function that gives the same."""
    graph = optimize(read(function, args, {}).graph)
    changed = slice_splits(graph)
    text = print_graph(verify(graph))
    found = compile_graph(graph, "sliced")[0](*args)
    np.testing.assert_array_equal(found, function(*args))
    return changed, text


Z = np.arange(24.0).reshape(4, 6)


def halves(z):
    a, b = np.split(z, 2, axis=1)
    return a - b


def rows(z):
    first, *_, last = np.split(z, 4)
    return first * last


def at_points(z):
    parts = np.split(z, [1, 3], axis=-1)
    return np.sum(parts[0]) + np.sum(parts[-1])


def sideways(z):
    return np.hsplit(z, 3)[1] + np.vsplit(z, 2)[0][:1, :2].sum()


def one_part(z):
    return np.split(z, 1)[0]


@pytest.mark.parametrize("function", [halves, rows, at_points, sideways, one_part])
def test_parts_are_read_as_slices(function):
    changed, text = sliced(function, Z)
    assert changed
    assert "split(" not in text


def test_the_parts_of_a_split_are_taken_from_the_array():
    assert sliced(halves, Z)[1].splitlines() == [
        "graph halves(z: float64[:, :]):",
        "  t1: (int, int) = shape(z)",
        "  t2: int = getitem(t1, 1)",
        "  t3: int = remainder(t2, 2)",
        "  t4: bool = equal(t3, 0)",
        "  t5: None = assert(t4, 'parts that were taken to be equal differ')",
        "  t6: int = floor_divide(t2, 2)",
        "  t7: slice = slice(None, None, None)",
        "  t8: slice = slice(None, t6, None)",
        "  t9: (slice, slice) = tuple(t7, t8)",
        "  t10: slice = slice(None, None, None)",
        "  t11: slice = slice(t6, None, None)",
        "  t12: (slice, slice) = tuple(t10, t11)",
        "  t13: None = check_count(2, 2)",
        "  a: float64[:, :] = getitem(z, t9)",
        "  b: float64[:, :] = getitem(z, t12)",
        "  t14: float64[:, :] = subtract(a, b)",
        "  return t14",
    ]


def in_a_loop(z):
    total = 0.0
    for part in np.split(z, 2, axis=1):
        total = total + np.sum(part) ** 2
    return total


def given_back(z):
    return np.split(z, 2, axis=1)


def stored_into(z):
    z = z.copy()
    a, b = np.split(z, 2, axis=1)
    a[0, 0] = 7.0
    return z + np.sum(b)


@pytest.mark.parametrize("function", [in_a_loop, given_back, stored_into])
def test_lists_that_are_needed_stay(function):
    changed, text = sliced(function, Z)
    assert not changed
    assert "split(" in text
