"""Infinite slopes of functions whose results the path that is taken does not read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import anadrome as ad


def forces(p: Any) -> Any:
    energy = 0.0
    for i in range(2):
        for j in range(2):
            distance = np.sqrt(np.sum((p[i] - p[j]) ** 2))
            if distance == 0:
                continue
            energy += distance
    return energy


def unit(x: Any) -> Any:
    length = np.sqrt(x @ x)
    return np.sum(x / length if length > 0 else x)


def root(x: Any) -> Any:
    s = math.sqrt(x)
    return s * x if x > 0 else x


def caught(x: Any) -> Any:
    s = x**0.5
    try:
        return 1.0 / s
    except ZeroDivisionError:
        return 2 * x


def twice(x: Any) -> Any:
    outer = np.log(np.sqrt(x))
    total = np.sum(x)
    if total > 5:
        if total > 6:
            total += np.sum(outer)
        total += np.sum(x)
    return total


PROGRAMS: list[tuple[Any, Any, Any]] = [
    (forces, np.array([[3.0, 0], [0, 4]]), np.array([[1.2, -1.6], [-1.2, 1.6]])),
    (unit, np.zeros(2), np.ones(2)),
    (root, 0.0, 1.0),
    (caught, 0.0, 2.0),
    (twice, np.array([0.0, 1.0, 2.0]), np.ones(3)),
    (twice, np.array([0.0, 1.0, 4.5]), 2 * np.ones(3)),
]


@pytest.mark.parametrize("wrap", [lambda g: g, ad.jit], ids=["python", "native"])
def test_nothing_flows_back_into_them(wrap: Any) -> None:
    with np.errstate(all="ignore"):
        for program, at, wanted in PROGRAMS:
            np.testing.assert_allclose(wrap(ad.grad(program))(at), wanted, rtol=1e-12)


def test_where_it_is_read_a_slope_stays_infinite() -> None:
    with np.errstate(all="ignore"):
        found = ad.grad(lambda x: np.sum(np.sqrt(x)) if x[1] > 0 else x[1])(
            np.array([0.0, 1.0])
        )
    assert found[0] == np.inf
