"""Parameter records: see `anadrome.records`."""

from __future__ import annotations

from typing import Any

from anadrome.records import arrays_of, fold_arrays, map_arrays, number_arrays

__all__ = [
    "arrays_of",
    "count_parameters",
    "fold_arrays",
    "map_arrays",
    "number_arrays",
]


def count_parameters(record: Any) -> int:
    """How many numbers the arrays of a record hold."""
    return sum(array.size for array in arrays_of(record))
