"""Gradient clipping."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from anadrome.nn.records import fold_arrays, map_arrays

Record = TypeVar("Record")


def global_norm(record: Record) -> np.ndarray:
    """The Euclidean norm of all arrays of a record taken together."""
    squares = fold_arrays(lambda total, a: total + np.sum(a * a), 0.0, record)
    return np.sqrt(squares)


def clip_by_global_norm(record: Record, limit: float) -> tuple[Record, np.ndarray]:
    """The record, scaled down if its norm is above the limit; and the norm it had.

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural
    networks" (2013), algorithm 1.
    """
    norm = global_norm(record)
    scale = limit / np.maximum(norm, limit)
    return map_arrays(lambda g: g * scale, record), norm


def clip_by_value(record: Record, limit: float) -> Record:
    """The record with every number between -limit and limit."""
    return map_arrays(lambda g: np.minimum(np.maximum(g, -limit), limit), record)
