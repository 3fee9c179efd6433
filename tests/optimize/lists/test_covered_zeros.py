"""Gradients that are added to zeros which they cover."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient
from native_gradients import check, normal

import anadrome as ad
from anadrome.optimize.linear.sums_over_iterations import sum_over_iterations
from anadrome.optimize.lists.covered_zeros import elide_covered_zeros


def reversed_rows(x):
    return np.sum(np.sin(x)[::-1] * np.arange(1.0, len(x) + 1)[:, None])


def reversed_twice(x):
    return np.sum(np.tanh(np.sin(x)[::-1, ::-1]) * np.arange(1.0, x.shape[1] + 1))


def reversed_in_a_loop(x):
    h = x
    for k in range(3):
        h = np.sin(h)[::-1] * (k + 1.0) + np.tanh(h[:, ::-1])
    return np.sum(h * h)


def taken_by_a_loop(x, w):
    a = np.sin(x)
    h = np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        h = np.tanh(h @ w + a[t])
    return np.sum(h)


def taken_in_part(x, w):
    """The gradient of the last row is zero."""
    a = np.sin(x)
    h = np.zeros(x.shape[1])
    for t in range(x.shape[0] - 1):
        h = np.tanh(h @ w + a[t])
    return np.sum(h)


def repeated(x):
    """What is added to all of the zeros is one row."""
    y = np.zeros_like(x)
    y[::-1] = x[:1]
    return np.sum(y * x)


X, W = normal(0, 4, 3), normal(1, 3, 3)


@pytest.mark.parametrize("function", [reversed_rows, reversed_twice])
def test_backwards(function):
    graph = gradient(function, (X,))
    assert "index_add" in after(graph, (X,), lambda g: g)
    assert "index_add" not in after(graph, (X,), elide_covered_zeros)


def test_all_iterations():
    graph = gradient(taken_by_a_loop, (X, W))
    text = after(graph, (X, W), sum_over_iterations)
    assert "index_add" in text
    text = after(graph, (X, W), sum_over_iterations, elide_covered_zeros)
    assert "index_add" not in text


def test_some_iterations():
    graph = gradient(taken_in_part, (X, W))
    text = after(graph, (X, W), sum_over_iterations, elide_covered_zeros)
    assert "index_add" in text


@pytest.mark.parametrize(
    "function", [reversed_rows, reversed_twice, reversed_in_a_loop, repeated]
)
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (4, 3), (30, 50)])
def test_values_and_gradients(function, shape):
    check(function, normal(2, *shape))


@pytest.mark.parametrize("function", [taken_by_a_loop, taken_in_part])
@pytest.mark.parametrize("n", [2, 3, 9])
def test_values_and_gradients_of_loops(function, n):
    check(function, normal(3, n, 3), W)


def test_other_lengths_later():
    native = ad.jit(ad.grad(taken_by_a_loop, (0, 1)))
    for n in (5, 1, 3, 40):
        x = normal(n, n, 3)
        for a, b in zip(native(x, W), ad.grad(taken_by_a_loop, (0, 1))(x, W)):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def from_a_place_on(x, k):
    return np.sum(np.sin(x)[k:] * np.cos(x)[: len(x) - k])


@pytest.mark.parametrize("k", [0, 1, 3])
def test_slices_with_ends_of_their_own(k):
    check(from_a_place_on, normal(5, 4, 3), k)
