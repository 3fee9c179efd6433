"""What a loop, a condition or a case asks first may raise, and is caught as well."""

# ruff: noqa: B007, C417

from __future__ import annotations

import contextlib

import pytest

import anadrome as ad


class Box:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        if self.v > 1:
            raise ValueError("undecided")
        return True

    def __eq__(self, other):
        if self.v > 1:
            raise TypeError("not comparable")
        return True

    __hash__ = None

    def __iter__(self):
        raise ValueError("not iterable")


class Places:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 3

    def __getitem__(self, k):
        if k == 2:
            raise ValueError("not there")
        return self.v * k


def pairs_of_a_loop(x):
    t = 0.0
    try:
        for a, b in [(x, 2.0), (x, 1.0, 5.0)] if x > 1 else [(x, 3.0)]:
            t += a * b
    except ValueError:
        t = t * 10
    return t


def pairs_with_a_number(x):
    t = 0.0
    try:
        for i, (a, *b) in enumerate([(x, 2.0), ()]):
            t += a * i + sum(b)
    except ValueError:
        t = t * 10
    return t


def items_of_map(x):
    t = 0.0
    with contextlib.suppress(ZeroDivisionError):
        for v in map(lambda v: 1 / v, [x, x - 2.0, 4.0]):
            t += v
        t = t * 2
    return t


def text_in_map(x):
    try:
        for v in map(abs, ["a", "b"]):
            x = x * 3
    except TypeError:
        x = x * 2
    return x


def items_of_an_expression(x):
    t = 0.0
    try:
        for v in ([x, 1.0][k] for k in range(3)):
            t += v
    except IndexError:
        t = t * 10
    return t


def items_by_their_places(x):
    t = 0.0
    try:
        for v in Places(x):
            t += v
    except ValueError:
        t += 100
    return t * x


def no_iterator(x):
    box, t = Box(x), 1.0
    try:
        for v in box:
            t += v
    except ValueError:
        t = x * 7
    return t


def truth_of_an_object(x):
    box = Box(x)
    try:
        if box:
            x = x * 3
    except ValueError:
        x = x * 5
    return x


def equality_of_an_object(x):
    box = Box(x)
    try:
        if box == 3:
            x = x * 3
    except TypeError:
        x = x * 5
    return x


def while_an_object(x):
    box, n = Box(x), 0
    try:
        while box:
            n += 1
            x = x * 1.5
            box.v = x
    except ValueError:
        x = x * 5
    return x * n


def format_of_a_number(x):
    try:
        if f"{x:q}":
            x = 5.0
    except ValueError:
        x = -x
    return x


def default_of_a_function(x):
    try:

        def f(a=1 / (x - 2.0)):
            return a

        x = f() * x
    except ZeroDivisionError:
        x = x * 2
    return x


def decorator_of_a_function(x):
    def decorated(f):
        if x > 1:
            raise ValueError("no")
        return f

    try:

        @decorated
        def f(a):
            return a * 2

        x = f(x)
    except ValueError:
        x = x * 9
    return x


def guard_of_a_case(x):
    t = 0.0
    for pair in [(x, 1), (x, 0), (2, 1), (2, 3)]:
        try:
            match pair:
                case (float(a), b) if 1 / b > 0:
                    t += a * b
                case (int(a), b) if [0, 1, 2][b] > 0:
                    t += a * b * x
                case _:
                    t += 1000 * x
        except ZeroDivisionError:
            t += 3 * x
        except IndexError:
            t += 5 * x
    return t


def next_of_map(x):
    items, t = map(lambda v: 1 / v, [x, 0.0, 2.0]), 0.0
    while True:
        try:
            t += next(items)
        except ZeroDivisionError:
            t += 50
            continue
        except StopIteration:
            break
    return t


def next_beyond_the_end(x):
    items, t = iter([x, 0.0, 2.0, 5.0]), 0.0
    for k in range(10):
        try:
            v = next(items)
        except StopIteration:
            t += 100
            continue
        t += v
    return t + sum(items)


def next_of_what_grows_at_its_end(x):
    grows = [x, 1.0]
    items, t = iter(grows), 0.0
    for k in range(4):
        try:
            t += next(items)
        except StopIteration:
            grows.append(3.0)
    return t


def next_in_a_handler(x):
    items, t = iter([x, 0.0, 2.0, 5.0]), 0.0
    for k in range(4):
        try:
            a = next(items)
            b = next(items)
            t += a / b
        except ZeroDivisionError:
            t += 10 + next(items)
        except StopIteration:
            t += 100.0
    return t


def items_of_an_iterator_with_a_name(x):
    t, items = 0.0, map(lambda v: 1 / v, [x, x - 2.0, 4.0])
    try:
        for v in items:
            t += v
    except ZeroDivisionError:
        t += 100
    return t + sum(items)


def pairs_of_an_iterator_with_a_name(x):
    t, items = 0.0, iter([(x, 1.0), (x,), (3.0, x)])
    try:
        for a, b in items:
            t += a * b
    except ValueError:
        t += 100
    for a, b in items:
        t += a * b * 10
    return t


@pytest.mark.parametrize("x", [2.0, 0.5])
@pytest.mark.parametrize(
    "f",
    [
        pairs_of_a_loop,
        pairs_with_a_number,
        items_of_map,
        text_in_map,
        items_of_an_expression,
        items_of_an_iterator_with_a_name,
        pairs_of_an_iterator_with_a_name,
        items_by_their_places,
        no_iterator,
        truth_of_an_object,
        equality_of_an_object,
        while_an_object,
        format_of_a_number,
        default_of_a_function,
        decorator_of_a_function,
        guard_of_a_case,
        next_of_map,
        next_beyond_the_end,
        next_of_what_grows_at_its_end,
        next_in_a_handler,
    ],
)
def test_it_is_caught(f, x):
    assert ad.jit(f)(x) == pytest.approx(f(x))
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    for g in (ad.grad(f), ad.jit(ad.grad(f))):
        value = g(x)
        if abs(slope) < 1e4:  # the denominators are zero for 2.0 alone
            assert value == pytest.approx(slope, rel=1e-4)
