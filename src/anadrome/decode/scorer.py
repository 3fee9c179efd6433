"""What scores the next token given a state: all that search knows of a model.

Axis letters: B sentences, K hypotheses of each, N rows (B or B x K), S source
positions, T target positions, V vocabulary.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.decode.interface import Limits


class Scorer(Protocol):
    """A translator, a language model, a product of several: what scores the next token.

    A state holds N rows. It is never changed: `step` and `reorder` give new ones.
    """

    def start(self, source: Any) -> Any:
        """The state before the first token, one row for each of the B sentences."""

    def step(self, state: Any, last_tokens: np.ndarray) -> tuple[Any, np.ndarray]:
        """The next state and the log-probabilities (N, V) of the next token.

        `last_tokens` (N,) are the tokens just chosen, `<s>` at first. The
        log-probabilities are a new array, which the search may change.
        """

    def reorder(self, state: Any, indices: np.ndarray) -> Any:
        """The state whose row i is row `indices[i]` of this one; rows may repeat."""


@runtime_checkable
class SelectiveScorer(Protocol):
    """A scorer that need not say of every row what comes next."""

    def step_some(
        self,
        state: Any,
        last_tokens: np.ndarray,
        rows: np.ndarray,
        barred: np.ndarray,
        count: int,
    ) -> tuple[Any, Candidates]:
        """The next state, and the likeliest next tokens of some rows (R,).

        `barred` tokens, as far as the scorer knows them, are impossible; the rest is
        not renormalised.
        """


@runtime_checkable
class AttendingScorer(Protocol):
    """A scorer that can say where it looked."""

    def attention(self, state: Any) -> np.ndarray | None:
        """The weights (N, S) over the source in the step that led to this state.

        None if there are none, as for a product whose members do not all attend.
        """


def look(scorer: Any, state: Any) -> np.ndarray | None:
    """The attention weights (N, S) of a scorer that attends, else None."""
    if not isinstance(scorer, AttendingScorer):
        return None
    weights = scorer.attention(state)
    return None if weights is None else np.array(weights)


def step_some(
    scorer: Scorer,
    state: Any,
    last_tokens: np.ndarray,
    rows: np.ndarray,
    limits: Limits,
    length: int,
    count: int,
) -> tuple[Any, Candidates]:
    """The next state of all rows, and candidates for the `length`-th token of some."""
    if isinstance(scorer, SelectiveScorer):
        return scorer.step_some(state, last_tokens, rows, limits.barred(length), count)
    state, given = scorer.step(state, last_tokens)
    values = limits.forbid(given, length)
    values = values if len(rows) == len(last_tokens) else values[rows]
    return state, Candidates(*best_tokens(values, count))
