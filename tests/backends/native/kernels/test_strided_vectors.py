"""Vectors that are not contiguous: reversed, and multiplied."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.compile import Level
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def native(function, *args, target=None):
    return NativeFunction(optimize(read(function, args, {}).graph), target, Level.JOINT)


def inner(x, y):
    return x @ y


def views(v):
    """The same numbers with all kinds of strides."""
    yield v
    yield v[::-1].copy()[::-1]
    yield np.repeat(v, 3)[::3]
    yield np.repeat(v[::-1], 2)[::-2]
    yield normal(9, len(v), 5).astype(v.dtype)[:, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 63, 64, 65, 200, 40_000])
def test_inner_products_of_any_strides(target, dtype, n):
    x, y = normal(0, n).astype(dtype), normal(1, n).astype(dtype)
    run = native(inner, x, y, target=target)
    single = dtype == np.float32
    for a in views(x):
        for b in views(y):
            scale = np.abs(a.astype(float)) @ np.abs(b.astype(float))
            found, expected = run(a, b), a.astype(float) @ b.astype(float)
            assert abs(found - expected) <= (1e-6 if single else 1e-14) * scale


def flipped(x):
    return np.flip(x) * 1.0, np.flip(x, 0) * 1.0, np.fliplr(x) * 1.0, np.flipud(x) + x


@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (4, 40), (0, 3), (2, 0)])
def test_views_that_are_reversed(target, shape):
    x = normal(2, *shape)
    for given in (x, x[:, ::-1], np.asfortranarray(x)):
        found = native(flipped, given, target=target)(given)
        for a, b in zip(found, flipped(given), strict=True):
            np.testing.assert_array_equal(a, b)


def reversed_into_itself(r):
    y = np.zeros_like(r)
    y[0] = r[0]
    for k in range(1, len(r)):
        a = r[k] + np.flip(r[:k]) @ y[:k]
        y[:k] += 0.1 * a * np.flip(y[:k])
        y[k] = a
    return np.sum(y * y)


def written_backwards(x):
    y = x.copy()
    np.flip(y)[1:] += x[:-1] ** 2
    np.flip(y, 0)[:2] = 2.0 * y[-2:]
    return np.sum(y**3)


@pytest.mark.parametrize("function", [reversed_into_itself, written_backwards])
@pytest.mark.parametrize("n", [2, 7, 40])
def test_gradients_through_what_is_reversed(function, n):
    x = normal(3, n) / n
    derivative = ad.value_and_grad(function)
    value, found = ad.jit(derivative)(x)
    expected_value, expected = derivative(x)
    np.testing.assert_allclose(value, expected_value, rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


def across(x, y, z):
    """What is read for every row of something larger, across its own rows."""
    away = x[:, :, None] - y.T
    return away * z.T[None], np.sum(away * away, axis=1), x[:, :, None] + z.T * 2


@pytest.mark.parametrize("sizes", [(25, 3), (5, 40), (1, 3), (4, 1), (0, 3), (3, 7)])
def test_operands_that_are_read_across_their_rows(target, sizes):
    n, m = sizes
    x, y, z = normal(3, n, m), normal(4, n, m), normal(5, n, m)
    given = (
        (y, z),
        (np.asfortranarray(y), z[::-1]),
        (y[:, ::-1], np.repeat(z, 2, 0)[::2]),
    )
    run = native(across, x, y, z, target=target)
    for a, b in given:
        for found, expected in zip(run(x, a, b), across(x, a, b), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_operands_across_their_rows_may_be_changed_at_once():
    def pulled(x, steps):
        x = x.copy()
        for _ in range(steps):
            away = x[:, :, None] - x.T
            x += 0.1 * np.sum(np.tanh(away), axis=2)
            x[:, :] = np.sum(x[:, :, None] * x.T, axis=2) * 0.1
        return np.sum(x * x)

    x = normal(6, 9, 3)
    value, slope = ad.value_and_grad(pulled)(x, 3)
    found = ad.jit(ad.value_and_grad(pulled))(x, 3)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], slope, rtol=1e-11)
