"""Reductions of columns: every shape, layout and type, and any number of threads."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.runtime.threads import thread_pool

REDUCTIONS = {
    "sum": lambda x: np.sum(x, axis=0),
    "mean": lambda x: np.mean(x, axis=0),
    "max": lambda x: np.max(x, axis=0),
    "min": lambda x: np.min(x, axis=0),
    "prod": lambda x: np.prod(x, axis=0),
    "of something": lambda x: np.sum(np.tanh(x) * x + 1, axis=0),
    "weighted by rows": lambda x: np.sum(x * np.arange(1.0, len(x) + 1)[:, None], 0),
    "weighted by columns": lambda x: np.sum(x * np.arange(x.shape[1] * 1.0), axis=0),
}
SHAPES = [(1, 1), (2, 3), (7, 16), (5, 17), (3, 128), (4, 129), (9, 300), (40, 1)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", REDUCTIONS.values(), ids=REDUCTIONS.keys())
def test_columns(f, shape, dtype):
    rng = np.random.default_rng(3)
    x = (rng.uniform(0.5, 1.5, size=shape) * 3).astype(dtype)
    wide = np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)
    native = ad.jit(f)
    for given in (x, np.asfortranarray(x), wide[::2, ::2], x[::-1], x[:, ::-1]):
        wanted, found = f(given), native(given)
        assert found.dtype == wanted.dtype
        tolerance = 2e-5 if wanted.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found, wanted, rtol=tolerance)


@pytest.mark.parametrize("axis", [0, (0, 1), 1, (0, 2)])
def test_more_axes(axis):
    x = np.random.default_rng(0).normal(size=(6, 5, 150))
    found = ad.jit(lambda x: np.sum(x, axis=axis))(x)
    np.testing.assert_allclose(found, np.sum(x, axis=axis), rtol=1e-12)


@pytest.mark.parametrize("shape", [(700, 1000), (5000, 129), (90, 8, 520)], ids=str)
def test_the_number_of_threads_changes_no_bit(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    f = ad.jit(lambda x: (np.sum(x * x, axis=0), np.max(x, axis=0)))
    pool = thread_pool()
    before = pool.thread_count
    results = []
    try:
        for threads in (1, 2, 3):
            pool.resize(threads)
            for _ in range(3):
                results.append(f(x))
    finally:
        pool.resize(before)
    for sums, tops in results[1:]:
        assert np.array_equal(sums, results[0][0])
        assert np.array_equal(tops, results[0][1])
    np.testing.assert_allclose(results[0][0], np.sum(x * x, axis=0), rtol=1e-4)


def test_gradients_of_what_is_broadcast_over_rows():
    def loss(b, x):
        return np.sum(np.tanh(x + b) ** 2)

    rng = np.random.default_rng(1)
    b, x = rng.normal(size=300), rng.normal(size=(50, 300))
    found = ad.jit(ad.grad(loss))(b, x)
    np.testing.assert_allclose(found, ad.grad(loss)(b, x), rtol=1e-12)


def test_no_rows():
    f = ad.jit(lambda x: np.sum(x, axis=0))
    assert np.array_equal(f(np.ones((0, 200))), np.zeros(200))
    assert f(np.ones((3, 0))).shape == (0,)
