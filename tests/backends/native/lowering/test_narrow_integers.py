"""Integers of few bits or without a sign are those of NumPy, one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import anadrome as ad

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
PAIRS = [
    (np.uint8, np.uint8),
    (np.int8, np.uint16),
    (np.uint64, np.int64),
    (np.uint32, np.uint64),
    (np.int64, np.int64),
]
KINDS = (np.int8, np.uint8, np.uint16, np.uint32, np.int32, np.uint64)


def all_of_two(a, b, i, j):
    x = a[i]
    y = b[j]
    whole = x + y, x - y, x * y, x // y, x % y
    bits = -x, ~x, abs(x)
    return whole, bits, x / y, x < y, x <= y, x == y, x != y, x > y, x >= y


def bits_of_two(a, b, i, j):
    x = a[i]
    y = b[j]
    return x & y, x | y, x ^ y, x << y, x >> y


def beside_python(a, i, n):
    x = a[i]
    return x + n, n - x, x * n, x & n, n // x, x % n, x >> n, x << n


def against_python(a, i, n):
    x = a[i]
    return x < n, x == n, n < x, x > n, x >= n, x != n


def shifts(n, k):
    return n << k, n >> k, ~n


def store(a, value, i):
    a[i] = value
    return a


def outcome(f, *args):
    try:
        return repr(f(*args))
    except Exception as error:
        return type(error).__name__


def ends(kind):
    limits = np.iinfo(kind)
    return np.array([limits.min, limits.max, 0, 1, 7, 100], kind)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_operations_of_two(first, second):
    """Promotion, wrapping and division by zero are NumPy's."""
    a, b = ends(first), ends(second)
    whole, bits = ad.jit(all_of_two), ad.jit(bits_of_two)
    for i, j in itertools.product(range(len(a)), range(len(b))):
        assert outcome(whole, a, b, i, j) == outcome(all_of_two, a, b, i, j)
        if np.result_type(first, second).kind != "f":
            assert outcome(bits, a, b, i, j) == outcome(bits_of_two, a, b, i, j)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint64, np.int64])
def test_beside_integers_of_python(kind):
    """Python's integers must fit, and are compared whatever their size."""
    a = ends(kind)
    beside, against = ad.jit(beside_python), ad.jit(against_python)
    for i, n in itertools.product(
        range(len(a)), (-129, -1, 0, 3, 255, 256, 2**32, -(2**63), 2**63 - 1)
    ):
        assert outcome(beside, a, i, n) == outcome(beside_python, a, i, n)
        assert outcome(against, a, i, n) == outcome(against_python, a, i, n)


def test_shifts_of_python():
    """What 64 bits do not hold is computed by Python; a negative count is an error."""
    native = ad.jit(shifts)
    for n, k in itertools.product((0, 1, -1, 5, -7, 2**40), (0, 1, 21, 62, 63, 64, 99)):
        assert native(n, k) == shifts(n, k)
    with pytest.raises(ValueError, match="negative shift count"):
        native(1, -1)


@pytest.mark.parametrize("kind", KINDS)
def test_stores(kind):
    """NumPy's numbers are cut to size where it does that; Python's must fit."""
    values = [0, -1, 255, 256, 2**31, True]
    values += [t(np.iinfo(t).max) for t in (*KINDS, np.int64)]
    for value in values:
        given = np.zeros(2, kind), value, 1
        wanted = outcome(store, *given)
        assert outcome(ad.jit(store), np.zeros(2, kind), value, 1) == wanted


def test_whole_arrays_are_numpys():
    def arrays(a):
        c = np.zeros(4, np.uint8)
        c[1] = a[0]
        c[1] += 200
        total = 0
        for x in a:
            total = total + int(x)
        sums = a + 1, a.sum(), a * 1.5, a.astype(np.int64), np.where(a > 2, a, c)
        return total, c, sums, a[::-1], a[a > 2], a.reshape(2, 2), float(a[1])

    a = np.array([3, 200, 5, 1], np.uint8)
    assert outcome(ad.jit(arrays), a) == outcome(arrays, a)


def test_bytes_are_looked_up_without_python():
    """Nothing of the interpreter is called in a loop over bytes."""

    def automaton(text, go):
        state = 0
        for byte in text:
            state = go[state, byte] ^ (state >> 1)
        return state

    text = np.arange(200, dtype=np.uint8)
    go = np.arange(512 * 256).reshape(512, 256) % 511
    assert ad.jit(automaton)(text, go) == automaton(text, go)
    written = ad.show(ad.jit(automaton), text, go, stage="llvm")
    assert "PyObject_Vectorcall" not in written


def test_numbers_in_and_out():
    def same(x):
        return x, x + 1

    for x in (np.uint64(2**63 + 5), np.uint8(255), np.int16(-4), np.uint32(2**32 - 1)):
        assert outcome(ad.jit(same), x) == outcome(same, x)
