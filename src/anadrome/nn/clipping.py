"""Gradient clipping."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from anadrome.nn.records import arrays_of, map_arrays

Record = TypeVar("Record")


def global_norm(record: Record) -> np.ndarray:
    """The Euclidean norm of all arrays of a record taken together."""
    total = np.float32(0)
    for array in arrays_of(record):
        total = total + np.sum(array * array)
    return np.sqrt(total)


def clip_by_global_norm(record: Record, limit: float) -> tuple[Record, np.ndarray]:
    """The record, scaled down if its norm is above the limit; and the norm it had.

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural
    networks" (2013), algorithm 1.
    """
    norm = global_norm(record)
    scale = limit / np.maximum(norm, limit)
    return map_arrays(lambda g: g * scale, record), norm
