"""What masks, index arrays and numbers pick from arrays that change in place."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def masked_once(x):
    y = x * x
    y[y > 1.0] = x[0, 0]
    return np.sum(y * x)


def masked_in_a_loop(x):
    y = x * 2.0
    for k in range(3):
        y += x
        picked = y[x > 0.0]
        y[x > 0.0] = 0.5 * k
        y[0] += np.sum(picked)
    return np.sum(y * y)


def picked_by_numbers(x):
    y = x * x
    at = np.array([0, 2, 0])
    for _ in range(2):
        y = y + x
        y[1:] = y[at][1:] * x[1:]
        y[at] = x[1]
    return np.sum(y * x)


def picked_along_rows(x):
    y = x + 1.0
    rows = [2, 0]
    y[1:] *= x[:-1]
    total = y[rows, :].sum()
    y[rows] = 0.0
    y[0, 1] = total
    return np.sum(y * y * x)


def number_before_its_place_changes(x):
    y = 0.0
    for row in x:
        y = y + row
    for e in y:
        y[...] = x[0]
        y[::2] = e
    return np.sum(np.sin(y) * x)


def mask_in_a_branch(x):
    y = x * 3.0
    if x[0, 0] > -100.0:
        y -= x
        y[y < 0.0] *= x[1, 1]
    return np.sum(y * y)


PROGRAMS = [
    masked_once,
    masked_in_a_loop,
    picked_by_numbers,
    picked_along_rows,
    number_before_its_place_changes,
    mask_in_a_branch,
]


def differences(function, x):
    """The gradient by central differences."""
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        found[at] = (function(x + step) - function(x - step)) / 2e-6
    return found


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", [0, 1])
def test_gradients_are_right_in_both_backends(function, seed):
    x = np.random.default_rng(seed).normal(size=(3, 3)) * 2.0
    expected = differences(function, x)
    size = np.abs(expected).max()
    for gradient in (ad.grad(function), ad.jit(ad.grad(function))):
        np.testing.assert_allclose(gradient(x), expected, atol=2e-8 * size, rtol=2e-6)
