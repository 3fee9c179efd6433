"""Programs that are refused: each with the arguments it is read with.

The texts of their errors are goldens, so moving a line here changes them.
"""

# ruff: noqa: C416, F821, F841

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

BAD: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
VECTOR = np.array([0.5, -1.5, 2.0])
MATRIX = np.arange(6.0).reshape(2, 3)
COUNTER = 0


def bad(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program that cannot be differentiated."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        BAD.append((function, args))
        return function

    return enter


# Syntax -------------------------------------------------------------------------------


@bad(VECTOR)
def yields(x):
    def squares():
        try:
            yield x[0] ** 2
        finally:
            print("done")

    return next(squares())


@bad(1.0)
def awaits(x):
    async def later():
        return x

    return later()


@bad(VECTOR)
def except_star(x):
    try:
        y = x.sum()
    except* ValueError:
        y = 0.0
    return y


@bad(1.0)
def writes_global(x):
    global COUNTER
    COUNTER += 1
    return x * COUNTER


@bad(1.0)
def deletes_attribute(x):
    class Box:
        value = 0.0

    box = Box()
    box.value = x
    del box.value
    return x


@bad(VECTOR)
def moves_an_iterator(x):
    values = iter(x)
    if x[0] > 0:
        values = iter(x[1:])
    return next(values) * x[1]


@bad(VECTOR)
def relative_import(x):
    from . import missing

    return missing(x)


@bad(1.0)
def resumed_inside_a_with(x):
    def steps():
        with np.errstate(all="ignore"):
            yield x

    first = next(steps())
    return first * x


@bad(VECTOR)
def context_of_an_exception(x):
    try:
        raise ValueError
    except ValueError as error:
        seen = error.__context__ is None
    return x[0] * seen


@bad(VECTOR)
def iterator_of_one_path(x):
    items = iter([x[0]])
    if x[1] > 0.0:
        items = iter([x[1], x[2]])
    return next(items)


# Names and attributes -----------------------------------------------------------------


@bad(1.0)
def unknown_name(x):
    return x * undefined_constant


@bad(1.0)
def read_before_assignment(x):
    y = x * z
    z = 2.0
    return y


@bad(1.0)
def unknown_module_attribute(x):
    return np.sinus(x)


class Empty:
    """A class without attributes."""


@bad(1.0)
def unknown_attribute(x):
    return x * Empty().size


@bad(1.0)
def attribute_of_a_number(x):
    return x.missing


@bad(VECTOR)
def sets_attribute_of_array(x):
    x.scale = 2.0
    return x.sum()


@bad(1.0, "name")
def attribute_known_at_run_time(x, name):
    box = Empty()
    for word in ["a", "b"]:
        setattr(box, word + "c" * len(str(x)), x)
    return x


class Proxy:
    """Finds its attributes itself."""

    # As many as the letters of the name.
    __getattr__ = staticmethod(len)


@bad(1.0)
def attribute_hook(x):
    return x * Proxy().anything


class Doubling:
    """A descriptor."""

    def __get__(self, instance, owner=None):
        return 2.0


class Described:
    """Has a descriptor."""

    double = Doubling()


@bad(1.0)
def descriptor(x):
    return x * Described().double


class Watching:
    """Watches its attributes."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


@bad(1.0)
def own_setattr(x):
    w = Watching()
    w.value = x
    return w.value


@dataclasses.dataclass(frozen=True)
class Frozen:
    """Cannot be changed."""

    value: float


@bad(1.0)
def frozen_dataclass(x):
    f = Frozen(x)
    f.value = 2.0 * x
    return f.value


class Meta(type):
    """Makes instances its own way."""

    def __call__(cls, *args):
        return super().__call__(*args)


class Made(metaclass=Meta):
    """Is made by a metaclass."""


@bad(1.0)
def metaclass(x):
    made = Made()
    return x


class Own:
    """Defines `__new__`."""

    def __new__(cls):
        return super().__new__(cls)


@bad(1.0)
def own_new(x):
    made = Own()
    return x


# Calls --------------------------------------------------------------------------------


def affine(x, scale, shift=0.0):
    return x * scale + shift


@bad(1.0)
def too_many_arguments(x):
    return affine(x, 1.0, 2.0, 3.0)


@bad(1.0)
def missing_argument(x):
    return affine(x)


@bad(1.0)
def unknown_keyword(x):
    return affine(x, 2.0, offset=1.0)


@bad(1.0)
def two_values_for_one(x):
    return affine(x, 2.0, scale=3.0)


@bad(VECTOR)
def star_of_unknown_length(x):
    return affine(*x)


@bad(1.0)
def calls_a_number(x):
    return x(2.0)


@bad(VECTOR)
def unknown_numpy_argument(x):
    return np.sum(x, axes=0)


@bad(1.0)
def opaque_function(x):
    return float(contextlib.nullcontext(x).enter_result)


@bad(VECTOR)
def continuation(x):
    def total(i, k):
        if i == len(x):
            return k(0.5)
        return total(i + 1, lambda s: k(s * x[i]))

    return total(0, lambda s: s)


@bad(VECTOR)
def function_or_number(x):
    f = np.sin if x[0] > 0 else 2.0
    return f(x[1])


def inner_helper(values):
    return values[0] + missing_name


def outer_helper(values):
    return inner_helper(values) * 2.0


@bad(VECTOR)
def error_in_a_callee(x):
    return outer_helper(x * 2.0)


# Types --------------------------------------------------------------------------------


@bad(1.0)
def adds_text(x):
    return x + "one"


@bad(VECTOR)
def adds_list_and_tuple(x):
    return sum([x[0]] + (x[1],))


@bad(1.0)
def unpacks_wrong_count(x):
    a, b, c = (x, x * 2.0)
    return a * b


@bad(VECTOR)
def no_such_item(x):
    items = [x[0], x[1]]
    return items[4]


@bad(1.0)
def no_such_key(x):
    d = {"a": x}
    return d["b"]


@bad(1.0)
def indexes_a_number(x):
    return x[0]


@bad(MATRIX)
def too_many_indices(x):
    return x[0, 1, 2]


@bad(1.0)
def iterates_a_number(x):
    return sum([v for v in x])


@bad(1.0)
def range_of_a_float(x):
    total = 0.0
    for i in range(x):
        total += i
    return total


@bad(VECTOR)
def stores_into_tuple(x):
    t = (x[0], x[1])
    t[0] = 2.0
    return t[1]


@bad(VECTOR)
def float_into_integers(x):
    counts = np.zeros(3, dtype=int)
    counts[0] = x[0]
    return counts.sum() * x[1]


@bad(VECTOR)
def integers_updated_with_floats(x):
    counts = np.arange(3)
    counts += x
    return counts.sum()


@bad(VECTOR)
def list_of_arrays_of_objects(x):
    items = np.empty(2, dtype=object)
    items[0] = x
    return x.sum()


# Exceptions and exits -----------------------------------------------------------------


@bad(VECTOR)
def argument_of_foreign_exception(x):
    def fail():
        raise ValueError(x[0])

    try:
        fail()
    except ValueError as error:
        return error.args[0] * 2.0
    return x[1]


# Derivatives --------------------------------------------------------------------------


@bad(VECTOR)
def no_derivative(x):
    return np.sum(np.random.default_rng(0).permutation(x))


@bad(VECTOR)
def through_strings(x):
    return float(str(x[0]))


@bad(MATRIX)
def refused_primitive(x):
    return np.sum(np.lib.stride_tricks.sliding_window_view(x, 2))


def recursion_without_end(x):
    def power(n):
        return 1.0 if n == 0 else np.sin(x) * power(n - 1)

    return power(len(str(x)) + 10**6)


@bad(VECTOR)
def into_an_empty_heap(x):
    import heapq

    heap = []
    for k in range(3):
        heapq.heappush(heap, (x[k], {k: k}))
    return heapq.heappop(heap)[0]
