"""Masks and arrays of indices in native code: read, stored at, added to."""

import copy

import numpy as np
import pytest

import anadrome as ad

RNG = np.random.default_rng(0)
V = RNG.normal(size=7)
M = RNG.normal(size=(4, 5))
IDS = np.array([0, 2, 2, -1])


def number(x):
    u = x.copy()
    u[x > 0] = 2.5
    return u


def scaled(x):
    u = x.copy()
    u[x > 0] *= 2.5
    return u


def of_another(x):
    u = x.copy()
    u[x > 0] = x[::-1][x > 0]
    return u


def of_a_matrix(m):
    u = m.copy()
    u[m > 0] = m[m > 0] ** 2
    return u


def rows(m):
    u = m.copy()
    u[m[:, 0] > 0] = 1.5
    return u


def rows_repeated(m):
    u = m.copy()
    u[m[:, 0] > 0] = m[0]
    return u


def twice_the_same_place(x):
    u = np.zeros(7)
    u[[0, 2, 2, 6]] = x[:4]
    return u


def added_once(x):
    u = np.zeros(7)
    u[IDS] += x[1]
    return u


def pairs(m):
    u = m.copy()
    u[[0, 1], [2, 3]] = 7.0
    return u


def rows_by_number(m):
    u = m.copy()
    u[IDS] = m[::-1] * 2
    return u


def exchanged(x):
    u = x.copy()
    u[[0, 1, 2]] = u[[2, 1, 0]]
    return u


def indices_that_are_stored_into(x):
    k = np.array([2, 0, 1])
    k[k] = np.array([5, 6, 7])
    return x[:3] * k


def nothing_holds(x):
    u = x.copy()
    u[x > 50] = 1.0
    return u * (1 + x[x > 50].size)


def columns(m):
    return m[:, m[0] > 0]


def one_for_all(x):
    u = x.copy()
    u[x > 0] = np.array([3.0])
    return u


def in_a_loop(x):
    u = x.copy()
    for _ in range(3):
        u[u > 0] = u[u > 0] * 0.5 - 0.1
    return u


def into_truth_values(x):
    u = x > 0
    u[[0, 1]] = True
    return x * u


def several_tests(x):
    return x[~(x > 0) | (x > 1)]


PROGRAMS = [
    *(number, scaled, of_another, of_a_matrix, rows, rows_repeated, exchanged),
    *(twice_the_same_place, added_once, pairs, rows_by_number, nothing_holds),
    *(indices_that_are_stored_into, columns, one_for_all, in_a_loop),
    *(into_truth_values, several_tests),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    given = M if f.__code__.co_varnames[0] == "m" else V
    for x in (given, np.asfortranarray(given), np.repeat(given, 2, axis=0)[::2]):
        wanted, found = f(x.copy()), ad.jit(f)(copy.deepcopy(x))
        np.testing.assert_allclose(found, wanted, rtol=1e-13)

        def loss(x):
            return np.sum(f(x) ** 2)

        slope = ad.jit(ad.grad(loss))(x.copy())
        np.testing.assert_allclose(slope, ad.grad(loss)(x.copy()), rtol=1e-12)


def test_python_is_not_asked():
    for f in (number, scaled, of_another, of_a_matrix, rows, pairs, exchanged):
        x = M if f.__code__.co_varnames[0] == "m" else V
        assert "PyObject_Vectorcall" not in ad.show(ad.jit(f), x, stage="llvm")


def too_short(x):
    return x[np.array([True, False])]


def too_many(x):
    u = x.copy()
    u[x > 0] = np.array([1.0, 2.0])
    return u


@pytest.mark.parametrize(
    ("f", "x", "kind", "message"),
    [
        (too_short, V, IndexError, "boolean index did not match"),
        (exchanged, V[:2], IndexError, "index 2 is out of bounds for axis 0"),
        (too_many, V, ValueError, "2 "),
    ],
)
def test_what_does_not_fit(f, x, kind, message):
    for way in (f, ad.jit(f)):
        with pytest.raises(kind, match=message):
            way(x)
