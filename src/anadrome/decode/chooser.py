"""Decoding in which every row goes its own way: greedy search and sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.decode.interface import Hypothesis, Limits, Model, Trail, look


def decode_rows(
    model: Model,
    source: Any,
    start: np.ndarray,
    choose: Callable[[np.ndarray], np.ndarray],
    limits: Limits,
) -> list[Hypothesis]:
    """The outputs of independent rows, row i for sentence `start[i]`.

    `choose` picks the tokens (N,) from the log-probabilities (N, V). Rows that are
    finished are left out of the steps that follow.
    """
    rows = len(start)
    outputs: list[Hypothesis | None] = [None] * rows
    if not rows:
        return []
    state = model.reorder(model.start(source), start)
    trail = Trail()
    live = np.arange(rows)  # which output each row belongs to
    tokens = np.full(rows, limits.bos)
    totals = np.zeros(rows)
    for t in range(limits.max_length):
        state, given = model.step(state, tokens)
        log_probs = limits.restrict(given, t + 1)
        tokens = choose(log_probs)
        totals = totals + log_probs[np.arange(len(live)), tokens]
        trail.add(np.arange(len(live)), tokens, look(model, state))
        ended = tokens == limits.eos
        over = ended | (t + 1 == limits.max_length)
        for row in np.flatnonzero(over):
            said, attention = trail.read(t, int(row))
            total = float(totals[row])
            outputs[live[row]] = Hypothesis(
                said, total, total, bool(ended[row]), attention
            )
        kept = np.flatnonzero(~over)
        if not len(kept):
            break
        if len(kept) < len(live):
            state = model.reorder(state, kept)
            live, tokens, totals = live[kept], tokens[kept], totals[kept]
            trail.keep(kept)
    return [output for output in outputs if output is not None]
