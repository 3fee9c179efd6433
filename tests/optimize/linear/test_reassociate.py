"""Sums in loops: what the iteration before has just stored is added last."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gradient_graphs import after
from native_gradients import check, normal

from anadrome.frontend.program import read
from anadrome.optimize.linear.reassociate import reassociate_sums
from anadrome.optimize.passes import optimize


def primal(function, args):
    return optimize(read(function, args, {}).graph)


def summed(x, a):
    x = x.copy()
    for j in range(1, len(x)):
        x[j] = x[j - 1] + a[j] + 0.5 * a[j - 1] + x[j]
    return np.sum(x * x)


def backwards(x, a):
    x = x.copy()
    for j in range(len(x) - 2, -1, -1):
        x[j] = (a[j] + x[j + 1]) + (a[j + 1] + x[j])
    return np.sum(x * x)


def along_rows(x, a):
    x = x.copy()
    for i in range(1, x.shape[0]):
        for j in range(1, x.shape[1]):
            left = x[i, j - 1] + a[j]
            x[i, j] = (left + x[i - 1, j - 1] + x[i - 1, j]) / 3
    return np.sum(x * x)


X, A = normal(0, 9), normal(1, 9)


def statements(text):
    """What a printed graph computes, by name."""
    found = (re.match(r" *(\w+): .*? = (.*)", line) for line in text.splitlines())
    return {match[1]: match[2] for match in found if match}


def last_term(text):
    """The last term of the sum that a printed graph stores."""
    made = statements(text)
    value = re.search(r"setitem\(\w+, \w+, (\w+)\)", text)[1]
    while not made[value].startswith("add"):
        value = re.match(r"\w+\((\w+)", made[value])[1]
    return made[re.search(r"(\w+)\)$", made[value])[1]]


@pytest.mark.parametrize(
    ("function", "args", "offset"),
    [
        (summed, (X, A), "subtract"),
        (backwards, (X, A), "add"),
        (along_rows, (normal(2, 5, 9), A), "subtract"),
    ],
)
def test_terms_of_the_iteration_before_come_last(function, args, offset):
    text = after(primal(function, args), args, reassociate_sums)
    made = statements(text)
    index = re.match(r"getitem\(x_1, (\w+)\)", last_term(text))[1]
    if made[index].startswith("tuple"):
        index = re.search(r"(\w+)\)$", made[index])[1]
    assert made[index].startswith(offset)


def test_sums_without_such_terms_stay():
    def apart(x, a):
        x = x.copy()
        for j in range(2, len(x)):
            x[j] = x[j - 2] + a[j] + a[j - 1]
        return np.sum(x)

    def compensated(x, a):
        x = x.copy()
        for j in range(1, len(x)):
            x[j] = x[j - 1] + (a[j] - a[j - 1]) + a[j]
        return np.sum(x)

    def short(x, a):
        x = x.copy()
        for j in range(1, len(x)):
            x[j] = a[j] + x[j - 1]
        return np.sum(x)

    for function in (apart, compensated, short):
        args = (X, A)
        before = after(primal(function, args), args, lambda graph: graph)
        assert after(primal(function, args), args, reassociate_sums) == before


@pytest.mark.parametrize("function", [summed, backwards])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_values_and_gradients(function, n):
    check(function, normal(3, n), normal(4, n))


def test_values_and_gradients_along_rows():
    check(along_rows, normal(5, 4, 6), normal(6, 6))
