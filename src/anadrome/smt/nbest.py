"""The best derivations of a search, in order, with the values of their features.

From the end backwards, every hypothesis can be replaced by one that was recombined with
it. The score of a hypothesis is that of the best way to it, so a search for the best
completions of ends first (A* with an exact estimate) finds derivations in their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import anadrome as ad
from anadrome.smt.options import (
    DISTORTION,
    LM,
    PHRASES,
    TABLE,
    UNKNOWN_COST,
    UNKNOWNS,
    WORDS,
    Options,
    Phrases,
    Sentence,
)
from anadrome.smt.search import Hypotheses, orientation
from anadrome.smt.sentences import Array


class Ends(NamedTuple):
    """Room for K ends of derivations, and a heap of those that are not complete."""

    hypotheses: Array  # (K,)
    next: Array  # (K,) the end that follows, -1 for none
    suffixes: Array  # (K,) the score of what follows
    totals: Array  # (K,)
    heap: Array  # (K,)


def make_ends(capacity: int) -> Ends:
    """Room for ends."""
    return Ends(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity, np.int64),
    )


def _push(ends: Ends, size: int, end: int) -> int:
    k = size
    while k > 0:
        up = (k - 1) // 2
        if ends.totals[ends.heap[up]] >= ends.totals[end]:
            break
        ends.heap[k] = ends.heap[up]
        k = up
    ends.heap[k] = end
    return size + 1


def _pop(ends: Ends, size: int) -> int:
    """The best end; the heap has one fewer then."""
    best = int(ends.heap[0])
    end = int(ends.heap[size - 1])
    last = size - 1
    k = 0
    while 2 * k + 1 < last:
        child = 2 * k + 1
        if child + 1 < last:
            if ends.totals[ends.heap[child + 1]] > ends.totals[ends.heap[child]]:
                child += 1
        if ends.totals[ends.heap[child]] <= ends.totals[end]:
            break
        ends.heap[k] = ends.heap[child]
        k = child
    ends.heap[k] = end
    return best


def _mix(mixed: int, word: int) -> int:
    mixed = ((mixed ^ (word + 1)) & 0xFFFFFFFF) * 0x2545F491
    return (mixed ^ (mixed >> 29)) & 0xFFFFFFFF


def _fingerprint(
    sentence: Sentence, phrases: Phrases, options: Options, path: Array, size: int
) -> int:
    """A number of the target words of a derivation."""
    mixed = 17
    for k in range(size):
        o = int(path[k])
        entry = int(options.entries[o])
        if entry < 0:
            mixed = _mix(mixed, int(sentence.passed[options.starts[o]]))
        else:
            for at in range(
                int(phrases.target_starts[entry]), int(phrases.target_starts[entry + 1])
            ):
                mixed = _mix(mixed, int(phrases.target_words[at]))
    return mixed


def _add_features(
    sentence: Sentence,
    phrases: Phrases,
    options: Options,
    path: Array,
    size: int,
    values: Array,
) -> None:
    """Set all features of a derivation but that of the language model."""
    features = phrases.scores.shape[1]
    oriented = phrases.reordering.shape[1] == 6
    last_start, last_end, last_entry = -1, -1, -1
    for k in range(size):
        o = int(path[k])
        start, end, entry = (
            int(options.starts[o]),
            int(options.ends[o]),
            int(options.entries[o]),
        )
        values[DISTORTION] -= abs(start - last_end - 1)
        values[PHRASES] += 1.0
        which = orientation(start, end, last_start, last_end)
        if entry < 0:
            values[WORDS] -= 1.0
            values[UNKNOWNS] += UNKNOWN_COST
        else:
            values[WORDS] -= (
                phrases.target_starts[entry + 1] - phrases.target_starts[entry]
            )
            for f in range(features):
                values[TABLE + f] += phrases.scores[entry, f]
            if oriented:
                at = TABLE + features + which
                values[at] += phrases.reordering[int(phrases.oriented[entry]), which]
        if oriented and last_entry >= 0:
            at = TABLE + features + 3 + which
            row = int(phrases.oriented[last_entry])
            values[at] += phrases.reordering[row, 3 + which]
        last_start, last_end, last_entry = start, end, entry


@ad.jit
def best_derivations(
    sentence: Sentence,
    phrases: Phrases,
    options: Options,
    h: Hypotheses,
    ends: Ends,
    wanted: int,
    tries: int,
    distinct: bool,
    paths: Array,
    sizes: Array,
    scores: Array,
    values: Array,
) -> int:
    """Write the best derivations as options (N, phrases); how many, -1 if no room."""
    n = sentence.words.shape[0]
    capacity = ends.heap.shape[0]
    prints = np.zeros(wanted, dtype=np.int64)
    used = 0
    size = 0
    for k in range(int(h.sizes[n])):
        top = int(h.stacks[n, k])
        node = top
        while node >= 0:
            if used == capacity:
                return -1
            ends.hypotheses[used] = node
            ends.next[used] = -1
            ends.suffixes[used] = 0.0
            ends.totals[used] = h.scores[node]
            size = _push(ends, size, used)
            used += 1
            # A hypothesis knows its first arc, and an arc the one after it.
            node = int(h.arcs[node]) if node == top else int(h.next_arcs[node])
    found = 0
    tried = 0
    while size > 0 and found < wanted and tried < tries:
        end = _pop(ends, size)
        size -= 1
        here = int(ends.hypotheses[end])
        parent = int(h.parents[here])
        if parent == 0:
            tried += 1
            at = end
            length = 0
            lm = 0.0
            neural = 0.0
            while at >= 0:
                paths[found, length] = h.options[ends.hypotheses[at]]
                lm += h.lm_scores[ends.hypotheses[at]]
                neural += h.neural[ends.hypotheses[at]]
                length += 1
                at = int(ends.next[at])
            known = False
            if distinct:
                mark = _fingerprint(sentence, phrases, options, paths[found], length)
                for k in range(found):
                    if prints[k] == mark:
                        known = True
                        break
                prints[found] = mark
            if not known:
                sizes[found] = length
                scores[found] = ends.totals[end]
                for f in range(values.shape[1]):
                    values[found, f] = 0.0
                values[found, LM] = lm
                if h.contexts.shape[1] > 0:
                    values[found, values.shape[1] - 1] = neural
                _add_features(
                    sentence, phrases, options, paths[found], length, values[found]
                )
                found += 1
            continue
        suffix = ends.suffixes[end] + h.scores[here] - h.scores[parent]
        node = parent
        while node >= 0:
            if used == capacity:
                return -1
            ends.hypotheses[used] = node
            ends.next[used] = end
            ends.suffixes[used] = suffix
            ends.totals[used] = h.scores[node] + suffix
            size = _push(ends, size, used)
            used += 1
            node = int(h.arcs[node]) if node == parent else int(h.next_arcs[node])
    return found


@ad.jit
def write_targets(
    sentence: Sentence,
    phrases: Phrases,
    options: Options,
    paths: Array,
    sizes: Array,
    words: Array,
    starts: Array,
) -> None:
    """Write the target words of derivations, one after the other."""
    at = 0
    for row in range(starts.shape[0] - 1):
        starts[row] = at
        for k in range(int(sizes[row])):
            o = int(paths[row, k])
            entry = int(options.entries[o])
            if entry < 0:
                words[at] = sentence.passed[options.starts[o]]
                at += 1
            else:
                for i in range(
                    int(phrases.target_starts[entry]),
                    int(phrases.target_starts[entry + 1]),
                ):
                    words[at] = phrases.target_words[i]
                    at += 1
    starts[starts.shape[0] - 1] = at
