"""A weighted sum of the rows of a matrix beside another product with it."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient
from native_gradients import check, normal

from anadrome.optimize.linear.join_products import join_products
from anadrome.optimize.linear.scaling import scale_products
from anadrome.optimize.linear.transposes import transpose_products


def log_sums(z):
    """What a softmax is normalised by, weighted so that rows matter differently."""
    shift = np.ceil(np.max(z, axis=-1, keepdims=True))
    total = np.sum(np.exp(z - shift), axis=-1, keepdims=True)
    return np.sum((shift + np.log(total))[:, 0] * np.arange(1.0, len(z) + 1))


def decayed(x, w, b):
    """Both gradients have another term."""
    return log_sums(x @ w.T + b) + np.sum(w * w) + np.sum(np.sin(b))


def plain(x, w, b):
    """Both gradients are results as they are."""
    return log_sums(x @ w.T + b)


def stored(x, w, b):
    """The gradient by w is changed in place by that of the rows."""
    return log_sums(x @ w.T + b) + np.sum(w[0] * w[1]) + np.sum(np.sin(b))


def twice(x, w, b):
    return decayed(x, w, b) + decayed(2 * x, w, b)


def in_a_loop(x, w, b):
    total = 0.0
    for k in range(3):
        total = total + decayed(x * (k + 1), w, b)
    return total


def args(n, V, E):
    return normal(0, n, E), normal(1, V, E), normal(2, V)


def passes(function, given):
    graph = gradient(function, given)
    return after(graph, given, scale_products, transpose_products, join_products)


def test_the_column_is_put_beside_the_factor():
    text = passes(decayed, args(6, 20, 3))
    assert text.count("concatenate") == 1
    assert text.count("if(") == 1


def test_results_are_left_as_they_lie_in_memory():
    text = passes(plain, args(6, 20, 3))
    assert "concatenate" not in text


@pytest.mark.parametrize("function", [decayed, plain, stored, twice, in_a_loop])
@pytest.mark.parametrize(
    ("n", "V", "E"), [(1, 1, 1), (5, 7, 3), (40, 300, 32), (70, 129, 64), (3, 400, 33)]
)
def test_values_and_gradients(function, n, V, E):
    if function is stored and V < 2:
        pytest.skip("there is no second row")
    check(function, *args(n, V, E))
