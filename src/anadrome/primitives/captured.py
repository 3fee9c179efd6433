"""Captured values: what is compiled in, and what is read anew."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from anadrome.infer.values import callable_data, type_of
from anadrome.ir.types import Other
from anadrome.primitives.registry import Primitive


def is_static(value: Any) -> bool:
    """Whether a captured value is compiled in, under guard, rather than read anew."""
    if value is None or isinstance(value, bool | int | str | bytes | enum.Enum):
        return True
    if isinstance(value, tuple):
        return all(is_static(v) for v in value)
    if isinstance(value, Primitive):
        return True
    if callable_data(value) or isinstance(value, np.dtype | slice | type(Ellipsis)):
        return True
    return callable(value) and isinstance(type_of(value), Other)


def is_function_table(value: Any) -> bool:
    """Whether a captured dictionary or list holds nothing but functions."""
    if not isinstance(value, dict | list) or not value:
        return False
    return all(
        callable_data(v) for v in (value.values() if isinstance(value, dict) else value)
    )


def frozen(value: Any) -> Any:
    """A table of functions as something that tells whether it is still the same."""
    return tuple(value.items()) if isinstance(value, dict) else tuple(value)
