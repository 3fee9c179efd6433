"""Lists that are sorted in native code stand in the order that Python gives them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anadrome as ad


def by_key(keys, values):
    order = sorted(range(len(keys)), key=lambda i: (keys[i], -values[i]))
    back = sorted(range(len(keys)), key=lambda i: values[i] // 2, reverse=True)
    pairs = [(int(keys[i]), i) for i in range(len(keys))]
    pairs.sort(key=lambda p: p[0], reverse=True)
    return order, back, pairs


BY_KEY = ad.jit(by_key)
INTEGERS = st.lists(
    st.tuples(
        st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62)),
        st.integers(-9, 9),
    ),
    max_size=40,
)


@given(INTEGERS)
@settings(max_examples=50, deadline=None)
def test_orders_of_integers(rows):
    keys, values = (np.array([r[k] for r in rows], dtype=int) for k in (0, 1))
    assert BY_KEY(keys, values) == by_key(keys, values)


def numbers(values):
    items = []
    for k in range(len(values)):
        items.append((float(values[k]), k % 3 == 0, k))
    items.sort()
    down = sorted(items, reverse=True)
    return items, down, sorted(values)


NUMBERS = ad.jit(numbers)


@given(st.lists(st.floats(allow_nan=False) | st.just(-0.0), max_size=30))
@settings(max_examples=50, deadline=None)
def test_orders_of_floats(values):
    given_ = np.array(values, dtype=float)
    assert repr(NUMBERS(given_)) == repr(numbers(given_))


def order_of(values):
    return sorted(range(len(values)), key=lambda i: float(values[i]))


@pytest.mark.parametrize("place", [0, 1, 3])
def test_nan_stands_where_python_leaves_it(place):
    values = np.array([3.0, 1.0, 2.0, 0.5])
    values[place] = math.nan
    assert ad.jit(order_of)(values) == order_of(values)


def test_orders_are_found_in_native_code():
    text = ad.show(BY_KEY, np.arange(3), np.arange(3), stage="llvm")
    assert "anadrome.sort_records" in text
    assert "PyObject_Vectorcall" not in text


def total(values):
    ranked = sorted([values[k] ** 2 for k in range(len(values))])
    return ranked[-1] * 2.0 + ranked[0]


def test_gradients_through_sorted_lists():
    values = np.array([0.3, -0.9, 0.5])
    found = ad.jit(ad.grad(total))(values)
    np.testing.assert_allclose(found, ad.grad(total)(values), rtol=1e-14)
