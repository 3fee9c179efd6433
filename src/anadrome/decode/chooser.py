"""Decoding in which every row goes its own way: greedy search and sampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anadrome.decode.constraints import Constraint, forbid_all
from anadrome.decode.interface import Hypothesis, Limits, NoOutput
from anadrome.decode.scorer import Scorer, look
from anadrome.decode.trail import Trail


def decode_rows(
    scorer: Scorer,
    source: Any,
    start: np.ndarray,
    choose: Callable[[np.ndarray], np.ndarray],
    limits: Limits,
    constraints: Sequence[Constraint] = (),
) -> list[Hypothesis]:
    """The outputs of independent rows, row i for sentence `start[i]`.

    `choose` picks the tokens (N,) from the log-probabilities (N, V). Rows that are
    finished are left out of the steps that follow.
    """
    rows = len(start)
    outputs: list[Hypothesis | None] = [None] * rows
    if not rows:
        return []
    state = scorer.reorder(scorer.start(source), start)
    trail = Trail()
    live = np.arange(rows)  # which output each row belongs to
    tokens = np.full(rows, limits.bos)
    totals = np.zeros(rows)
    said = np.zeros((rows, 0), np.int64)  # only if there are constraints
    for t in range(limits.max_length):
        state, given = scorer.step(state, tokens)
        log_probs = limits.restrict(given, t + 1)
        forbid_all(constraints, said, start[live], log_probs)
        tokens = choose(log_probs)
        totals = totals + log_probs[np.arange(len(live)), tokens]
        if np.isneginf(totals).any():
            raise NoOutput(f"no token is possible after {t}: all are ruled out")
        trail.add(np.arange(len(live)), tokens, look(scorer, state))
        ended = tokens == limits.eos
        over = ended | (t + 1 == limits.max_length)
        for row in np.flatnonzero(over):
            output, attention = trail.read(t, int(row))
            total = float(totals[row])
            outputs[live[row]] = Hypothesis(
                output, total, total, bool(ended[row]), attention
            )
        kept = np.flatnonzero(~over)
        if not len(kept):
            break
        if len(kept) < len(live):
            state = scorer.reorder(state, kept)
            live, tokens, totals = live[kept], tokens[kept], totals[kept]
            trail.keep(kept)
        if constraints:
            said = np.column_stack((said[kept], tokens))
    return [output for output in outputs if output is not None]
