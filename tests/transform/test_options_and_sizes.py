"""Gradients and tangents for options and sizes at the edge of what NumPy takes."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def of_a_quotient_with_more_axes(x):
    return np.sum(np.divmod(x, np.full((2, 3), 4.0))[1])


def of_an_item_at_a_float(x):
    return np.take(x, 0.0) * 2.0


def of_an_item_from_a_list(x):
    return np.sum(np.float32(x)) + x.reshape(-1).tolist()[0]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (of_a_quotient_with_more_axes, np.array(1.5)),
        (of_an_item_at_a_float, np.array([1.5, 2.0])),
        (of_an_item_from_a_list, np.array([1.5])),
    ],
)
def test_both_modes_agree(f, x):
    step = 1e-3
    slope = (f(x + step) - f(x - step)) / (2 * step)
    gradient = ad.grad(f)(x)
    assert gradient.dtype == x.dtype
    assert np.isclose(np.sum(gradient), slope, 1e-3)
    assert np.isclose(ad.jvp(f, (x,), (np.ones_like(x),))[1], slope, 1e-3)


def test_bytes_that_are_swapped_in_place_are_not_overlooked():
    def f(x):
        y = x @ x
        x.byteswap(True)
        return np.sum(y)

    with pytest.raises(ad.AnadromeError):
        ad.grad(f)(np.eye(2))


def test_arrays_are_not_cast_down_where_numbers_are():
    def f(x, y):
        try:
            np.putmask(x, y > 0, y)
        except TypeError:
            np.putmask(x, y > 0, 2.5)
        return x

    x, y = np.ones(2, np.float32), np.array([1.0, -1.0])
    assert np.array_equal(ad.jit(f)(x.copy(), y), f(x.copy(), y))


def test_a_store_that_numpy_may_do_otherwise_is_caught_by_no_handler():
    def f(x):
        try:
            np.cumsum(x, out=x)
        except ValueError:
            x[0] = 5.0
        return np.sum(x)

    with pytest.raises(ad.AnadromeError):
        ad.grad(f)(np.ones((3, 1)))
    assert np.array_equal(ad.grad(f)(np.ones((1, 2))), [[0.0, 0.0]])
