"""The arrays of a model: contexts, the words seen after each, and where they lead.

A model is an automaton. Its states are contexts: the empty one is 0, the others are the
n-grams that something follows, or that have a back-off weight. The entries of context c
are those from `begin[c]` to `begin[c + 1]`, sorted by word; the empty context has an
entry for every word, in the order of the words, so that entry w is word w. A context is
left for `links[c]`, its longest end that is a context too, at the price `backoffs[c]`.
An entry leads to the longest end of its n-gram that is a context: nothing that a state
forgets could ever be asked for.

The entries stand twice: in order, for all that may follow a context, and in a hash
table by context and word, where a question costs one cache line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")
"""The words with the numbers 0 to 2, in every model."""


SLOT = np.dtype([("key", "<i8"), ("next", "<i4"), ("prob", "<f4")])
CONTEXT = np.dtype([("backoff", "<f4"), ("link", "<i4")])


class Tables(NamedTuple):
    """A model in arrays, for C contexts and E n-grams of all orders, in S slots."""

    begin: np.ndarray  # (C + 1,) int32 or int64: the first entry of each context
    words: np.ndarray  # (E,) int32: the last word of each n-gram
    probs: np.ndarray  # (E,) float32: its log10-probability
    nexts: np.ndarray  # (E,) int32: the context after it
    backoffs: np.ndarray  # (C,) float32: log10 of the back-off weight
    links: np.ndarray  # (C,) int32: the next shorter context
    lengths: np.ndarray  # (C,) int8: the number of words of the context
    keys: np.ndarray  # (S,) int64: context x V + word, -1 for an empty slot
    slot_nexts: np.ndarray  # (S,) int32
    slot_probs: np.ndarray  # (S,) float32
    size: int  # V, the number of words

    @classmethod
    def from_arrays(
        cls,
        begin: np.ndarray,
        words: np.ndarray,
        probs: np.ndarray,
        nexts: np.ndarray,
        contexts: np.ndarray,
        lengths: np.ndarray,
        slots: np.ndarray,
    ) -> Tables:
        """The tables with the fields of records (C,) and (S,) as arrays."""
        return cls(
            begin,
            words,
            probs,
            nexts,
            contexts["backoff"],
            contexts["link"],
            lengths,
            slots["key"],
            slots["next"],
            slots["prob"],
            int(begin[1]),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """What `from_arrays` takes."""
        contexts = np.empty(len(self.links), CONTEXT)
        contexts["backoff"], contexts["link"] = self.backoffs, self.links
        slots = np.empty(len(self.keys), SLOT)
        slots["key"] = self.keys
        slots["next"], slots["prob"] = self.slot_nexts, self.slot_probs
        return {
            "begin": self.begin,
            "words": self.words,
            "probs": self.probs,
            "nexts": self.nexts,
            "contexts": contexts,
            "lengths": self.lengths,
            "slots": slots,
        }


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
    begin = np.append(np.concatenate(begins), entries)
    made = np.empty(contexts, CONTEXT)
    made["backoff"] = np.concatenate(backoffs)
    made["link"] = np.concatenate(links)
    last, prob, after = (np.concatenate(parts) for parts in (words, probs, nexts))
    return Tables.from_arrays(
        begin=begin.astype(np.int32 if entries < 2**31 else np.int64),
        words=last,
        probs=prob,
        nexts=after,
        contexts=made,
        lengths=np.repeat(np.arange(len(lengths), dtype=np.int8), lengths),
        slots=_hash(begin, last, prob, after),
    )


SPARE = 64
"""How many slots at the end of the table are nobody's first place."""


def place(context: Any, word: Any, slots: int) -> Any:
    """Where an n-gram is looked for at first, in so many slots without the spare ones.

    For numbers, or arrays of them. The multipliers are below 2³⁰, so that nothing
    leaves 63 bits.
    """
    mixed = context * 625341583 + word * 461845907
    mixed = (mixed + mixed // 2147483648) & 2147483647
    return mixed * slots // 2147483648


def _hash(
    begin: np.ndarray, words: np.ndarray, probs: np.ndarray, nexts: np.ndarray
) -> np.ndarray:
    """The entries as slots, each at the first free one from its place on.

    In the order of their places none has to be moved for another (linear probing). The
    last slot is empty, so that every search ends.
    """
    count = len(words)
    slots = count + count // 2 + 1
    context = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    while True:
        wanted = place(context, words.astype(np.int64), slots)
        order = _grouped(wanted, slots)
        at = np.arange(count)
        at += np.maximum.accumulate(wanted[order] - at)
        if at[-1] < slots + SPARE - 1:
            break
        slots += slots // 8  # too many at the very end
    made = np.empty(slots + SPARE, SLOT)
    made["key"] = -1
    made["next"] = made["prob"] = 0
    filled = np.empty(count, SLOT)
    filled["key"] = (context * int(begin[1]) + words)[order]
    filled["next"], filled["prob"] = nexts[order], probs[order]
    made[at] = filled
    return made


def _grouped(keys: np.ndarray, size: int) -> np.ndarray:
    """The order (G,) that sorts keys below `size`, equal ones as they stand."""
    count = len(keys)
    if size * count < 2**63:
        # Unique keys need no stable sort, which is several times slower.
        packed = keys.astype(np.int64) * count + np.arange(count)
        packed.sort()
        return packed % count
    return np.argsort(keys, kind="stable")
