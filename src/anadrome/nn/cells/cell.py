"""What every recurrent cell can do."""

from __future__ import annotations

from typing import Protocol

import numpy as np

State = tuple[np.ndarray, ...]


class Cell(Protocol):
    """A record of weights with the equations of one step."""

    def drive(self, x: np.ndarray) -> np.ndarray:
        """The part of the steps that needs only the inputs (T, B, E)."""

    def start(self, B: int) -> State:
        """The state before the first step, for B rows."""

    def step(self, state: State, a: np.ndarray) -> State:
        """The next state, for one time of what the inputs drive."""


class GatedCell(Protocol):
    """A cell whose candidate can be dropped in part: see `nn.recurrent_dropout`."""

    def drive(self, x: np.ndarray) -> np.ndarray:
        """The part of the steps that needs only the inputs (T, B, E)."""

    def start(self, B: int) -> State:
        """The state before the first step, for B rows."""

    def step(
        self, state: State, a: np.ndarray, kept: np.ndarray | None = None
    ) -> State:
        """The next state; the candidate is multiplied by `kept` (B, H)."""


def zeros(length: int) -> np.ndarray:
    """Biases before training."""
    return np.zeros(length, np.float32)
