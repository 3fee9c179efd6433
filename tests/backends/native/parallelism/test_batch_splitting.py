"""Loops by rows over arrays with other rows, or that must stay themselves."""

import numpy as np
import pytest

import anadrome as ad


def with_a_row_of_biases(x, U, b, h):
    for t in range(x.shape[0]):
        h = np.tanh(x[t] + h @ U + b)
    return h


def summed(x, U, b, h):
    return np.sum(with_a_row_of_biases(x, U, b, h))


# The last two are large enough to be divided among threads.
@pytest.mark.parametrize(
    ("rows", "batch", "width"),
    [(1, 7, 4), (7, 7, 4), (1, 1, 4), (1, 9, 96), (9, 9, 96)],
)
def test_biases_of_one_row(rows, batch, width):
    rng = np.random.default_rng(0)
    sizes = (33, batch, width), (width, width), (rows, width), (batch, width)
    x, U, b, h = (rng.normal(scale=0.05, size=s) for s in sizes)
    args = x, U, b, h
    wanted, found = with_a_row_of_biases(*args), ad.jit(with_a_row_of_biases)(*args)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    for k in range(4):
        wanted, found = ad.grad(summed, k)(*args), ad.jit(ad.grad(summed, k))(*args)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def beside_each_other(x, y):
    factor, a, b = x, y, y
    for _ in range(2):
        x = factor * x
        a, b = b, a
    return x + np.sum(a)


@pytest.mark.parametrize("lengths", [(3, 2), (2, 3), (3, 3)], ids=str)
def test_variables_of_other_lengths(lengths):
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=n) for n in lengths)
    found = ad.jit(beside_each_other)(x, y)
    np.testing.assert_allclose(found, beside_each_other(x, y), rtol=1e-12)


def changed_after_being_swapped(x, iterations):
    a, b = x.copy(), 2 * x
    first, second = a, b
    for _ in range(iterations):
        a, b = b, a
    a[1:] = 1.0
    return np.sum(a) + 3 * np.sum(first) + 5 * np.sum(second)


@pytest.mark.parametrize("iterations", [0, 1, 2, 3])
def test_swapped_arrays_stay_the_same_arrays(iterations):
    x = np.array([0.1, 0.2, 0.3])
    found = ad.jit(changed_after_being_swapped)(x, iterations)
    np.testing.assert_allclose(found, changed_after_being_swapped(x, iterations))
    gradient = ad.grad(changed_after_being_swapped)
    np.testing.assert_allclose(ad.jit(gradient)(x, iterations), gradient(x, iterations))
