"""Lists whose items change and whose length does not stay in native memory."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.emission.native_lists import native_lists
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def layers(W, xs, hs):
    hidden = [hs[k] for k in range(len(hs))]
    total = 0.0
    for t in range(len(xs)):
        x = xs[t]
        for k in range(len(hs)):
            hidden[k] = np.tanh(W[k] * hidden[k] + x)
            x = hidden[k]
        total += np.sum(x)
    return total


def sizes_differ(xs):
    parts = [xs[: k + 1] * 1.0 for k in range(len(xs))]
    parts[1] = xs * parts[2][0]
    parts[0] = parts[1]
    return np.sum(parts[0] * parts[1]) + np.sum(parts[2])


def table(x, n):
    found = [0.0] * (n + 1)
    found[0], found[1] = 1.0, x
    for k in range(2, n + 1):
        found[k] = found[k - 1] * x - 0.5 * found[k - 2]
    return found[n] + found[-2]


def rotate(x, y):
    pair = [x, y]
    for _ in range(3):
        pair[0], pair[1] = pair[1], pair[0] * 2.0
    return np.sum(pair[0] * x) + np.sum(pair[1])


def two_names(xs):
    rows = [xs[k] for k in range(3)]
    same = rows
    same[0] = xs[1] * 3.0
    old = rows[0]
    rows[0] = old * old
    return np.sum(same[0]) + np.sum(old)


def on_some_path(xs, flag):
    rows = [xs[k] for k in range(3)]
    if flag > 0.0:
        rows[1] = rows[0] * rows[2]
    k = 0
    while np.sum(rows[0]) < 10.0 and k < 5:
        rows[0] = rows[0] + rows[1] * rows[1] + 1.0
        k += 1
    return np.sum(rows[0]) + np.sum(np.stack(rows))


def helper(rows, k):
    rows[k] = rows[k] * rows[k]
    return rows[k]


def through_calls(xs):
    rows = [xs[k] for k in range(3)]
    a = helper(rows, 0)
    b = helper(rows, -1)
    return np.sum(a * b) + np.sum(rows[2])


PROGRAMS = {
    "layers": (layers, (normal(0, 2, 4), normal(1, 5, 4), normal(2, 2, 4))),
    "sizes_differ": (sizes_differ, (normal(3, 4),)),
    "table": (table, (0.7, 8)),
    "rotate": (rotate, (normal(4, 3), normal(5, 3))),
    "two_names": (two_names, (normal(6, 3, 2),)),
    "on_some_path": (on_some_path, (normal(7, 3, 2), 1.0)),
    "on_no_path": (on_some_path, (normal(7, 3, 2), -1.0)),
    "through_calls": (through_calls, (normal(8, 3, 2),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    function, args = PROGRAMS[name]
    derived = ad.value_and_grad(function)
    value, gradient = derived(*args)
    found = ad.jit(derived)(*args)
    np.testing.assert_allclose(ad.jit(function)(*args), value, rtol=1e-12)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-12, atol=1e-12)
    ad.check_grads(lambda x: function(x, *args[1:]), (args[0],), order=1)


@pytest.mark.parametrize("name", ["layers", "sizes_differ", "table"])
def test_lists_need_no_python(name):
    function, args = PROGRAMS[name]
    graph = optimize(read(function, args, {}).graph)
    assert len(native_lists(graph)) == 1


def test_lists_that_python_sees_are_python_lists():
    def given(rows, x):
        rows[0] = x * 2.0
        return rows

    def grows(x, n):
        rows = [x, x]
        rows[0] = x + 1.0
        for _ in range(n):
            rows.append(x)
            rows.insert(0, x)
        return np.sum(rows[0]) + len(rows)

    x = normal(9, 2)
    rows = [x.copy(), x.copy()]
    result = ad.jit(given)(rows, x)
    assert result is rows
    np.testing.assert_array_equal(rows[0], x * 2.0)
    assert ad.jit(grows)(x, 3) == grows(x, 3)


@pytest.mark.parametrize("index", [3, -4])
def test_indices_are_checked(index):
    def store(xs, k):
        rows = [xs[j] for j in range(3)]
        rows[k] = xs[0] * 2.0
        return np.sum(rows[0])

    with pytest.raises(IndexError, match="out of range"):
        ad.jit(store)(normal(6, 3, 2), index)
    with pytest.raises(IndexError, match="out of range"):
        ad.jit(ad.grad(store))(normal(6, 3, 2), index)
