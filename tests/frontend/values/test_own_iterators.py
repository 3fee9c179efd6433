"""Objects with `__next__`, `iter(f, sentinel)`, and generators that end in a `try`."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import anadrome as ad


class Count:
    """Gives 1, 2, … n."""

    def __init__(self, n):
        self.n, self.k = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        return self.k


def taken_by_functions(x):
    a, b = Count(2)
    steps = Count(9)
    first = list(itertools.islice(steps, 2))
    total = sum(v * x for v in Count(3)) + max(Count(4)) + (2 in Count(3))
    pairs = [p * q for p, q in zip([x, 2.0], steps)]
    return total, a + b, first, pairs, [*Count(2), next(steps, 7)], next(steps)


def taken_by_a_loop(x):
    steps, total = Count(3), 0.0
    for v in steps:
        if v == 2:
            break
        total += v * x
    else:
        total = -1.0
    for v in steps:
        total += v
    else:
        total *= x
    return total, [v * x for v in Count(3) if v > 1], next(iter(steps), 5.0)


def until_a_sentinel(x):
    stack = [0.5, None, 2.0, 3.0]
    total = 0.0
    for v in iter(stack.pop, None):
        total += v * x
    left = [3.0, 2.0, 0.0, 1.0]
    return total, stack, sum(iter(lambda: left.pop(0), 0.0)) * x, left


def generator_that_ends_in_a_try(x):
    def pairs(items):
        it = iter(items)
        while True:
            try:
                a = next(it)
                b = next(it)
            except StopIteration:
                return
            yield a * x + b

    def chosen(items):
        for k in items:
            try:
                if k == 1:
                    continue
                if k == 3:
                    break
                v = 1.0 / (k - 2)
            except ZeroDivisionError:
                v = x
            match k:
                case 9:
                    return
            yield v * x
        yield x

    g, h = pairs([1.0, 2.0, 3.0, 4.0, 5.0]), chosen([0, 1, 2, 3, 4])
    total = next(g) + next(g) * next(h) + next(h)
    return total, next(g, 7.0), next(h), next(h, 8.0)


def generator_that_yields_in_a_try(x):
    seen = []

    def quotients(items):
        for v in items:
            try:
                got = yield x / v
                seen.append(got)
                if v == 4.0:
                    continue
                yield items[int(v)]
            except ZeroDivisionError:
                yield -1.0
            except IndexError:
                yield x * v
                return
            else:
                seen.append(v)
        yield 5.0

    g = quotients([1.0, 0.0, 4.0, 5.0])
    total = next(g) + 2.0 * next(g)
    rest = [g.send(3.0), next(g), g.send(x), next(g), next(g, None)]
    return total + rest[3], rest, seen


def end_of_a_loop_whose_condition_assigns(x):
    total, n = x, 0
    while (n := n + 1) < 4:
        m = 0
        while (m := m + 1) < 3:
            total *= x
            if m * total > 9.0:
                break
        else:
            total += 1.0
            continue
        total -= 0.5
    else:
        total += 10.0
    return total, n, m


def patterns_with_names(x):
    found = []
    for items in ([x], [1.0, x], {"a": x, "b": 2.0, "c": 3.0}):
        match items:
            case [v] | [_, v]:
                found.append(v * 2.0)
            case {"a": v, **others}:
                others["b"] = v
                found.append(sum(others.values()))
    return found


class Sized:
    """Something with a length that need not be one."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


def lengths_and_sets(x):
    seen = {1, 2}
    seen.update(len(seen) + q for q in [10, 20])
    total = 3.0 * x if Sized(2) else 0.0
    for n in (-1, 0, 3):
        try:
            total += x * len(Sized(n))
        except ValueError:
            total *= 2.0
    return total, sorted(seen)


PROGRAMS = (
    lengths_and_sets,
    taken_by_functions,
    taken_by_a_loop,
    until_a_sentinel,
    generator_that_ends_in_a_try,
    generator_that_yields_in_a_try,
    end_of_a_loop_whose_condition_assigns,
    patterns_with_names,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_iterators_of_ones_own(function: Any) -> None:
    assert repr(ad.jit(function)(1.5)) == repr(function(1.5))
    value, slope = ad.value_and_grad(lambda x: function(x)[0])(1.5)
    ahead, behind = (function(1.5 + h)[0] for h in (1e-6, -1e-6))
    assert value == function(1.5)[0]
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)
