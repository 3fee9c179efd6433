"""Numbers come out of native code with the types that they have in Python."""

import copy

import numpy as np
import pytest

import anadrome as ad


class Holder:
    def __init__(self, v):
        self.v = v


def sum_of_some(xs):
    total = 0
    for v in xs:
        if v > 1:
            total += v
    return total, total * 2


def two_kinds_by_turns(n):
    total, k = 0, 0
    while k < n:
        k += 1
        if k % 2:
            total = total + 1.5
        elif k % 3 == 0:
            total = 7
    return total, total * 2, total / 2


def loop_in_a_loop(xs, n):
    s = 0
    for i in range(n):
        t = 1
        for j in range(i):
            if xs[j] > 0:
                t = t * xs[j]
        if t > 2:
            s = s + t
    return s


def exchanged(xs):
    a, b = 0, 0.5
    for v in xs:
        a, b = b, (a if v > 1 else v)
    return a, b


def broken_off(xs):
    s = 0
    for v in xs:
        s = v if v > 1 else 0
        if v > 5:
            break
    else:
        s = 1j
    return s


def tuples_of_two_kinds(x, c):
    return (1, x) if c else (x, 2)


def returned_early(x, c):
    if c:
        return 1, [x, 2]
    return x, [1, x]


def joined_then_returned(x, c):
    n = len(x) if c else x[0]
    if n > 0:
        return x, n
    return None


def comprehension(xs):
    return [v if v > 1 else 0 for v in xs]


def dictionary(xs):
    d = {}
    for v in xs:
        d[int(v)] = v if v > 1 else 1
    return d, d[1]


def put_into_an_argument(x, y):
    x[1].append(y)
    x[0][0] = 2
    return x[1][1], x[0][0], x[0][0] * 3


def appended(x):
    items = [x for _ in range(2)]
    items.append(1)
    return items[2], items, float(items[2])


def attribute(holder, c):
    if c:
        holder.v = 1
    return holder.v, holder.v * 2


def asked(x, c):
    x = x if c else 2
    return isinstance(x, float), isinstance(x, int), type(x).__name__, float(x)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (sum_of_some, (np.array([0.5, 2.0]),)),
        (sum_of_some, (np.array([0.5]),)),
        (sum_of_some, (np.array([0.5, 2.0], np.float32),)),
        *((two_kinds_by_turns, (n,)) for n in (0, 1, 3, 6)),
        *((loop_in_a_loop, (np.array([3.0, -1.0, 2.0]), n)) for n in (0, 2, 3)),
        *((exchanged, (xs,)) for xs in ([], [0.5, 2.0], [2.0, 2.0, 2.0])),
        *((broken_off, (xs,)) for xs in ([0.5], [7.0], [2.0, 9.0])),
        *((tuples_of_two_kinds, (1.5, c)) for c in (True, False)),
        *((returned_early, (1.5, c)) for c in (True, False)),
        *((joined_then_returned, (np.array([3, 4]), c)) for c in (True, False)),
        (comprehension, ([0.5, 2.0],)),
        (comprehension, (np.array([0.5, 2.0]),)),
        (dictionary, ([1.0, 0.5, 2.0],)),
        (put_into_an_argument, ([[1.0, 2.0], [3.0]], np.int64(1))),
        (appended, (0.5,)),
        *((attribute, (Holder(0.5), c)) for c in (True, False)),
        *((asked, (0.5, c)) for c in (True, False)),
    ],
)
def test_numbers_keep_their_types(f, args):
    given, wanted = copy.deepcopy(args), repr(f(*copy.deepcopy(args)))
    assert repr(ad.jit(f)(*given)) == wanted


def test_numbers_that_are_printed_in_a_loop_keep_their_types(capsys):
    def prints(xs):
        s = 1
        for v in xs:
            print(s)
            if v > 1:
                s = s + v
        return s

    assert ad.jit(prints)([0.5, 2.0, 3.0]) == 6.0
    assert capsys.readouterr().out == "1\n1\n3.0\n"


def test_float_of_an_item_is_a_float_in_derivatives():
    def loss(x):
        items = [1.0 for _ in range(2)]
        items.append(1)
        return float(items[2]) + 0 * x

    value, slope = ad.value_and_grad(loss)(2.0)
    assert (repr(value), slope) == ("1.0", 0.0)
