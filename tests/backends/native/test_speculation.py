"""Programs as people write them: compiled once, at the highest speculation level."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.compile import Level

rng = np.random.default_rng(3)


def normal(*shape):
    return rng.normal(size=shape)


WEIGHTS = [normal(3, 4), normal(4, 4), normal(4, 2)]
BIASES = [normal(4), normal(4), normal(2)]
LABELS = np.array([0, 1, 1, 0, 1])


def layers_in_lists(x, weights, biases):
    for W, b in zip(weights[:-1], biases[:-1]):
        x = np.tanh(x @ W + b)
    return np.sum((x @ weights[-1] + biases[-1]) ** 2)


def layers_in_pairs(x, layers):
    for W, b in layers:
        x = np.maximum(x @ W + b, 0.1 * x @ W)
    return np.sum(x * x)


def array_of_states(x, W):
    h = np.zeros((x.shape[1], W.shape[0]))
    states = []
    for t in range(len(x)):
        h = np.tanh(x[t] + h @ W)
        states.append(h)
    return np.mean(np.array(states) ** 2)


def chain(scores, transitions):
    alpha = scores[0]
    for t in range(1, len(scores)):
        s = alpha.reshape(-1, 1) + transitions
        top = s.max(0)
        alpha = top + np.log(np.exp(s - top).sum(0)) + scores[t]
    return np.logaddexp.reduce(alpha)


def pendulum(angle, stiffness):
    y = np.array([angle, 0.0])

    def slope(y):
        return np.array([y[1], -stiffness * np.sin(y[0])])

    for _ in range(20):
        middle = y + 0.05 * slope(y)
        y = y + 0.1 * slope(middle)
    return y[0] ** 2 + y[1]


def chosen(x, W):
    z = x @ W
    z = z - z.max(1, keepdims=True)
    likely = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -likely[range(len(LABELS)), LABELS].mean()


def orbit(rates, start):
    def slope(y):
        a, b = rates[0] * y[0], rates[1] * y[0] * y[1]
        return np.array([a - b, b - y[1]])

    states = [start]
    for _ in range(5):
        y = states[-1]
        middle = y + 0.05 * slope(y)
        states.append(y + 0.1 * slope(middle))
    return np.sum(np.array(states) ** 2)


def total_of_rows(x, W):
    total = 0.0
    for row in x:
        total = total + np.tanh(row @ W)
    return np.sum(total**2) + np.sum(sum(row**2 for row in x))


def rotated(angles, point):
    for a in angles:
        c, s = np.cos(a), np.sin(a)
        point = np.array([[c, -s], [s, c]]) @ np.concatenate([point[:1], [1.0]])
    return np.sum(np.vstack([point, 2 * point]))


CASES = [
    (layers_in_lists, (normal(5, 3), WEIGHTS, BIASES)),
    (layers_in_pairs, (normal(5, 3), list(zip(WEIGHTS, BIASES)))),
    (array_of_states, (normal(4, 2, 3), normal(3, 3))),
    (chain, (normal(6, 3), normal(3, 3))),
    (pendulum, (0.3, 2.0)),
    (chosen, (normal(5, 3), normal(3, 2))),
    (orbit, (np.array([0.9, 0.4]), np.array([1.0, 2.0]))),
    (total_of_rows, (normal(6, 3), normal(3, 2))),
    (rotated, (normal(4), normal(2))),
]


def numbers(value):
    if isinstance(value, list | tuple):
        return [n for v in value for n in numbers(v)]
    return [value]


@pytest.mark.parametrize(
    ("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES]
)
def test_natural_programs_are_compiled_once(function, args):
    everything = ad.value_and_grad(function, tuple(range(len(args))))
    native = ad.jit(everything)
    found, again = native(*args), native(*args)
    made = native.specialise(args, {})
    assert native.specialise(args, {}) is made
    compiled = made.function
    assert compiled.level is Level.JOINT
    assert compiled._slower is None, "what was assumed does not hold"
    for results in (found, again):
        for a, b in zip(numbers(results), numbers(everything(*args)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)


def test_lists_that_become_uneven_are_still_right():
    even = [normal(3, 3), normal(3, 3)]
    gradient = ad.grad(layers_in_lists, (1, 2))
    native = ad.jit(gradient)
    for weights in (even, WEIGHTS, even):
        biases = [normal(W.shape[1]) for W in weights]
        found = native(normal(5, 3) * 0 + 1, weights, biases)
        wanted = gradient(normal(5, 3) * 0 + 1, weights, biases)
        for a, b in zip(numbers(found), numbers(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)


def test_an_array_of_an_empty_list_has_fewer_axes():
    def collected(x, n):
        found = []
        for k in range(n):
            found.append(x * k)
        return np.array(found)

    native = ad.jit(collected)
    x = normal(3)
    np.testing.assert_array_equal(native(x, 2), collected(x, 2))
    np.testing.assert_array_equal(native(x, 0), collected(x, 0))
    np.testing.assert_array_equal(native(x, 3), collected(x, 3))
