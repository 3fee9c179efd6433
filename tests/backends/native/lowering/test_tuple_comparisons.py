"""Tuples of integers are compared in native code as Python compares them."""

from __future__ import annotations

import itertools

import numpy as np

import anadrome as ad


def compare(a, b):
    x = a[0], (a[1] > 0, a[2])
    y = b[0], (b[1] > 0, b[2])
    signs = x < y, x <= y, x == y, x != y, x > y, x >= y
    return signs, x < (1, (True, 2)), x == (1, (True, 2)), max(x, y), min(x, y)


def lengths(a, n):
    x = a[0], a[1]
    return x < (1, 2, n), x > (1, 2, n), x == (1, 2, n), (1,) < x, x >= (1,)


def largest(a):
    best = (0, 0)
    for k in range(len(a) - 1):
        best = max(best, (a[k], a[k + 1]))
    return best


def test_all_signs():
    native = ad.jit(compare)
    rows = [np.array(r) for r in itertools.product((0, 1), (0, 1), (1, 2))]
    for a, b in itertools.product(rows, rows):
        assert native(a, b) == compare(a, b)


def test_tuples_of_other_lengths():
    for a in (np.array([1, 2]), np.array([1, 3]), np.array([0, 9])):
        assert ad.jit(lengths)(a, 3) == lengths(a, 3)


def test_floating_numbers_follow_python():
    def ordered(x, y, n):
        return (x, n) < (y, 2), (x, n) == (y, 2), (n, 0) < (2**53 + 1.0, 0)

    for x, y in itertools.product((1.0, 2.0, float("inf")), repeat=2):
        assert ad.jit(ordered)(x, y, 2) == ordered(x, y, 2)


def test_no_python_in_the_loop():
    a = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    assert ad.jit(largest)(a) == largest(a)
    written = ad.show(ad.jit(largest), a, stage="llvm")
    assert "PyObject_Vectorcall" not in written
