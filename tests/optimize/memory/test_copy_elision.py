"""Parts of arrays that no later store changes: which copies are elided."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient

import anadrome as ad
from anadrome.optimize.analysis.fourier_motzkin import LinearForm, contradict, variable
from anadrome.optimize.memory.copy_elision import elide_copies
from anadrome.optimize.memory.rematerialise import rematerialise_views
from anadrome.optimize.simplify.dead_code import remove_dead_code


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


A, B = normal(0, 5, 5) + 5 * np.eye(5), normal(1, 5)


def solve(A, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - A[i, :i] @ x[:i]) / A[i, i]
    return np.sum(x * x)


def factors(A, b):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A * A) + np.sum(b)


def columns(A, b):
    A = A.copy()
    for k in range(A.shape[1] - 1):
        A[:, k + 1] += A[:, k] * A[:, k]
    return np.sum(A * A)


def overwritten(A, b):
    """The row that is read is changed in the next iteration."""
    A = A.copy()
    for i in range(A.shape[0] - 1):
        A[i] = A[i] * A[i + 1] + b
        A[i + 1] = np.sin(A[i] * b)
    return np.sum(A * A)


def from_behind(A, b):
    """Negative indices name places at the end."""
    x = b.copy()
    for i in range(len(b) - 1):
        x[i - 1] = np.sum(A[i] * x) + np.sum(x[:i] * b[:i])
    return np.sum(x * x)


def backwards(A, b):
    x = b.copy()
    for i in range(len(b) - 2, -1, -1):
        x[i] = b[i] - A[i, i + 1 :] @ x[i + 1 :]
    return np.sum(x * x)


def downwards(A, b):
    x = b.copy()
    for i in reversed(range(len(b) - 1)):
        x[i] = b[i] - A[i, i + 1 :] @ x[i + 1 :]
    return np.sum(x * x)


def against(A, b):
    """What is read is what later iterations store into."""
    x = b.copy()
    for i in reversed(range(1, len(b))):
        x[i] = b[i] - A[i, :i] @ x[:i]
    return np.sum(x * x)


def twice(A, b):
    """What no store of one loop changes, another one does."""
    x = b.copy()
    for i in range(1, len(b)):
        x[i] = x[i] + A[i, :i] @ x[:i]
    for i in range(len(b)):
        x[i] = np.sin(x[i])
    return np.sum(x * x)


def repeated(A, b):
    x = b.copy()
    for _ in range(2):
        for i in range(1, len(b)):
            x[i] = np.sin(x[i] + A[i, :i] @ x[:i])
    return np.sum(x * x)


def until(A, b):
    x = b.copy()
    i = 1
    while i < len(b):
        x[i] = x[i] + A[i, :i] @ x[:i]
        i += 1
    return np.sum(x * x)


def looked_up(A, b):
    """Where is stored is not known before it runs."""
    x = b.copy()
    order = [3, 0, 4, 1]
    for i in range(4):
        x[order[i]] = np.sum(x[:i] * x[1 : i + 1]) + A[i, i] * x[order[i]]
    return np.sum(x * x)


def stepping(A, b):
    x = b.copy()
    for i in range(0, len(b), 2):
        x[i] = x[i] + np.sum(x[:i] * x[:i]) * A[i, i]
    return np.sum(x * x)


def handed(A, b):
    """What is copied is stored into."""
    x = b.copy()
    for i in range(1, len(b)):
        y = x[:i].copy()
        y[0] = y[0] * 2
        x[i] = np.sum(y * x[:i]) * A[i, i]
    return np.sum(x * x)


UNCHANGED = [solve, factors, columns, backwards, downwards, stepping]
CHANGED = [
    overwritten,
    from_behind,
    twice,
    repeated,
    until,
    looked_up,
    handed,
    against,
]


def copies(function):
    passes = elide_copies, rematerialise_views, remove_dead_code
    text = after(gradient(function, (A, B)), (A, B), *passes)
    forward = text.split("back(")[0]
    return sum(": stack float64[" in line for line in forward.splitlines())


@pytest.mark.parametrize("function", UNCHANGED)
def test_parts_that_do_not_change_are_not_kept(function):
    assert copies(function) == 0


@pytest.mark.parametrize("function", CHANGED)
def test_parts_that_change_are_kept(function):
    assert copies(function) > 0


@pytest.mark.parametrize("function", [*UNCHANGED, *CHANGED])
def test_gradients_are_the_same(function):
    value, (dA, db) = ad.value_and_grad(function, (0, 1))(A, B)
    found, slopes = ad.jit(ad.value_and_grad(function, (0, 1)))(A, B)
    assert np.isclose(found, value, rtol=1e-12)
    np.testing.assert_allclose(slopes[0], dA, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(slopes[1], db, rtol=1e-10, atol=1e-11)
    u, v = 1e-6 * normal(2, *A.shape), 1e-6 * normal(3, *B.shape)
    slope = (function(A + u, B + v) - function(A - u, B - v)) / 2
    assert np.isclose(np.sum(dA * u) + np.sum(db * v), slope, rtol=1e-5, atol=1e-9)


def test_copies_that_are_returned_stay():
    def parts(A, b):
        x = b.copy()
        for i in range(1, len(b)):
            x[i] = A[i, :i] @ x[:i]
        return x[:2].copy(), x[:3].copy()

    first, second = ad.jit(parts)(A, B)
    assert not np.shares_memory(first, second)


def test_parts_read_in_a_loop_that_carries_nothing():
    def damped(b):
        x = b * 1.0
        while x[0] > 0.1:
            part = x[1:3]
            x[0] = x[0] * 0.5 * np.cos(np.sum(part * part))
            x[3] = x[3] * x[0]
        return np.sum(x * x)

    b, gradient = np.array([1.0, 0.5, 0.3, 0.2]), ad.grad(damped)
    np.testing.assert_allclose(ad.jit(gradient)(b), gradient(b), rtol=1e-12)


def test_systems_that_contradict():
    i, j, n = map(variable, "ijn")
    later = j.minus(i).shifted(-1)
    assert contradict([later, i.minus(j)])
    assert not contradict([later, n.minus(j)])
    # i < j < n and 2 i > 2 n - 2.
    assert contradict([later, n.minus(j).shifted(-1), i.minus(n).times(2).shifted(2)])
    assert contradict([LinearForm(-1)])
    assert not contradict([])
    # Only integers contradict: nothing is said.
    assert not contradict([i.times(2).shifted(-1), i.times(-2).shifted(1)])
