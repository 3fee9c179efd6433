"""Functions that native code cannot follow run in Python, and say so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import anadrome as ad


def raises_errors(x):
    with np.errstate(all="raise"):
        return x * 2.0


def test_the_function_itself_is_called_with_a_warning():
    fast = ad.jit(raises_errors)
    with pytest.warns(ad.NotCompiled, match="runs in Python(?s:.)*floating-point"):
        assert fast(2.0) == 4.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fast(3.0) == 6.0  # it has been said


def test_it_is_refused_where_warnings_are_errors():
    with pytest.raises(ad.UnsupportedSyntax, match="floating-point errors"):
        ad.jit(raises_errors)(2.0)


def test_what_is_wrong_fails_as_in_python_after_what_comes_before():
    def fails(x):
        x[0] = 5.0
        return [1] + (2,)

    x = np.ones(2)
    with pytest.raises(TypeError):
        ad.jit(fails)(x)
    assert x[0] == 5.0


def test_arguments_that_share_memory():
    def shifted(x, y):
        x[1:] += y[:-1]
        return x

    x = np.arange(4.0)
    with pytest.warns(ad.NotCompiled, match="contain, the same array"):
        found = ad.jit(shifted)(x, x)
    np.testing.assert_array_equal(found, [0.0, 1.0, 3.0, 5.0])


def test_it_is_compiled_once_what_it_was_refused_for_has_changed():
    def scaled(x):
        return helper(x) * 2.0

    def strict(x):
        with np.errstate(all="raise"):
            return x

    helper = strict
    fast = ad.jit(scaled)
    with pytest.warns(ad.NotCompiled):
        assert fast(2.0) == 4.0

    def plain(x):
        return x + 1.0

    helper = plain

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fast(2.0) == 6.0


def test_native_derivatives_that_are_refused_are_those_of_python():
    with pytest.warns(ad.NotCompiled):
        assert ad.jit(ad.grad(raises_errors))(2.0) == 2.0


def test_the_program_cannot_be_shown():
    with pytest.raises(ad.UnsupportedSyntax, match="floating-point errors"):
        ad.source(ad.jit(raises_errors), 2.0)
