"""Exhaustive search, for spaces so small that everything can be tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.decode.constraints import Constraint, forbid_all
from anadrome.decode.interface import Hypothesis, Limits
from anadrome.decode.penalties import CoveragePenalty, LengthPenalty, NoPenalty
from anadrome.decode.scorer import Scorer, look
from anadrome.decode.trail import Trail

DEFAULT_PENALTY = NoPenalty()


def exhaustive_search(
    scorer: Scorer,
    source: Any,
    size: int,
    *,
    limits: Limits,
    n_best: int = 1,
    penalty: LengthPenalty = DEFAULT_PENALTY,
    coverage: CoveragePenalty | None = None,
    constraints: Sequence[Constraint] = (),
    max_rows: int = 1_000_000,
) -> list[list[Hypothesis]]:
    """The `n_best` finished outputs of each of `size` sentences, among all there are.

    Raises if more than `max_rows` unfinished outputs would have to be kept at a time.
    """
    finished: list[list[Hypothesis]] = [[] for _ in range(size)]
    state = scorer.start(source)
    trail = Trail()
    owner = np.arange(size)
    tokens = np.full(size, limits.bos)
    totals = np.zeros(size)
    said = np.zeros((size, 0), np.int64)  # only if there are constraints
    for t in range(limits.max_length):
        if not len(owner):
            break
        state, given = scorer.step(state, tokens)
        log_probs = limits.restrict(given, t + 1)
        forbid_all(constraints, said, owner, log_probs)
        looked = look(scorer, state)
        possible = np.isfinite(log_probs)
        parents, tokens = np.nonzero(possible)
        totals = totals[parents] + log_probs[parents, tokens]
        trail.add(parents, tokens, looked)
        ended = tokens == limits.eos
        for row in np.flatnonzero(ended):
            output, attention = trail.read(t, int(row))
            log_prob = float(totals[row])
            score = penalty.score(log_prob, t + 1)
            sentence = int(owner[parents[row]])
            if coverage is not None:
                score += coverage.score(sentence, attention)
            made = Hypothesis(output, log_prob, score, True, attention)
            finished[sentence].append(made)
        kept = np.flatnonzero(~ended)
        if t + 1 < limits.max_length and len(kept) > max_rows:
            raise ValueError(
                f"{len(kept)} outputs of length {t + 1} are too many to try them all"
            )
        state = scorer.reorder(state, parents[kept])
        owner, tokens, totals = owner[parents[kept]], tokens[kept], totals[kept]
        trail.keep(kept)
        if constraints:
            said = np.column_stack((said[parents[kept]], tokens))
    for found in finished:
        found.sort(key=lambda h: (-h.score, h.tokens))
    return [found[:n_best] for found in finished]
