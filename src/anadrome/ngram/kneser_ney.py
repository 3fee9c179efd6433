"""Interpolated modified Kneser-Ney smoothing, as KenLM's estimator does it.

Chen and Goodman (1998), section 3; Heafield et al. (2013). With a the adjusted counts,

    p(w | h) = (a(h w) - D(a(h w))) / Σ a(h ·) + γ(h) p(w | h'),

where h' is h without its first word, D takes one of three values for counts of 1, 2 and
more, and γ(h) is what the discounts leave. Below the unigrams there is the uniform
distribution over all words but `<s>`. n-grams that are pruned leave their whole count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anadrome.ngram.counts import Counts
from anadrome.ngram.errors import InvalidDiscounts
from anadrome.ngram.tables import BOS, Level

Discounts = tuple[float, float, float]

FALLBACK: Discounts = (0.5, 1.0, 1.5)
"""What is taken off counts of 1, 2 and more if the text does not say."""


def estimate_discounts(adjusted: np.ndarray, order: int) -> Discounts:
    """D₁, D₂ and D₃₊ of one order (Chen and Goodman, equation 26).

    A text that is too small or not natural has none.
    """
    n = np.bincount(np.minimum(adjusted, 5), minlength=6)
    for count in (1, 2, 3):
        if n[count] == 0:
            raise InvalidDiscounts(
                f"no {order}-gram has the adjusted count {count}, which the discounts "
                "are computed from",
                help=_HELP,
            )
    y = n[1] / (n[1] + 2 * n[2])
    amounts = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    for count, amount in enumerate(amounts, start=1):
        if not 0 <= amount <= count:
            raise InvalidDiscounts(
                f"the discount of {order}-grams with the adjusted count {count} would "
                f"be {amount:.4g}",
                help=_HELP,
            )
    d1, d2, d3 = map(float, amounts)
    return d1, d2, d3


_HELP = (
    "the text is small, artificial or full of repetitions; pass fallback discounts, "
    f"such as {FALLBACK} (--fallback {' '.join(f'{x:g}' for x in FALLBACK)}), for such "
    "orders"
)


def choose_discounts(
    counts: Sequence[Counts], fallback: Discounts | None
) -> list[Discounts]:
    """The discounts of all orders, the fallback for those that the text has none of."""
    chosen = []
    for n, level in enumerate(counts, start=1):
        try:
            chosen.append(estimate_discounts(level.adjusted, n))
        except InvalidDiscounts:
            if fallback is None:
                raise
            chosen.append(fallback)
    return chosen


def smooth(
    counts: Sequence[Counts],
    discounts: Sequence[Discounts],
    pruned: Sequence[np.ndarray | None],
    *,
    interpolate_unigrams: bool = True,
) -> list[Level]:
    """The probabilities and back-off weights of all n-grams that are not pruned.

    `pruned` flags those of each order that are, None for none; what an n-gram that
    stays hangs on must stay too. Unigrams stay where they are.
    """
    size = len(counts[0])
    gone = pruned[0]
    words = size - 1 if gone is None else size - 1 - int(np.count_nonzero(gone))
    lower = np.full(1, 1.0 / words)  # p(w | h') of the level below
    # Which number each n-gram of the level below has now, None for its old one.
    renumbered: np.ndarray | None = None
    levels: list[Level] = []
    for n, (level, d) in enumerate(zip(counts, discounts), start=1):
        contexts = len(counts[n - 2]) if n > 1 else 1
        gone = pruned[n - 1]
        amounts = np.array((0.0, *d))[np.minimum(level.adjusted, 3)]
        if gone is not None:
            amounts[gone] = level.adjusted[gone]
        totals = np.bincount(level.prefixes, level.adjusted, contexts)
        left = np.bincount(level.prefixes, amounts, contexts)
        seen = totals > 0
        gamma = np.divide(left, totals, out=np.ones(contexts), where=seen)
        if levels:
            _set_backoffs(levels[-1], gamma, pruned[n - 2])
        with np.errstate(invalid="ignore"):
            p = (level.adjusted - amounts) / totals[level.prefixes]
        if n > 1:
            p += gamma[level.prefixes] * lower[level.suffixes]
        elif interpolate_unigrams:
            p += gamma[0] * lower[0]
        else:
            p[0] = gamma[0]
        lower = p
        levels.append(_level(level, p, gone if n > 1 else None, renumbered))
        renumbered = None
        if gone is not None and n > 1:
            renumbered = np.cumsum(~gone) - 1
    levels[0].probs[BOS] = 0.0
    return levels


def _level(
    level: Counts,
    p: np.ndarray,
    gone: np.ndarray | None,
    renumbered: np.ndarray | None,
) -> Level:
    keep = slice(None) if gone is None else ~gone
    prefixes, suffixes = level.prefixes[keep], level.suffixes[keep]
    if renumbered is not None:
        prefixes, suffixes = renumbered[prefixes], renumbered[suffixes]
    with np.errstate(divide="ignore"):
        probs = np.log10(p[keep])
    return Level(level.words[keep], prefixes, suffixes, probs, np.zeros(len(probs)))


def _set_backoffs(level: Level, gamma: np.ndarray, gone: np.ndarray | None) -> None:
    if gone is not None and len(gamma) != len(level):
        gamma = gamma[~gone]
    level.backoffs[:] = np.log10(gamma)
