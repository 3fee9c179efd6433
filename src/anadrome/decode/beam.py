"""Beam search, batched: every step is one call of the model for all hypotheses.

The beam of a sentence holds K hypotheses. Each step keeps the K likeliest of their
extensions; one that ends with `</s>` leaves the beam for good and takes its place with
it, so the beam grows narrower until it is empty (Sutskever et al. 2014, Bahdanau et
al. 2015). A beam of one is greedy search, and one that is wide enough is exhaustive.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anadrome.decode.candidates import Candidates
from anadrome.decode.interface import (
    Hypothesis,
    Limits,
    Model,
    Trail,
    check_numbers,
    look,
    step_some,
)
from anadrome.decode.penalties import LengthPenalty, NoPenalty, best_possible
from anadrome.decode.stopping import StoppingRule, WhenCertain

DEFAULT_LIMITS = Limits()
DEFAULT_PENALTY = NoPenalty()
DEFAULT_STOPPING = WhenCertain()


@dataclass(frozen=True)
class _Ending:
    """A hypothesis that has left the beam: the choice of a step that it ended with."""

    step: int
    choice: int
    log_prob: float
    score: float
    finished: bool

    def read(self, trail: Trail) -> Hypothesis:
        """All of it."""
        said, attention = trail.read(self.step, self.choice)
        return Hypothesis(said, self.log_prob, self.score, self.finished, attention)


@dataclass
class _Sentence:
    """The search for one sentence: what it has finished, and how wide it still is."""

    width: int
    finished: list[_Ending] = field(default_factory=list)


def beam_search(
    model: Model,
    source: Any,
    size: int,
    *,
    beam: int = 5,
    n_best: int = 1,
    penalty: LengthPenalty = DEFAULT_PENALTY,
    stopping: StoppingRule = DEFAULT_STOPPING,
    limits: Limits = DEFAULT_LIMITS,
) -> list[list[Hypothesis]]:
    """The `n_best` outputs, best first, for each of `size` sentences.

    Hypotheses that were cut off at the length limit are not finished; they come after
    all finished ones, whatever their score. There may be fewer than `n_best`.
    """
    if not 1 <= n_best <= beam:
        raise ValueError(f"a beam of {beam} cannot give {n_best} outputs")
    sentences = [_Sentence(beam) for _ in range(size)]
    if not size:
        return []
    # The arrays have a row for each hypothesis: first one for each sentence, then
    # `beam` for each sentence that is still active.
    active = np.arange(size)
    scores = np.zeros((size, 1))  # log-probabilities (B, rows), -inf for no hypothesis
    tokens = np.full(size, limits.bos)
    state = model.start(source)
    trail = Trail()
    for t in range(limits.max_length):
        live = np.flatnonzero(np.isfinite(scores))
        state, given = step_some(model, state, tokens, live, limits, t + 1, beam)
        looked = look(model, state)
        check_numbers(given.log_probs, t + 1)
        widths = np.array([sentences[s].width for s in active])
        parents, chosen, scores = take_best(scores, given, beam, widths)
        trail.add(parents.ravel(), chosen.ravel(), looked)
        last = t + 1 == limits.max_length
        going = _settle(sentences, active, chosen, scores, t, last, penalty, limits)
        best = scores.max(axis=1).tolist()
        for b in np.flatnonzero(going):
            sentence = sentences[active[b]]
            if not sentence.finished:
                continue
            reachable = best_possible(penalty, best[b], t + 2, limits.max_length)
            ranked = [h.score for h in sentence.finished]
            going[b] = not stopping.is_over(ranked, reachable, beam, n_best)
        kept = np.flatnonzero(going)
        if not len(kept):
            break
        state = model.reorder(state, parents[kept].ravel())
        trail.keep((kept[:, None] * beam + np.arange(beam)).ravel())
        active, scores = active[kept], scores[kept]
        tokens = chosen[kept].ravel()
    return [[e.read(trail) for e in s.finished[:n_best]] for s in sentences]


def _settle(
    sentences: list[_Sentence],
    active: np.ndarray,
    chosen: np.ndarray,
    scores: np.ndarray,
    t: int,
    last: bool,
    penalty: LengthPenalty,
    limits: Limits,
) -> np.ndarray:
    """Take what is finished off the beam; which sentences (B,) have anything left.

    At the last step everything is taken off.
    """
    beam = chosen.shape[1]
    exists = np.isfinite(scores)
    ended = exists & (chosen == limits.eos)
    for b, k in zip(*np.nonzero(exists if last else ended)):
        log_prob = float(scores[b, k])
        score = penalty.score(log_prob, t + 1)
        made = _Ending(t, int(b * beam + k), log_prob, score, bool(ended[b, k]))
        # Stable: of two equal scores, the one that was found first stays ahead.
        insort(sentences[active[b]].finished, made, key=_rank)
    for b, count in enumerate(ended.sum(axis=1)):
        sentences[active[b]].width -= int(count)
    scores[ended] = -np.inf
    if last:
        scores[:] = -np.inf
    going: np.ndarray = np.isfinite(scores).any(axis=1)
    return going


def _rank(ending: _Ending) -> tuple[bool, float]:
    return not ending.finished, -ending.score


def take_best(
    scores: np.ndarray, given: Candidates, beam: int, widths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows, the tokens and the totals (B, beam) of the best extensions, best first.

    The total of row r of sentence b with token v is scores[b, r] (B, R) plus the
    log-probability of v. What is given has a row for each score that is not -inf, and
    as many tokens as the beam is wide. Of sentence b only `widths[b]` are kept; the
    others, and impossible ones, have the total -inf. The lowest row, then token, wins
    a tie.
    """
    B, R = scores.shape
    live = np.isfinite(scores)
    totals = np.full((B, R * beam), -np.inf)
    tokens = np.zeros((B, R * beam), dtype=np.int64)
    totals.reshape(B, R, beam)[live] = scores[live][:, None] + given.log_probs
    tokens.reshape(B, R, beam)[live] = given.tokens
    order = np.argsort(-totals, axis=1, kind="stable")[:, :beam]
    best = np.take_along_axis(totals, order, axis=1)
    best[np.arange(beam) >= widths[:, None]] = -np.inf
    parents = np.arange(B)[:, None] * R + np.where(best > -np.inf, order // beam, 0)
    return parents, np.take_along_axis(tokens, order, axis=1), best
