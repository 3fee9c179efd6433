"""Means of the weights of several updates, often better than the last ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anadrome.nn.records import map_arrays


class Averaging(Protocol):
    """How much of the weights of an update goes into their mean."""

    def share_at(self, step: int) -> float | None:
        """The share of update 1, 2, …; None for one that does not count.

        With the share 1 the mean is these weights, and nothing of those before.
        """


@dataclass(frozen=True)
class ExponentialMean:
    """A mean in which every update counts less than the one after it, by the decay.

    The decay grows with the number of steps, so that the first weights, which are
    random, do not stay in the mean for long.
    """

    decay: float

    def share_at(self, step: int) -> float | None:
        """1 less the decay."""
        decay = min(self.decay, (1 + step) / (10 + step))
        return 1.0 - decay


@dataclass(frozen=True)
class RunningMean:
    """The mean of the weights of every so many updates, from one on.

    Until that one the weights themselves take the place of the mean.

    Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992);
    with some updates between, Izmailov et al., "Averaging weights leads to wider optima
    and better generalization" (2018), algorithm 1.
    """

    first: int = 1
    every: int = 1

    def share_at(self, step: int) -> float | None:
        """One part of as many as there are by now."""
        passed = max(0, step - self.first)
        if passed % self.every:
            return None
        return 1.0 / (1 + passed // self.every)


def move_mean(mean: Any, params: Any, share: float) -> Any:
    """The mean after weights were taken in with a share."""
    return map_arrays(lambda m, p: m + share * (p - m), mean, params)


def mean_of_records(records: Sequence[Any]) -> Any:
    """The mean of records that are built alike, such as those of checkpoints."""
    if not records:
        raise ValueError("there is no mean of no records")
    total = records[0]
    for record in records[1:]:
        total = map_arrays(lambda t, r: t + r, total, record)
    return map_arrays(lambda t: t / len(records), total)
