"""Rules where operands are odd: one axis, one row, exponents and options as values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import anadrome as ad


def power(a, b):
    return a**b


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 2.5, 3.0])
def test_mixed_second_derivatives_of_powers(exponent):
    (_, mixed), (other, _) = ad.hessian(power, (0, 1))(0.5, exponent)
    wanted = 0.5 ** (exponent - 1) * (1 + exponent * np.log(0.5))
    assert mixed == pytest.approx(wanted)
    assert other == pytest.approx(wanted)


WEIGHTS = np.arange(9.0).reshape(3, 3)
SIZES, AXES = [4, 6], [0, 1]


def lower(x):
    return np.sum(np.tril(x**2) * WEIGHTS)


def upper(x):
    return np.sum(np.triu(x**2, 1) * WEIGHTS)


def by_rows(x):
    return np.sum(np.diff(x**2, axis=0) ** 2)


def twice(x):
    return np.sum(np.diff(x**2, n=2, axis=0, append=0.0) ** 2)


def never(x):
    return np.sum(np.diff(x**2, n=0, axis=0, prepend=x[:1]) ** 2)


def inverse_transform(x):
    return np.sum(np.fft.irfftn(x + 0j, SIZES, AXES) ** 2)


def transform(x):
    return np.sum(np.abs(np.fft.fft2(x, SIZES, AXES)) ** 2)


PLANE = np.random.default_rng(0).normal(size=(4, 6))
ROWS = [np.ones((1, 3)), np.ones(1), np.arange(6.0).reshape(2, 3), np.arange(3.0)]
CASES = [(lower, np.arange(3.0)), (upper, np.arange(3.0))]
CASES += [(f, x) for f in (by_rows, twice, never) for x in ROWS]
CASES += [(inverse_transform, PLANE), (transform, PLANE)]


@pytest.mark.parametrize(("function", "x"), CASES)
def test_gradients(function, x):
    wanted = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        wanted[place] = (function(x + step) - function(x - step)) / 2e-6
    for gradient in (ad.grad(function), ad.jit(ad.grad(function))):
        found = gradient(x)
        assert found.shape == x.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def limits(x):
    return x * np.iinfo(np.int32).max + np.finfo(x.dtype).eps


def bits(x):
    return x * np.finfo(np.float64).bits


def thirds(x):
    return x * Fraction(1, 3) + Fraction(1, 2)


def whole(x):
    return x * np.dtype("f4").itemsize


def remainder(x):
    return x * np.fmod(7, 4)


@pytest.mark.parametrize("function", [limits, bits, thirds, whole, remainder])
def test_tangents_beside_what_is_no_float(function):
    x = np.float64(1.5)
    slope = (function(x + 0.5) - function(x - 0.5)) / 1.0

    def pushed(x):
        return ad.jvp(function, (x,), (1.0,))[1]

    for derivative in (pushed, ad.jit(pushed), ad.grad(function)):
        assert derivative(x) == pytest.approx(slope)
    assert ad.jit(function)(x) == pytest.approx(function(x))


def stored_as_real(x):
    y = np.zeros(2)
    y[:] = np.array([x, x]) * (2 + 1j)
    return y.sum()


@pytest.mark.filterwarnings("ignore:Casting complex")
def test_complex_numbers_stored_as_real_ones():
    assert ad.jit(stored_as_real)(1.5) == 6.0


def added_in_place(x, v):
    x[:] += v
    return x


@pytest.mark.parametrize("value", [1 + 2j, np.array([1j, 1, 1])])
def test_parts_of_an_array_keep_their_kind(value):
    x = np.ones(3)
    with pytest.raises(TypeError, match="Cannot cast") as caught:
        ad.jit(added_in_place)(x, value)
    assert "cannot hold complex128 in place" in caught.value.__notes__[0]
    np.testing.assert_array_equal(x, 1.0)
