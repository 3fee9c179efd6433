"""The same computation for every array of nested parameter records."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Record = TypeVar("Record")


def map_arrays(function: Callable[..., Any], record: Record, *others: Any) -> Record:
    """A record like the first, of `function(array, *arrays_at_its_place)`.

    Records are dataclasses, tuples, lists and dictionaries of records and arrays; all
    must be built alike.
    """
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        parts = {
            f.name: map_arrays(
                function,
                getattr(record, f.name),
                *(getattr(other, f.name) for other in others),
            )
            for f in dataclasses.fields(record)
        }
        return type(record)(**parts)
    if isinstance(record, dict):
        return {  # type: ignore[return-value]
            key: map_arrays(function, part, *(other[key] for other in others))
            for key, part in record.items()
        }
    if isinstance(record, tuple | list):
        items = [map_arrays(function, *parts) for parts in zip(record, *others)]
        return type(record)(items)  # type: ignore[return-value]
    return function(record, *others)  # type: ignore[no-any-return]


def arrays_of(record: Any) -> list[np.ndarray]:
    """The arrays of a record, in order."""
    found: list[np.ndarray] = []
    map_arrays(found.append, record)
    return found


def count_parameters(record: Any) -> int:
    """How many numbers the arrays of a record hold."""
    return sum(array.size for array in arrays_of(record))
