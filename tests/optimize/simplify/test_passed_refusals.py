"""A refusal at run time is not caught by the program's own handlers."""

import numpy as np
import pytest

import anadrome as ad


def caught(x):
    r = 1.0
    try:
        v = x[0].copy()
        v += v[::-1]
        r = 2.0
    except Exception:
        r = 3.0
    return r * np.sum(x[1])


def test_a_refusal_passes_through_a_handler():
    x = [np.array([1, 2, 3]), np.ones(2)]
    for g in (ad.grad(caught), ad.jit(ad.grad(caught))):
        with pytest.raises(ad.AnadromeError, match="cut to an integer"):
            g(x)


def test_exceptions_of_the_program_are_caught_as_before():
    def shapes(x):
        try:
            v = x[0].copy()
            v += x[1]
        except ValueError:
            v = 3.0 * x[1]
        return np.sum(v)

    x = [np.ones(3), np.ones(2)]
    for g in (ad.grad(shapes), ad.jit(ad.grad(shapes))):
        zero, three = g(x)
        np.testing.assert_array_equal(zero, np.zeros(3))
        np.testing.assert_array_equal(three, [3.0, 3.0])


def test_a_refusal_on_one_path_passes_through_a_handler():
    def finished(y):
        v = np.zeros(2, np.int8)
        try:
            try:
                pass
            finally:
                v[0] += y
        except Exception:
            pass
        return y * 2 + np.sum(v)

    for g in (ad.grad(finished), ad.jit(ad.grad(finished))):
        with pytest.raises(ad.AnadromeError, match="cut to an integer"):
            g(-0.75)
