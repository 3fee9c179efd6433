"""An array that is asked whether it is true fails where Python catches it."""

import numpy as np
import pytest

import anadrome as ad


class Ends:
    def __enter__(self):
        return 1

    def __exit__(self, kind, error, trace):
        return kind is ValueError


def asked_by_if(x):
    try:
        r = 2 * np.sum(x) if x.ndim > 5 else 0.0
        if x > 0:
            r = np.sum(x)
    except ValueError:
        r = 3 * np.sum(x)
    return r


def asked_by_while(x):
    r, n = np.sum(x), 2
    try:
        while x < n:
            n -= 1
            r = r * 2
    except ValueError:
        r = r * 5
    return r


def asked_by_assert(x):
    r = np.sum(x)
    try:
        assert x > 0
        r = r * 2
    except ValueError:
        r = r * 7
    except AssertionError:
        r = r * 11
    return r


def asked_in_a_block(x):
    with Ends():
        if x > 0:
            return np.sum(x)
        return 4 * np.sum(x)
    return 9 * np.sum(x)


@pytest.mark.parametrize("x", [np.ones(3), np.ones(1), -np.ones(1)])
@pytest.mark.parametrize(
    "f", [asked_by_if, asked_by_while, asked_by_assert, asked_in_a_block]
)
def test_it_is_caught(f, x):
    assert ad.jit(f)(x) == f(x)
    slope = f(x + 0.25) - f(x)
    for g in (ad.grad(f), ad.jit(ad.grad(f))):
        np.testing.assert_allclose(np.sum(g(x)) * 0.25, slope)
