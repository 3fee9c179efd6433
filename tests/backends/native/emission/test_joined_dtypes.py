"""Variables that are arrays of several dtypes, changed in place."""

from __future__ import annotations

import numpy as np
import pytest
from in_place import check_every_mode

import anadrome as ad


def stored_before(x, y, s):
    x[0, 1] = 0.25
    z = x if s > 0 else x * y
    return np.sum(z)


def stored_after(x, y, s):
    z = x if s > 0 else x * y
    z[0, 0] = 3.0
    return np.sum(x) + np.sum(z * z)


def in_a_loop(x, y, s):
    z = x
    x[0, 0] = s
    for _ in range(1):
        z = z * y
    return np.sum(z)


def in_a_while_loop(x, y, s):
    z = x
    k = 0
    while k < s:
        z = z * y
        z[0] += 1.0
        k += 2
    return np.sum(z) + np.sum(x)


def by_a_function(x, y, s):
    def doubled(a):
        a[0] *= 2.0
        return a

    p = doubled(x) if s > 0 else doubled(y)
    return np.sum(p) + np.sum(x) + np.sum(y)


def in_a_tuple(x, y, s):
    t = (x, 1.0) if s > 0 else (y, 2.0)
    t[0][0] = s
    return np.sum(x * x) + np.sum(y * y) * t[1]


def in_a_dictionary(x, y, s):
    d = {"a": x}
    if s > 0:
        d["a"] = y
    d["a"][0, 1] = 5.0
    return np.sum(d["a"] * x)


PROGRAMS = (
    stored_before,
    stored_after,
    in_a_loop,
    in_a_while_loop,
    by_a_function,
    in_a_tuple,
    in_a_dictionary,
)


@pytest.mark.parametrize("s", [1.5, -1.5])
@pytest.mark.parametrize("narrow", [0, 1])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function, narrow, s):
    arrays = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.5, 2.5], [3.5, 4.5]])]
    arrays[narrow] = arrays[narrow].astype(np.float32)
    check_every_mode(function, *arrays, s, tolerance=1e-3)


def integers_on_one_path(x, s):
    n = np.array([[1, 2], [3, 4]])
    z = n if s < 0 else x
    z[0, 0] = 7
    return np.sum(z * x)


def test_integers_on_one_path_are_constants():
    for derivative in (
        ad.grad(integers_on_one_path),
        ad.jit(ad.grad(integers_on_one_path)),
    ):
        np.testing.assert_array_equal(
            derivative(np.ones((2, 2)), 1.0), [[0.0, 2.0], [2.0, 2.0]]
        )
        np.testing.assert_array_equal(
            derivative(np.ones((2, 2)), -1.0), [[7.0, 2.0], [3.0, 4.0]]
        )
    assert ad.jit(integers_on_one_path)(np.ones((2, 2)), -1.0) == 16.0
