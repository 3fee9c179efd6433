"""The residuals of loops are one array, also where loops stand in loops."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.emission.residuals import joined_stacks
from anadrome.driver.pipeline import build_native
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import called_graphs
from anadrome.optimize.passes import NATIVE, optimize

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 3))
W = RNG.normal(size=(2, 3))


def layered(w, xs):
    states = [np.zeros(xs.shape[1]) for _ in range(len(w))]
    total = 0.0
    for t in range(len(xs)):
        x = xs[t]
        for k in range(len(w)):
            n = x.shape[0]
            both = np.concatenate((x, states[k]))
            x = np.tanh(both[:n] * w[k] + both[n:])
            states[k] = np.sin(x) * w[k]
        total = total + np.sum(x * x)
    return total


def numbers(w, xs):
    total = 1.0
    for t in range(len(xs)):
        scale = 1.0
        for k in range(len(w)):
            scale = np.sin(scale * w[k, 0] + xs[t, k])
            if scale > 0.1:
                scale = scale * scale
        total = total * np.cos(scale)
    return total


def three_deep(w, xs):
    total = 0.0
    for t in range(len(xs)):
        for k in range(len(w)):
            h = xs[t] * w[k]
            for _ in range(3):
                h = np.tanh(h * w[k] + 0.1)
            total = total + np.sum(h)
    return total


def triangular(w, xs):
    total = 0.0
    for t in range(len(xs)):
        h = xs[t]
        for k in range(t):
            h = np.tanh(h * w[k % 2] + xs[k])
        total = total + np.sum(h * h)
    return total


def by_data(w, xs):
    total = 0.0
    for t in range(len(xs)):
        h = xs[t]
        for _ in range(int(abs(xs[t, 0]) * 3)):
            h = np.tanh(h * w[0])
        total = total + np.sum(h * h)
    return total


def prefixes(w, xs):
    total = 0.0
    for t in range(len(xs)):
        for k in range(len(w)):
            part = np.sin(xs[: t + 1, 0] * w[k, 0])
            tail = np.cos(part[: part.shape[0]] * w[k, 1])
            total = total + np.sum(part * part * tail)
    return total


def made_anew(w, xs):
    total = 0.0
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.exp(np.ones(t + 1) * w[k, 0])
            total = total + np.sum(h * h)
    return total


def growing(w, xs):
    total = 0.0
    for t in range(len(xs)):
        h = xs[t] * w[0]
        for k in range(len(w)):
            h = np.sin(np.concatenate((h, w[k])))
            total = total + np.sum(h * h)
    return total


def sometimes(w, xs):
    total = 0.0
    for t in range(len(xs)):
        h = xs[t]
        if xs[t, 0] > 0:
            for k in range(len(w)):
                h = np.tanh(h * w[k])
        total = total + np.sum(h * h)
    return total


def left_early(w, xs):
    total = 0.0
    for t in range(len(xs)):
        h = xs[t]
        for k in range(len(w)):
            h = np.tanh(h * w[k])
            if h[0] > 0.2:
                break
        total = total + np.sum(h * h)
    return total


def kept_twice(w, xs):
    total = 0.0
    h = xs[0]
    for _ in range(len(xs)):
        for k in range(len(w)):
            h = np.exp(np.sin(h * w[k]))
            h = h * h
        total = total + np.sum(h) * np.sum(np.cos(h))
    return total


CASES = (
    layered,
    numbers,
    three_deep,
    triangular,
    by_data,
    prefixes,
    made_anew,
    growing,
    sometimes,
    left_early,
    kept_twice,
)


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("iterations", [0, 1, 4])
@pytest.mark.parametrize("layers", [0, 2])
def test_gradients_are_those_of_python(function, iterations, layers):
    w, xs = W[:layers], X[:iterations]
    if function is kept_twice and not iterations:
        pytest.skip("it reads the first row")
    if function in (by_data, growing, triangular) and not layers:
        pytest.skip("it reads the first layer")
    gradient = ad.value_and_grad(function, (0, 1))
    value, found = ad.jit(gradient)(w, xs)
    expected_value, expected = gradient(w, xs)
    np.testing.assert_allclose(value, expected_value, rtol=1e-12)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("function", [layered, numbers, three_deep])
def test_gradients_of_gradients_are_those_of_python(function):
    def slope(w, xs):
        return np.sum(ad.grad(function)(w, xs) ** 2)

    found = ad.jit(ad.grad(slope))(W, X)
    np.testing.assert_allclose(found, ad.grad(slope)(W, X), rtol=1e-10)


@pytest.mark.parametrize(
    ("function", "depth"),
    [
        (layered, 2),
        (numbers, 2),
        (three_deep, 3),
        (triangular, 1),
        (by_data, 1),
        (prefixes, 1),
        (made_anew, 1),
    ],
)
def test_loops_in_loops_keep_one_array_if_they_run_equally_often(function, depth):
    made = build_native(ad.jit(ad.grad(function)), (W, X), {})
    graph = optimize(clone_graph(made.graph), NATIVE)
    found = [d for g in called_graphs(graph) for d in joined_stacks(g).values()]
    assert max(found, default=1) == depth
