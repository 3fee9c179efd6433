"""Functions with a cache: as without one, or refused where the cache can be told."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import anadrome as ad
from anadrome.errors import UnsupportedSyntax


@functools.lru_cache(maxsize=8)
def weights(n):
    w = np.zeros(n)
    for k in range(n):
        w[k] = 1.0 / (k + 1)
    return w


def with_table(x):
    @functools.cache
    def doubled(n):
        return x[0] if n < 2 else 2 * doubled(n - 1)

    return weights(3) @ x + doubled(4)


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@functools.lru_cache
def legendre(n, x):
    if n < 2:
        return x if n else 1.0
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n


class Chain:
    def __init__(self, x):
        self.x = x

    @functools.cache  # noqa: B019
    def fib(self, n):
        return self.x if n < 2 else self.fib(n - 1) + self.fib(n - 2)


def with_branches(x):
    @functools.cache
    def cheapest(i, j):
        if i == j:
            return 0.0
        parts = (cheapest(i, k) + cheapest(k + 1, j) for k in range(i, j))
        return min(parts) + x[i] * x[j]

    total = Chain(x[0]).fib(20) * 1e-4 + legendre(6, x[1]) * binomial(6, 3)
    return total + cheapest(0, len(x) - 1)


def one(n, x):
    return x if n < 2 else other(n - 1, x) + other(n - 2, x)


one = functools.cache(one)


@functools.cache
def other(n, x):
    return one(n, x)


def between_two(x):
    return one(5, x[0])


def test_results_that_are_only_read():
    x = np.array([1.5, 2.0, 3.0])
    assert ad.jit(with_table)(x) == pytest.approx(with_table(x))
    np.testing.assert_allclose(ad.grad(with_table)(x), [9.0, 0.5, 1.0 / 3.0])


def test_calls_that_would_become_more_and_more():
    x = np.array([1.5, 0.5, 2.0])
    assert ad.jit(with_branches)(x) == pytest.approx(with_branches(x))
    slope = ad.grad(with_branches)(x)
    np.testing.assert_allclose(ad.jit(ad.grad(with_branches))(x), slope)
    h = 1e-6 * np.eye(3)
    steps = [(with_branches(x + d) - with_branches(x - d)) / 2e-6 for d in h]
    np.testing.assert_allclose(slope, steps, rtol=1e-5)
    with pytest.warns(ad.NotCompiled, match="calls itself more than once"):
        assert ad.jit(between_two)(x) == between_two(x)


def reads_what_changes(x):
    k = 1.0

    @functools.cache
    def f(n):
        return k * n * x

    first = f(2)
    k = 5.0
    return first + f(2)


def changes_the_object(x):
    chain = Chain(x)
    first = chain.fib(3)
    chain.x = 5.0
    return first + chain.fib(3)


def counts(x):
    calls = []

    @functools.lru_cache
    def f(k):
        calls.append(k)
        return k * x

    return f(2) + f(2) + len(calls)


def prints(x):
    @functools.cache
    def f(k):
        print(k)
        return k * x

    return f(2) + f(2)


def changes_the_result(x):
    w = weights(3)
    w[0] = x
    return weights(3)[0] * x


@pytest.mark.parametrize(
    "function",
    [counts, prints, changes_the_result, reads_what_changes, changes_the_object],
)
def test_what_tells_of_the_cache(function):
    for made in (ad.jit(function), ad.grad(function)):
        with pytest.raises(UnsupportedSyntax, match="kept"):
            made(2.0)


def named(x):
    def outer(f):
        @functools.wraps(f)
        def inner(a):
            return f(a) * x

        return inner

    @outer
    def square(a):
        return a * a

    return square(x) + len(square.__name__)


def missing(x):
    def f(a):
        return a * x

    try:
        return f.name
    except AttributeError:
        return f(3.0)


def test_attributes_of_functions():
    assert ad.value_and_grad(named)(2.0) == (named(2.0), 12.0)
    assert ad.value_and_grad(missing)(2.0) == (missing(2.0), 3.0)


def test_which_of_two_failures_comes_first():
    def both(x):
        return math.log(x, 2) + math.log10(x)

    with pytest.raises(ValueError, match=r"domain|positive"):
        ad.value_and_grad(both)(0.0)
