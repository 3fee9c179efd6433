"""Whoever leaves a block finds the variables as Python leaves them."""

# ruff: noqa: B007, F821

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad


def variable_assigned_after_the_block(x, n):
    b = x[0]
    for q in x:
        if n < 2:
            if q > n:
                break
            if q > 2.5:
                continue
            b = 1.0
        b = q * q
    return b


def variable_assigned_after_the_try(x, n):
    b = x[0]
    while True:
        try:
            if x[0] > n:
                break
            b = x[1]
            x[7] = 1.0
        except LookupError:
            n = -1
        b = b + 2.0
    return b


def match_in_a_loop(x, n):
    for q in x:
        match n:
            case 0 if q > 1.5:
                break
            case 1:
                return q
            case 2:
                continue
        x[1] = 3.0
    return x[1] * q


def variable_bound_again_to_what_it_was(x, n):
    a = x[0]
    d = a
    if n:
        del d
    if n == 1:
        d = a
    return d


def variable_deleted_in_each_iteration(x, n):
    d = x[0]
    try:
        for v in map(abs, x[:n]):
            del d
    except ArithmeticError:
        pass
    finally:
        x[0] = 5.0
    return v * d


def what_is_no_exception_raised(x, n):
    try:
        if n:
            raise n
        return x[0]
    except LookupError:
        return 2.0
    except TypeError:
        return 3.0 * x[1]


def items_asked_for_in_a_generator(x, n):
    items = iter(x[:n])

    def pairs():
        yield x[1]
        yield next(items) * next(items)

    try:
        return sum(pairs())
    except RuntimeError:
        return x[2]


def left_where_a_generator_hands_on(x, n):
    def steps():
        for k in range(3):
            yield from x[:k]
            x[2] += 1.0
            yield from [x[1], x[0] * n]

    total = 0.0
    for v in steps():
        total += v
        if v > n:
            break
    return total * x[2]


def fault_in_what_happens_after_another(x, n):
    log = [1.0] * n
    try:
        if n < 2:
            raise ValueError
    finally:
        log.pop()
    return log[0] * x[0]


def outcome(function: Any, n: int) -> Any:
    x = np.array([1.0, 2.0, 3.0])
    try:
        return function(x, n), list(x)
    except Exception as error:
        return type(error).__name__, list(x)


PROGRAMS = (
    variable_assigned_after_the_block,
    variable_assigned_after_the_try,
    match_in_a_loop,
    variable_bound_again_to_what_it_was,
    variable_deleted_in_each_iteration,
    what_is_no_exception_raised,
    items_asked_for_in_a_generator,
    left_where_a_generator_hands_on,
    fault_in_what_happens_after_another,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_exits(function: Any) -> None:
    native, derivative = ad.jit(function), ad.value_and_grad(function)
    for n in range(3):
        value, after = outcome(function, n)
        assert repr(outcome(native, n)) == repr((value, after)), n
        found = outcome(derivative, n)[0]
        assert repr(found if isinstance(value, str) else found[0]) == repr(value), n
