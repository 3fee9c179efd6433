"""Variables and iterators are where Python leaves them when a statement raises."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import anadrome as ad


def iterator(x):
    items = iter([x, 5.0, 7.0])
    try:
        y = 1 / next(items)
    except ZeroDivisionError:
        y = next(items)
    return y + next(items)


def suspended_generator(x):
    def values():
        yield x
        yield 5.0
        yield 7.0

    items = values()
    try:
        y = 1 / next(items)
    except ZeroDivisionError:
        y = next(items)
    return y + next(items)


def in_a_call(x):
    items = iter([x, 5.0, 7.0])

    def inverse():
        return 1 / next(items)

    try:
        y = inverse()
    except ZeroDivisionError:
        y = next(items)
    return y + next(items)


def in_a_generator_expression(x):
    items = (1 / v for v in [1.0, x, 5.0])
    y = next(items)
    try:
        y += next(items)
    except ZeroDivisionError:
        y += 100
    return y + sum(items)


def inverse_of(v):
    return 1 / v


def in_map(x):
    items = map(inverse_of, [1.0, x, 5.0])
    y = next(items)
    try:
        y += next(items)
    except ZeroDivisionError:
        y += 100
    return y + sum(items)


def in_a_generator(x):
    def values():
        yield 1.0
        yield 1 / x
        yield 4.0

    items, total = values(), 0.0
    while True:
        try:
            v = next(items)
        except StopIteration:
            break
        except ZeroDivisionError:
            total += 100
            continue
        total += v
    return total


def raised_in_a_generator(x):
    def values():
        yield x
        raise KeyError("none")

    items, total = values(), 0.0
    try:
        while True:
            total += next(items)
    except KeyError:
        total += 10
    try:
        next(items)
    except StopIteration:
        total += 1000
    return total


def variable_of_a_function_around(x):
    n = 0

    def count():
        nonlocal n
        n += 1
        return 1 / x

    try:
        y = count()
    except ZeroDivisionError:
        y = 5.0
    return y + n


def suppressed(x):
    items = iter([x, 5.0, 7.0])
    with contextlib.suppress(ZeroDivisionError):
        x = 1 / next(items)
    return next(items) + x


@pytest.mark.parametrize("x", [0.0, 2.0])
@pytest.mark.parametrize(
    "f",
    [
        iterator,
        suspended_generator,
        in_a_call,
        in_a_generator_expression,
        in_map,
        in_a_generator,
        raised_in_a_generator,
        variable_of_a_function_around,
        suppressed,
    ],
)
def test_as_python_does(f: Any, x: float) -> None:
    assert ad.value_and_grad(f)(x)[0] == f(x)
    assert ad.jit(f)(x) == f(x)
    assert ad.jit(ad.value_and_grad(f))(x)[0] == f(x)


def in_a_loop(x):
    items = iter([1.0, x, 5.0])
    try:
        y = sum(1 / v for v in items)
    except ZeroDivisionError:
        y = 100.0
    return y + sum(items)


def test_refuses_to_guess_where_a_loop_was_left() -> None:
    with pytest.raises(ad.AnadromeError, match="how far it has come"):
        ad.jit(in_a_loop)(0.0)
