"""A call with too few arguments fails as Python's does, and is caught as that."""

from __future__ import annotations

import math

import pytest

import anadrome as ad


def of_a_dictionary(x):
    try:
        {"a": x}.pop()
    except TypeError:
        x = x * 2
    return x


def of_math(x):
    try:
        math.atan2(x)
    except TypeError:
        x = x * 2
    return x


def of_builtins(x):
    try:
        max()
    except TypeError:
        x = x * 2
    try:
        range()
    except TypeError:
        x = x * 3
    try:
        len()
    except TypeError:
        x = x * 5
    return x


@pytest.mark.parametrize("f", [of_a_dictionary, of_math, of_builtins])
def test_it_is_caught(f):
    assert ad.jit(f)(1.5) == f(1.5)
    assert ad.grad(f)(1.5) == ad.jit(ad.grad(f))(1.5) == f(1.0)
