"""Dictionaries in native memory do what Python's dictionaries do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anadrome as ad
from anadrome.errors import MutationError


def outcome(function, *args):
    """The result with its types, or the exception."""
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error).__name__, repr(error.args[:1])


def check(function, *args):
    assert outcome(ad.jit(function), *args) == outcome(function, *args)


def edited(codes, keys):
    table = {}
    total = 0
    for c, k in zip(codes, keys):
        key = int(k)
        if c == 0:
            table[key] = total
        elif c == 1 and key in table:
            del table[key]
        elif c == 2:
            table[key] = table.get(key, 0) + 1
        elif c == 3:
            total += table.setdefault(key, 3)
        elif c == 4:
            for other in table:
                total += other
        elif c == 5:
            for other, value in table.items():
                total += other * value
        total += len(table)
    return total, table, list(table.values())


EDITED = ad.jit(edited)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-12, 12)), max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_edits(steps):
    codes, keys = (np.array([s[k] for s in steps], dtype=int) for k in (0, 1))
    assert repr(EDITED(codes, keys)) == repr(edited(codes, keys))


def test_edits_stay_in_native_memory():
    text = ad.show(EDITED, np.arange(3), np.arange(3), stage="llvm")
    assert "anadrome.insert.1" in text
    assert "PyObject_SetItem" not in text


def churn(n, width):
    table = {}
    for k in range(n):
        table[k * 7919 % 100_003] = k
        if k >= width:
            del table[(k - width) * 7919 % 100_003]
    total = 0
    for key, value in table.items():
        total += key * value % 1009
    return len(table), total


def test_keys_that_come_and_go():
    check(churn, 20_000, 50)
    check(churn, 20_000, 5_000)


def pairs(values):
    counts = {}
    before = -1
    for v in values:
        key = (before, int(v), before > v)
        counts[key[:2]] = counts.get(key[:2], 0.0) + 0.5
        before = int(v)
    best = max(counts.values())
    return counts, best, (3, 4) in counts, (1, 2, 3) in counts


def test_tuples_as_keys():
    check(pairs, np.array([3, 4, 3, 4, 5, 3, -(2**62), 2**62]))


def small_keys(text, flags):
    counts, pairs = {}, {}
    for k in range(len(text)):
        counts[text[k]] = counts.get(text[k], 0) + 1
        key = (text[k], flags[k] > 1, k % 3)
        pairs[key] = pairs.get(key, 0) + 1
    del counts[text[0]]
    total = 0
    for key in pairs:
        total += pairs[key] * key[2]
    return counts, pairs, total, text[1] in counts, list(counts)


def test_narrow_integers_as_keys():
    text = np.frombuffer(b"abracadabra\xff\x80\xff", dtype=np.uint8)
    check(small_keys, text, np.arange(len(text), dtype=np.int32) % 3)


def no_key(n):
    table = {}
    for k in range(3):
        table[k] = k
    return table[n]


def no_pair(n):
    table = {}
    for k in range(3):
        table[k, k + 1] = k
    del table[n, n + 1]
    return len(table)


@pytest.mark.parametrize("function", [no_key, no_pair])
@pytest.mark.parametrize("n", [1, 7])
def test_keys_that_are_not_there(function, n):
    check(function, n)


def grows_meanwhile(n):
    table = {}
    for k in range(n):
        table[k] = 1
    for k in table:
        if k == 2:
            table[k + 100] = 1
    return len(table)


def test_dictionaries_that_grow_meanwhile_are_refused():
    check(grows_meanwhile, 2)
    with pytest.raises(MutationError):
        ad.jit(grows_meanwhile)(5)


def lists_inside(values):
    table = {}
    for k in range(len(values)):
        table.setdefault(values[k] % 3, []).append(k)
    other = table
    other[7] = table[0]
    other[7].append(-1)
    total = 0
    for key in table:
        total += key * len(table[key])
    return total, table


def test_lists_as_values():
    check(lists_inside, np.array([3, 1, 4, 1, 5, 9]))
    found = ad.jit(lists_inside)(np.arange(6))[1]
    assert found[7] is found[0]


def names(n):
    table = {}
    for k in range(n):
        table[str(k)] = k
    return table


def floats(values):
    table = {}
    for v in values:
        table[v] = 1
    return table


def of_both(values):
    table = {1: 5}
    for v in values:
        table[v] = 1
    return table


def none_as_value(n):
    table = {}
    for k in range(n):
        table[k] = None
    return table, table.get(1), table.get(99)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (names, (3,)),
        (floats, (np.array([1.0, -0.0, 0.0, 2.5]),)),
        (of_both, (np.arange(3),)),
        (none_as_value, (3,)),
    ],
)
def test_what_native_memory_cannot_hold_is_pythons(function, args):
    check(function, *args)


def given_table(table, n):
    table[n] = 1
    return len(table)


def test_dictionaries_of_the_caller_are_changed():
    table = {1: 2}
    assert ad.jit(given_table)(table, 5) == 2
    assert table == {1: 2, 5: 1}


def loss(xs, keys):
    sums = {}
    for k in range(len(xs)):
        sums[keys[k]] = sums.get(keys[k], 0.0) + xs[k] ** 2
    total = 0.0
    for key in sums:
        total += np.sin(sums[key])
    return total


def test_gradients_through_dictionaries():
    xs, keys = np.array([0.3, 0.7, -0.2]), np.array([1, 2, 1])
    found = ad.jit(ad.grad(loss))(xs, keys)
    np.testing.assert_allclose(found, ad.grad(loss)(xs, keys), rtol=1e-14)
