"""Dictionaries whose keys are known only when the program runs."""

import itertools

import numpy as np
import pytest

import anadrome as ad


def popped(x, k):
    d = {1: x, 2: x * x}
    first = d.pop(k, x * 5)
    second = d.pop(k, x * 7)
    return first * second + len(d)


def popped_from_an_argument(d, k):
    return d["w"].pop(k, 3.0) * d["x"] + len(d["w"])


def spread(x, k):
    d = {k: x, k + 1: x * 2}
    e = {**d, 5: x * 3}
    return e[k] * e[5] * len(e)


@pytest.mark.parametrize("f", [popped, spread])
@pytest.mark.parametrize("k", [1, 5, 7])
def test_they_are_followed(f, k):
    x, h = 2.0, 1e-6
    slope = (f(x + h, k) - f(x - h, k)) / (2 * h)
    assert ad.jit(f)(x, k) == f(x, k)
    for g in (ad.grad(f), ad.jit(ad.grad(f))):
        np.testing.assert_allclose(g(x, k), slope, rtol=1e-5)


@pytest.mark.parametrize("k", ["a", "b"])
def test_an_item_that_is_popped_from_an_argument_is_gone(k):
    d = {"w": {"a": 2.0}, "x": 4.0}
    wanted = popped_from_an_argument({"w": {"a": 2.0}, "x": 4.0}, k)
    assert ad.jit(popped_from_an_argument)(d, k) == wanted
    assert d["w"] == ({} if k == "a" else {"a": 2.0})


def test_neighbours_of_sums():
    def f(xs):
        total = 0.0
        for a, b in itertools.pairwise(itertools.accumulate(xs)):
            total = total + a * b
        return total

    xs = np.array([1.0, 2.0, 3.0])
    for g in (ad.grad(f), ad.jit(ad.grad(f))):
        np.testing.assert_allclose(g(xs), [13.0, 10.0, 3.0])
    assert ad.jit(f)(np.ones(1)) == f(np.ones(1)) == 0.0
