"""Parts of arrays between points that are out of order hold elements twice."""

import numpy as np
import pytest

import anadrome as ad


def out_of_order(x):
    a, _, c = np.split(x, [4, 2])
    return np.sum(a) + np.sum(c**3)


def in_order(x):
    a, b, c = np.split(x, [2, 4])
    return np.sum(a) + np.sum(b) + np.sum(c**3)


def test_joining_them_again_is_refused():
    with pytest.raises(ad.AnadromeError, match="reshape"):
        ad.grad(out_of_order)(np.arange(6.0))


def test_native_code_reads_them_as_slices():
    found = ad.jit(ad.grad(out_of_order))(np.arange(6.0))
    np.testing.assert_allclose(found, [1, 1, 13, 28, 48, 75])


@pytest.mark.parametrize("wrap", [lambda f: f, ad.jit], ids=["python", "native"])
def test_points_in_order(wrap):
    found = wrap(ad.grad(in_order))(np.arange(6.0))
    np.testing.assert_allclose(found, [1, 1, 1, 1, 48, 75])
