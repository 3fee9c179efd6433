"""Functions of one name from different places are different functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg

import anadrome as ad

A = np.array([[4.0, 1.0, 0.5], [1.25, 3.0, 0.2], [0.5, 0.3, 5.0]])


@ad.primitive
def sqrt(x):
    """A root that is not NumPy's."""
    return np.sqrt(np.abs(x)) + 100.0


@sqrt.vjp
def sqrt_vjp(z, x, *, dz):
    return dz * 7.0


@ad.primitive
def sum(x):
    """A sum that is not NumPy's."""
    return np.sum(x) + 100.0


@sum.vjp
def sum_vjp(z, x, *, dz):
    return dz * np.full(np.shape(x), 5.0)


def own_root(x):
    return np.sum(sqrt(x) * x)


def own_sum(x):
    return sum(x * x) ** 2


@pytest.mark.parametrize("function", [own_root, own_sum])
def test_names_that_users_take(function):
    x = np.array([-1.0, 4.0])
    np.testing.assert_allclose(ad.jit(function)(x), function(x))
    gradient = ad.grad(function)
    np.testing.assert_allclose(ad.jit(gradient)(x), gradient(x))


def applied(function):
    """A program that calls a function: its source is the same for all of them."""

    def program(x):
        return function(x) * 1.0

    return program


@pytest.mark.parametrize(
    ("functions", "x"),
    [
        ((np.linalg.cholesky, scipy.linalg.cholesky), A),
        ((scipy.linalg.cholesky, np.linalg.cholesky), A),
        ((np.floor, math.floor, np.ceil, math.ceil), -1.5),
        ((math.exp, np.exp, math.expm1), 0.5),
    ],
)
def test_programs_in_the_cache_are_told_apart(functions, x):
    for function in functions:
        program = applied(function)
        found, wanted = ad.jit(program)(x), program(x)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted)
