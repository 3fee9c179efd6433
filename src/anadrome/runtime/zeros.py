"""Cotangents that are zero: structures like those of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import MutationError
from anadrome.runtime.records import attributes, has_fields, record


def zeros(value: Any) -> Any:
    """The cotangent zero of a value: same structure, None where there is none.

    Arrays inside it take no memory until something is added to them.
    """
    if isinstance(value, np.ndarray):
        return _dense_zero(value)
    if isinstance(value, list):
        # Integers stand in it for numbers that have derivatives.
        seen: dict[int, Any] = {}
        integers = int, np.integer, np.bool_
        return [
            0.0 if isinstance(v, integers) else _zeros(v, seen, _empty_zero)
            for v in value
        ]
    return _zeros(value, {}, _empty_zero)


def zeros_of_numbers(value: Any) -> Any:
    """Zeros for numbers, integers included: a list of them may become an array."""
    if type(value) in (list, tuple):
        return type(value)(zeros_of_numbers(v) for v in value)
    if isinstance(value, np.ndarray):
        inexact = value.dtype.kind in "fc"
        return np.zeros_like(value) if inexact else np.zeros(value.shape)
    if isinstance(value, int | float | complex | np.generic):
        return _zero_number(value)
    return zeros(value)


def _zero_number(value: Any) -> Any:
    """The zero of a number: one of NumPy's has its precision, also when broadcast."""
    return type(value)(0) if isinstance(value, np.inexact) else 0.0


def shadow(value: Any) -> Any:
    """A place for the cotangent of something that is changed in place."""
    return _zeros(value, {}, _dense_zero)


def shadow_of_arrays(value: Any) -> Any:
    """The same where integers lie beside floats, and are changed as these are."""
    if isinstance(value, list):
        integers, seen = (int, np.integer, np.bool_), {}  # type: ignore[var-annotated]
        return [
            0.0 if isinstance(v, integers) else _zeros(v, seen, _floating_zero)
            for v in value
        ]
    return _zeros(value, {}, _floating_zero)


def _floating_zero(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind in "fc":
        return np.zeros_like(value)
    return np.zeros(value.shape) if value.dtype.kind in "biu" else None


def shadow_of_numbers(value: Any) -> Any:
    """The same where numbers stand beside arrays that are changed."""

    def zero(v: Any) -> Any:
        return _floating_zero(np.asarray(v))

    if isinstance(value, list):
        integers, seen = (int, np.integer, np.bool_), {}  # type: ignore[var-annotated]
        return [
            zero(v) if isinstance(v, integers) else _zeros(v, seen, zero, numbers=True)
            for v in value
        ]
    return _zeros(value, {}, zero, numbers=True)


def shadow_of_number(value: Any) -> Any:
    """A place for the cotangent of a number that goes where arrays change."""
    return _floating_zero(np.asarray(value))


def _dense_zero(value: np.ndarray[Any, Any]) -> Any:
    return np.zeros_like(value) if value.dtype.kind in "fc" else None


def _empty_zero(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind not in "fc":
        return None
    if not value.shape:
        # It is added to as a number is.
        return value.dtype.type(0)
    # As `np.broadcast_to` of a zero, many times as fast.
    return np.ndarray(value.shape, value.dtype, _ZERO, 0, (0,) * value.ndim)


# As many bytes as the largest number has.
_ZERO = bytes(32)


def is_empty_zero(d: Any) -> bool:
    """Whether a cotangent is one number, zero, that stands for a whole array."""
    return (
        type(d) is np.ndarray
        and not d.flags.writeable
        and d.size > 0
        and not any(d.strides)
        and d.item(0) == 0
    )


def filled(d: Any) -> Any:
    """A cotangent whose zeros have memory of their own."""
    if is_empty_zero(d):
        return np.zeros(d.shape, d.dtype)
    if isinstance(d, list):
        return [filled(x) for x in d]
    if isinstance(d, tuple):
        items = [filled(x) for x in d]
        return type(d)(*items) if hasattr(d, "_fields") else tuple(items)
    if isinstance(d, dict):
        return {k: filled(v) for k, v in d.items()}
    if hasattr(type(d), "__anadrome_zero__") or not has_fields(d):
        return d
    fields = attributes(d)
    return record(type(d), **{k: filled(v) for k, v in fields.items()})


def _zeros(
    value: Any, seen: dict[int, Any], zero: Callable[[Any], Any], numbers: bool = False
) -> Any:
    if numbers and isinstance(value, float | complex | np.inexact):
        return zero(value)
    # One object in two places has one cotangent.
    found = seen.get(id(value))
    if found is _OPEN:
        raise MutationError(
            "a derivative depends on an object that holds itself",
            help="let it go through objects of which none holds itself",
        )
    if found is None:
        seen[id(value)] = _OPEN
        found = seen[id(value)] = _new_zeros(value, seen, zero, numbers)
    return found


# Stands for zeros that are being made.
_OPEN = object()


def _new_zeros(
    value: Any, seen: dict[int, Any], zero: Callable[[Any], Any], numbers: bool
) -> Any:
    if isinstance(value, float | complex | np.inexact):
        return _zero_number(value)
    if isinstance(value, np.ndarray):
        return zero(value)
    if value is None or isinstance(value, int | str | np.generic | bytes):
        return None
    if hasattr(type(value), "__anadrome_zero__"):
        return value.__anadrome_zero__()
    if isinstance(value, list):
        return [_zeros(v, seen, zero, numbers) for v in value]
    if isinstance(value, tuple):
        items = [_zeros(v, seen, zero, numbers) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {k: _zeros(v, seen, zero, numbers) for k, v in value.items()}
    if has_fields(value):
        fields = attributes(value)
        return record(
            type(value),
            **{k: _zeros(v, seen, zero, numbers) for k, v in fields.items()},
        )
    return None
