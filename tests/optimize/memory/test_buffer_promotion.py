"""Buffers that are only fully overwritten: what they become, and that it is right."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient

import anadrome as ad
from anadrome.ir.printer import print_graph
from anadrome.optimize.memory.buffer_promotion import promote_buffers
from anadrome.optimize.simplify.dead_code import remove_dead_code


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def filled(x, y):
    out = np.empty_like(x)
    out[:, :] = x * y
    out += y
    return np.sum(out * out)


def transformed(x, c):
    x = x.copy()
    x[:, :] = x @ c
    return np.sum(x * x)


def cleared(x, y):
    out = np.zeros_like(x)
    out[...] = x
    taken = out.copy()
    out[:] = 0
    out += taken * y
    return np.sum(out * taken)


def constant(x, y):
    out = np.empty_like(x)
    out[:] = 2.5
    return np.sum(out * x + y)


def seen_earlier(x, y):
    out = np.zeros_like(x)
    view = out[:]
    before = np.sum(view * x)
    out[:] = x * y
    return before + np.sum(view * y)


def read_in_a_loop(x, y):
    out = np.empty_like(x)
    out[:] = x * x
    total = 0.0
    for k in range(3):
        total = total + np.sum(out * y) * k
    return total


PROMOTED = [filled, transformed, cleared, constant, seen_earlier]


def in_parts(x, y):
    out = np.empty_like(x)
    out[:] = x
    out[1:] *= y[1:]
    return np.sum(out * out)


def part_of_it(x, y):
    out = np.empty_like(x)
    out[:] = x
    part = out[1:]
    out[:] = y * x
    return np.sum(part * part)


def in_a_loop(x, y):
    out = np.zeros_like(x)
    out[:] = x
    for _ in range(3):
        out[:] = out * y
    return np.sum(out)


def in_a_branch(x, y):
    out = np.zeros_like(x)
    out[:] = x
    if np.sum(y) > 0:
        out[:] = out * y
    return np.sum(out * out)


def transposed(x, y):
    out = np.zeros_like(x)
    other = out.T
    out[:] = x * y
    return np.sum(other * x.T)


KEPT = [in_parts, part_of_it, in_a_loop, in_a_branch, transposed]


def test_loops_read_the_value():
    args = normal(0, 3, 3), normal(1, 3, 3)
    graph = gradient(read_in_a_loop, args)
    assert "setitem(out, " in print_graph(graph)
    text = after(graph, args, promote_buffers, remove_dead_code)
    assert "setitem(out, " not in text


@pytest.mark.parametrize("function", PROMOTED)
def test_no_store_is_left(function):
    args = normal(0, 3, 3), normal(1, 3, 3)
    text = after(gradient(function, args), args, promote_buffers, remove_dead_code)
    assert "setitem" not in text


def test_what_is_stored_is_read_where_it_was_computed():
    args = normal(0, 3, 3), normal(1, 3, 3)
    graph = gradient(transformed, args)
    text = after(graph, args, promote_buffers, remove_dead_code)
    # What is returned, and nothing else, is copied.
    assert text.count("copy(") == 2
    assert "matmul(x, c)" in text


@pytest.mark.parametrize("function", KEPT)
def test_buffers_that_are_used_otherwise_stay(function):
    args = normal(0, 3, 3), normal(1, 3, 3)
    text = after(gradient(function, args), args, promote_buffers, remove_dead_code)
    assert "setitem" in text


@pytest.mark.parametrize("function", [*PROMOTED, *KEPT, read_in_a_loop])
@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_native_gradients_are_those_of_python(function, size):
    args = normal(0, size, size), normal(1, size, size)
    derivative = ad.value_and_grad(function, (0, 1))
    value, slopes = derivative(*args)
    found, others = ad.jit(derivative)(*args)
    np.testing.assert_allclose(found, value, rtol=1e-12, atol=1e-12)
    for mine, theirs in zip(others, slopes):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (1, 1)])
def test_what_is_broadcast_when_it_is_stored_stays_right(shape):
    def stored(x, y):
        out = np.empty_like(x)
        out[:, :] = y
        return np.sum(out * x)

    derivative = ad.value_and_grad(stored, (0, 1))
    fast = ad.jit(derivative)
    for given in ((4, 4), shape, (4, 4)):
        args = normal(0, 4, 4), normal(1, *given)
        value, slopes = derivative(*args)
        found, others = fast(*args)
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for mine, theirs in zip(others, slopes):
            assert mine.shape == theirs.shape
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_a_copy_stays_if_its_source_changes():
    def overwritten(x):
        first = x.copy()
        first[:] = first + 0.0
        second = x.copy()
        x[:] = 0.0
        second[:] = second * first
        return np.sum(first) + np.sum(second)

    x = normal(0, 4)
    assert np.isclose(ad.jit(overwritten)(x.copy()), overwritten(x))


def test_strided_arguments():
    whole = normal(0, 8, 6)
    x, y = whole[::-2, ::2], whole[1::2, 5::-2]
    derivative = ad.value_and_grad(filled, (0, 1))
    value, slopes = derivative(x, y)
    found, others = ad.jit(derivative)(x, y)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    for mine, theirs in zip(others, slopes):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_results_do_not_share_memory():
    def both(x):
        out = np.empty_like(x)
        out[:] = x * 2.0
        return out.copy(), out.copy()

    a, b = ad.jit(both)(normal(0, 3))
    a[:] = 0.0
    assert np.all(b != 0.0)


@pytest.mark.parametrize("number", [-0.0, 0.0, True, 3, 1e-320])
def test_constants(number):
    def inverse(x):
        out = np.empty_like(x)
        out[:] = number
        return np.copysign(x, out) + out

    x = normal(0, 3)
    np.testing.assert_array_equal(ad.jit(inverse)(x), inverse(x))


@pytest.mark.parametrize("number", [0, 7, True])
def test_constants_of_integers(number):
    def doubled(x):
        out = np.empty_like(x)
        out[:] = number
        return out + x

    x = np.arange(4)
    np.testing.assert_array_equal(ad.jit(doubled)(x), doubled(x))
