"""Arrays in which the same rows come again and again: each different one is kept once.

Millions of phrases have a few thousand orientations, counts and inner alignments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.smt.hashing import KeyNumbers
from anadrome.smt.sentences import Array


@dataclass(frozen=True)
class Repeated:
    """The different rows (R, F), and which of them each place (E,) has."""

    rows: Array
    which: Array

    @classmethod
    def of(cls, array: Array) -> Repeated:
        """The same rows, bit by bit."""
        halves = np.ascontiguousarray(array).view(np.uint32)
        which = np.zeros(len(array), np.int64)
        # Rows are told apart by their first so many halves, then by one more.
        for column in halves.T if len(array) else ():
            which = KeyNumbers().add((which << 32) | column.astype(np.int64))
        rows = np.empty((int(which.max(initial=-1)) + 1, array.shape[1]), array.dtype)
        rows[which] = array
        return cls(rows, which.astype(np.int32))

    @property
    def shape(self) -> tuple[int, int]:
        """(E, F)."""
        return len(self.which), self.rows.shape[1]

    def __getitem__(self, places: Any) -> Array:
        return self.rows[self.which[places]]
