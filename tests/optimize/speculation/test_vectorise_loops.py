"""Loops whose iterations are independent, as statements on whole arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.passes import optimize
from anadrome.optimize.speculation.vectorise_loops import vectorise_loops


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def vectorised(function, *args):
    """The text of a function with vectorised loops, which gives the same as before."""
    graph = optimize(read(function, args, {}).graph)
    vectorise_loops(graph)
    verify(graph)
    text = print_graph(graph)
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    np.testing.assert_allclose(
        compile_graph(graph, "vectorised")[0](*given), function(*args), rtol=1e-12
    )
    return text


A, B, V = normal(0, 5, 5), normal(1, 5, 4), normal(2, 5)


def triangular_product(a, b):
    b = b.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]
    return b


def test_a_loop_over_columns_is_a_statement_on_rows():
    expected = """\
graph triangular_product(a: float64[:, :], b: float64[:, :]):
  b_1: float64[:, :]! = copy(b)
  t1: (int, int) = shape(b_1)
  t2: int = getitem(t1, 0)
  t3: never = for(0, t2, 1)
    body(i: int):
      t4: (int, int) = shape(b_1)
      t5: int = getitem(t4, 1)
      t6: int = add(i, 1)
      t7: slice = slice(t6, None, None)
      t8: (slice, int) = tuple(t7, i)
      t9: float64[:] = getitem(a, t8)
      t10: slice = slice(None, None, None)
      t11: (int, slice) = tuple(i, t10)
      t12: float64[:]! = getitem(b_1, t11)
      t13: slice = slice(None, None, None)
      t14: (slice, slice) = tuple(t7, t13)
      t15: float64[:, :]! = getitem(b_1, t14)
      t16: float64[:] = matmul(t9, t15)
      t17: float64[:] = add(t12, t16)
      t18: slice = slice(None, None, None)
      t19: (int, slice) = tuple(i, t18)
      setitem(b_1, t19, t17)
      yield 
  return b_1
"""
    found = vectorised(triangular_product, A, B)
    assert found.strip() == expected.strip()


def rows_times_matrix(a, c):
    a = a.copy()
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            a[r, q, :] = a[r, q, :] @ c
    return a


def pairs(x, m):
    out = np.zeros_like(x)
    for i in range(len(m)):
        away = x - x[i]
        near = np.sum(away * away, axis=1) + 0.5
        out[i] = (m / near) @ away
    return out


def upper_part(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def columns_after(a):
    a = a.copy()
    n = a.shape[1]
    for k in range(n):
        for j in range(k + 1, n):
            a[:, j] -= a[:, k] * (a[:, k] @ a[:, j])
    return a


def shifted(a, b):
    out = np.zeros_like(a)
    for i in range(1, a.shape[0] - 1):
        out[i] = a[i - 1] * b + a[i + 1] - a[i]
    return out


def swapped(a, b):
    a, b = a.copy(), b.copy()
    for i in range(len(a)):
        t = a[i]
        a[i] = b[i]
        b[i] = t * 2
    return a + b


@pytest.mark.parametrize(
    ("function", "args", "loops"),
    [
        (rows_times_matrix, (normal(3, 2, 3, 4), normal(4, 4, 4)), 0),
        (pairs, (normal(5, 6, 3), normal(6, 6)), 0),
        (upper_part, (A,), 1),
        (columns_after, (A,), 1),
        (shifted, (A, V), 0),
        (swapped, (V, V[::-1].copy()), 0),
    ],
)
def test_independent_iterations_are_done_at_once(function, args, loops):
    assert vectorised(function, *args).count("for(") == loops


def running_sum(a):
    a = a.copy()
    for i in range(1, len(a)):
        a[i] = a[i] + a[i - 1]
    return a


def lower_part(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = a[i, j] - a[i, :j] @ a[:j, j]
    return a


def diagonal(a):
    a = a.copy()
    for i in range(a.shape[0]):
        a[i, i] = 2 * a[i, i]
    return a


def one_place(a):
    a = a.copy()
    for i in range(1, len(a)):
        a[0] = a[0] + a[i]
    return a


def whole_array(a):
    a = a.copy()
    for i in range(len(a)):
        a[i] = np.sum(a)
    return a


def backwards(a):
    a = a.copy()
    for i in range(len(a) - 1, -1, -1):
        a[i] = 2 * a[i]
    return a


def through_a_view(a):
    a = a.copy()
    b = a[1:]
    for i in range(len(b)):
        a[i] = b[i] * 2
    return a


def chosen(a):
    a = a.copy()
    for i in range(len(a)):
        if a[i] > 0:
            a[i] = 0.0
    return a


@pytest.mark.parametrize(
    ("function", "arg"),
    [
        (running_sum, V),
        (lower_part, A),
        (diagonal, A),
        (one_place, V),
        (whole_array, V),
        (backwards, V),
        (through_a_view, V),
        (chosen, V),
    ],
)
def test_iterations_that_may_meet_stay_a_loop(function, arg):
    assert "for(" in vectorised(function, arg)


def gathered(x, where):
    out = np.zeros(len(where))
    for k in range(len(where)):
        out[k] = x[where[k]] * 2.0
    return out


def scattered(x, where):
    out = np.zeros(len(x))
    for k in range(len(where)):
        out[where[k]] += x[k] * x[where[k] - 1]
    return out


def rows_in_order(x, where):
    out = np.zeros((len(where), 5))
    for k in range(len(where)):
        out[k] = x[where[k]] * x[k]
    return out


@pytest.mark.parametrize(
    ("function", "x"), [(gathered, V), (scattered, V), (rows_in_order, A)]
)
def test_parts_at_places_that_are_read_stay_a_loop(function, x):
    assert "for(" in vectorised(function, x, np.array([2, 0, 2, 4]))


def from_a_view(x):
    out = np.zeros(5)
    for k in range(5):
        whole = x.reshape(-1)
        out[k] -= whole[k]
    return out


def test_what_is_loop_invariant_comes_before_its_checks():
    assert "for(" not in vectorised(from_a_view, A)


def smoothed(x, w):
    k = len(w)
    out = np.zeros(len(x) - k + 1)
    for i in range(len(out)):
        out[i] = x[i : i + k] @ w
    return out


def test_a_window_that_moves_with_the_iterations_is_an_axis():
    expected = """\
