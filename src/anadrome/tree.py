"""Nested arguments as flat vectors: Jacobians, directions, checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.errors import ArgumentError
from anadrome.infer.values import callable_data, is_foreign_array

_SAME = object()
_CONSTANTS = (int, str, bytes, np.generic, type(None))


def is_leaf(value: Any) -> bool:
    """Whether a value is a floating-point number or an array of them."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex | np.inexact)


def leaves(value: Any) -> list[Any]:
    """The floating-point numbers and arrays inside a value, in order."""
    found: list[Any] = []
    _map(found.append, value)
    return found


def rebuild(value: Any, new: list[Any]) -> Any:
    """A value of the same structure with other numbers, taken off the list `new`."""
    return _map(lambda _: new.pop(0), value)


def _map(function: Callable[[Any], Any], value: Any, for_integers: Any = _SAME) -> Any:
    """The value with a function applied to each of its leaves."""
    if is_leaf(value):
        return function(value)
    if for_integers is not _SAME and isinstance(value, int | np.integer):
        return for_integers
    if isinstance(value, (np.ndarray, *_CONSTANTS)) or callable_data(value):
        return value
    if hasattr(type(value), "__anadrome_map__"):
        return value.__anadrome_map__(function)
    if isinstance(value, list):
        return [_map(function, v, for_integers) for v in value]
    if isinstance(value, tuple):
        items = [_map(function, v, for_integers) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {k: _map(function, v, for_integers) for k, v in value.items()}
    if is_foreign_array(type(value)):
        return value
    if hasattr(value, "__dict__") or hasattr(type(value), "__slots__"):
        fields = runtime.attributes(value)
        return runtime.record(
            type(value),
            **{k: _map(function, v, for_integers) for k, v in fields.items()},
        )
    return value


def separate(value: Any) -> Any:
    """A value of the same structure in which every array is new."""
    return _map(
        lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, value
    )


def zeros_like(value: Any) -> Any:
    """A value of the same structure whose numbers are zero."""
    return _map(lambda leaf: _like(leaf, 0.0), value)


def _like(leaf: Any, number: float) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.full_like(leaf, number)
    return type(leaf)(number)


def size(value: Any) -> int:
    """How many numbers a value holds."""
    return sum(int(np.size(leaf)) for leaf in leaves(value))


def fitted(
    value: Any, other: Any, what: str = "the tangent", for_integers: Any = None
) -> Any:
    """A tangent or cotangent in the structure and the precision of its value.

    One that does not fit is refused. None stands for zeros. In the place of
    integers comes `for_integers`.
    """
    if isinstance(value, bool | int | np.integer | np.bool_) and other is not None:
        if np.any(np.asarray(other)):
            raise ArgumentError(
                f"{value!r} is an integer: only floating-point values have derivatives",
                help="convert it with float(…)",
            )
    return _fitted(value, other, what, for_integers)


def _fitted(value: Any, other: Any, what: str, for_integers: Any) -> Any:
    if is_leaf(value):
        return _fitted_leaf(value, other, what)
    if isinstance(value, np.ndarray) and for_integers is not None:
        # It may stand beside arrays that are changed in place.
        return np.full(value.shape, for_integers)
    if isinstance(value, int | np.integer | np.bool_ | np.ndarray):
        return for_integers
    if isinstance(value, _CONSTANTS) or callable_data(value):
        return None
    if other is None:
        return _map(lambda leaf: _like(leaf, 0.0), value, for_integers)
    if hasattr(type(value), "__anadrome_map__"):
        if type(other) is not type(value) or np.shape(other) != np.shape(value):
            raise _misfit(what, value, other)
        return other
    if isinstance(value, list | tuple):
        if not isinstance(other, list | tuple) or len(other) != len(value):
            raise _misfit(what, value, other)
        items = [_fitted(v, o, what, for_integers) for v, o in zip(value, other)]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        if not isinstance(other, dict) or other.keys() != value.keys():
            raise _misfit(what, value, other)
        return {k: _fitted(v, other[k], what, for_integers) for k, v in value.items()}
    mine, theirs = runtime.attributes(value), runtime.attributes(other)
    if type(other) is not type(value) or not mine.keys() <= theirs.keys():
        raise _misfit(what, value, other)
    fields = {k: _fitted(v, theirs[k], what, for_integers) for k, v in mine.items()}
    return runtime.record(type(value), **fields)


def _fitted_leaf(value: Any, other: Any, what: str) -> Any:
    if other is None:
        return _like(value, 0.0)
    number = isinstance(other, int | float | complex | np.number | np.ndarray)
    if not number or isinstance(other, bool) or np.shape(other) != np.shape(value):
        raise _misfit(what, value, other)
    wanted = np.asarray(value).dtype
    given = np.asarray(other).dtype
    if given.kind == "c" and wanted.kind != "c":
        raise ArgumentError(
            f"{what} is complex, its value is real", help="give a real one"
        )
    if isinstance(value, np.ndarray):
        return other if given == wanted else np.asarray(other).astype(wanted)
    return type(value)(other)


def _misfit(what: str, value: Any, other: Any) -> ArgumentError:
    return ArgumentError(
        f"{what} is {_describe(other)}, its value is {_describe(value)}",
        help="give one number for each number of the value",
    )


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)} items"
    if isinstance(value, dict):
        return f"a dict with the keys {list(value)}"
    if isinstance(value, float | int | complex | np.number):
        return "a number"
    return f"a {type(value).__name__}"


# Jacobians --------------------------------------------------------------------------


def _directions(value: Any) -> list[tuple[int, Any]]:
    """The unit directions of a value, with the number of the leaf each belongs to."""
    found = []
    parts = leaves(value)
    for k, leaf in enumerate(parts):
        for j in range(int(np.size(leaf))):
            new = [_like(p, 0.0) for p in parts]
            if isinstance(leaf, np.ndarray):
                new[k].flat[j] = 1.0
            else:
                new[k] = _like(leaf, 1.0)
            found.append((k, rebuild(value, new)))
    return found


def jacobian_columns(push: Callable[[Any], tuple[Any, Any]], x: Any) -> Any:
    """The Jacobian from derivatives in the unit directions of the argument."""
    value = push(zeros_like(x))[0]
    columns = [(k, leaves(fitted(value, push(d)[1]))) for k, d in _directions(x)]

    def block(i: int, k: int, out: Any, leaf: Any) -> Any:
        mine = [np.asarray(c[i]) for j, c in columns if j == k]
        shape = np.shape(out) + np.shape(leaf)
        if not mine:
            return np.zeros(shape, np.result_type(np.asarray(out), np.asarray(leaf)))
        return np.stack(mine, axis=-1).reshape(shape)[()]

    return rebuild(
        value,
        [
            rebuild(x, [block(i, k, out, leaf) for k, leaf in enumerate(leaves(x))])
            for i, out in enumerate(leaves(value))
        ],
    )


def jacobian_rows(value: Any, pull: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian from the pullbacks of the unit directions of the result."""
    rows = [(k, leaves(fitted(x, pull(d)))) for k, d in _directions(value)]

    def block(k: int, i: int, out: Any, leaf: Any) -> Any:
        mine = [np.asarray(r[i]) for j, r in rows if j == k]
        shape = np.shape(out) + np.shape(leaf)
        if not mine:
            return np.zeros(shape, np.result_type(np.asarray(out), np.asarray(leaf)))
        return np.stack(mine).reshape(shape)[()]

    return rebuild(
        value,
        [
            rebuild(x, [block(k, i, out, leaf) for i, leaf in enumerate(leaves(x))])
            for k, out in enumerate(leaves(value))
        ],
    )
