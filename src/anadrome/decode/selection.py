"""Which extensions of its hypotheses a beam keeps.

Axis letters: B sentences, R rows of each, C candidates of a row, K places of a beam.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.decode.candidates import Candidates

Choice = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The rows, the tokens and the totals (B, K) of what is kept.

The rows are those of all sentences together. Where there is nothing the total is -inf.
"""


@dataclass(frozen=True)
class Extensions:
    """What the hypotheses may become: total log-probabilities and last tokens.

    Impossible ones have the total -inf.
    """

    totals: np.ndarray  # (B, R, C)
    tokens: np.ndarray  # (B, R, C)


def extend(scores: np.ndarray, given: Candidates) -> Extensions:
    """All extensions of hypotheses with these log-probabilities (B, R).

    What is given has a row for each score that is not -inf.
    """
    shape = (*scores.shape, given.tokens.shape[1])
    live = np.isfinite(scores)
    totals = np.full(shape, -np.inf)
    tokens = np.zeros(shape, dtype=np.int64)
    totals[live] = scores[live][:, None] + given.log_probs
    tokens[live] = given.tokens
    return Extensions(totals, tokens)


def take_best(extensions: Extensions, beam: int, widths: np.ndarray) -> Choice:
    """The likeliest extensions, best first, of sentence b only `widths[b]`.

    The lowest row, then the likeliest and lowest token, wins a tie.
    """
    totals = extensions.totals.reshape(len(widths), -1)
    order = np.argsort(-totals, axis=1, kind="stable")[:, :beam]
    return _chosen(extensions, order, np.arange(beam) < widths[:, None])


def take_diverse(
    extensions: Extensions, beam: int, widths: np.ndarray, strength: float
) -> Choice:
    """The likeliest extensions for each group of places, `widths` (B, G) wide.

    The groups choose one after the other. A token costs `strength` for every earlier
    group's hypothesis that was just given it (Vijayakumar et al. 2018, Hamming
    diversity).
    """
    B, R, _ = extensions.totals.shape
    groups = widths.shape[1]
    places = beam // groups
    made: list[Choice] = []
    for g in range(groups):
        # At the first step all groups extend the one row there is.
        first, rows = (g * places, places) if R > 1 else (0, 1)
        mine = Extensions(
            extensions.totals[:, first : first + rows],
            extensions.tokens[:, first : first + rows],
        )
        ranked = mine.totals
        for _, tokens, totals in made:
            same = mine.tokens[..., None] == tokens[:, None, None, :]
            times = (same & (totals > -np.inf)[:, None, None, :]).sum(axis=3)
            ranked = ranked - strength * times
        order = np.argsort(-ranked.reshape(B, -1), axis=1, kind="stable")[:, :places]
        allowed = np.arange(order.shape[1]) < widths[:, g, None]
        parents, tokens, totals = _chosen(mine, order, allowed)
        inside = parents - np.arange(B)[:, None] * rows
        parents = np.arange(B)[:, None] * R + first + inside
        made.append((parents, tokens, totals))
    parents, tokens, totals = (np.concatenate(part, axis=1) for part in zip(*made))
    return parents, tokens, totals


def take_allocated(
    extensions: Extensions, progress: np.ndarray, beam: int, widths: np.ndarray
) -> Choice:
    """The likeliest extensions of every progress (B, R, C) in equal numbers.

    Extensions that have equally many of the required tokens form a bank. Places go
    round the banks that have any left, from the most progress to the least, until all
    are given away (Post and Vilar 2018, section 3). The likeliest kept come first.
    """
    B = len(widths)
    totals = extensions.totals.reshape(B, -1)
    banks = progress.reshape(B, -1)
    # by bank, and in a bank the likeliest first: the place in the bank is the round
    order = np.lexsort((-totals, -banks), axis=1)
    sorted_banks = np.take_along_axis(banks, order, axis=1)
    places = np.arange(totals.shape[1])
    starts = np.ones_like(order, bool)
    starts[:, 1:] = sorted_banks[:, 1:] != sorted_banks[:, :-1]
    begun = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    rounds = np.zeros_like(order)
    np.put_along_axis(rounds, order, places - begun, axis=1)
    possible = totals > -np.inf
    turn = np.lexsort((-banks, rounds, ~possible), axis=1)
    kept = np.zeros_like(possible)
    np.put_along_axis(kept, turn, places < widths[:, None], axis=1)
    ranked = np.where(kept, totals, -np.inf)
    best = np.argsort(-ranked, axis=1, kind="stable")[:, :beam]
    return _chosen(extensions, best, np.take_along_axis(kept, best, axis=1))


def _chosen(extensions: Extensions, order: np.ndarray, allowed: np.ndarray) -> Choice:
    """What stands at these places (B, K) of each sentence's extensions, if allowed."""
    B, R, C = extensions.totals.shape
    best = np.take_along_axis(extensions.totals.reshape(B, -1), order, axis=1)
    best[~allowed] = -np.inf
    parents = np.arange(B)[:, None] * R + np.where(best > -np.inf, order // C, 0)
    tokens = np.take_along_axis(extensions.tokens.reshape(B, -1), order, axis=1)
    return parents, tokens, best
