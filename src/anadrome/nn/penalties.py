"""Penalties and limits of the sizes of weights (thesis, 1.5.1)."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from anadrome.nn.records import fold_arrays, map_arrays

Record = TypeVar("Record")


def weight_decay(params: Any, rate: float) -> np.ndarray:
    """rate / 2 · Σ w², to be added to a loss: its gradient is rate · w."""
    return 0.5 * rate * fold_arrays(lambda s, a: s + np.sum(a * a), 0.0, params)


def l1_penalty(params: Any, rate: float) -> np.ndarray:
    """rate · Σ |w|, to be added to a loss: it makes weights sparse."""
    return rate * fold_arrays(lambda s, a: s + np.sum(np.abs(a)), 0.0, params)


def max_norm(params: Record, limit: float) -> Record:
    """Parameters whose matrices have no column longer than the limit.

    A column has the weights into one unit (Srivastava et al., 2014, section 5.1); to be
    applied after each update. Vectors stay as they are.
    """
    return map_arrays(lambda a: a if a.ndim < 2 else _limited(a, limit), params)


def _limited(W: np.ndarray, limit: float) -> np.ndarray:
    lengths = np.sqrt(np.sum(W * W, axis=0))
    return W * (limit / np.maximum(lengths, limit))
