"""The choices of a search, step by step."""

from __future__ import annotations

import numpy as np


class Trail:
    """The choices of every step, from which whole outputs are read backwards.

    A step goes from N rows to M choices. A choice knows its token and the row that it
    extends, and a row knows the choice of the step before it that it stands for, so
    nothing is copied while hypotheses branch.
    """

    def __init__(self) -> None:
        self._rows: list[np.ndarray | None] = []
        self._parents: list[np.ndarray] = []
        self._tokens: list[np.ndarray] = []
        self._attention: list[np.ndarray | None] = []
        self._kept: np.ndarray | None = None

    def add(
        self, parents: np.ndarray, tokens: np.ndarray, attention: np.ndarray | None
    ) -> None:
        """Note a step: the tokens (M,), the rows (M,) they extend, weights (N, S)."""
        self._rows.append(self._kept)
        self._kept = None
        self._parents.append(parents)
        self._tokens.append(tokens)
        self._attention.append(attention)

    def keep(self, choices: np.ndarray) -> None:
        """Say which choices (N,) of the last step are the rows of the next one.

        Without it they all are, in their order.
        """
        self._kept = choices

    def read(self, step: int, choice: int) -> tuple[tuple[int, ...], np.ndarray | None]:
        """The tokens up to a choice of a step (from 0), and the weights (T, S)."""
        tokens: list[int] = []
        looked: list[np.ndarray] = []
        for t in range(step, -1, -1):
            tokens.append(int(self._tokens[t][choice]))
            row = int(self._parents[t][choice])
            weights = self._attention[t]
            if weights is not None:
                looked.append(weights[row])
            kept = self._rows[t]
            choice = row if kept is None else int(kept[row])
        tokens.reverse()
        looked.reverse()
        return tuple(tokens), np.stack(looked) if looked else None
