"""Numbers of several types, ranges, recursive lists: what they are and have."""

from __future__ import annotations

from typing import Any

import pytest

import anadrome as ad


def until_none(x, items):
    items = iter(items)
    v, total = next(items, None), 0
    while v is not None:
        total = total + v * x
        v = next(items, None)
    return total


def by_position(x, items):
    k, v, total = 0, items[0], 1
    while v is not None:
        total += v * x
        k += 1
        v = items[k] if k < len(items) else None
    return total


def skipped(x, items):
    items, total = iter(items), 0
    for v in items:
        total = total + v * x
        next(items, None)
    return total


@pytest.mark.parametrize("f", [until_none, by_position, skipped])
def test_as_python_does(f: Any) -> None:
    found = ad.jit(f)(0.5, [0.5, 2.0, 3.0])
    assert repr(found) == repr(f(0.5, [0.5, 2.0, 3.0]))


def deepest(x, tree):
    def depth(t):
        return 1 + max([depth(u) for u in t]) if isinstance(t, list) and t else 0

    return x * depth(tree)


def ranges(x, n):
    r = range(1, n, 2)
    return x * r.index(3) + r.count(1) + r.start + r.stop + r.step + r[-1]


def same_ranges(x, n):
    return range(n) == range(5), range(0, 5, 2) != range(0, 6, 2), bool(range(n)), x


def numbers_of_two_types(x, k):
    first, *_ = range(1)
    *some, _ = [1.0, x * x, 4.0]
    *more, last = range(k)
    joined = some + more
    return (4, x, 5)[k - 3], joined, tuple(v if v else x for v in range(k)), first, last


def missing_attributes(x, n):
    found = []
    for value in ({}, [x], (x,), "text"):
        try:
            value.missing  # noqa: B018
        except AttributeError:
            found.append(x)
    return len(found) + n


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x, n: deepest(x, [[], [[]]]) + n, (2.0, 1)),
        (ranges, (2.0, 6)),
        (same_ranges, (2.0, 5)),
        (numbers_of_two_types, (2.0, 3)),
        (missing_attributes, (2.0, 1)),
    ],
)
def test_values_and_their_types(f: Any, args: tuple[Any, ...]) -> None:
    assert repr(ad.jit(f)(*args)) == repr(f(*args))


def returned_by_a_generator(x, n):
    def values():
        yield x
        return x * 3

    items = values()
    next(items)
    try:
        next(items)
    except StopIteration as end:
        return end.value * n


def test_what_a_generator_returns() -> None:
    assert ad.jit(returned_by_a_generator)(2.0, 3) == 18.0


class Kept:
    def __init__(self):
        self.removed = 0

    def __delitem__(self, key):
        self.removed += key


def deleted(x, n):
    parts = {"a": x}
    kept = Kept()
    del kept[n]
    try:
        del parts["b"]
    except KeyError:
        return x * 2, kept.removed
    return x, 0


def test_deleting_what_is_not_there() -> None:
    assert ad.jit(deleted)(2.0, 3) == deleted(2.0, 3)


def appended_in_nested_loops(x, n):
    t, items = 0, [x]
    for _ in range(n):
        v = 1
        while v < 3:
            items.append(t)
            t = x
            v = v + 1
    return items


def of_one_path(x, n):
    m = x if n > 1 else 1
    k = 0
    for _ in range(n - 2):
        k = k + x
    return abs(m), pow(m, 2), abs(k), m + k, [m, k]


@pytest.mark.parametrize("f", [appended_in_nested_loops, of_one_path])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_integers_that_may_be_floats(f: Any, n: int) -> None:
    assert repr(ad.jit(f)(2.5, n)) == repr(f(2.5, n))
