"""Which labels are taken for which: the confusion of a classifier or a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.evaluate.agreement import COLUMNS, Agreement
from anadrome.evaluate.tables import format_table


@dataclass(frozen=True)
class Confusion:
    """How often each label (rows) was predicted to be each (columns)."""

    labels: tuple[str, ...]
    counts: np.ndarray  # (L, L)

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return float(np.trace(self.counts) / self.counts.sum())

    def of(self, label: str) -> Agreement:
        """How well a label is found."""
        i = self.labels.index(label)
        return Agreement(
            int(self.counts[i, i]),
            int(self.counts[:, i].sum()),
            int(self.counts[i].sum()),
        )

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels, each counting the same."""
        return sum(self.of(label).f1 for label in self.labels) / len(self.labels)

    def worst(self, count: int = 10) -> list[tuple[str, str, int]]:
        """The commonest mistakes: the label, what it was taken for, how often."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:count]
        found = []
        for i, j in zip(*np.unravel_index(order, wrong.shape)):
            if wrong[i, j]:
                found.append((self.labels[i], self.labels[j], int(wrong[i, j])))
        return found

    def table(self) -> str:
        """Precision, recall and F1 of every label."""
        rows = [[label, *self.of(label).cells()] for label in self.labels]
        ratios = (
            f"accuracy {100 * self.accuracy:.2f}, macro F1 {100 * self.macro_f1:.2f}"
        )
        return f"{format_table(['label', *COLUMNS], rows)}\n\n{ratios}"

    def matrix(self) -> str:
        """The counts, gold labels down and predicted ones across."""
        rows = [
            [label, *map(str, counts)]
            for label, counts in zip(self.labels, self.counts.tolist())
        ]
        return format_table(["gold \\ predicted", *self.labels], rows)


def confusion_of(
    predicted: Sequence[str], gold: Sequence[str], labels: Sequence[str] | None = None
) -> Confusion:
    """The confusion of labels, in the order that is given, else in the alphabet's."""
    if len(predicted) != len(gold):
        raise ValueError(f"{len(predicted)} predictions for {len(gold)} labels")
    if not gold:
        raise ValueError("there are no labels to count")
    names = sorted({*predicted, *gold}) if labels is None else list(labels)
    places = {name: i for i, name in enumerate(names)}
    unknown = next((name for name in (*gold, *predicted) if name not in places), None)
    if unknown is not None:
        raise ValueError(f"the label {unknown!r} is none of {', '.join(names)}")
    counts = np.zeros((len(names), len(names)), np.int64)
    rows = [places[name] for name in gold]
    columns = [places[name] for name in predicted]
    np.add.at(counts, (rows, columns), 1)
    return Confusion(tuple(names), counts)
