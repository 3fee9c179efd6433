"""Dictionaries and objects whose contents depend on the path taken."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import anadrome as ad

ABOVE, BELOW = np.array([1.5, 2.0]), np.array([-1.5, 2.0])


def added(x: Any) -> Any:
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    d["b"] = x[1]
    return sum(d.values()) * len(d)


def asked_for(x: Any) -> Any:
    d = {}
    if x[0] > 0:
        d["a"] = x[0] ** 2
    if "a" in d:
        return d["a"]
    return x[1] ** 3


def added_in_a_loop(x: Any) -> Any:
    d = {"b": x[1]}
    for k in range(int(x[0])):
        d["a"] = x[0] * (k + 1)
    return sum(d.values()) * len(d)


def deleted(x: Any) -> Any:
    d = {"b": x[1], "a": x[0]}
    if x[0] > 0:
        del d["a"]
    return sum(d.values()) * len(d)


def missing(x: Any) -> Any:
    d = {}
    try:
        if x[0] > 0:
            d["a"] = x[0] ** 2
        return d["a"]
    except KeyError:
        return x[1] * 3.0


def counted(x: Any) -> Any:
    total: Any = collections.defaultdict(float)
    if x[0] > 0:
        total["a"] += x[0] ** 2
    total["b"] += x[1]
    total["b"] *= 2.0
    return sum(total.values()) + len(total)


def with_default(x: Any) -> Any:
    d = {"b": x[1] ** 2}
    if x[0] > 0:
        d["a"] = x[0]
    return d.get("a", 4.0) * d["b"]


@pytest.mark.parametrize("x", [ABOVE, BELOW], ids=["above", "below"])
@pytest.mark.parametrize(
    "function",
    [added, asked_for, added_in_a_loop, deleted, missing, counted, with_default],
)
def test_keys_are_those_of_the_path_taken(function: Any, x: Any) -> None:
    value, gradient = ad.value_and_grad(function)(x)
    assert value == pytest.approx(function(x))
    ad.check_grads(function, (x,), order=1)
    native = ad.jit(ad.value_and_grad(function))(x)
    np.testing.assert_allclose(native[0], value)
    np.testing.assert_allclose(native[1], gradient)


class Box:
    value: Any


def peeked(x: Any) -> Any:
    box = Box()
    if x[0] > 0:
        box.value = x[0] ** 2
    return box.value if hasattr(box, "value") else x[1] ** 3


def set_twice(x: Any) -> Any:
    box = Box()
    if x[0] > 0:
        box.value = x[0] ** 2
    if x[1] > 5.0:
        box.value = x[1]
    return box.value if hasattr(box, "value") else x[1] ** 3


def set_after_all(x: Any) -> Any:
    box = Box()
    if x[0] > 0:
        box.value = x[0] ** 2
    box.value = x[1]
    return box.value if hasattr(box, "value") else x[1] ** 3


@pytest.mark.parametrize("x", [ABOVE, BELOW, BELOW * 4.0], ids=["a", "b", "c"])
@pytest.mark.parametrize("function", [peeked, set_twice, set_after_all])
def test_attributes_are_those_of_the_path_taken(function: Any, x: Any) -> None:
    assert ad.value_and_grad(function)(x)[0] == pytest.approx(function(x))
    ad.check_grads(function, (x,), order=1)


def test_an_attribute_that_a_loop_may_set_can_be_asked_for() -> None:
    def peek(x: Any, n: int) -> Any:
        box = Box()
        for v in x[:n]:
            box.value = v
        return box.value * 2.0 if hasattr(box, "value") else x[1]

    for n in (0, 3):
        assert ad.value_and_grad(peek)(ABOVE, n)[0] == pytest.approx(peek(ABOVE, n))
        ad.check_grads(lambda x: peek(x, n), (ABOVE,), order=1)  # noqa: B023
