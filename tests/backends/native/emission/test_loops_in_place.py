"""Loops that change arrays in place: gradients as the Python backend has them."""

from __future__ import annotations

import numpy as np
import pytest
from native_gradients import check, normal

import anadrome as ad


def waves(e, h, steps):
    e, h = e.copy(), h.copy()
    for _ in range(steps):
        e[1:, :] -= 0.5 * (h[1:, :] - h[:-1, :])
        e[:, 1:] += 0.25 * (h[:, 1:] * h[:, :-1])
        h[:-1, :-1] -= 0.7 * (e[1:, :-1] - e[:-1, 1:])
    return np.sum(h * h)


def in_turn(a, b, steps):
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] * a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return np.sum(a * b)


def within_itself(a, steps):
    a = a.copy()
    for _ in range(steps):
        a[1:-1] = 0.5 * (a[:-2] + a[2:]) * a[1:-1]
        a[::2] = a[::2] * 0.9 + 0.1 * a[0]
        a[1:] += 0.1 * a[:-1]
        a[:3] = a[3:6]
    return np.sum(a**2)


def swapped(a, b, steps):
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        old = a[1:-1].copy()
        a[1:-1] = b[1:-1] * 0.9
        b[1:-1] = old * a[:-2]
    return np.sum(a * b)


def last_axis(u, w):
    u = u.copy()
    c = np.zeros_like(u)
    n = u.shape[2]
    for k in range(1, n):
        c[:, :, k] = w[:, :, k] / (1.5 + 0.1 * c[:, :, k - 1] ** 2)
        u[:, :, k] = u[:, :, k] - c[:, :, k] * u[:, :, k - 1]
    for k in range(n - 2, -1, -1):
        u[:, :, k] -= c[:, :, k] * u[:, :, k + 1]
    return np.sum(u * u)


def transposed(u, steps):
    u = u.copy()
    v = np.zeros_like(u)
    for _ in range(steps):
        for given, out in ((u, v), (v.T, u.T)):
            for j in range(1, given.shape[0] - 1):
                out[j, 1:-1] = 0.3 * given[1:-1, j] + given[j, 1:-1] * 0.2
                out[j, 1:-1] += 0.1 * out[j - 1, 1:-1]
    return np.sum(u * v)


def triangles(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return np.sum(a * a)


def orthogonal(a):
    a = a.copy()
    q, n = np.zeros_like(a), a.shape[1]
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, n):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    return np.sum(r**3) + np.sum(q**3)


def attraction(m, x, steps):
    x = x.copy()
    f = np.zeros_like(x)
    for _ in range(steps):
        for i in range(len(m)):
            away = x - x[i]
            f[i] = (m * (np.sum(away * away, axis=1) + 0.3) ** -1.5) @ away
        x += 0.01 * f
    return np.sum(x * x)


def read_before_written(a, b):
    a, b = a.copy(), b.copy()
    for i in range(len(a)):
        t = a[i]
        a[i] = b[i] * 2
        b[i] = t * a[i]
    return np.sum(a * b)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (waves, (normal(0, 6, 7), normal(1, 6, 7), 3)),
        (in_turn, (normal(2, 40), normal(3, 40), 4)),
        (within_itself, (normal(4, 37), 3)),
        (swapped, (normal(5, 20), normal(6, 20), 3)),
        (last_axis, (normal(7, 3, 4, 5), normal(8, 3, 4, 5))),
        (transposed, (normal(9, 7, 7), 2)),
        (triangles, (normal(10, 6, 6) / 6 + 2 * np.eye(6),)),
        (orthogonal, (normal(11, 7, 4),)),
        (attraction, (np.abs(normal(12, 5)) + 0.1, normal(13, 5, 3), 2)),
        (read_before_written, (normal(14, 9), normal(15, 9))),
    ],
)
def test_gradients_are_those_of_python(function, args):
    check(function, *args)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_small_arrays_have_empty_parts(size):
    check(waves, normal(0, size + 1, size + 2), normal(1, size + 1, size + 2), 2)
    check(in_turn, normal(2, size + 2), normal(3, size + 2), 2)
    check(triangles, normal(4, size, size) / 6 + 2 * np.eye(size))


def too_far(a, n):
    a = a.copy()
    for i in range(n):
        a[i] = 2 * a[i]
    return np.sum(a)


def test_a_loop_that_runs_too_far_fails_as_in_python():
    native = ad.jit(ad.grad(too_far))
    np.testing.assert_array_equal(native(np.ones(3), 2), [2.0, 2.0, 1.0])
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        native(np.ones(3), 5)
    np.testing.assert_array_equal(native(np.ones(3), 3), [2.0, 2.0, 2.0])


def nothing_to_do(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            a[i, j] = a[i + 1, j] * 2
    return np.sum(a * a)


def test_rows_that_only_skipped_iterations_would_read_need_not_exist():
    check(nothing_to_do, normal(0, 4, 4))


def from_the_end(a, n):
    a = a.copy()
    for i in range(n - 2):
        a[i] = a[i] * 3
    return np.sum(a * a)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_ranges_that_end_below_zero_are_empty(n):
    check(from_the_end, normal(1, 5), n)


def many_pairs(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = np.sum((x - x[i]) ** 2)
    return np.sum(out * out)


def test_values_of_all_iterations_are_not_kept_if_they_are_too_large():
    x = normal(2, 2100)
    value, (found,) = ad.jit(ad.value_and_grad(many_pairs, (0,)))(x)
    total = np.array([np.sum((x - v) ** 2) for v in x])
    np.testing.assert_allclose(value, np.sum(total * total), rtol=1e-10)
    pulls = [np.sum(4 * (v - x) * (total + t)) for v, t in zip(x, total, strict=True)]
    np.testing.assert_allclose(found, pulls, rtol=1e-8, atol=1e-4)
