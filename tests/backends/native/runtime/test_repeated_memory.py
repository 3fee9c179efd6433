"""Adding into arrays that are one row, or one number, repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad

X = np.random.default_rng(0).normal(size=(3, 4))
PLACES = np.array([1, 2, 0])


def rows_and_mean(x: Any, t: Any) -> Any:
    w = x[t] + np.mean(x, axis=0)
    return np.sum(w * w)


def elements_and_mean(x: Any, t: Any) -> Any:
    w = 0.9 * x[np.arange(3), t] + 0.1 * np.mean(x, axis=1)
    return np.sum(w)


def slice_and_sum(x: Any, t: Any) -> Any:
    return x[1:, :2].prod() + np.sum(x) * 2.0


def one_and_mean(x: Any, t: Any) -> Any:
    return x[1, 2] ** 2 + np.mean(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "function", [rows_and_mean, elements_and_mean, slice_and_sum, one_and_mean]
)
def test_nothing_is_added_to_shared_memory(function: Any, dtype: Any) -> None:
    x = X.astype(dtype)
    want = ad.value_and_grad(function)(x, PLACES)
    got = ad.jit(ad.value_and_grad(function))(x, PLACES)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-5, atol=1e-6)
    assert got[1].flags.writeable
    assert 0 not in got[1].strides
