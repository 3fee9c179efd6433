"""When a beam search may stop before the length limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class StoppingRule(Protocol):
    """Whether the search for one sentence is over."""

    def is_over(
        self, finished: Sequence[float], reachable: float, beam: int, wanted: int
    ) -> bool:
        """Whether to stop, given the scores of the finished hypotheses, best first.

        `reachable` is the best score that an unfinished one can still get, `beam` the
        width of the beam and `wanted` how many outputs are asked for.
        """


@dataclass(frozen=True)
class WhenFull:
    """Stop when as many hypotheses are finished as the beam is wide."""

    def is_over(
        self, finished: Sequence[float], reachable: float, beam: int, wanted: int
    ) -> bool:
        """Whether the beam is full of finished hypotheses."""
        return len(finished) >= beam


@dataclass(frozen=True)
class WhenCertain:
    """Stop when what is asked for cannot change any more.

    The result is the same as without it, only sooner.
    """

    def is_over(
        self, finished: Sequence[float], reachable: float, beam: int, wanted: int
    ) -> bool:
        """Whether the wanted hypotheses are all better than any that may come."""
        if len(finished) >= beam:
            return True
        return len(finished) >= wanted and finished[wanted - 1] > reachable


@dataclass(frozen=True)
class AtFirst:
    """Stop when the first hypotheses are finished: fast, and not the best."""

    def is_over(
        self, finished: Sequence[float], reachable: float, beam: int, wanted: int
    ) -> bool:
        """Whether as many hypotheses are finished as are wanted."""
        return len(finished) >= wanted
