"""Counts of n-grams, by sorting the places of a text by the words before them.

Sorted by its own word, then the word before it, then the one before that, equal n-grams
of every length stand side by side: one order of the text has the counts of all orders,
and how many different words come before each n-gram.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.ngram.tables import BOS


@dataclass(frozen=True)
class Counts:
    """The different n-grams of one order, for G of them, sorted by their last word.

    Unigrams are in the order of the words, with those that do not occur. `adjusted` is
    what Kneser-Ney smoothing counts: how many different words come before the n-gram,
    or how often it occurs if nothing can come before it, as with `<s>`, or if it is of
    the highest order.
    """

    words: np.ndarray  # (G,) the last word
    prefixes: np.ndarray  # (G,) the number of w₁ … wₙ₋₁ among those one shorter
    suffixes: np.ndarray  # (G,) the number of w₂ … wₙ among those one shorter
    tokens: np.ndarray  # (G,) how often it occurs
    adjusted: np.ndarray  # (G,)

    def __len__(self) -> int:
        return len(self.words)


def padding(order: int) -> int:
    """How often `<s>` must stand before a sentence to count its n-grams."""
    return max(1, order - 1)


def count_ngrams(padded: np.ndarray, order: int, size: int) -> list[Counts]:
    """The n-grams up to an order in a text (T,) of words below `size`.

    The text is sentences in a row, each with enough `<s>` before it for its first word
    to have an n-gram, and `</s>` after it.
    """
    places = np.flatnonzero(padded != BOS)
    places = places[_sort(padded, places, order, size)]
    fresh = _first_of_each(padded, places, order)
    counts = [_count_words(padded, places, fresh, order, size)]
    # What stands at each place: the number of the n-gram that ends there.
    numbers = padded
    at_places = padded[places]
    for n in range(2, order + 1):
        starts = np.flatnonzero(fresh[n - 1])
        ends = np.append(starts[1:], len(places))
        # An n-gram that would reach beyond <s> is none.
        whole = padded[places[starts] - (n - 2)] != BOS
        starts, ends = starts[whole], ends[whole]
        here = places[starts]
        tokens = ends - starts
        if n < order:
            adjusted = _sums(fresh[n], starts, ends)
            adjusted = np.where(padded[here - (n - 1)] == BOS, tokens, adjusted)
        else:
            adjusted = tokens
        counts.append(
            Counts(
                words=padded[here],
                prefixes=numbers[here - 1],
                suffixes=at_places[starts],
                tokens=tokens,
                adjusted=adjusted,
            )
        )
        if n < order:
            first = np.zeros(len(places), np.int32)
            first[starts] = 1
            at_places = np.cumsum(first, dtype=np.int32) - 1
            numbers = np.zeros(len(padded), np.int32)
            numbers[places] = at_places
    return counts


def _sort(padded: np.ndarray, places: np.ndarray, order: int, size: int) -> np.ndarray:
    """The order of places by their word, the word before, … as far as n-grams reach.

    Keys of as many words as fit into 63 bits are sorted; then the rank of a place is a
    key of that many words itself, and two of them reach twice as far (Manber and Myers,
    1993).
    """
    bits = max(1, int(size - 1).bit_length())
    reach = min(order, 62 // bits)
    key = padded[places].astype(np.int64)
    for k in range(1, reach):
        key = (key << bits) | padded[places - k]
    by_key = np.argsort(key)
    while reach < order:
        key = key[by_key]
        fresh = np.ones(len(key), np.int64)
        fresh[1:] = key[1:] != key[:-1]
        # Places of <s> have rank 0: nothing more is before them.
        rank = np.zeros(len(padded), np.int64)
        rank[places[by_key]] = np.cumsum(fresh)
        step = min(reach, order - reach)
        key = rank[places] * (len(places) + 1) + rank[places - step]
        by_key = np.argsort(key)
        reach += step
    return by_key


def _first_of_each(
    padded: np.ndarray, places: np.ndarray, order: int
) -> list[np.ndarray]:
    """Whether a sorted place is the first with its n-gram, for n = 1 …, (T,) each."""
    fresh = []
    different = np.zeros(len(places), bool)
    different[:1] = True
    for k in range(order):
        words = padded[places - k]
        different = different.copy()
        different[1:] |= words[1:] != words[:-1]
        fresh.append(different)
    return fresh


def _count_words(
    padded: np.ndarray,
    places: np.ndarray,
    fresh: list[np.ndarray],
    order: int,
    size: int,
) -> Counts:
    starts = np.flatnonzero(fresh[0])
    ends = np.append(starts[1:], len(places))
    words = padded[places[starts]]
    tokens = np.zeros(size, np.int64)
    tokens[words] = ends - starts
    adjusted = tokens
    if order > 1:
        adjusted = np.zeros(size, np.int64)
        adjusted[words] = _sums(fresh[1], starts, ends)
    none = np.zeros(size, np.int32)
    return Counts(np.arange(size, dtype=np.int32), none, none, tokens, adjusted)


def _sums(flags: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """How many flags (T,) are set from each start to its end."""
    total = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=total[1:])
    sums: np.ndarray = total[ends] - total[starts]
    return sums
