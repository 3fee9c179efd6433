"""Embeddings: rows of a table, one for each word."""

from __future__ import annotations

import numpy as np


def embed(table: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The rows (…, E) of a table (V, E) that integers choose.

    In reverse mode only these rows of the gradient are added to.
    """
    return table[ids]
