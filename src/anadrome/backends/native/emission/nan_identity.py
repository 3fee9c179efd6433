"""Lists and tuples of numbers and arrays, compared in native code.

Python takes an object for equal to itself without asking, so that `nan in [nan]` is
true for one nan and false for two, and `x in [x]` is true for an array, of which it
could not tell whether it is equal to another. Native code has numbers and memory, not
objects: where the answer depends on which object it is, the program starts over in
Python, or is refused if it has done something that cannot be done twice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anadrome.errors import UnexpectedType

TWO_NANS = (
    "nan is looked for among others: whether they are one object is not known in "
    "native code\nhelp: test with math.isnan, or call the function without ad.jit"
)


def refuse_two(a: Any, b: Any) -> None:
    """Refuse if both values are, or hold, a nan, or arrays that may be one."""
    if any(_alike(x, y) for x in _arrays(a) for y in _arrays(b)):
        raise UnexpectedType(
            "an array is looked for among others: whether two of them are one object "
            "is not known in native code",
            None,
            "compare with np.array_equal, or call the function without ad.jit",
        )
    if _has_nan(a) and _has_nan(b):
        message, help = TWO_NANS.split("\nhelp: ")
        raise UnexpectedType(message, None, help)


def _has_nan(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_nan, value))
    if isinstance(value, dict):
        return any(map(_has_nan, value.values()))
    return isinstance(value, float | complex) and value != value


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, list | tuple):
        for v in value:
            yield from _arrays(v)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))


def _alike(a: Any, b: Any) -> bool:
    """Whether arrays may be one: native code may have copied it."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes() and a.shape == b.shape


def contains(item: Any, items: Any) -> bool:
    """`item in items`."""
    refuse_two(item, items)
    return item in items


def index(items: Any, item: Any, *bounds: Any) -> int:
    """`items.index(item)`."""
    refuse_two(item, items)
    return items.index(item, *bounds)


def count(items: Any, item: Any) -> int:
    """`items.count(item)`."""
    refuse_two(item, items)
    return items.count(item)


def eq(a: Any, b: Any) -> bool:
    """`a == b`."""
    refuse_two(a, b)
    return bool(a == b)


def ne(a: Any, b: Any) -> bool:
    """`a != b`."""
    refuse_two(a, b)
    return bool(a != b)


def lt(a: Any, b: Any) -> bool:
    """`a < b`."""
    refuse_two(a, b)
    return bool(a < b)


def le(a: Any, b: Any) -> bool:
    """`a <= b`."""
    refuse_two(a, b)
    return bool(a <= b)


def gt(a: Any, b: Any) -> bool:
    """`a > b`."""
    refuse_two(a, b)
    return bool(a > b)


def ge(a: Any, b: Any) -> bool:
    """`a >= b`."""
    refuse_two(a, b)
    return bool(a >= b)


CHECKED: dict[Any, Callable[..., Any]] = {
    list.index: index,
    list.count: count,
    operator.eq: eq,
    operator.ne: ne,
    operator.lt: lt,
    operator.le: le,
    operator.gt: gt,
    operator.ge: ge,
}
"""What is called in the place of a function that compares lists or tuples."""
