"""Forced decoding: how likely given outputs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.decode.interface import Limits, check_numbers
from anadrome.decode.penalties import CoveragePenalty, LengthPenalty, NoPenalty
from anadrome.decode.scorer import Scorer, look

DEFAULT_LIMITS = Limits()
DEFAULT_PENALTY = NoPenalty()


@dataclass(frozen=True)
class ScoredOutput:
    """An output, its log-probability as a whole and that of every token.

    `score` is what a search with the same penalties ranks it by. `attention` is (T, S).
    """

    tokens: tuple[int, ...]
    token_log_probs: np.ndarray  # (T,)
    log_prob: float
    score: float
    attention: np.ndarray | None = None


def score_outputs(
    scorer: Scorer,
    source: Any,
    outputs: Sequence[Sequence[int]],
    *,
    owners: Sequence[int] | None = None,
    penalty: LengthPenalty = DEFAULT_PENALTY,
    coverage: CoveragePenalty | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[ScoredOutput]:
    """How likely each output is, output i for sentence `owners[i]`, else i.

    Tokens are without `<s>`; give `</s>` at the end if it is to count. Of the limits
    only `<s>` matters.
    """
    given = [np.asarray(output, np.int64) for output in outputs]
    if owners is not None and len(owners) != len(given):
        raise ValueError(f"{len(owners)} sentences for {len(given)} outputs")
    if not given:
        return []
    lengths = np.array([len(output) for output in given])
    if not lengths.all():
        raise ValueError(f"output {int(np.argmin(lengths))} has no tokens")
    # The longest first, so that those that have ended are the last rows.
    order = np.argsort(-lengths, kind="stable")
    sentences = np.arange(len(given)) if owners is None else np.asarray(owners)
    padded = np.full((len(given), lengths.max()), limits.bos)
    for row, i in enumerate(order):
        padded[row, : lengths[i]] = given[i]
    log_probs = np.zeros(padded.shape)
    looked: list[list[np.ndarray]] = [[] for _ in given]
    state = scorer.reorder(scorer.start(source), sentences[order])
    tokens = np.full(len(given), limits.bos)
    rows = len(given)
    for t in range(padded.shape[1]):
        left = int((lengths > t).sum())
        if left < rows:
            state, rows = scorer.reorder(state, np.arange(left)), left
            tokens = tokens[:left]
        state, scored = scorer.step(state, tokens)
        tokens = padded[:rows, t]
        _check_vocabulary(tokens, scored.shape[1], order)
        log_probs[:rows, t] = scored[np.arange(rows), tokens]
        check_numbers(log_probs[:rows, t], t + 1)
        weights = look(scorer, state)
        if weights is not None:
            for row in range(rows):
                looked[order[row]].append(weights[row])
    made: dict[int, ScoredOutput] = {}
    for row, i in enumerate(order):
        mine = log_probs[row, : lengths[i]]
        attention = np.stack(looked[i]) if looked[i] else None
        log_prob = float(mine.sum())
        score = penalty.score(log_prob, int(lengths[i]))
        if coverage is not None:
            score += coverage.score(int(sentences[i]), attention)
        said = tuple(given[i].tolist())
        made[int(i)] = ScoredOutput(said, mine.copy(), log_prob, score, attention)
    return [made[i] for i in range(len(given))]


def _check_vocabulary(tokens: np.ndarray, size: int, order: np.ndarray) -> None:
    """Fail if a token is none of the scorer's."""
    wrong = np.flatnonzero((tokens < 0) | (tokens >= size))
    if len(wrong):
        raise ValueError(
            f"output {order[wrong[0]]} holds the token {tokens[wrong[0]]}, but the "
            f"vocabulary has {size}"
        )
