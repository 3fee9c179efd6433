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

from anadrome.ngram.tables import BOS, Tables


def start_state(tables: Tables) -> int:
    """The state after `<s>`."""
    return int(tables.nexts[BOS])


def find(tables: Tables, state: int, word: int) -> int:
    """Where a word stands among those seen after a state, -1 if it does not."""
    low = int(tables.begin[state])
    end = int(tables.begin[state + 1])
    high = end
    while low < high:
        middle = (low + high) // 2
        if int(tables.words[middle]) < word:
            low = middle + 1
        else:
            high = middle
    if low < end and int(tables.words[low]) == word:
        return low
    return -1


def score(tables: Tables, state: int, word: int) -> tuple[float, int]:
    """The log10-probability of a word in a state, and the state after it.

    p(w | h) is what the model says of the longest end of h after which it has seen w,
    times the back-off weights of the longer ones.
    """
    total = 0.0
    while state > 0:
        at = find(tables, state, word)
        if at >= 0:
            return total + float(tables.probs[at]), int(tables.nexts[at])
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
            return total + float(tables.probs[at]), order, int(tables.nexts[at])
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


def match_text(
    tables: Tables, words: np.ndarray, log_probs: np.ndarray, orders: np.ndarray
) -> None:
    """Write the log10-probability and the matched order of every word of a text (T,).

    The text is sentences in a row, each with its `<s>`, which starts afresh and has no
    probability, and its `</s>`.
    """
    start = start_state(tables)
    state = start
    for i in range(len(words)):
        word = int(words[i])
        if word == BOS:
            state = start
            log_probs[i] = 0.0
            orders[i] = 0
        else:
            log_prob, order, state = match(tables, state, word)
            log_probs[i] = log_prob
            orders[i] = order


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
