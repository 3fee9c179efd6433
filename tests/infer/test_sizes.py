"""Sizes that do not fit are reported before anything runs, with their origins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import anadrome as ad


@dataclass
class Layer:
    weights: np.ndarray
    bias: np.ndarray


def layer(h: Any, w: Any, b: Any) -> Any:
    return np.tanh(h @ w + b)


def steps(xs: Any, w: Any, h: Any) -> Any:
    for x in xs:
        h = np.tanh(x @ w + h)
    return h.sum()


def of_record(p: Layer, x: Any) -> Any:
    return (x @ p.weights.T + p.bias).sum()


def of_items(ps: Any, x: Any) -> Any:
    return (x @ ps[1]).sum() + ps[0].sum()


CASES = [
    (
        layer,
        (np.ones((16, 64)), np.ones((128, 3)), np.ones(3)),
        "h @ w: 64 columns against 128 rows",
        "64 is axis 1 of 'h', of shape (16, 64); 128 is axis 0 of 'w'",
    ),
    (
        layer,
        (np.ones((2, 4)), np.ones((4, 3)), np.ones(5)),
        "h @ w + b: axes of length 3 and 5 do not go together",
        "3 is axis 1 of 'w', of shape (4, 3); 5 is axis 0 of 'b', of shape (5,)",
    ),
    (
        steps,
        (np.ones((7, 2, 4)), np.ones((4, 3)), np.ones((2, 5))),
        "x @ w + h: axes of length 3 and 5 do not go together",
        "5 is axis 1 of 'h'",
    ),
    (
        of_record,
        (Layer(np.ones((3, 4)), np.ones(3)), np.ones((2, 3))),
        "x @ p.weights.T: 3 columns against 4 rows",
        "4 is axis 1 of 'p.weights'",
    ),
    (
        of_items,
        ([np.ones((3, 4)), np.ones((5, 6))], np.ones((2, 3))),
        "x @ ps[1]: 3 columns against 5 rows",
        "5 is axis 0 of 'ps'[1]",
    ),
]


@pytest.mark.parametrize(("function", "args", "message", "origin"), CASES)
def test_a_mismatch_says_what_and_whence(
    function: Any, args: Any, message: str, origin: str
) -> None:
    with pytest.raises(ad.ShapeMismatch) as caught:
        ad.jit(function)(*args)
    assert caught.value.message == message
    assert origin in str(caught.value)
    assert caught.value.span is not None


def test_what_is_printed_before_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(x: Any, y: Any) -> Any:
        print("running")
        return x @ y

    with pytest.raises(ValueError, match="3 columns against 2 rows"):
        ad.jit(talks)(np.ones((2, 3)), np.ones((2, 3)))
    assert capsys.readouterr().out == "running\n"


def test_later_calls_are_explained_too() -> None:
    f = ad.jit(layer)
    f(np.ones((2, 4)), np.ones((4, 3)), np.ones(3))
    with pytest.raises(ad.ShapeMismatch, match="4 columns against 5 rows"):
        f(np.ones((2, 4)), np.ones((5, 3)), np.ones(3))


@pytest.mark.parametrize("n", [0, 2])
def test_what_is_not_executed_is_not_refused(n: int) -> None:
    def guarded(x: Any, y: Any, n: int) -> Any:
        if len(x) == len(y):
            return (x * y).sum()
        for _ in range(n - 2):
            x = x + y
        try:
            z = (x + y).sum()
        except ValueError:
            z = -1.0
        return z

    assert ad.jit(guarded)(np.ones(2), np.ones(3), n) == -1.0


def new_item(d: Any) -> Any:
    d["b"] = np.ones((4, 2))
    return d["a"] @ d["b"]


def longer(items: Any) -> Any:
    items.append(np.ones((4, 2)))
    items.pop(1)
    return items[0] @ items[1]


def new_field(p: Any) -> Any:
    p.bias = np.ones((4, 2))
    return p.weights @ p.bias


def axes(x: Any, w: Any) -> Any:
    return np.transpose(x, axes=(2, 0, 1))[0] @ w


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (new_item, lambda: ({"a": np.ones((3, 4)), "b": np.ones((5, 5))},)),
        (longer, lambda: ([np.ones((3, 4)), np.ones((5, 5))],)),
        (new_field, lambda: (Layer(np.ones((3, 4)), np.ones((5, 5))),)),
        (axes, lambda: (np.ones((2, 3, 4)), np.ones((3, 2)))),
    ],
)
def test_sizes_that_change_are_not_refused(function: Any, make: Any) -> None:
    assert np.array_equal(ad.jit(function)(*make()), function(*make()))


def stores_first(x: Any, y: Any) -> Any:
    x[0] = 7.0
    return x @ y


def test_what_comes_before_a_mismatch_happens() -> None:
    x = np.ones(3)
    with pytest.raises(ad.ShapeMismatch):
        ad.jit(stores_first)(x, np.ones(2))
    assert x[0] == 7.0
