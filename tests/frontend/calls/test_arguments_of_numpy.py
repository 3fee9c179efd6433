"""Calls of NumPy with wrong arguments fail as they do in Python; named ones do not."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def of_functions(x):
    try:
        np.fill_diagonal(np.outer(x, x))
    except TypeError:
        x = x * 2
    try:
        np.put(x, [0])
    except TypeError:
        x = x * 3
    try:
        np.place(x, x > 0)
    except TypeError:
        x = x * 5
    try:
        np.putmask(x, x > 0)
    except TypeError:
        x = x * 7
    try:
        np.put_along_axis(x, np.array([0]), 1.0)
    except TypeError:
        x = x * 11
    try:
        np.add.at(2.0, 0, 1.0)
    except TypeError:
        x = x * 13
    try:
        np.diff(x, 1, 0, 2, 3, 4, 5)
    except TypeError:
        x = x * 17
    return np.sum(x)


def of_methods(x):
    try:
        x.put(0)
    except TypeError:
        x = x * 2
    try:
        x.sum().fill()
    except TypeError:
        x = x * 3
    try:
        x.sum().put(0)
    except TypeError:
        x = x * 5
    return np.sum(x)


def of_stores(x):
    y = x.copy()
    try:
        y[0] = 3.0
        y[:, 0] = 7.0
    except IndexError:
        y[1] = y[1] * 2
    return np.sum(y * y)


@pytest.mark.parametrize("f", [of_functions, of_methods, of_stores])
def test_wrong_ones_are_caught(f):
    x = np.array([1.0, 2.0])
    assert ad.jit(f)(x) == f(x)
    gradient = np.array([(f(x + d) - f(x - d)) / 2 for d in np.eye(2)])
    assert np.allclose(ad.grad(f)(x), gradient)


def test_named_ones_that_are_not_followed_do_not_fail():
    def f(x):
        try:
            x.fill(value=2.0)
        except TypeError:
            x[0] = 1.0
        return np.sum(x)

    x = np.ones(2)
    with pytest.raises(ad.AnadromeError):
        ad.grad(f)(x)


def test_nothing_is_put_whatever_the_index():
    def f(x):
        np.put(x, [0, 5], [])
        return np.sum(x)

    assert ad.jit(f)(np.ones(2)) == ad.grad(f)(np.ones(2))[0] * 2 == 2.0
