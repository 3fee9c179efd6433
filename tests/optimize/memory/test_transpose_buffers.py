"""Buffers transposed for loops over their columns: where, and that it is right."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient
from native_gradients import check

import anadrome as ad
from anadrome.frontend.program import read
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.memory.transpose_buffers import transpose_buffers
from anadrome.optimize.passes import optimize


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def by_both(x):
    """Columns in one loop, rows in the next."""
    u = x.copy()
    for k in range(1, u.shape[1]):
        u[:, k] = 0.5 * u[:, k] + 0.3 * u[:, k - 1]
    for k in range(1, u.shape[0]):
        u[k, :] = 0.5 * u[k, :] + 0.3 * u[k - 1, :]
    return np.sum(u * u * u)


def backwards(x):
    u = x.copy()
    for k in range(u.shape[1] - 2, -1, -1):
        u[1:-1, k] = np.sin(u[1:-1, k]) - 0.3 * u[2:, k + 1] * u[:-2, k + 1]
    for k in range(u.shape[0]):
        u[k] *= 2.0
    return np.sum(u * u)


def through_transposes(x, steps):
    u = x.copy()
    v = np.zeros_like(x)
    for _ in range(steps):
        for a, b in ((u, v), (v.T, u.T)):
            n = a.shape[0]
            for k in range(1, n - 1):
                b[k, 1:-1] = 0.4 * a[k, :-2] + 0.3 * a[k, 1:-1] + 0.2 * a[k, 2:]
                b[k, 1:-1] += 0.1 * b[k - 1, 1:-1]
    return np.sum(u * v)


def three_axes(x):
    u = x.copy()
    total = 0.0
    for k in range(1, u.shape[2]):
        u[:, :, k] += 0.5 * u[:, :, k - 1]
        u[:, :, k] *= np.cos(u[:, :, k - 1])
    for k in range(u.shape[0]):
        total = total + np.sum(u[k] * u[k - 1])
    return total


def negative_places(x):
    u = x.copy()
    for k in range(u.shape[1]):
        u[::-1, -k - 1] = u[:, k] * 0.5 + u[:, -1]
    for k in range(u.shape[0]):
        u[k] *= 2.0
    return np.sum(u * u)


PROGRAMS = [by_both, backwards, three_axes, negative_places]


def transposed(function, *args):
    """The text of a function's graph before and after the pass."""
    graph = optimize(read(function, args, {}).graph)
    before = print_graph(graph)
    verify(transpose_buffers(graph))
    return before, print_graph(graph)


def test_a_loop_over_columns_gets_a_copy_and_gives_it_back():
    before, text = transposed(by_both, normal(0, 4, 5))
    assert "transpose(" not in before
    first, second = text.split(" = for(")[:2]
    assert "transpose(u, (1, 0))" in first
    assert "transpose(u_1, (1, 0))" in first
    assert "setitem(u, Ellipsis, " in second
    assert text.count("transpose(") == 2


def only_part_of_it(x):
    u = x.copy()
    for k in range(3):
        u[:, k] = 0.5 * u[:, k] + 0.3 * u[:, k - 1]
    return np.sum(u)


def whole_in_every_iteration(x):
    u = x.copy()
    for k in range(u.shape[1]):
        u[:, k] = 0.5 * u[:, k] + 0.3 * u[:, k - 1] + np.sum(u)
    return np.sum(u)


def another_name(x, flag):
    u = x.copy()
    v = u if flag > 0 else x.copy()
    for k in range(u.shape[1]):
        u[:, k] = 0.5 * v[:, k] + 0.3 * u[:, k - 1]
    return np.sum(u)


def rows_too(x):
    u = x.copy()
    for k in range(u.shape[1]):
        u[:, k] = 0.5 * u[:, k] + 0.3 * u[k, :]
    return np.sum(u)


@pytest.mark.parametrize(
    "function", [only_part_of_it, whole_in_every_iteration, rows_too]
)
def test_other_loops_stay_as_they_are(function):
    before, text = transposed(function, normal(0, 4, 4))
    assert before == text


def test_buffers_with_other_names_stay_as_they_are():
    before, text = transposed(another_name, normal(0, 4, 4), 1.0)
    assert before == text
    for flag in (1.0, -1.0):
        args = normal(0, 4, 4), flag
        found = ad.jit(another_name)(*args)
        np.testing.assert_allclose(found, another_name(*args), rtol=1e-12)


@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_after_the_pass(function):
    shape = (4, 3, 5) if function is three_axes else (4, 5)
    args = (normal(0, *shape),)
    text = after(gradient(function, args), args, transpose_buffers)
    assert "setitem(" in text


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 2), (17, 33), (40, 70)])
def test_native_gradients_are_those_of_python(function, shape):
    if function is three_axes:
        shape = (3, *shape)
    check(function, normal(0, *shape))
    check(function, normal(0, *shape[::-1]).T[::-1])


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_empty_buffers(shape):
    check(by_both, normal(0, *shape))


@pytest.mark.parametrize("size", [1, 3, 4, 20])
def test_transposed_buffers(size):
    check(through_transposes, normal(0, size, size), 2)


def test_what_a_failing_loop_stored_is_seen():
    def caught(x, indices):
        u = x.copy()
        try:
            for k in range(u.shape[1]):
                u[:, k] = 0.5 * u[:, k] + 0.3 * u[:, indices[k]]
        except IndexError:
            return np.sum(u) + 100.0
        return np.sum(u)

    args = normal(0, 3, 4), np.array([0, 1, 9, 2])
    np.testing.assert_allclose(ad.jit(caught)(*args), caught(*args), rtol=1e-12)


def test_an_index_out_of_range_is_an_error():
    def outside(x):
        u = x.copy()
        for k in range(u.shape[1]):
            u[:, k] = 0.5 * u[:, k] + 0.3 * u[:, k + 1]
        return np.sum(u)

    with pytest.raises(IndexError):
        ad.jit(outside)(normal(0, 3, 4))
