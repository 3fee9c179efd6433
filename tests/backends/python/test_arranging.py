"""Programs rearranged for reading: loops over items, indices where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad

X = np.random.default_rng(0).normal(size=5)
ROWS = np.random.default_rng(1).normal(size=(4, 3))


def over_rows(xs: Any, w: Any) -> Any:
    total = 0.0
    for x in xs:
        total = total + np.tanh(x @ w)
    return total


def over_pairs(xs: Any, ys: Any) -> Any:
    total = 0.0
    for x, y in zip(xs, ys):
        total = total + np.sin(x) * y**2
    return total


def over_layers(layers: Any, x: Any) -> Any:
    for w, b in layers:
        x = np.tanh(w * x + b)
    return x.sum()


def until_large(xs: Any) -> Any:
    total = 0.0
    for x in xs:
        if total > 0.5:
            break
        total = total + x * x
    return total


def counted_too(xs: Any) -> Any:
    total = 0.0
    for k, x in enumerate(xs):
        total = total + x * x * k
    return total


def slices(x: Any) -> Any:
    y = x.copy()
    y[1:3] *= x[1:3]
    return (y[1:3] * y[:2]).sum() + x[1:3].sum()


def test_a_loop_over_one_value_runs_over_it_both_ways() -> None:
    text = ad.source(ad.grad(over_rows, 1), ROWS, ROWS[0])
    assert "for x in xs:" in text
    assert "reversed(xs)" in text
    assert "range" not in text


def test_a_loop_over_two_values_zips_them() -> None:
    text = ad.source(over_pairs, X, X)
    assert "for x, y in zip(xs, ys):" in text


def test_pairs_are_unpacked_in_the_header() -> None:
    layers = [(X, X), (X + 1.0, X)]
    text = ad.source(ad.grad(over_layers), layers, X)
    assert "for w, b in layers:" in text


def test_indices_stand_where_they_are_used() -> None:
    text = ad.source(ad.grad(slices), X)
    assert "y[1:3] *= x[1:3]" in text
    assert "slice(" not in text


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (over_rows, (ROWS, ROWS[0])),
        (over_pairs, (X, X[:3])),
        (over_pairs, (X[:2], X)),
        (over_pairs, (X[:0], X)),
        (over_layers, ([(X, X), (X + 1.0, X)], X)),
        (over_layers, ([], X)),
        (until_large, (X,)),
        (until_large, (X[:0],)),
        (counted_too, (X,)),
        (slices, (X,)),
    ],
)
def test_gradients_stay_right(function: Any, args: Any) -> None:
    argnums = 1 if function is over_layers else 0
    if np.size(args[argnums]):
        ad.check_grads(
            lambda a: function(*args[:argnums], a, *args[argnums + 1 :]),
            (args[argnums],),
        )
    else:
        assert ad.grad(function, argnums)(*args).shape == (0,)


def test_the_graph_is_left_as_it_was() -> None:
    g = ad.grad(over_rows, 1)
    before = ad.show(g, ROWS, ROWS[0])
    ad.source(g, ROWS, ROWS[0])
    assert ad.show(g, ROWS, ROWS[0]) == before
    assert "range" in before or "length" in before or "len" in before
