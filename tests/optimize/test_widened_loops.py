"""Loops whose turns are independent, as statements on whole arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.passes import optimize
from anadrome.optimize.widening import widen_loops


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def widened(function, *args):
    """The text of a function after widening, which gives the same as before."""
    graph = verify(widen_loops(optimize(read(function, args, {}).graph)))
    text = print_graph(graph)
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    np.testing.assert_allclose(
        compile_graph(graph, "wide")[0](*given), function(*args), rtol=1e-12
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
      t6: slice = slice(None, None, None)
      t7: (int, slice) = tuple(i, t6)
      t8: float64[:]! = getitem(b_1, t7)
      t9: int = add(i, 1)
      t10: slice = slice(t9, None, None)
      t11: (slice, int) = tuple(t10, i)
      t12: float64[:] = getitem(a, t11)
      t13: slice = slice(None, None, None)
      t14: (slice, slice) = tuple(t10, t13)
      t15: float64[:, :]! = getitem(b_1, t14)
      t16: float64[:] = matmul(t12, t15)
      t17: float64[:] = add(t8, t16)
      t18: slice = slice(None, None, None)
      t19: (int, slice) = tuple(i, t18)
      setitem(b_1, t19, t17)
      yield 
  return b_1
"""
    found = widened(triangular_product, A, B)
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
def test_independent_turns_are_done_at_once(function, args, loops):
    assert widened(function, *args).count("for(") == loops


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
def test_turns_that_may_meet_stay_a_loop(function, arg):
    assert "for(" in widened(function, arg)
