"""Batch MIRA (Cherry and Foster, 2012): a margin between good and bad candidates.

In every step the candidate that is good by model and BLEU (hope) must outscore the one
that is good by the model but bad by BLEU (fear), by the difference of their BLEU. The
weights of all steps are averaged.
"""

from __future__ import annotations

import numpy as np

from anadrome.smt.bleu_counts import WIDTH, bleu_of
from anadrome.smt.candidates import Candidates
from anadrome.smt.sentences import Array

_DECAY = 0.999


def optimise(
    candidates: Candidates,
    start: Array,
    fixed: Array,
    random: np.random.Generator,
    *,
    epochs: int = 30,
    aggressiveness: float = 0.01,
) -> tuple[Array, float]:
    """The epoch's averaged weights with the highest BLEU, and that BLEU."""
    weights = start.copy()
    background = np.full(WIDTH, 1.0)
    best, highest = weights, -1.0
    for _ in range(epochs):
        total = np.zeros(len(weights))
        for s in random.permutation(len(candidates)):
            span = slice(candidates.starts[s], candidates.starts[s + 1])
            rows, values = candidates.statistics[span], candidates.values[span]
            if len(rows) == 0:
                continue
            gains = _gains(rows, background)
            scores = values @ weights
            hope = int(np.argmax(scores + gains))
            fear = int(np.argmax(scores - gains))
            difference = np.where(fixed, 0.0, values[hope] - values[fear])
            loss = gains[hope] - gains[fear] - (scores[hope] - scores[fear])
            norm = float(difference @ difference)
            if loss > 0 and norm > 0:
                weights = weights + min(aggressiveness, loss / norm) * difference
            background = _DECAY * background + rows[int(np.argmax(scores))]
            total += weights
        mean = np.where(fixed, start, total / len(candidates))
        chosen = candidates.best(mean)
        bleu = float(bleu_of(candidates.statistics[chosen].sum(axis=0)))
        if bleu > highest:
            best, highest = mean, bleu
    return best, highest


def _gains(rows: Array, background: Array) -> Array:
    """BLEU of each candidate with those before, times the length of the references."""
    together = rows + background
    return bleu_of(together) * together[:, -1]
