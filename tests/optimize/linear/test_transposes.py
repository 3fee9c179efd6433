"""Products that are transposed: the factors are."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient
from native_gradients import check, normal

from anadrome.frontend.program import read
from anadrome.optimize.linear.transposes import transpose_products
from anadrome.optimize.passes import optimize


def tied(x, w):
    """The gradient by w is a product that is transposed."""
    return np.sum(np.tanh(x @ w.T))


def scaled(x, w):
    """There, a factor is transposed and scaled."""
    e = np.exp(x @ w.T - np.max(x @ w.T, axis=1, keepdims=True))
    return np.sum(np.log(np.sum(e, axis=1)) * np.arange(1.0, len(x) + 1))


def in_a_loop(x, w):
    h = x
    for _ in range(3):
        h = np.tanh(h @ w.T) @ w / len(w)
    return np.sum(h * h)


def twice(x, w):
    p = x @ w
    return np.sum(p.T @ x) + np.sum(p)


def flattened(x, w):
    """Whether the last line but one changes t depends on its order in memory."""
    t = (x @ w).T
    r = t.reshape(-1)
    r[0] = 5.0
    return np.sum(t * t) + np.sum(r)


X, W = normal(0, 5, 3), normal(1, 7, 3)


def transposed(text):
    """The products of which a printed graph has the transpose."""
    products = {s.split(":")[0].strip() for s in text.splitlines() if "= matmul(" in s}
    transposes = [s for s in text.splitlines() if "= transpose" in s]
    return [s for s in transposes if s.split("(")[-1].rstrip(")") in products]


def test_the_factors_are_transposed():
    graph = gradient(tied, (X, W))
    assert transposed(after(graph, (X, W), lambda g: g))
    assert not transposed(after(graph, (X, W), transpose_products))


def test_products_that_are_used_otherwise_stay():
    args = (X, normal(2, 3, 4))
    graph = optimize(read(twice, args, {}).graph)
    before = after(graph, args, lambda g: g)
    assert after(graph, args, transpose_products) == before


def test_where_the_order_in_memory_shows_everything_stays():
    args = (X, normal(2, 3, 4))
    graph = optimize(read(flattened, args, {}).graph)
    before = after(graph, args, lambda g: g)
    assert after(graph, args, transpose_products) == before


@pytest.mark.parametrize("function", [tied, scaled, in_a_loop])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 7), (90, 200)])
def test_values_and_gradients(function, n, m):
    check(function, normal(3, n, 3), normal(4, m, 3))
