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
from anadrome.decode.scores import Scores
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
        state, given = step_some(model, state, tokens, live, limits, t + 1)
        looked = look(model, state)
        check_numbers(given.highest, t + 1)
        check_numbers(given.levels, t + 1)
        widths = np.array([sentences[s].width for s in active])
        parents, chosen, scores = take_best(scores, given, beam, widths)
        trail.add(parents.ravel(), chosen.ravel(), looked)
        last = t + 1 == limits.max_length
        going = _settle(sentences, active, chosen, scores, t, last, penalty, limits)
        for b in np.flatnonzero(going):
            sentence = sentences[active[b]]
            reachable = best_possible(
                penalty, float(scores[b].max()), t + 2, limits.max_length
            )
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
    scores: np.ndarray, given: Scores, beam: int, widths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows, the tokens and the totals (B, beam) of the best extensions, best first.

    The total of row r of sentence b with token v is scores[b, r] (B, R) plus the
    log-probability of v. What is given has a row for each score that is not -inf. Of
    sentence b only `widths[b]` are kept; the others, and impossible ones, have the
    total -inf. The lowest row, then token, wins a tie.
    """
    B, R = scores.shape
    V, C = given.values.shape[1], given.highest.shape[1]
    flat = scores.reshape(-1)
    live = np.flatnonzero(np.isfinite(flat))
    place = np.zeros(B * R, dtype=np.int64)  # of each row in what is given
    place[live] = np.arange(len(live))
    before = flat[live] - given.levels
    # The K-th best of the columns' maxima is a bound: K tokens, each in a column of its
    # own, are as good or better.
    totals = np.full((B * R, C), -np.inf)
    totals[live] = before[:, None] + given.highest
    totals = totals.reshape(B, R * C)
    bounds = np.full(B, -np.inf)
    if beam <= R * C:
        bounds = np.partition(totals, R * C - beam, axis=1)[:, R * C - beam]
    owners, columns = np.nonzero((totals >= bounds[:, None]) & (totals > -np.inf))
    rows = owners * R + columns // C
    tokens = (columns % C)[:, None] + C * np.arange(-(-V // C))  # (found, lines)
    real = tokens < V
    places = place[rows]
    found = before[places][:, None] + np.where(
        real, given.values[places[:, None], np.where(real, tokens, 0)], -np.inf
    )
    good = np.nonzero((found >= bounds[owners][:, None]) & (found > -np.inf))
    rows, tokens, found = rows[good[0]], tokens[good], found[good]
    order = np.lexsort((tokens, rows, -found, rows // R))
    rows, tokens, found = rows[order], tokens[order], found[order]
    owners = rows // R
    ranks = np.arange(len(owners)) - np.searchsorted(owners, owners)
    kept = ranks < np.minimum(widths, beam)[owners]
    places = owners[kept], ranks[kept]
    parents = np.repeat(np.arange(B)[:, None] * R, beam, axis=1)
    chosen = np.zeros((B, beam), dtype=np.int64)
    best = np.full((B, beam), -np.inf)
    for array, values in ((parents, rows), (chosen, tokens), (best, found)):
        array[places] = values[kept]
    return parents, chosen, best
