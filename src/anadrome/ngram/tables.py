"""The arrays of a model: contexts, the words seen after each, and where they lead.

A model is an automaton. Its states are contexts: the empty one is 0, the others are the
n-grams that something follows, or that have a back-off weight. The entries of context c
are those from `begin[c]` to `begin[c + 1]`, sorted by word; the empty context has an
entry for every word, in the order of the words, so that entry w is word w. A context is
left for `links[c]`, its longest end that is a context too, at the price `backoffs[c]`.
An entry leads to the longest end of its n-gram that is a context: nothing that a state
forgets could ever be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")
"""The words with the numbers 0 to 2, in every model."""


class Tables(NamedTuple):
    """A model in arrays, for C contexts and E n-grams of all orders."""

    begin: np.ndarray  # (C + 1,) int32 or int64: the first entry of each context
    words: np.ndarray  # (E,) int32: the last word of each n-gram
    probs: np.ndarray  # (E,) float32: its log10-probability
    nexts: np.ndarray  # (E,) int32: the context after it
    backoffs: np.ndarray  # (C,) float32: log10 of the back-off weight
    links: np.ndarray  # (C,) int32: the next shorter context
    lengths: np.ndarray  # (C,) int8: the number of words of the context


@dataclass(frozen=True)
class Level:
    """The n-grams of one order, for G of them, and how they hang together.

    Of n-grams with the same prefix, those with lower words come first; unigrams are in
    the order of the words.
    """

    words: np.ndarray  # (G,) the last word
    prefixes: np.ndarray  # (G,) the number of w₁ … wₙ₋₁ in the level below
    suffixes: np.ndarray  # (G,) the number of w₂ … wₙ in the level below
    probs: np.ndarray  # (G,) log10
    backoffs: np.ndarray  # (G,) log10

    def __len__(self) -> int:
        return len(self.words)


def make_tables(levels: Sequence[Level]) -> Tables:
    """The arrays of a model, from its n-grams of order 1, 2, …"""
    begins, words, probs, nexts = [], [], [], []
    backoffs, links, lengths = [np.zeros(1)], [np.zeros(1, np.int64)], [1]
    # Of the level below: which context each of its n-grams is, -1 for none, and which
    # context is the longest end of it. Below the unigrams there is the empty one.
    own = np.zeros(1, np.int64)
    node = np.zeros(1, np.int64)
    contexts = 1
    entries = 0
    for n, level in enumerate(levels, start=1):
        order = _grouped(level.prefixes, len(own))
        counts = np.bincount(level.prefixes, minlength=len(own))[own >= 0]
        begins.append(entries + np.cumsum(counts) - counts)
        entries += len(level)
        words.append(level.words[order].astype(np.int32))
        probs.append(level.probs[order].astype(np.float32))
        ends = node[level.suffixes]
        if n < len(levels):
            followed = np.zeros(len(level), bool)
            followed[levels[n].prefixes] = True
            kept = followed | (level.backoffs != 0)
            own = np.full(len(level), -1)
            own[kept] = np.arange(contexts, contexts + np.count_nonzero(kept))
            node = np.where(kept, own, ends)
            contexts += int(np.count_nonzero(kept))
            backoffs.append(level.backoffs[kept])
            links.append(ends[kept])
            lengths.append(int(np.count_nonzero(kept)))
            ends = node
        nexts.append(ends[order].astype(np.int32))
    small = entries < 2**31
    return Tables(
        begin=np.append(np.concatenate(begins), entries).astype(
            np.int32 if small else np.int64
        ),
        words=np.concatenate(words),
        probs=np.concatenate(probs),
        nexts=np.concatenate(nexts),
        backoffs=np.concatenate(backoffs).astype(np.float32),
        links=np.concatenate(links).astype(np.int32),
        lengths=np.repeat(np.arange(len(lengths)), lengths).astype(np.int8),
    )


def _grouped(keys: np.ndarray, size: int) -> np.ndarray:
    """The order (G,) that sorts keys below `size`, equal ones as they stand."""
    count = len(keys)
    if size * count < 2**63:
        # Unique keys need no stable sort, which is several times slower.
        packed = keys.astype(np.int64) * count + np.arange(count)
        packed.sort()
        return packed % count
    return np.argsort(keys, kind="stable")
