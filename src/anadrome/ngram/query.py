"""Queries: the probability of a word in a state, and the state after it.

Plain functions over the arrays of a model, which `ad.jit` compiles and which other
functions that it compiles may call: a decoder keeps one integer for each hypothesis,
`start_state(tables)` at first, and asks `score(tables, state, word)`. Two hypotheses in
the same state will be given the same probabilities whatever comes, so they may be
recombined.

The explicit `int` and `float` make numbers of arrays Python's, so that the variables of
a loop have one type.
"""

from __future__ import annotations

import numpy as np

from anadrome.ngram.tables import BOS, SPARE, Tables, place


def start_state(tables: Tables) -> int:
    """The state after `<s>`."""
    return int(tables.nexts[BOS])


def find(tables: Tables, state: int, word: int) -> int:
    """The slot of a word after a state, -1 if it was not seen there."""
    keys = tables.keys
    key = state * tables.size + word
    at = int(place(state, word, len(keys) - SPARE))
    found = int(keys[at])
    while found != key and found >= 0:
        at += 1
        found = int(keys[at])
    return at if found >= 0 else -1


def score(tables: Tables, state: int, word: int) -> tuple[float, int]:
    """The log10-probability of a word in a state, and the state after it.

    p(w | h) is what the model says of the longest end of h after which it has seen w,
    times the back-off weights of the longer ones.
    """
    total = 0.0
    while state > 0:
        at = find(tables, state, word)
        if at >= 0:
            return total + float(tables.slot_probs[at]), int(tables.slot_nexts[at])
        total += float(tables.backoffs[state])
        state = int(tables.links[state])
    return total + float(tables.probs[word]), int(tables.nexts[word])


def match(tables: Tables, state: int, word: int) -> tuple[float, int, int]:
    """As `score`, with the length of the n-gram that was found before the state."""
    total = 0.0
    while state > 0:
        at = find(tables, state, word)
        if at >= 0:
            order = int(tables.lengths[state]) + 1
            return (
                total + float(tables.slot_probs[at]),
                order,
                int(tables.slot_nexts[at]),
            )
        total += float(tables.backoffs[state])
        state = int(tables.links[state])
    return total + float(tables.probs[word]), 1, int(tables.nexts[word])


def score_words(tables: Tables, state: int, words: np.ndarray) -> tuple[float, int]:
    """The log10-probability of words (T,) one after the other, and the last state."""
    total = 0.0
    for i in range(len(words)):
        log_prob, state = score(tables, state, int(words[i]))
        total += log_prob
    return total, state


LANES = 24


def match_text(
    tables: Tables, words: np.ndarray, log_probs: np.ndarray, orders: np.ndarray
) -> None:
    """Write the log10-probability and the matched order of every word of a text (T,).

    The text is sentences in a row, each with its `<s>`, which starts afresh and has no
    probability, and its `</s>`. If `orders` is empty they are not wanted.

    The sentences are divided into lanes, and every round looks up one n-gram for each:
    first all slots are found, then all are read, then the answers are used. So the
    processor waits for many cache lines at a time, where one state after the other
    would wait for each; the loop that reads is short, for it looks ahead by
    instructions.
    """
    keys = tables.keys
    slots = len(keys) - SPARE
    size = tables.size
    start = start_state(tables)
    count = len(words)
    at = np.zeros(LANES, np.int64)  # the word that each lane is at
    stop = np.zeros(LANES, np.int64)
    states = np.zeros(LANES, np.int64)
    totals = np.zeros(LANES)
    spots = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    weights = np.zeros(LANES)
    live = 0
    first = 0
    for lane in range(LANES):
        last = max(first, count * (lane + 1) // LANES)
        while last < count and int(words[last]) != BOS:
            last += 1
        while first < last and int(words[first]) == BOS:
            log_probs[first] = 0.0
            first += 1
        if first < last:
            at[live] = first
            stop[live] = last
            states[live] = start
            live += 1
        first = last
    while live > 0:
        for lane in range(live):
            word = int(words[int(at[lane])])
            spots[lane] = int(place(int(states[lane]), word, slots))
        for lane in range(live):
            seen[lane] = int(keys[int(spots[lane])])
            weights[lane] = float(tables.backoffs[int(states[lane])])
        lane = 0
        while lane < live:
            i = int(at[lane])
            state = int(states[lane])
            key = state * size + int(words[i])
            spot = int(spots[lane])
            found = int(seen[lane])
            while found != key and found >= 0:
                spot += 1
                found = int(keys[spot])
            if found < 0:
                totals[lane] += float(weights[lane])
                states[lane] = int(tables.links[state])
                lane += 1
                continue
            log_probs[i] = float(totals[lane]) + float(tables.slot_probs[spot])
            totals[lane] = 0.0
            if len(orders) > 0:
                orders[i] = int(tables.lengths[state]) + 1
            state = int(tables.slot_nexts[spot])
            i += 1
            end = int(stop[lane])
            while i < end and int(words[i]) == BOS:
                log_probs[i] = 0.0
                state = start
                i += 1
            at[lane] = i
            states[lane] = state
            if i < end:
                lane += 1
            else:
                # The last lane takes the place of one that is done.
                live -= 1
                at[lane] = at[live]
                stop[lane] = stop[live]
                states[lane] = states[live]
                totals[lane] = totals[live]
                spots[lane] = spots[live]
                seen[lane] = seen[live]
                weights[lane] = weights[live]


def spread(tables: Tables, state: int, log_probs: np.ndarray) -> None:
    """Write the log10-probabilities of all words (V,) in a state.

    `<s>` never follows anything: its probability is zero.
    """
    size = len(log_probs)
    weight = 0.0
    for word in range(size):
        log_probs[word] = np.inf
    while state > 0:
        for at in range(int(tables.begin[state]), int(tables.begin[state + 1])):
            word = int(tables.words[at])
            if log_probs[word] == np.inf:
                log_probs[word] = weight + float(tables.probs[at])
        weight += float(tables.backoffs[state])
        state = int(tables.links[state])
    for word in range(size):
        if log_probs[word] == np.inf:
            log_probs[word] = weight + float(tables.probs[word])
    log_probs[BOS] = -np.inf


__all__ = [
    "find",
    "match",
    "match_text",
    "score",
    "score_words",
    "spread",
    "start_state",
]
