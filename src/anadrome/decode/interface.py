"""What a model must offer to be decoded, and what decoding gives back.

Axis letters: B sentences, K hypotheses of each, N rows (B or B x K), S source
positions, T target positions, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.text.vocabulary import BOS, EOS, PAD


class Model(Protocol):
    """A translator, a language model, anything that goes from token to token.

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
class SelectiveModel(Protocol):
    """A model that need not say of every row what comes next."""

    def step_some(
        self,
        state: Any,
        last_tokens: np.ndarray,
        rows: np.ndarray,
        barred: np.ndarray,
        count: int,
    ) -> tuple[Any, Candidates]:
        """The next state, and the likeliest next tokens of some rows (R,).

        `barred` tokens, as far as the model knows them, are impossible; the rest is not
        renormalised.
        """


@runtime_checkable
class AttendingModel(Protocol):
    """A model that can say where it looked."""

    def attention(self, state: Any) -> np.ndarray:
        """The weights (N, S) over the source in the step that led to this state."""


@dataclass(frozen=True)
class Hypothesis:
    """One output. `tokens` are without `<s>`, and end with `</s>` if it is finished.

    `score` is what hypotheses are ranked by, the log-probability after length
    normalisation. `attention` is (T, S), a row for each token, if the model attends.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    finished: bool
    attention: np.ndarray | None = None


@dataclass(frozen=True)
class Limits:
    """How long outputs may be, counting `</s>`, and what they may not hold."""

    max_length: int = 100
    min_length: int = 1
    forbidden: tuple[int, ...] = (PAD, BOS)
    eos: int = EOS
    bos: int = BOS

    def __post_init__(self) -> None:
        if not 1 <= self.min_length <= self.max_length:
            raise ValueError(
                f"lengths from {self.min_length} to {self.max_length} are none at all"
            )

    def restrict(self, log_probs: np.ndarray, length: int) -> np.ndarray:
        """The log-probabilities (N, V) of the `length`-th token.

        What may not come is made impossible; the rest is not renormalised.
        """
        log_probs = self.forbid(log_probs, length)
        check_numbers(log_probs, length)
        return log_probs

    def forbid(self, log_probs: np.ndarray, length: int) -> np.ndarray:
        """`restrict` without a look at every number."""
        if log_probs.ndim != 2:
            raise ValueError(
                "the model gave log-probabilities of shape "
                f"{log_probs.shape}, not (N, V)"
            )
        barred = self.barred(length)
        log_probs[:, barred[barred < log_probs.shape[1]]] = -np.inf
        return log_probs

    def barred(self, length: int) -> np.ndarray:
        """What may not be the `length`-th token."""
        early = (self.eos,) if length < self.min_length else ()
        return np.array((*self.forbidden, *early), dtype=np.int64)


def check_numbers(log_probs: np.ndarray, length: int) -> None:
    """Fail if there is a NaN among the log-probabilities of the `length`-th token."""
    if np.isnan(log_probs.max(initial=-np.inf)):
        raise FloatingPointError(
            f"the model gave NaN for token {length}; was it trained with a loss "
            "that became NaN?"
        )


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


def look(model: Any, state: Any) -> np.ndarray | None:
    """The attention weights (N, S) of a model that attends, else None."""
    if not isinstance(model, AttendingModel):
        return None
    return np.array(model.attention(state))


def step_some(
    model: Model,
    state: Any,
    last_tokens: np.ndarray,
    rows: np.ndarray,
    limits: Limits,
    length: int,
    count: int,
) -> tuple[Any, Candidates]:
    """The next state of all rows, and candidates for the `length`-th token of some."""
    if isinstance(model, SelectiveModel):
        return model.step_some(state, last_tokens, rows, limits.barred(length), count)
    state, given = model.step(state, last_tokens)
    values = limits.forbid(given, length)
    values = values if len(rows) == len(last_tokens) else values[rows]
    return state, Candidates(*best_tokens(values, count))
