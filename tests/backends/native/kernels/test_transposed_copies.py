"""Copies that exchange rows and columns."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.compile import Level
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def numbers(dtype, *shape):
    drawn = np.random.default_rng(3).integers(0, 1 << 20, size=shape)
    return drawn.astype(dtype)


def native(function, *args, target=None):
    return NativeFunction(optimize(read(function, args, {}).graph), target, Level.JOINT)


def transposed(x):
    return x.T.copy()


def moved(x):
    return x.transpose(2, 0, 1).copy(), x.transpose(1, 2, 0).copy(), x.T.copy()


def stored(x, y):
    y[:, :] = x.T
    return y


SHAPES = [(3, 4), (4, 4), (5, 7), (16, 16), (17, 31), (64, 65), (100, 100), (1, 40)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [*SHAPES, (40, 1), (0, 5), (5, 0)])
def test_matrices(target, dtype, shape):
    x = numbers(dtype, *shape)
    run = native(transposed, x, target=target)
    whole = numbers(dtype, 2 * shape[0], 3 * shape[1])
    for given in (x, whole[::2, ::3], whole[::-2, ::-3], np.asfortranarray(x)):
        found = run(given)
        np.testing.assert_array_equal(found, given.T)
        assert found.flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.int32, np.int64, bool, complex])
def test_other_elements(dtype):
    x = numbers(dtype, 19, 37)
    np.testing.assert_array_equal(ad.jit(transposed)(x), x.T)


@pytest.mark.parametrize("shape", [(6, 5, 4), (17, 3, 20), (2, 33, 18), (20, 20, 20)])
def test_three_axes(target, shape):
    x = numbers(np.float32, *shape)
    run = native(moved, x, target=target)
    for given in (x, numbers(np.float32, *shape[::-1]).T):
        for a, b in zip(run(given), moved(given), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_beside_the_target_is_written(shape):
    x = numbers(np.float32, *shape)
    whole = np.full((shape[1] + 4, shape[0] + 4), -1, np.float32)
    ad.jit(stored)(x, whole[2:-2, 2:-2])
    np.testing.assert_array_equal(whole[2:-2, 2:-2], x.T)
    whole[2:-2, 2:-2] = -1
    assert np.all(whole == -1)


def test_repeated_rows():
    x = np.broadcast_to(numbers(np.float32, 20), (18, 20))
    np.testing.assert_array_equal(ad.jit(transposed)(x), x.T)


def test_any_number_of_threads():
    x = numbers(np.float32, 700, 900)
    np.testing.assert_array_equal(ad.jit(transposed)(x), x.T)
