"""n-grams as rows of words, and how those of one order hang on those of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.ngram.errors import InvalidModel
from anadrome.ngram.tables import Level, Tables


@dataclass(frozen=True)
class Ngrams:
    """The n-grams of one order as they stand in a file."""

    ids: np.ndarray  # (G, n) words
    probs: np.ndarray  # (G,) log10
    backoffs: np.ndarray  # (G,) log10
    places: np.ndarray | None = None  # (G,) lines of the file
    path: str | None = None


def link_levels(grams: Sequence[Ngrams]) -> list[Level]:
    """The same n-grams with their prefixes and suffixes.

    Programs that prune by entropy leave out n-grams that are part of longer ones. They
    are put in with the probability that backing off gives them, and no weight of their
    own, which changes nothing that the model says.
    """
    try:
        return _link(grams)
    except _Missing:
        return _link(_close(grams))


class _Missing(Exception):
    """An n-gram that is a part of a longer one is not there."""


def _link(grams: Sequence[Ngrams]) -> list[Level]:
    size = len(grams[0].ids)
    none = np.zeros(size, np.int32)
    levels = [
        Level(
            grams[0].ids[:, 0],
            none,
            none,
            grams[0].probs.copy(),
            grams[0].backoffs.copy(),
        )
    ]
    keys: list[np.ndarray] = []  # of each order from 2: prefix × size + word, sorted
    for gram in grams[1:]:
        prefix = gram.ids[:, 0].astype(np.int64)
        suffix = gram.ids[:, 1].astype(np.int64)
        for below, k in zip(keys, range(1, gram.ids.shape[1])):
            prefix = _find(below, prefix * size + gram.ids[:, k])
            suffix = _find(below, suffix * size + gram.ids[:, k + 1])
        key = prefix * size + gram.ids[:, -1]
        order = np.argsort(key)
        key = key[order]
        _check_unique(gram, key, order)
        keys.append(key)
        below_level = levels[-1]
        probs = gram.probs[order]
        blank = np.isnan(probs)
        if blank.any():
            backed = (
                below_level.backoffs[prefix[order]] + below_level.probs[suffix[order]]
            )
            probs = np.where(blank, backed, probs)
        levels.append(
            Level(
                gram.ids[order, -1],
                prefix[order],
                suffix[order],
                probs,
                gram.backoffs[order],
            )
        )
    return levels


def _find(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where the wanted keys stand among sorted ones; all must."""
    if not len(wanted):
        return wanted
    if not len(keys):
        raise _Missing
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    if (keys[at] != wanted).any():
        raise _Missing
    return at


def _check_unique(gram: Ngrams, key: np.ndarray, order: np.ndarray) -> None:
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        line = None
        if gram.places is not None:
            line = int(gram.places[order[twice + 1]].min())
        raise InvalidModel(
            f"a {gram.ids.shape[1]}-gram stands in the file twice",
            path=gram.path,
            line=line,
        )


def _close(grams: Sequence[Ngrams]) -> list[Ngrams]:
    """The n-grams with all their parts; new ones have NaN for a probability."""
    closed = list(grams)
    for n in range(len(grams) - 1, 1, -1):
        above, here = closed[n], closed[n - 1]
        there = set(map(tuple, here.ids.tolist()))
        rows = above.ids.tolist()
        needed = {tuple(row[:-1]) for row in rows} | {tuple(row[1:]) for row in rows}
        missing = sorted(needed - there)
        if not missing:
            continue
        count = len(missing)
        places = here.places
        if places is not None:
            places = np.append(places, np.zeros(count, np.int64))
        closed[n - 1] = Ngrams(
            np.concatenate([here.ids, np.array(missing, here.ids.dtype)]),
            np.append(here.probs, np.full(count, np.nan)),
            np.append(here.backoffs, np.zeros(count)),
            places,
            here.path,
        )
    return closed


def list_ngrams(tables: Tables, order: int) -> list[Ngrams]:
    """The n-grams of a model up to its order."""
    begin = tables.begin.astype(np.int64)
    # The words of the contexts of the order at hand, in their order.
    contexts = np.zeros((1, 0), np.int32)
    first = 0
    found = []
    for n in range(1, order + 1):
        count = len(contexts)
        start, end = int(begin[first]), int(begin[first + count])
        owner = np.repeat(np.arange(count), np.diff(begin[first : first + count + 1]))
        last = tables.words[start:end]
        rows = np.concatenate([contexts[owner], last[:, None]], axis=1)
        nexts = tables.nexts[start:end]
        own = tables.lengths[nexts] == n
        backoffs = np.where(own, tables.backoffs[nexts], np.float32(0))
        found.append(Ngrams(rows, tables.probs[start:end], backoffs))
        first += count
        contexts = np.zeros((int(np.count_nonzero(tables.lengths == n)), n), np.int32)
        contexts[nexts[own] - first] = rows[own]
    return found
