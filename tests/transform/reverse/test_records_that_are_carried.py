"""Gradients through records that loops carry, and of records without fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import anadrome as ad


@dataclass(frozen=True)
class Carried:
    layers: tuple[Any, ...]
    looked: np.ndarray


def carry(w: tuple[np.ndarray, ...], x: np.ndarray) -> Any:
    first = []
    for _ in range(2):
        first.append(x * 0)
    # A tuple of any length, where tuples of two are put later.
    d = Carried((tuple(first),), x * 0)
    for _ in range(3):
        states = []
        for k in w:
            c = d.layers[0][1] * 0.5 + (x + d.looked) * k
            states.append((np.tanh(c), c))
        d = Carried(tuple(states), np.tanh(states[-1][0]))
    return np.sum(d.looked)


def test_states_of_a_list_in_a_carried_record() -> None:
    w, x, h = np.array([0.5, -0.25]), np.array([0.3, 0.4]), 1e-6
    wanted = [
        (carry((w + h * e,), x) - carry((w - h * e,), x)) / (2 * h) for e in np.eye(2)
    ]
    (found,) = ad.grad(carry)((w,), x)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@dataclass(frozen=True)
class Dot:
    def energy(self, a: np.ndarray, b: np.ndarray) -> Any:
        return np.sum(a * b)


@dataclass(frozen=True)
class Params:
    attention: Dot
    w: np.ndarray


def energy(p: Params, x: np.ndarray) -> Any:
    return p.attention.energy(p.w, x)


def test_the_gradient_of_a_record_without_fields_is_one() -> None:
    p, x = Params(Dot(), np.ones(2)), np.array([1.0, 2.0])
    for g in (ad.grad(energy), ad.jit(ad.grad(energy))):
        found = g(p, x)
        assert found.attention == Dot()
        np.testing.assert_array_equal(found.w, x)


class Body:
    def __init__(self, place: Any, speed: Any, steps: int = 0) -> None:
        self.place, self.speed, self.steps = place, speed, steps


@pytest.mark.parametrize("wrap", [lambda g: g, ad.jit], ids=["python", "native"])
def test_a_record_that_only_loops_bind(wrap: Any) -> None:
    def energy(x: Any) -> Any:
        for _ in range(2):
            for k in range(2):
                body = Body(x, x[0], k)
        x[0] = 2.0
        return np.sum(body.place) * body.speed

    found = wrap(ad.grad(energy))(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found, [7.0, 1.0, 1.0])


def test_a_record_with_an_identity_that_only_loops_bind() -> None:
    def chosen(x: Any) -> Any:
        for n in range(2):
            bodies = [Body(x, n), Body(x, n)]
            for body in bodies:
                found = body in bodies
        return np.sum(body.place) * found

    np.testing.assert_allclose(ad.jit(ad.grad(chosen))(np.ones(2)), np.ones(2))
