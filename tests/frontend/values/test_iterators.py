"""Iterators and generators are what Python says: lazy, consumed once, shared, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anadrome as ad

sys.path.insert(0, str(Path(__file__).parent))

import iterator_programs

MODES = {
    "gradient": lambda f: ad.value_and_grad(f),
    "native": lambda f: lambda x: (ad.jit(f)(x), None),
    "native gradient": lambda f: ad.jit(ad.value_and_grad(f)),
    "forward": lambda f: lambda x: ad.jvp(f, (x,), (np.ones_like(x)[()],)),
}


def slope(function: Any, x: Any, direction: Any) -> float:
    step = 1e-5
    return (function(x + step * direction) - function(x - step * direction)) / 2 / step


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "x"),
    iterator_programs.PROGRAMS,
    ids=[f.__name__ for f, _ in iterator_programs.PROGRAMS],
)
def test_program(function: Any, x: Any, mode: str) -> None:
    value, derivative = MODES[mode](function)(x)
    assert value == pytest.approx(function(x), rel=1e-12)
    if derivative is None:
        return
    if mode == "forward" or not isinstance(x, np.ndarray):
        ones = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
        assert derivative == pytest.approx(slope(function, x, ones), abs=1e-6)
        return
    expected = [slope(function, x, e) for e in np.eye(len(x))]
    np.testing.assert_allclose(derivative, expected, atol=1e-6)


def spoken(x):
    def values():
        for k in range(3):
            print("make", k)
            yield x * k

    total = 0.0
    for v in values():
        print("take")
        total += v
        if total > 1.0:
            break
    return total


@pytest.mark.parametrize("mode", ["gradient", "native"])
def test_body_and_generator_alternate(mode: str, capsys: Any) -> None:
    spoken(2.0)
    expected = capsys.readouterr().out
    MODES[mode](spoken)(2.0)
    assert capsys.readouterr().out == expected


def past_the_end(x):
    steps = iter(x)
    total = 0.0
    for _ in range(len(x) + 1):
        total += next(steps)
    return total


def ended_generator(x):
    def one():
        yield x

    steps = one()
    return next(steps) + next(steps, 5.0) + next(steps, 7.0)


@pytest.mark.parametrize("mode", MODES)
def test_end_of_an_iterator(mode: str) -> None:
    with pytest.raises(StopIteration):
        MODES[mode](past_the_end)(np.ones(3))
    assert MODES[mode](ended_generator)(2.0)[0] == 14.0


def chosen_iterator(x, flag):
    values = iter([x])
    if flag > 0:
        values = iter([x * 2])
    return next(values)


def test_iterators_that_differ_between_paths_are_refused() -> None:
    with pytest.raises(ad.UnsupportedSyntax, match="depends on the path"):
        ad.grad(chosen_iterator)(2.0, 1.0)
