"""Slots of lists: what is read and stored once, and what must stay."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient

import anadrome as ad
from anadrome.frontend.program import read
from anadrome.optimize.lists.slots import read_slots_once
from anadrome.optimize.passes import optimize
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.speculation.equal_shapes import assume_shapes


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


XS, W = normal(0, 4, 3), normal(1, 2, 3)


def layers(xs, w):
    states = [w[k] for k in range(len(w))]
    for t in range(len(xs)):
        x = xs[t]
        for k in range(len(w)):
            states[k] = np.tanh(states[k] * x + w[k])
            x = states[k] * 2
    return np.sum(states[0] * states[1])


def neighbours(xs, w):
    states = [w[k] for k in range(len(w))]
    for t in range(len(xs)):
        states[t % 2] = xs[t] * states[0]
        states[-1] = states[t % 2] + states[1]
    return np.sum(states[0] * states[1])


def swapped(xs, w):
    states = [w[k] for k in range(len(w))]
    others = [w[k] * 2 for k in range(len(w))]
    for t in range(len(xs)):
        states[0] = xs[t] * others[1]
        others[0] = np.sin(states[0])
        states, others = others, states
    return np.sum(states[0] * others[1])


def branches(xs, w):
    states = [w[k] for k in range(len(w))]
    for t in range(len(xs)):
        if t % 2:
            states[0] = xs[t] * states[1]
        else:
            states[1] = xs[t] + states[0]
    return np.sum(states[0] * states[1])


def rows_of_one(xs, w):
    """What is stored is of another shape than what it takes the place of."""
    states = [w[k, :1] for k in range(len(w))]
    for t in range(len(xs)):
        for k in range(len(w)):
            states[k] = states[k] * xs[t, : t + 1] if t == 0 else states[k] + xs[t, :1]
    return np.sum(states[0] * states[1])


def growing(xs, w):
    states = [w[k, :1] for k in range(len(w))]
    for t in range(len(xs)):
        for k in range(len(w)):
            states[k] = np.concatenate((states[k] * 2, xs[t] * w[k]))
    return np.sum(states[0] * states[1])


PROGRAMS = [layers, neighbours, swapped, branches, rows_of_one, growing]


def primal(function):
    return optimize(read(function, (XS, W), {}).graph)


def test_what_was_stored_is_not_read_again():
    text = after(primal(layers), (XS, W), read_slots_once, remove_dead_code)
    assert text.count("getitem(states, k") == 1
    assert text.count("setitem(states") == 1


def test_what_was_read_is_not_read_again():
    def twice(xs, w):
        states = [w[k] for k in range(len(w))]
        for t in range(len(xs)):
            states[0] = states[t % 2] + states[t % 2] * xs[t]
        return np.sum(states[0])

    text = after(primal(twice), (XS, W), read_slots_once, remove_dead_code)
    assert text.count("getitem(states") == 2


def test_a_store_into_some_other_place_makes_it_unknown():
    before = primal(neighbours)
    text = after(before, (XS, W), read_slots_once, remove_dead_code)
    assert text.count("setitem(states") == 2
    # All but the one that reads what was just stored.
    assert text.count("getitem(states") == 4


def test_lists_of_several_names_stay():
    text = after(primal(swapped), (XS, W), read_slots_once, remove_dead_code)
    assert text == after(primal(swapped), (XS, W), remove_dead_code)


def test_stores_that_a_handler_may_see_stay():
    def handled(xs, w):
        states = [w[0], w[1]]
        try:
            states[0] = xs[0] * 2
            y = xs[len(xs) - 1 - 4]
            states[0] = y * 3
        except IndexError:
            states[1] = states[0] * 5
        return np.sum(states[0] * states[1])

    text = after(primal(handled), (XS, W), read_slots_once)
    assert text.count("setitem(states, 0") == 2


def test_zeros_are_made_where_they_are_read():
    passes = read_slots_once, remove_dead_code, assume_shapes, remove_dead_code
    text = after(gradient(layers, (XS, W)), (XS, W), *passes)
    forward, back = text.split("return")[0].split("back(", 1)
    assert forward.index("stack float") < forward.index("∂states:")
    assert back.count("setitem(∂states") == 1


@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_are_the_same(function):
    expected = ad.value_and_grad(function, (0, 1))(XS, W)
    found = ad.jit(ad.value_and_grad(function, (0, 1)))(XS, W)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    for a, b in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    after(gradient(function, (XS, W)), (XS, W), read_slots_once)
    step = 1e-6 * normal(2, *XS.shape)
    slope = (function(XS + step, W) - function(XS - step, W)) / 2
    assert np.isclose(np.sum(expected[1][0] * step), slope, rtol=1e-5, atol=1e-12)


def test_gradients_of_gradients_are_the_same():
    def squared(xs, w):
        return np.sum(ad.grad(layers, 0)(xs, w) ** 2)

    expected = ad.grad(squared, (0, 1))(XS, W)
    found = ad.jit(ad.grad(squared, (0, 1)))(XS, W)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_pullbacks_can_be_called_twice():
    value, pullback = ad.vjp(layers, XS, W)
    first, second = pullback(1.0), pullback(2.0)
    assert np.isclose(value, layers(XS, W))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(2 * np.asarray(a), b, rtol=1e-12)
