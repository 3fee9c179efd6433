"""Loops that hand their variables on to each other, divided by rows or not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import anadrome as ad


def swapped(x, n):
    a, b = x * 2, x * 3
    for _ in range(n):
        a, b = b, a
    return b + 10 * a


def rotated(x, n):
    a, b, c = np.cos(x), np.zeros_like(x), x * 3
    for _ in range(n):
        a, b, c = b, c, a
    return a + b * 10 + c * 100


def seen_through_views(x, n):
    a, b = np.cos(x), np.sin(x)
    for _ in range(n):
        a, b = b.T.T, a * 1.5
    return a + b * 10


def kept_and_computed(x, n):
    a, b = np.cos(x), np.sin(x)
    for _ in range(n):
        a, b = a * b, a
    return a + b * 10


def until_small(x, n):
    a, b = x, np.exp(x)
    while n > 0:
        n -= 1
        a, b = b, a
    return b - a * 3


FUNCTIONS = [swapped, rotated, seen_through_views, kept_and_computed, until_small]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", [(3,), (4, 5), (200, 30)])
def test_values_and_gradients_are_those_of_python(function, shape):
    x = np.random.default_rng(0).normal(size=shape)
    gradient = ad.grad(lambda x, n: np.sum(np.sin(function(x, n))))
    compiled, compiled_gradient = ad.jit(function), ad.jit(gradient)
    for n in range(5):
        assert_allclose(compiled(x, n), function(x, n), rtol=1e-12)
        assert_allclose(compiled_gradient(x, n), gradient(x, n), rtol=1e-11)
