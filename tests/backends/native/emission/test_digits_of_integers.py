"""Integers that floats do not hold, where paths with floats meet theirs."""

import numpy as np
import pytest

import anadrome as ad

BIG = 2**60 + 1


def halved_sometimes(n, x):
    for k in range(3):
        if x > k:
            n = n * 0.5
    return n


def made_a_float_sometimes(n, x):
    for k in range(3):
        if x > k:
            n = n * 1.0
    return n


def replaced_sometimes(n, x):
    for value in np.array([1.0, 2.0]):
        if value > x:
            n = value
    return n


def constant_before_loop(n, x):
    total = 2**60 + 1
    while x < 0:
        total = total + 0.5
        x += 1
    return total + n - n


def items(n, x):
    kept = []
    for value in np.array([1.0, 2.0]):
        kept.append(n if value > 1 else value)
    return kept[1]


PROGRAMS = [
    halved_sometimes,
    made_a_float_sometimes,
    replaced_sometimes,
    constant_before_loop,
    items,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [BIG, -BIG, 2**53, -(2**53), 7])
@pytest.mark.parametrize("x", [0.0, 5.0, -2.0])
def test_no_digit_is_lost(program, n, x):
    assert ad.jit(program)(n, x) == program(n, x)


@pytest.mark.parametrize("transform", [ad.jit, lambda f: ad.value_and_grad(f, 1)])
@pytest.mark.parametrize("x", [0.0, 5.0])
def test_a_product_with_one_makes_a_float(transform, x):
    found = transform(made_a_float_sometimes)(7, x)
    found = found[0] if isinstance(found, tuple) else found
    assert type(found) is type(made_a_float_sometimes(7, x))
