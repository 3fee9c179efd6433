"""Gradients of lists: nothing is copied that nobody else holds, nothing is shared."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from anadrome import tree

W = np.random.default_rng(0).normal(size=(3, 3))
X = np.random.default_rng(1).normal(size=(2, 3))


def network(params: Any, x: Any) -> Any:
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return ((x @ w + b) ** 2).sum()


def shared_twice(params: Any, x: Any) -> Any:
    return (x @ (params[0][0] + params[1][0])).sum() + (params[0][1] * 1.0).sum()


def untouched(params: Any, x: Any) -> Any:
    return (x @ params[1][0]).sum()


def one_value_everywhere(params: Any, x: Any) -> Any:
    total = 0.0
    for w, b in params:
        total = total + (w.sum() + b.sum()) * x.sum()
    return total


def carried_along(params: Any, x: Any) -> Any:
    h = params[0][1]
    for _, b in params:
        h = h + b
    return (h * x).sum()


def chosen_by_a_branch(params: Any, x: Any) -> Any:
    if x[0, 0] > 0:
        return (params[0][0] * params[0][0]).sum()
    return (params[1][0] * 3.0).sum() + x.sum() * params[0][1].sum()


FUNCTIONS = [
    network,
    shared_twice,
    untouched,
    one_value_everywhere,
    carried_along,
    chosen_by_a_branch,
]


def params() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(W * (k + 1), W[k] + 0.0) for k in range(3)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_array_is_its_own(function: Callable[..., Any]) -> None:
    given = params()
    arrays = tree.leaves(ad.grad(function)(given, X))
    assert len(arrays) == 6
    for a in arrays:
        assert a.flags.writeable
        a += 1.0  # would be seen in another place if it were shared
    again = tree.leaves(ad.grad(function)(given, X))
    for a, b in zip(arrays, again):
        np.testing.assert_allclose(a, b + 1.0)
    for a, b in itertools.combinations([*arrays, *tree.leaves(given), X], 2):
        assert not np.shares_memory(a, b)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_agree_with_differences(function: Callable[..., Any]) -> None:
    ad.check_grads(function, (params(), X))


def test_gradients_of_layers_are_not_copied() -> None:
    text = ad.source(ad.grad(network), params(), X)
    assert "separate" not in text
    assert ".copy()" not in text
