"""What a derivative cannot be followed through is refused, and never taken for zero."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def through_text(w):
    return float(np.array2string(w[0]))


def through_bits(w):
    return w.view(np.int64).view(float)[0]


def through_a_slice(w):
    return np.s_[w[0] : 2.0].start


def through_a_grid(w):
    return np.mgrid[0 : w[0] : 3j][1]


def through_an_object(w):
    return np.polyval(np.poly1d(w), 2.0)


@pytest.mark.parametrize(
    "f",
    [through_text, through_bits, through_a_slice, through_a_grid, through_an_object],
)
def test_it_is_refused(f):
    w = np.array([1.5, 2.0])
    with pytest.raises(ad.AnadromeError):
        ad.grad(f)(w)
    with pytest.raises(ad.AnadromeError):
        ad.jvp(f, (w,), (np.ones(2),))


def test_integers_of_bits_and_grids_of_constants_are_not():
    def f(w):
        signs = w.view(np.int64) >> 63
        return np.sum(w * signs) + w[0] * np.mgrid[0:1.0:3j][1]

    assert np.array_equal(ad.grad(f)(np.array([1.5, -2.0])), [0.5, -1.0])
