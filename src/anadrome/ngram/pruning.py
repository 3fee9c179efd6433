"""What a model leaves out: rare n-grams, and words that are not wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from anadrome.ngram.counts import Counts
from anadrome.ngram.tables import SPECIALS, Level
from anadrome.ngram.words import Words


def flag_pruned(
    counts: Sequence[Counts],
    thresholds: Sequence[int],
    words: Words,
    vocabulary: Iterable[str] | None,
) -> list[np.ndarray | None]:
    """Which n-grams of each order are left out, None for none.

    Those are left out that occur at most as often as the threshold of their order says,
    and those with a word outside the vocabulary.
    """
    thresholds = list(thresholds)
    if not thresholds or min(thresholds) < 0:
        raise ValueError("there must be a threshold, and none below 0")
    if len(thresholds) > len(counts):
        raise ValueError(
            f"{len(thresholds)} thresholds are too many for n-grams of {len(counts)} "
            "words"
        )
    if thresholds != sorted(thresholds):
        # An n-gram would stay without those that it consists of.
        raise ValueError("the thresholds must not become lower for longer n-grams")
    thresholds += thresholds[-1:] * (len(counts) - len(thresholds))
    outside = None
    if vocabulary is not None:
        wanted = set(vocabulary)
        outside = np.array([word not in wanted for word in words])
        outside[: len(SPECIALS)] = False
    flags: list[np.ndarray | None] = []
    foreign = outside  # of the order at hand: whether a word is outside
    for level, threshold in zip(counts, thresholds):
        if flags and outside is not None and foreign is not None:
            foreign = foreign[level.prefixes] | outside[level.words]
        gone = None
        if threshold > 0:
            gone = level.tokens <= threshold
            if not flags:
                gone[: len(SPECIALS)] = False
        if foreign is not None:
            gone = foreign.copy() if gone is None else gone | foreign
        flags.append(gone)
    return flags


def drop_words(
    levels: Sequence[Level], words: Words, gone: np.ndarray
) -> tuple[list[Level], Words]:
    """The n-grams and words of a model without some unigrams."""
    number = (np.cumsum(~gone) - 1).astype(np.int32)
    made = []
    for n, level in enumerate(levels, start=1):
        keep = ~gone if n == 1 else slice(None)
        prefixes, suffixes = level.prefixes[keep], level.suffixes[keep]
        if n == 2:
            prefixes, suffixes = number[prefixes], number[suffixes]
        made.append(
            Level(
                number[level.words[keep]],
                prefixes,
                suffixes,
                level.probs[keep],
                level.backoffs[keep],
            )
        )
    kept = [word for word, out in zip(words, gone.tolist()) if not out]
    return made, Words.from_list(kept)
