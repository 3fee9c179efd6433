"""Loops over windows that move along an axis, as the Python backend has them."""

from __future__ import annotations

import numpy as np
import pytest
from native_gradients import check, normal

import anadrome as ad


def convolution(x, w):
    k = w.shape[0]
    shape = (x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, w.shape[3])
    out = np.zeros(shape)
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            part = x[:, i : i + k, j : j + k, :]
            out[:, i, j, :] = np.tensordot(part, w, axes=((1, 2, 3), (0, 1, 2)))
    return np.sum(out**2)


def smoothed(x, w):
    k = len(w)
    out = np.zeros(len(x) - k + 1)
    for i in range(len(out)):
        out[i] = x[i : i + k] @ w
    return np.sum(out**3)


def spread(x):
    out = np.zeros((x.shape[0], x.shape[1] - 2))
    for j in range(1, x.shape[1] - 1):
        out[:, j - 1] = np.max(x[:, j - 1 : j + 2], axis=1)
    for j in range(out.shape[1]):
        out[:, j] += np.sum(x[:, j : j + 3] ** 2, axis=1)
    return np.sum(out**2)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (convolution, (normal(0, 2, 6, 5, 3), normal(1, 3, 3, 3, 4))),
        (convolution, (normal(0, 1, 4, 4, 1), normal(1, 1, 1, 1, 2))),
        (convolution, (normal(0, 2, 2, 3, 1), normal(1, 2, 2, 1, 1))),
        (smoothed, (normal(0, 40), normal(1, 5))),
        (smoothed, (normal(0, 4), normal(1, 4))),
        (spread, (normal(2, 4, 9),)),
    ],
)
def test_windows_and_their_gradients(function, args):
    check(function, *args)


def cut_off_at_the_end(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.sum(x[i : i + k])
    return np.sum(out**2)


def begun_before_the_start(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.sum(x[i - 1 : i + k])
    return np.sum(out**2)


@pytest.mark.parametrize("function", [cut_off_at_the_end, begun_before_the_start])
@pytest.mark.parametrize("k", [0, 1, 2, 9])
def test_windows_that_leave_the_array_are_cut_as_in_python(function, k):
    check(function, normal(3, 6), k)


def test_second_derivatives_through_windows():
    x, w = normal(4, 8), normal(5, 3)
    hessian = ad.hessian(smoothed)
    np.testing.assert_allclose(ad.jit(hessian)(x, w), hessian(x, w), rtol=1e-10)
