"""Lists that grow in native memory do what Python's lists do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anadrome as ad


def outcome(function, *args):
    """The result with its types, or the exception."""
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error).__name__, error.args[:1]


def check(function, *args):
    """Native code gives what Python gives."""
    assert outcome(ad.jit(function), *args) == outcome(function, *args)


def edited(codes, values):
    items = []
    total = 0
    for c, v in zip(codes, values):
        if c == 0:
            items.append(int(v))
        elif c == 1 and len(items) > 0:
            total += items.pop()
        elif c == 2 and items:
            items[int(v) % len(items)] = int(v)
        elif c == 3 and items:
            del items[int(v) % len(items)]
        elif c == 4:
            del items[1:3]
        elif c == 5:
            items[2:4] = [int(v), 7, 8]
        elif c == 6:
            items.extend(items[-2:])
        elif c == 7:
            items.insert(int(v), 5)
        elif c == 8:
            items = items[::-1]
        elif c == 9:
            items[:] = sorted(items)
        total += len(items)
    return total, items, items[1:-1], items[::2]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-9, 9)), max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_edits(steps):
    codes, values = (np.array([s[k] for s in steps], dtype=int) for k in (0, 1))
    assert repr(EDITED(codes, values)) == repr(edited(codes, values))


EDITED = ad.jit(edited)


def test_edits_stay_in_native_memory():
    text = ad.show(EDITED, np.arange(3), np.arange(3), stage="llvm")
    assert "anadrome.grow_list" in text
    assert "PyList_Append" not in text


def two_names(n):
    items = [0]
    other = items
    for k in range(n):
        other.append(k)
    items[0] = 9
    return items, other, [items, other]


def test_lists_that_are_one_stay_one():
    items, other, both = ad.jit(two_names)(3)
    assert items == [9, 0, 1, 2]
    assert items is other is both[0] is both[1]


def rows(values, n):
    table = [[] for _ in range(n)]
    for k in range(len(values)):
        table[values[k] % n].append(k)
    table[0] = table[1]
    table[0].append(-1)
    total = 0
    for row in table:
        for v in row:
            total += v * len(row)
    return total, table


def test_lists_of_lists():
    check(rows, np.array([3, 1, 4, 1, 5, 9, 2, 6]), 3)
    found = ad.jit(rows)(np.arange(7), 3)[1]
    assert found[0] is found[1]


def tuples(scores, width):
    beam = [(0.0, 0, True)]
    for t in range(len(scores)):
        new = []
        for total, last, _ in beam:
            for s in range(3):
                new.append((total + scores[t] * s, last + s, s > 1))
        new.sort(reverse=True)
        beam = new[:width]
    return beam


def test_lists_of_tuples():
    check(tuples, np.array([0.5, -0.25, 0.125]), 4)


def no_item(n):
    items = [1.5]
    items.append(2.5)
    return items[n]


def no_place(n):
    items = [1.5]
    items.append(2.5)
    items[n] = 0.0
    return items


def nothing_to_take(n):
    items = []
    for k in range(n):
        items.append(k)
    total = 0
    for _ in range(3):
        total += items.pop()
    return total


def nothing_to_delete(n):
    items = [1]
    items.append(2)
    del items[n]
    return items


@pytest.mark.parametrize(
    "function", [no_item, no_place, nothing_to_take, nothing_to_delete]
)
@pytest.mark.parametrize("n", [-3, -2, 1, 2, 5])
def test_places_that_are_not_there(function, n):
    check(function, n)


def mixed(n):
    items = [1]
    for k in range(n):
        items.append(k * 0.5)
    return items


def of_both(values):
    items = [1]
    for v in values:
        items.append(v)
    return items


def large(n):
    items = []
    for _ in range(3):
        items.append(n)
        n = n * n
    return items


def given_list(items, n):
    items.append(n)
    return len(items)


def with_none(n):
    items = []
    for k in range(n):
        items.append(k if k % 2 else None)
    return items


def shown_to_python(n):
    items = []
    for k in range(n):
        items.append(k)
    return str(items), items == list(range(n)), items.index(1)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (mixed, (3,)),
        (of_both, (np.arange(3),)),
        (large, (7,)),
        (with_none, (4,)),
        (shown_to_python, (4,)),
    ],
)
def test_what_native_memory_cannot_hold_is_pythons(function, args):
    check(function, *args)


def test_lists_of_the_caller_are_changed():
    items = [1, 2]
    assert ad.jit(given_list)(items, 5) == 3
    assert items == [1, 2, 5]


def carried(n, k):
    a, b = [1], [2]
    for i in range(n):
        a.append(i)
        if i % k == 0:
            a, b = b, a
    c = a if n > 3 else b
    c.append(100)
    return a, b


@pytest.mark.parametrize("n", [0, 3, 8])
def test_lists_that_change_places(n):
    check(carried, n, 2)


def copies(values):
    items = []
    for v in values:
        items.append(v)
    same, other = items.copy(), list(items)
    items.append(items[0])
    other += items
    joined = items + other
    items.clear()
    return same, other, joined, items, bool(items), not same


def test_copies():
    check(copies, np.array([1.5, 2.5]))


def among(values, n):
    seen = []
    for v in values:
        if int(v) not in seen:
            seen.append(int(v))
    return seen, n in seen, 3 in seen, 2.0 in seen, True in seen


def test_items_that_are_looked_for():
    check(among, np.array([3, 1, 3, 2, 1]), 2)
    check(among, np.array([4]), 2)


def stack_of_rows(n):
    table = []
    for k in range(n):
        table.append([k])
    last = table.pop()
    last.append(n)
    del table[0]
    table[-1] = last
    table[0].append(7)
    return table, last


def test_rows_that_are_taken_off():
    check(stack_of_rows, 3)
    check(stack_of_rows, 5)


def which_one(n):
    rows = [[k] for k in range(n)]
    some = [k + 1 for k in range(n)]
    copy = list(some)
    return rows[0] is rows[0], rows[0] is rows[1], some is copy, some is some


def test_which_list_it_is():
    check(which_one, 3)


def caught(n):
    items = [1]
    items.append(n)
    try:
        items.append(items[n])
    except IndexError:
        items.append(-1)
    return items


@pytest.mark.parametrize("n", [1, 4])
def test_exceptions_that_are_caught(n):
    check(caught, n)


def loss(xs):
    kept = []
    for x in xs:
        kept.append(x * x)
    total = kept.pop()
    while len(kept) > 0:
        total += np.sin(kept.pop())
    return total


def test_gradients_through_lists():
    xs = np.array([0.3, 0.7, -0.2])
    found = ad.jit(ad.grad(loss))(xs)
    np.testing.assert_allclose(found, ad.grad(loss)(xs), rtol=1e-14)


def many(n):
    total = 0
    for k in range(n):
        row = []
        table = []
        for j in range(10):
            row.append(j)
            table.append([k, j])
        total += row[k % 10] + table[3][1]
    return total


def test_memory_is_given_back():
    import resource

    run = ad.jit(many)
    run(10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run(100_000) == many(100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
