"""Options that NumPy does not take fail, also where nobody reads the result."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def of_a_norm(x):
    np.linalg.norm(x, 3)
    return x[0, 0]


def of_a_product(x):
    return np.sum(np.tensordot(x, x, ([2], [0])))


@pytest.mark.parametrize("f", [of_a_norm, of_a_product])
def test_they_fail(f):
    x = np.ones((2, 3))
    with pytest.raises((ValueError, IndexError)) as wanted:
        f(x)
    for g in (ad.jit(f), ad.grad(f)):
        with pytest.raises(wanted.type):
            g(x)


def test_those_that_numpy_takes_are_left_out():
    def f(x):
        np.moveaxis(x, 0, 2)
        np.roll(x, 5, 2)
        x.sum(axis=(0, 2))
        return x[0, 0, 0]

    assert "sum" not in ad.source(ad.grad(f), np.ones((2, 2, 2)))
