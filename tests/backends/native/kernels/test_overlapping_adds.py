"""Rows that are added to one array where others are added too, in any order."""

from __future__ import annotations

import numpy as np
import pytest
from native_gradients import check, normal

import anadrome as ad
from anadrome.backends.native.compile import Level
from anadrome.backends.native.lowering import windows
from anadrome.backends.native.runtime.threads import thread_pool
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def native(function, *args, target):
    return NativeFunction(optimize(read(function, args, {}).graph), target, Level.JOINT)


def crossed(a):
    d = np.zeros((a.shape[0] + 2, a.shape[1] + 2), a.dtype)
    b = 0.5 * a
    d[1:-1, 1:-1] += b
    d[2:, 1:-1] += b
    d[:-2, 1:-1] += b
    d[1:-1, 2:] += b
    d[1:-1, :-2] += b
    return d


def crossed_in_space(a):
    d = np.zeros((a.shape[0] + 2, a.shape[1] + 2, a.shape[2] + 2), a.dtype)
    b = 0.5 * a
    d[1:-1, 1:-1, 1:-1] += b
    d[2:, 1:-1, 1:-1] += b
    d[:-2, 1:-1, 1:-1] += b
    d[1:-1, 2:, 1:-1] += b
    d[1:-1, :-2, 1:-1] += b
    d[1:-1, 1:-1, 2:] += b
    return d


# Around blocks of rows, and rows that are short, neither, and long.
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 31, 33, 64, 71])
@pytest.mark.parametrize("n", [1, 15, 17, 63, 64, 511, 520])
def test_rows_of_all_lengths(target, rows, n):
    a = normal(rows, rows, n)
    run = native(crossed, a, target=target)
    np.testing.assert_allclose(run(a), crossed(a), rtol=1e-14, atol=1e-14)


def test_rows_that_lie_otherwise(target):
    a = normal(0, 34, 21)
    run = native(crossed, a, target=target)
    wide = np.repeat(a, 2, axis=1)[:, ::2]
    for given in (a, np.asfortranarray(a), a[::-1, ::-1].copy()[::-1, ::-1], wide):
        np.testing.assert_allclose(run(given), crossed(a), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 9, 20), (10, 33, 3), (2, 70, 17)])
def test_planes_of_rows(target, shape):
    a = normal(1, *shape).astype(np.float32)
    run = native(crossed_in_space, a, target=target)
    np.testing.assert_allclose(run(a), crossed_in_space(a), rtol=1e-6, atol=1e-6)


def summed_windows(x, w):
    k = w.shape[0]
    out = np.zeros((x.shape[0], x.shape[1] - k + 1))
    for i in range(out.shape[1]):
        out[:, i] = np.sum(x[:, i : i + k] * w, axis=(1, 2))
    return np.sum(out**2)


def summed_windows_again(x, w):
    return summed_windows(x, w)


@pytest.mark.parametrize("length", [3, 4, 11, 40])
@pytest.mark.parametrize("channels", [1, 2, 7])
def test_windows_that_overlap(length, channels):
    check(summed_windows, normal(2, 5, length, channels), normal(3, 3, channels))


def test_windows_that_threads_share(monkeypatch):
    monkeypatch.setattr(windows, "WORTH_SHARING", 1)
    check(summed_windows_again, normal(4, 5, 11, 2), normal(5, 3, 2))


def stepping(a):
    b = a.copy()
    for _ in range(2):
        b[1:-1, 1:-1] = 0.2 * (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] * b[1:-1, :-2])
    return np.sum(b * b)


def far_apart(a):
    return np.sum((a[40:] * a[:-40] + a[20:-20]) ** 2)


def backwards(a):
    return np.sum((a[::-1, 1:] * a[:, :-1]) ** 2)


def every_other_row(a):
    return np.sum((a[::2, 1:] * a[1::2, :-1] + a[::2, :-1]) ** 2)


SHAPES = [(300, 301), (3000, 60), (48, 9001), (100, 70), (90, 110), (130, 120)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", [stepping, far_apart, backwards, every_other_row])
def test_threads_that_add_to_one_array(f, shape):
    a = normal(0, *shape)
    wanted = ad.grad(f)(a)
    run, pool, found = ad.jit(ad.grad(f)), thread_pool(), []
    before = pool.thread_count
    try:
        for threads in (1, 2, 5):
            pool.resize(threads)
            # Whoever is awake helps with what is small: that changes from call to call.
            found += [run(a) for _ in range(6)]
    finally:
        pool.resize(before)
    scale = np.max(np.abs(wanted))
    np.testing.assert_allclose(found[0] / scale, wanted / scale, atol=1e-13)
    assert all(np.array_equal(found[0], other) for other in found)
