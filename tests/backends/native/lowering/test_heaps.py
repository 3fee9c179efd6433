"""Heaps of numbers and of tuples are laid out as those of `heapq` are."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anadrome as ad


def numbers(codes, values):
    heap = []
    taken = []
    for c, v in zip(codes, values):
        if c == 0 or len(heap) == 0:
            heapq.heappush(heap, int(v))
        elif c == 1:
            taken.append(heapq.heappop(heap))
        elif c == 2:
            taken.append(heapq.heapreplace(heap, int(v)))
        elif c == 3:
            taken.append(heapq.heappushpop(heap, int(v)))
        else:
            heap.append(int(v))
            heapq.heapify(heap)
    return heap, taken


def tuples(codes, values):
    heap = []
    taken = []
    for k in range(len(codes)):
        item = (values[k] * 0.5, k, int(values[k]))
        if codes[k] == 0 or len(heap) == 0:
            heapq.heappush(heap, item)
        elif codes[k] == 1:
            taken.append(heapq.heappop(heap))
        else:
            taken.append(heapq.heappushpop(heap, item))
    return heap, taken


NUMBERS, TUPLES = ad.jit(numbers), ad.jit(tuples)
STEPS = st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=60)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_any_steps(steps):
    codes, values = (np.array([s[k] for s in steps], dtype=int) for k in (0, 1))
    assert repr(NUMBERS(codes, values)) == repr(numbers(codes, values))
    assert repr(TUPLES(codes, values)) == repr(tuples(codes, values))


@pytest.mark.parametrize("run", [NUMBERS, TUPLES])
def test_heaps_stay_in_native_memory(run):
    text = ad.show(run, np.arange(3), np.arange(3), stage="llvm")
    assert "anadrome.grow_list" in text
    assert "PyList_Append" not in text


def empty(n):
    heap = []
    for k in range(n):
        heapq.heappush(heap, k)
    return heapq.heappop(heap) + heapq.heappop(heap)


def test_empty_heaps():
    assert ad.jit(empty)(2) == 1
    with pytest.raises(IndexError, match="index out of range"):
        ad.jit(empty)(1)


def words(n):
    heap = []
    for k in range(n):
        heapq.heappush(heap, str(k * 7 % 5))
    return heapq.heappop(heap)


def test_heaps_of_text_are_pythons():
    assert ad.jit(words)(6) == words(6)


def least_two(x):
    heap = []
    for k in range(3):
        heapq.heappush(heap, (x[k], k))
    return heapq.heappop(heap)[0] * 2.0 + heap[0][0]


def test_gradients_through_heaps():
    x = np.array([0.3, 0.1, 0.2])
    for gradient in (ad.grad(least_two), ad.jit(ad.grad(least_two))):
        np.testing.assert_array_equal(gradient(x), [0.0, 2.0, 1.0])
