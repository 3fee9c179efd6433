"""Python's own numbers in native code: the same results, or the same exceptions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anadrome as ad

NAN, INF, MOST = math.nan, math.inf, 2**63 - 1
INTEGERS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5), (5, 0), (-MOST, 3)]
FLOATING = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, 0.0), (-1.0, INF), (INF, 2.0)]
ROUNDED = [(1.5,), (-1.5,), (2.0,), (-0.25,), (NAN,), (INF,), (-INF,)]


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a call returns, or the class of what it raises."""
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)


def divided(a, b):
    return a / b, a // b, a % b, divmod(a, b)


def divided_and_more(a, b, c):
    return (a / b) * c + 1.0


def divided_beside_arrays(x, a, b):
    return np.sum(x * (a / b))


def sum_divided(x, b):
    return np.sum(x) / b


def power(a, b):
    return a**b


def powers(a):
    return a**-1


def rounded(x):
    return math.floor(x), math.ceil(x), math.trunc(x), int(x)


def of_an_element(x, k):
    return math.sqrt(x[k]) + math.exp(x[k])


def caught(x):
    try:
        return math.log(x)
    except ValueError:
        return -1.0


def element(x):
    return math.floor(x[0]) + math.ceil(x[1]) * 10, x[: math.ceil(x[0])]


MATHEMATICS = [
    (math.sqrt, [(-1.0,), (4.0,), (0.0,), (NAN,), (INF,), (-INF,)]),
    (math.log, [(-1.0,), (4.0,), (0.0,), (NAN,), (INF,)]),
    (math.log1p, [(-1.0,), (-2.0,), (0.5,)]),
    (math.exp, [(1000.0,), (-1000.0,), (1.0,), (NAN,), (INF,)]),
    (math.cosh, [(1000.0,), (1.0,)]),
    (math.sin, [(INF,), (5.0,), (NAN,)]),
    (math.acos, [(2.0,), (0.5,)]),
    (math.atanh, [(1.0,), (0.5,), (2.0,)]),
    (math.gamma, [(-1.0,), (0.0,), (5.0,), (-1.5,), (172.0,)]),
    (math.lgamma, [(-1.0,), (0.0,), (5.0,)]),
    (math.pow, [(0.0, -1.0), (-8.0, 1 / 3), (10.0, 400.0), (2.0, 3.0), (-2.0, 3.0)]),
    (math.fmod, [(5.0, 0.0), (7.5, -2.0), (-7.5, 2.0)]),
]

PROGRAMS = [
    (divided, [*INTEGERS, *FLOATING, (True, 2), (7, 2.0)]),
    (divided_and_more, [(1.0, 0.0, 2.0), (1.0, 4.0, 2.0)]),
    (divided_beside_arrays, [(np.ones(3), 1.0, 0.0), (np.ones(3), 1.0, 4.0)]),
    (sum_divided, [(np.ones(3), 0.0), (np.ones(3), 2.0)]),
    (power, [(2, 3), (0, 0), (-2, 3), (0, -1), (3, 39), (-1, 1001), (1, 10**9)]),
    (power, [(2.5, 3.0), (0.0, 0.0), (0.0, -1.0), (10.0, 400.0), (-8.0, 3.0)]),
    (power, [(2.0, NAN), (-INF, 0.5), (-INF, 3.0), (2.0, -INF), (0.0, 2.0)]),
    (powers, [(0.0,), (2.0,), (-2.0,), (0,)]),
    (rounded, ROUNDED),
    (of_an_element, [(np.array([1.0, -1.0, 900.0]), k) for k in range(3)]),
    (caught, [(-1.0,), (0.0,), (1.0,)]),
    (element, [(np.array([1.5, -1.5]),)]),
]


@pytest.mark.parametrize(
    ("function", "args"),
    [(f, args) for f, points in PROGRAMS for args in points],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_the_same_as_python(function, args):
    wanted = outcome(function, args)
    found = outcome(ad.jit(function), args)
    if isinstance(wanted, type):
        assert found is wanted
        return
    pairs = zip(wanted, found) if isinstance(wanted, tuple) else [(wanted, found)]
    for w, f in pairs:
        assert np.asarray(f).dtype == np.asarray(w).dtype
        np.testing.assert_allclose(f, w, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "args"),
    [(f, args) for f, points in MATHEMATICS for args in points],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_functions_of_math(function, args):
    def program(*given):
        return function(*given) * 2.0

    wanted = outcome(program, args)
    found = outcome(ad.jit(program), args)
    assert found is wanted if isinstance(wanted, type) else not isinstance(found, type)
    if not isinstance(wanted, type):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def added(a, b):
    return a + b


def subtracted(a, b):
    return a - b


def multiplied(a, b):
    return a * b


def factorial(n):
    total = 1
    for k in range(1, n + 1):
        total *= k
    return total


def gathered(items, a, b):
    items.append(a * b)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (added, (2**62, 2**62 - 1)),
        (added, (2**62, 2**62)),
        (subtracted, (-(2**62), 2**62)),
        (subtracted, (-(2**62), 2**62 + 1)),
        (multiplied, (3037000499, 3037000499)),
        (multiplied, (3037000500, 3037000500)),
        (power, (3, 40)),
        (power, (-2, 63)),
        (power, (2, 63)),
        (factorial, (20,)),
        (factorial, (21,)),
        (rounded, (1e19,)),
        # Here Python changes the type of the result.
        (power, (2, -3)),
        (power, (-8.0, 1 / 3)),
    ],
)
def test_what_64_bits_do_not_hold_is_computed_by_python(function, args):
    wanted, found = function(*args), ad.jit(function)(*args)
    assert found == wanted
    assert type(found) is type(wanted)


def test_what_cannot_start_over_is_refused_at_its_line():
    with pytest.raises(ad.UnexpectedType, match="64 bits") as caught_error:
        ad.jit(gathered)([], 2**62, 2)
    assert "items.append(a * b)" in str(caught_error.value)


def tried(items, a, b):
    items.append(0)
    try:
        return a * b
    except Exception:
        return -1


def guarded(a, b):
    try:
        return a * b
    except Exception:
        return -1


def test_a_program_from_the_disk_starts_over_too(tmp_path, monkeypatch):
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        assert ad.jit(guarded)(2**62, 4) == 2**64


def test_no_handler_takes_it_for_an_exception():
    with pytest.raises(ad.UnexpectedType, match="64 bits"):
        ad.jit(tried)([], 2**62, 2)


def positions(x, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += x[i * n + j] * (i * j + 1)
    return total


def test_positions_and_values_in_one_loop():
    x = np.random.default_rng(0).normal(size=16)
    np.testing.assert_allclose(ad.jit(positions)(x, 4), positions(x, 4))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7])
def test_powers_of_arrays_of_integers(exponent):
    for dtype in (np.int64, np.int32):
        x = np.array([3, -1, 2, 0], dtype)

        def raised(x):
            return x**exponent

        found = ad.jit(raised)(x)
        assert found.dtype == raised(x).dtype
        np.testing.assert_array_equal(found, raised(x))


def test_powers_that_numpy_refuses():
    x, y = np.array([3, 1, 2]), np.array([3, -1, 2])
    assert outcome(ad.jit(power), (x, y)) is ValueError
    np.testing.assert_array_equal(ad.jit(power)(x, abs(y)), power(x, abs(y)))


def test_an_integer_too_large_for_the_array_beside_it():
    x = np.array([1, 2], np.int32)
    assert outcome(ad.jit(added), (x, 2**40)) is OverflowError
    np.testing.assert_array_equal(ad.jit(added)(x, 5), x + 5)
