"""Small matrices of all layouts in one loop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anadrome.backends.native.compile import Level
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def native(function, *args, target=None):
    return NativeFunction(optimize(read(function, args, {}).graph), target, Level.JOINT)


def layouts(shape, seed):
    """Matrices of one shape that lie differently in memory."""
    rows, columns = shape
    whole = normal(seed, 2 * rows + 1, 3 * columns + 1)
    yield normal(seed, *shape)
    yield normal(seed, columns, rows).T
    yield whole[1::2, 1::3]
    yield whole[rows:0:-1, columns:0:-1]
    yield np.broadcast_to(normal(seed, columns), shape)
    yield np.broadcast_to(normal(seed, rows, 1), shape)


SHAPES = [(1, 1), (1, 5), (5, 1), (2, 2), (3, 17), (17, 3), (0, 3), (3, 0), (40, 41)]


def mixed(x, y):
    return np.sin(x) * y + x, (x > y) * 2.0


def sums(x, y):
    z = x * y
    return np.sum(z), np.sum(z, axis=0), np.sum(z, axis=1), np.max(x + y, axis=1)


@pytest.mark.parametrize("function", [mixed, sums])
@pytest.mark.parametrize("shape", SHAPES)
def test_layouts(target, function, shape):
    if function is sums and 0 in shape:
        pytest.skip("the maximum of nothing")
    first = normal(0, *shape), normal(1, *shape)
    run = native(function, *first, target=target)
    for x, y in itertools.product(layouts(shape, 0), layouts(shape, 1)):
        for a, b in zip(run(x, y), function(x, y), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def overlapping(x, y):
    x = x.copy()
    x[1:, 1:] += y[:-1, :-1]
    x[:-1, :] += y[1:, :] * y[:-1, :]
    x[:, :-1] += y[:, 1:]
    return x


@pytest.mark.parametrize("shape", [(2, 2), (3, 18), (18, 3), (33, 34)])
def test_sums_into_parts(target, shape):
    first = normal(0, *shape), normal(1, *shape)
    run = native(overlapping, *first, target=target)
    for x, y in itertools.product(layouts(shape, 0), layouts(shape, 1)):
        np.testing.assert_allclose(run(x, y), overlapping(x, y), rtol=1e-12, atol=1e-13)
