"""What printed programs call: the few things that are not one line of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import MutationError


class Saved:
    """What the forward half of a recursive function keeps for the backward half."""

    def __repr__(self) -> str:
        return f"Saved({', '.join(vars(self))})"


def record(cls: type, **fields: Any) -> Any:
    """An instance of a class with the given attributes, made without its `__init__`."""
    made = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _attributes(value: Any) -> dict[str, Any]:
    from anadrome.infer.values import attributes_of

    return attributes_of(value)


def zeros(value: Any) -> Any:
    """The cotangent zero of a value: same structure, None where there is none."""
    if isinstance(value, float | complex | np.inexact):
        return 0.0
    if isinstance(value, np.ndarray):
        return np.zeros_like(value) if value.dtype.kind in "fc" else None
    if value is None or isinstance(value, int | str | np.generic | bytes):
        return None
    if isinstance(value, list):
        return [zeros(v) for v in value]
    if isinstance(value, tuple):
        items = [zeros(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {k: zeros(v) for k, v in value.items()}
    if hasattr(value, "__dict__") and not callable(value):
        return record(type(value), **{k: zeros(v) for k, v in _attributes(value).items()})
    return None


def add(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value; None is zero."""
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, list):
        return [add(x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, tuple):
        items = [add(x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, dict):
        return {k: add(a.get(k), b.get(k)) for k in {**a, **b}}
    if isinstance(a, float | complex | int | np.ndarray | np.generic):
        return a + b
    fields = _attributes(a)
    return record(
        type(a), **{k: add(v, getattr(b, k, None)) for k, v in fields.items()}
    )


def shadow(value: Any) -> Any:
    """A place for the cotangent of something that is changed in place."""
    return zeros(value)


def check_view(source: Any, view: Any) -> None:
    """Refuse a copy where the derivative relies on a view."""
    if view is not source and not np.may_share_memory(source, view) and np.size(view):
        raise MutationError(
            "this reshaping copies the array, so a later change in place would not "
            "reach it",
            help="make the array contiguous first with np.ascontiguousarray, or copy it",
        )


def take_stored(gradient: Any, index: Any) -> Any:
    """The cotangent of what was stored at an index: the last write to a place wins."""
    d = np.array(gradient[index])
    order = np.arange(d.size).reshape(d.shape)
    marks = np.zeros(gradient.shape, dtype=np.intp)
    marks[index] = order
    return np.where(marks[index] == order, d, 0.0).astype(d.dtype)
