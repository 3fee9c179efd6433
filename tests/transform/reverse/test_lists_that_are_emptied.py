"""Gradients of lists and dictionaries that a program empties, or tests and changes."""

from dataclasses import dataclass

import numpy as np
import pytest

import anadrome as ad


@dataclass
class Box:
    items: list
    k: float


def drained(xs):
    if not xs:
        return 0.0
    v = xs.pop()
    return v * v + drained(xs)


def moved(xs):
    ys = []

    def move():
        if xs:
            ys.append(xs.pop())
            move()

    move()
    return sum(y * y for y in ys)


def popped_if_any(xs):
    if xs:
        v = xs.pop()
        return v * v
    return 0.0


def popped_in_a_loop(xs):
    total = 0.0
    for _ in range(4):
        total = total + (xs.pop() ** 2 if xs else 1.0)
    return total


def key_deleted(d):
    total = 0.0
    if d:
        total = d["a"] ** 2
        del d["a"]
    return total


def array_tested(x):
    a = x.copy()
    total = 0.0
    if a:
        total = a[0] ** 2
        a[0] = 0.0
    return total


def of_a_tuple(t):
    return drained(t[0]) * t[1]


def of_an_object(o):
    return drained(o.items) * o.k


def of_a_dict(d):
    return drained(d["items"]) * d["k"]


CASES = [
    (drained, lambda: [1.0, 2.0], [2.0, 4.0]),
    (moved, lambda: [1.0, 2.0], [2.0, 4.0]),
    (popped_if_any, lambda: [3.0], [6.0]),
    (popped_in_a_loop, lambda: [1.0, 2.0], [2.0, 4.0]),
    (key_deleted, lambda: {"a": 3.0}, {"a": 6.0}),
    (array_tested, lambda: np.array([3.0]), [6.0]),
    (of_a_tuple, lambda: ([1.0, 2.0], 3.0), ([6.0, 12.0], 5.0)),
    (of_an_object, lambda: Box([1.0, 2.0], 3.0), Box([6.0, 12.0], 5.0)),
    (
        of_a_dict,
        lambda: {"items": [1.0, 2.0], "k": 3.0},
        {"items": [6.0, 12.0], "k": 5.0},
    ),
]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(("function", "make", "expected"), CASES)
def test_the_gradient_has_every_item(function, make, expected, native):
    gradient = ad.jit(ad.grad(function)) if native else ad.grad(function)
    assert gradient(make()) == expected
