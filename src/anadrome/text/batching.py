"""Batches: examples grouped by length within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np


def mask_lengths(lengths: np.ndarray, width: int) -> np.ndarray:
    """1 where a position lies within the sentence, else 0: float32 (B, width)."""
    return (np.arange(width) < lengths[:, None]).astype(np.float32)


def plan_batches(
    lengths: Sequence[np.ndarray],
    *,
    budget: int,
    max_examples: int | None = None,
    seed: int = 0,
    epoch: int = 0,
) -> list[np.ndarray]:
    """The batches of an epoch, as arrays of indices: a function of (seed, epoch).

    `lengths` has the lengths (N,) of every side of the examples, source and target of a
    pair. Every example is in exactly one batch. Examples of like length are put
    together, and a batch holds as many as keep its padded area, max(S, T) x B, within
    the budget of tokens, `</s>` counted. An example longer than the budget is a batch
    by itself.
    """
    if budget < 1 or (max_examples is not None and max_examples < 1):
        raise ValueError("a batch must have room for at least one example")
    sides = [np.asarray(side) for side in lengths]
    count = len(sides[0])
    rng = np.random.default_rng([seed, epoch])
    # Sorting a shuffled order: equal lengths meet other neighbours in every epoch.
    shuffled = rng.permutation(count)
    order = shuffled[np.lexsort([side[shuffled] for side in sides])]
    widths = np.max(sides, axis=0)[order] + 1
    limit = count if max_examples is None else max_examples
    batches = []
    begin, widest = 0, 0
    for i, width in enumerate(widths.tolist()):
        widest = max(widest, width)
        if i > begin and (widest * (i - begin + 1) > budget or i - begin >= limit):
            batches.append(order[begin:i])
            begin, widest = i, width
    if count:
        batches.append(order[begin:])
    return [batches[i] for i in rng.permutation(len(batches))]


class BatchStream:
    """Batches without end, epoch after epoch, that can be left and taken up again.

    `collate` makes the batch of the examples with some indices. The position is two
    numbers, the epoch and the batch in it; `state` and `restore` are what a checkpoint
    keeps.
    """

    def __init__(
        self,
        lengths: Sequence[np.ndarray],
        collate: Callable[[np.ndarray], Any],
        *,
        budget: int,
        max_examples: int | None = None,
        seed: int = 0,
    ) -> None:
        counts = [len(side) for side in lengths]
        if len(set(counts)) > 1:
            raise ValueError(f"the sides have {counts} examples, not equally many")
        if not counts or not counts[0]:
            raise ValueError("there is nothing to make batches of")
        self._lengths = [np.asarray(side) for side in lengths]
        self._collate = collate
        self._budget, self._max_examples = budget, max_examples
        self.seed = seed
        self.epoch = 0
        self.batch = 0
        self._plan = self._plan_epoch(0)

    def plan(self, epoch: int) -> list[np.ndarray]:
        """The indices of every batch of an epoch."""
        return list(self._plan if epoch == self.epoch else self._plan_epoch(epoch))

    def batches(self, epoch: int, start: int = 0) -> Iterator[Any]:
        """The batches of one epoch from batch `start`; the position does not move."""
        for indices in self.plan(epoch)[start:]:
            yield self._collate(indices)

    def __iter__(self) -> BatchStream:
        return self

    def __next__(self) -> Any:
        if self.batch >= len(self._plan):
            self.epoch += 1
            self.batch = 0
            self._plan = self._plan_epoch(self.epoch)
        made = self._collate(self._plan[self.batch])
        self.batch += 1
        return made

    def state(self) -> dict[str, int]:
        """The position: what `restore` needs to go on with the very next batch."""
        return {"seed": self.seed, "epoch": self.epoch, "batch": self.batch}

    def restore(self, state: dict[str, int]) -> None:
        """Go to a position that `state` gave."""
        self.seed = int(state["seed"])
        self.epoch = int(state["epoch"])
        self._plan = self._plan_epoch(self.epoch)
        batch = int(state["batch"])
        if not 0 <= batch <= len(self._plan):
            raise ValueError(
                f"batch {batch} is outside the epoch, which has {len(self._plan)}; "
                "was the corpus or the budget changed?"
            )
        self.batch = batch

    def _plan_epoch(self, epoch: int) -> list[np.ndarray]:
        return plan_batches(
            self._lengths,
            budget=self._budget,
            max_examples=self._max_examples,
            seed=self.seed,
            epoch=epoch,
        )
