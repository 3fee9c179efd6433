"""Loops that read and write parts of one array which are the same or do not meet."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph
from anadrome.ir.types import INT, NONE, Num, Other
from anadrome.optimize.analysis.memory import Place


def recurrence(x, w):
    """The first iteration reads the last column: its own, if there is but one."""
    x = x.copy()
    for k in range(x.shape[1]):
        x[1:, k] = np.sin(x[1:, k - 1]) * w[1:, k] + 0.5 * x[1:, k]
    return np.sum(x * x)


def beside(x, w):
    """Columns that are cleared, added to and stored, and may be one and the same."""
    x = x.copy()
    n = x.shape[1]
    for k in range(n):
        old = x[:, k] * w[:, k]
        x[:, k] = 0.0
        x[:, k - 1] += old
        x[:, (2 * k) % n] += 0.25 * old * old
        x[:, n - 1 - k] = old + w[:, k]
    return np.sum(x * x * w)


def from_the_end(x, w):
    x = x.copy()
    n = x.shape[1]
    x[:, n - 1] = x[:, n - 1] / (1 + w[:, n - 1] ** 2)
    for k in range(n - 2, -1, -1):
        x[:, k] = x[:, k] - w[:, k] * x[:, k + 1]
    return np.sum(x * x)


def sums(x, w):
    """Columns of arrays that nothing is stored into: their gradients are added up."""
    total = x[:, 0] * w[:, 0]
    for k in range(1, x.shape[1]):
        total = 0.5 * total + x[:, k] * x[:, k - 1] * w[:, -k]
    return np.sum(total * x[:, -1])


def twice(x, w):
    """What a loop begins with is read again behind it."""
    first = x * w
    a = b = first
    for k in range(x.shape[1]):
        a, b = b * 0.5 + w[:, k : k + 1], a
    return np.sum(a * b * first)


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("rows", [2, 19])
@pytest.mark.parametrize(
    "function",
    [recurrence, beside, from_the_end, sums, twice],
    ids=lambda f: f.__name__,
)
def test_values_and_gradients_are_those_of_python(function, rows, columns):
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(2, rows, columns)) * 0.5
    both = ad.value_and_grad(function, argnums=(0, 1))
    value, gradients = both(x, w)
    for layout in (np.ascontiguousarray, np.asfortranarray):
        found, slopes = ad.jit(both)(layout(x), layout(w))
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for a, b in zip(slopes, gradients):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def place(base, *parts):
    return Place(base, Apply(ops.TUPLE, parts, Other(tuple)))


def cut(first, last):
    ends = [Constant(v, NONE if v is None else INT) for v in (first, last, None)]
    return Apply(ops.SLICE, tuple(ends), Other(slice))


def test_places_that_are_the_same_or_apart():
    graph = Graph("f")
    x, y = (graph.add_parameter(Num(np.dtype(float), 2), name) for name in "xy")
    i, j = (graph.add_parameter(INT, name) for name in "ij")
    here = place(x, cut(1, None), i)
    assert here.aligned(place(x, cut(1, None), j))
    assert here.aligned(place(x, cut(1, None), Constant(3, INT)))
    assert not here.aligned(place(x, cut(2, None), j))
    assert not here.aligned(place(y, cut(1, None), j))
    assert not here.aligned(place(x, i, cut(1, None)))
    assert not here.aligned(place(x, j))
    assert not here.aligned(Place(x, None))
