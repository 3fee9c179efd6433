"""Precision, recall and F1 from counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """How many were predicted, how many there are, and how many of both are the same.

    Ratios lie between 0 and 1; what would be divided by nothing is 0, as with CoNLL.
    """

    correct: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """The share of what was predicted that is right."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of what there is that was predicted."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.predicted + self.gold
        return 2 * self.correct / both if both else 0.0

    def cells(self) -> list[str]:
        """Precision, recall and F1 in per cent, and the counts, for a table."""
        ratios = (self.precision, self.recall, self.f1)
        counts = (self.gold, self.predicted, self.correct)
        return [f"{100 * ratio:.2f}" for ratio in ratios] + [str(n) for n in counts]


COLUMNS = ("precision", "recall", "F1", "gold", "predicted", "correct")
"""The names of the cells of an agreement."""


def add(agreements: Iterable[Agreement]) -> Agreement:
    """The counts of all together."""
    correct = predicted = gold = 0
    for each in agreements:
        correct += each.correct
        predicted += each.predicted
        gold += each.gold
    return Agreement(correct, predicted, gold)
