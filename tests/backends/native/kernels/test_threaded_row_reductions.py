"""Reductions along the last axis of arrays large enough for several threads."""

import numpy as np
import pytest

import anadrome as ad

REDUCTIONS = {
    "max": lambda x: np.max(x, axis=-1),
    "min": lambda x: np.min(x, axis=-1, keepdims=True),
    "sum": lambda x: np.sum(x, axis=-1),
    "mean of squares": lambda x: np.mean(x * x + 1, axis=-1),
}
SHAPES = [
    (600, 700),
    (1, 200_000),
    (200_000, 1),
    (3, 70_000),
    (70_000, 3),
    (40, 50, 100),
    (500, 1, 300),
    (300, 500, 1),
    (0, 5),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_every_row_has_its_number(name, shape, dtype):
    function = REDUCTIONS[name]
    native = ad.jit(function)
    x = (3 * np.random.default_rng(0).normal(size=shape)).astype(dtype)
    backwards = x[..., ::-1]
    transposed = np.swapaxes(np.ascontiguousarray(np.swapaxes(x, 0, -1)), 0, -1)
    repeated = np.broadcast_to(x[:1], shape)
    for given in (x, backwards, transposed, repeated):
        found, wanted = native(given), function(given)
        assert found.dtype == wanted.dtype
        tolerance = 1e-4 if wanted.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_what_is_not_a_number_stays_in_its_row():
    x = np.zeros((400, 500), np.float32)
    x[17, 3] = np.nan
    found = ad.jit(REDUCTIONS["max"])(x)
    assert np.flatnonzero(np.isnan(found)).tolist() == [17]
