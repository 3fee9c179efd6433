"""Beam search, batched: every step is one call of the scorer for all hypotheses.

The beam of a sentence holds K hypotheses. Each step keeps the K likeliest of their
extensions; one that ends with `</s>` leaves the beam for good and takes its place with
it, so the beam grows narrower until it is empty (Sutskever et al. 2014, Bahdanau et
al. 2015). A beam of one is greedy search, and one that is wide enough is exhaustive.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.decode.constraints import Constraint, Required, forbid_all
from anadrome.decode.interface import Hypothesis, Limits, check_numbers
from anadrome.decode.penalties import (
    CoveragePenalty,
    LengthPenalty,
    NoPenalty,
    best_possible,
)
from anadrome.decode.scorer import Scorer, look, step_some
from anadrome.decode.selection import (
    Choice,
    Extensions,
    extend,
    take_allocated,
    take_best,
    take_diverse,
)
from anadrome.decode.stopping import StoppingRule, WhenCertain
from anadrome.decode.trace import SearchTrace
from anadrome.decode.trail import Trail

DEFAULT_LIMITS = Limits()
DEFAULT_PENALTY = NoPenalty()
DEFAULT_STOPPING = WhenCertain()


@dataclass(frozen=True)
class Diversity:
    """A beam in groups that avoid each other's tokens (Vijayakumar et al. 2018).

    The groups have equally many places, and the last one fills them last. What a token
    costs for having been chosen by another group decides only what is kept: the
    log-probabilities and scores of outputs are those of the scorer.
    """

    groups: int = 2
    strength: float = 0.5

    def __post_init__(self) -> None:
        if self.groups < 1:
            raise ValueError(f"a beam cannot have {self.groups} groups")
        if self.strength < 0:
            raise ValueError("the strength of the diversity must not be negative")


@dataclass(frozen=True)
class _Ending:
    """A hypothesis that has left the beam: the choice of a step that it ended with."""

    step: int
    choice: int
    log_prob: float
    score: float
    finished: bool
    lacking: int = 0  # tokens of required phrases that it does not have

    def read(self, trail: Trail) -> Hypothesis:
        """All of it."""
        said, attention = trail.read(self.step, self.choice)
        return Hypothesis(said, self.log_prob, self.score, self.finished, attention)


def beam_search(
    scorer: Scorer,
    source: Any,
    size: int,
    *,
    beam: int = 5,
    n_best: int = 1,
    penalty: LengthPenalty = DEFAULT_PENALTY,
    coverage: CoveragePenalty | None = None,
    stopping: StoppingRule = DEFAULT_STOPPING,
    limits: Limits = DEFAULT_LIMITS,
    constraints: Sequence[Constraint] = (),
    diversity: Diversity | None = None,
    trace: SearchTrace | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` outputs, best first, for each of `size` sentences.

    Hypotheses that were cut off at the length limit are not finished; they come after
    all finished ones, whatever their score, and those that lack the least of required
    phrases come first among them. There may be fewer than `n_best`.
    """
    if not 1 <= n_best <= beam:
        raise ValueError(f"a beam of {beam} cannot give {n_best} outputs")
    groups = 1 if diversity is None else diversity.groups
    if beam % groups:
        raise ValueError(f"a beam of {beam} cannot be divided into {groups} groups")
    required = _required(constraints)
    if required is not None and groups > 1:
        raise ValueError("required phrases and diverse groups cannot share a beam")
    if trace is not None:
        trace.begin(size, limits.bos)
    if not size:
        return []
    trail = Trail()
    endings = _Endings(
        size, beam, trail, penalty, coverage, limits, groups > 1, trace, required
    )
    widths = np.full((size, groups), beam // groups)  # the places that are left
    # The arrays have a row for each hypothesis: first one for each sentence, then
    # `beam` for each sentence that is still active.
    active = np.arange(size)
    scores = np.zeros((size, 1))  # log-probabilities (B, rows), -inf for no hypothesis
    tokens = np.full(size, limits.bos)
    said = np.zeros((size, 0), np.int64)  # only if there are constraints
    state = scorer.start(source)
    for t in range(limits.max_length):
        live = np.flatnonzero(np.isfinite(scores))
        if constraints:
            owners = np.repeat(active, scores.shape[1])[live]
            state, log_probs = scorer.step(state, tokens)
            values = limits.forbid(log_probs, t + 1)[live]
            forbid_all(constraints, said[live], owners, values)
            given = _candidates(values, beam, required, said[live], owners)
        else:
            state, given = step_some(scorer, state, tokens, live, limits, t + 1, beam)
        looked = look(scorer, state)
        check_numbers(given.log_probs, t + 1)
        extensions = extend(scores, given)
        if required is not None:
            choice = _allocate(
                extensions, required, said, active, live, beam, widths[active, 0]
            )
        elif diversity is not None:
            choice = take_diverse(extensions, beam, widths[active], diversity.strength)
        else:
            choice = take_best(extensions, beam, widths[active, 0])
        parents, chosen, scores = choice
        trail.add(parents.ravel(), chosen.ravel(), looked)
        if trace is not None:
            trace.note(active, extensions.totals, extensions.tokens, *choice)
        last = t + 1 == limits.max_length
        ended = endings.take(active, chosen, scores, t, last)
        widths[active] -= ended.reshape(len(active), groups, -1).sum(axis=2)
        likeliest = scores.max(axis=1)
        going = likeliest > -np.inf
        for b in np.flatnonzero(going):
            ranked = endings.scores(active[b])
            if not ranked:
                continue
            reachable = best_possible(
                penalty, float(likeliest[b]), t + 2, limits.max_length
            )
            going[b] = not stopping.is_over(ranked, reachable, beam, n_best)
        kept = np.flatnonzero(going)
        if not len(kept):
            break
        state = scorer.reorder(state, parents[kept].ravel())
        trail.keep((kept[:, None] * beam + np.arange(beam)).ravel())
        if trace is not None:
            trace.keep(kept)
        active, scores = active[kept], scores[kept]
        tokens = chosen[kept].ravel()
        if constraints:
            said = np.column_stack((said[parents[kept].ravel()], tokens))
    return endings.read(n_best)


class _Endings:
    """The hypotheses that have left the beams, those of each sentence best first."""

    def __init__(
        self,
        size: int,
        beam: int,
        trail: Trail,
        penalty: LengthPenalty,
        coverage: CoveragePenalty | None,
        limits: Limits,
        once: bool,
        trace: SearchTrace | None,
        required: Required | None,
    ) -> None:
        self._required = required
        self._found: list[list[_Ending]] = [[] for _ in range(size)]
        # Groups of a beam may find the same output.
        self._known: list[set[tuple[int, ...]]] | None = None
        if once:
            self._known = [set() for _ in range(size)]
        self._beam, self._limits = beam, limits
        self._penalty, self._coverage = penalty, coverage
        self._trail, self._trace = trail, trace

    def take(
        self,
        active: np.ndarray,
        chosen: np.ndarray,
        scores: np.ndarray,
        t: int,
        last: bool,
    ) -> np.ndarray:
        """Take what is finished off the beam; which choices (B, K) that were.

        At the last step everything is taken off.
        """
        exists = np.isfinite(scores)
        ended: np.ndarray = exists & (chosen == self._limits.eos)
        for b, k in zip(*np.nonzero(exists if last else ended)):
            self._add(int(active[b]), t, b, k, float(scores[b, k]), bool(ended[b, k]))
        scores[ended] = -np.inf
        if last:
            scores[:] = -np.inf
        return ended

    def _add(
        self, owner: int, t: int, b: int, k: int, log_prob: float, finished: bool
    ) -> None:
        choice = int(b * self._beam + k)
        score = self._penalty.score(log_prob, t + 1)
        if self._coverage is not None:
            _, attention = self._trail.read(t, choice)
            score += self._coverage.score(owner, attention)
        if self._trace is not None:
            self._trace.end(owner, b, k, score, finished)
        if self._known is not None:
            said, _ = self._trail.read(t, choice)
            if said in self._known[owner]:
                return
            self._known[owner].add(said)
        lacking = 0
        if self._required is not None and not finished:
            said, _ = self._trail.read(t, choice)
            lacking = self._required.lacking(owner, said)
        made = _Ending(t, choice, log_prob, score, finished, lacking)
        # Stable: of two equal scores, the one that was found first stays ahead.
        insort(self._found[owner], made, key=_rank)

    def scores(self, owner: int) -> list[float]:
        """The scores of a sentence, best first."""
        return [ending.score for ending in self._found[owner]]

    def read(self, n_best: int) -> list[list[Hypothesis]]:
        """The best outputs of each sentence."""
        return [[e.read(self._trail) for e in found[:n_best]] for found in self._found]


def _rank(ending: _Ending) -> tuple[bool, int, float]:
    return not ending.finished, ending.lacking, -ending.score


def _required(constraints: Sequence[Constraint]) -> Required | None:
    """The one constraint that asks for phrases, if any."""
    found = [c for c in constraints if isinstance(c, Required)]
    if len(found) > 1:
        raise ValueError("put all phrases that are required into one constraint")
    return found[0] if found else None


def _candidates(
    values: np.ndarray,
    beam: int,
    required: Required | None,
    said: np.ndarray,
    owners: np.ndarray,
) -> Candidates:
    """The likeliest tokens of rows (R, V), and those that required phrases ask for."""
    if required is None:
        return Candidates(*best_tokens(values, beam))
    wanted = required.next_tokens(said, owners)  # (R, E)
    if wanted.max(initial=-1) >= values.shape[1]:
        raise ValueError(
            f"the token {wanted.max()} is required, but the vocabulary has "
            f"{values.shape[1]}"
        )
    log_probs = values[np.arange(len(values))[:, None], wanted]
    log_probs[wanted < 0] = -np.inf
    tokens, best = best_tokens(values, beam)
    known = np.any(wanted[:, :, None] == tokens[:, None, :], axis=2)
    log_probs[known] = -np.inf
    return Candidates(
        np.concatenate((tokens, np.maximum(wanted, 0)), axis=1),
        np.concatenate((best, log_probs), axis=1),
    )


def _allocate(
    extensions: Extensions,
    required: Required,
    said: np.ndarray,
    active: np.ndarray,
    live: np.ndarray,
    beam: int,
    widths: np.ndarray,
) -> Choice:
    """The extensions to keep, with places for every progress."""
    B, R, C = extensions.totals.shape
    rows = np.repeat(live, C)
    owners = active[rows // R]
    tokens = extensions.tokens.reshape(B * R, C)[live].ravel()
    progress = np.zeros((B * R, C), np.int64)
    made = required.progress(np.column_stack((said[rows], tokens)), owners)
    progress[live] = made.reshape(-1, C)
    return take_allocated(extensions, progress.reshape(B, R, C), beam, widths)
