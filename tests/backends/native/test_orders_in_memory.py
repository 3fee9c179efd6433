"""Another shape of a result, changed in place: a view or a copy as NumPy has it."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.errors import MutationError

ROWS = np.arange(6.0).reshape(2, 3)
COLUMNS = np.asfortranarray(ROWS)


def turned(x):
    m = np.tanh(x.T)
    w = m.reshape(-1)
    w[[1, 3, 5]] += 1
    return m


def straight(x):
    m = np.tanh(x) * 2 + x
    w = m.ravel()
    w[1:3] = 0.0
    return m


def complex_turned(x):
    m = np.exp(1j * x.T)
    w = m.reshape(-1)
    w[1:3] = 0.0
    return m


def like(x):
    m = np.zeros_like(x)
    w = m.ravel()
    w[1:3] = 5.0
    return m + x


def copied(x):
    v = x.copy()
    w = v.ravel()
    w[:2] *= 3
    return v


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *((turned, COLUMNS), (straight, ROWS), (copied, ROWS), (copied, COLUMNS)),
        *((complex_turned, COLUMNS), (like, ROWS)),
    ],
)
def test_what_lies_row_by_row(f, x):
    assert np.array_equal(ad.jit(f)(x.copy("K")), f(x.copy("K")))


@pytest.mark.parametrize(
    ("f", "x"),
    [(turned, ROWS), (straight, COLUMNS), (complex_turned, ROWS), (like, COLUMNS)],
)
def test_what_does_not(f, x):
    with pytest.raises(MutationError, match="row by row"):
        ad.jit(f)(x.copy("K"))