graph smoothed(x: float64[:], w: float64[:]):
  k: int = len(w)
  t1: int = len(x)
  t2: int = subtract(t1, k)
  t3: int = add(t2, 1)
  out: float64[:]! = zeros(t3)
  t4: int = len(out)
  t5: int = add(0, k)
  t6: int = subtract(t5, 0)
  t7: bool = greater_equal(t6, 0)
  t8: None = assert(t7, 'iterations of a loop that are not independent')
  t9: (int) = shape(x)
  t10: int = getitem(t9, 0)
  t11: int = add(t4, t6)
  t12: int = add(t10, 1)
  t13: bool = less_equal(0, t4)
  t14: None = assert(t13, 'iterations of a loop that are not independent')
  t15: bool = less_equal(t11, t12)
  t16: None = assert(t15, 'iterations of a loop that are not independent')
  t17: slice = slice(None, None, None)
  t18: (slice) = tuple(t17)
  t19: float64[:] = getitem(x, t18)
  t20: int = size(x)
  t21: int = multiply(t20, t6)
  t22: bool = less_equal(t21, 4194304)
  t23: None = assert(t22, 'iterations of a loop that are not independent')
  t24: float64[:, :] = windows(t19, 0, t6, 0, t4)
  t25: float64[:] = matmul(t24, w)
  t26: slice = slice(None, None, None)
  t27: (slice) = tuple(t26)
  setitem(out, t27, t25)
  return out
"""
    assert vectorised(smoothed, V, V[:2]).strip() == expected.strip()


def patches(x, w):
    """A product with the patch of inputs beneath every output."""
    k = w.shape[0]
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1, w.shape[2]))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            part = x[i : i + k, j : j + k]
            out[i, j] = np.tensordot(part, w, axes=((0, 1), (0, 1)))
    return out


def patches_from_the_right(x, w):
    out = np.zeros((w.shape[2], x.shape[0] - 2, x.shape[1] - 1))
    for i in range(1, x.shape[0] - 1):
        for j in range(x.shape[1] - 1):
            part = x[i - 1 : i + 2, j : j + 2]
            out[:, i - 1, j] = np.tensordot(w, part, axes=((0, 1), (0, 1)))
    return out


def largest_nearby(x):
    out = np.zeros((x.shape[0], x.shape[1] - 2))
    for j in range(out.shape[1]):
        out[:, j] = np.max(x[:, j : j + 3], axis=1) - np.mean(x[:, j : j + 3], axis=1)
    return out


@pytest.mark.parametrize(
    ("function", "args", "loops"),
    [
        (patches, (A, normal(7, 2, 2, 3)), 0),
        # Stores that are moved by a number stay in the outer loop.
        (patches_from_the_right, (A, normal(7, 3, 2, 4)), 1),
        (largest_nearby, (A,), 0),
    ],
)
def test_windows_of_all_iterations(function, args, loops):
    assert vectorised(function, *args).count("for(") == loops


def window_of_what_is_written(x):
    x = x.copy()
    for i in range(len(x) - 2):
        x[i] = np.sum(x[i : i + 3])
    return x


def window_with_a_step(x):
    out = np.zeros(len(x) - 3)
    for i in range(len(out)):
        out[i] = np.sum(x[i : i + 4 : 2])
    return out


def window_that_grows(x):
    out = np.zeros(len(x))
    for i in range(len(out)):
        out[i] = np.sum(x[i : 2 * i])
    return out


@pytest.mark.parametrize(
    "function", [window_of_what_is_written, window_with_a_step, window_that_grows]
)
def test_other_windows_stay_in_a_loop(function):
    assert "for(" in vectorised(function, V)
