"""Translation options: what every span of a sentence may become, and at what price.

Of every span the best phrases by an estimate are kept: their weighted scores and the
probability of their words without what stands before them. The same estimates, best
first over all ways to cut a span, are the future costs of the search (thesis, 2.3.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import anadrome as ad
from anadrome.ngram.query import score
from anadrome.ngram.tables import Tables
from anadrome.smt.hashing import find_key
from anadrome.smt.sentences import Array

LN10 = 2.302585092994046
UNKNOWN = -1
"""The entry of a word that no phrase translates: it is passed through."""

UNKNOWN_COST = -100.0

# Where the weights of features stand; those of the table follow, then orientations.
LM, DISTORTION, WORDS, UNKNOWNS, PHRASES, TABLE = range(6)


class Phrases(NamedTuple):
    """The arrays of a phrase table that the search reads."""

    slots: Array
    numbers: Array
    begins: Array
    target_starts: Array
    target_words: Array
    scores: Array
    reordering: Array  # (R, 6) different scores of orientations; or (R, 0)
    oriented: Array  # (E,) which of them
    lm_words: Array  # (V,) the number of each target word in the language model
    estimates: Array  # (E,) log-probability of the words of each phrase; NaN: not yet
    source_size: int
    neural_words: Array  # (V,) the number of each target word in a network; or (0,)


class Options(NamedTuple):
    """The options of a sentence, at most K; those of a span together, best first."""

    starts: Array  # (K,)
    ends: Array  # (K,) the last word
    entries: Array  # (K,) of the phrase table, or UNKNOWN
    static: Array  # (K,) weighted scores that do not depend on what is around
    estimates: Array  # (K,) with the estimate of the language model
    backward: Array  # (K, 3) weighted scores of orientations
    forward: Array  # (K, 3)
    first: Array  # (n, longest) the first option of each span
    counts: Array  # (n, longest) how many it has
    inner: Array  # (n, 64) the best estimate of the k words from i on
    rest: Array  # (n + 1,) the best estimate of all words from i on


class Sentence(NamedTuple):
    """A sentence to translate, and what its words are if they are passed through."""

    words: Array  # (n,) numbers in the table, -1 if it has none
    passed: Array  # (n,) numbers as target words, those beyond the table for new ones
    passed_lm: Array  # (n,) numbers in the language model
    reference: Array  # target words that must come out, for forced decoding
    passed_neural: Array  # (n,) numbers in the network; or (0,)


def lm_weight(phrases: Phrases, weights: Array) -> float:
    """The weight of natural logarithms of the language model.

    A network, whose weight is the last one, is taken to agree with the model until it
    is asked.
    """
    if phrases.neural_words.shape[0] > 0:
        return float(weights[LM]) + float(weights[weights.shape[0] - 1])
    return float(weights[LM])


def phrase_estimate(tables: Tables, phrases: Phrases, entry: int) -> float:
    """The log-probability of the words of a phrase, as if nothing stood before."""
    known = float(phrases.estimates[entry])
    if known == known:
        return known
    total = 0.0
    state = 0
    first = int(phrases.target_starts[entry])
    for k in range(first, int(phrases.target_starts[entry + 1])):
        word = int(phrases.lm_words[int(phrases.target_words[k])])
        log_prob, state = score(tables, state, word)
        total += log_prob
    phrases.estimates[entry] = LN10 * total
    return LN10 * total


def _insert(
    options: Options, first: int, used: int, limit: int, entry: int,
    static: float, estimate: float,
) -> int:  # fmt: skip
    """Put an option in its place among the best of its span; how many they are."""
    if used == limit:
        if estimate <= options.estimates[first + used - 1]:
            return used
        used -= 1
    k = first + used
    while k > first and options.estimates[k - 1] < estimate:
        options.entries[k] = options.entries[k - 1]
        options.static[k] = options.static[k - 1]
        options.estimates[k] = options.estimates[k - 1]
        k -= 1
    options.entries[k] = entry
    options.static[k] = static
    options.estimates[k] = estimate
    return used + 1


@ad.jit
def collect_options(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    table_limit: int,
    options: Options,
) -> int:
    """Fill in the options of a sentence; how many they are, -1 if there is no room."""
    n = sentence.words.shape[0]
    longest = options.first.shape[1]
    features = phrases.scores.shape[1]
    mask = phrases.slots.shape[0] - 1
    capacity = options.starts.shape[0]
    oriented = phrases.reordering.shape[1] == 6
    words_weight = lm_weight(phrases, weights)
    count = 0
    for i in range(n):
        for k in range(longest):
            options.first[i, k] = count
            options.counts[i, k] = 0
        node = -1
        for k in range(longest):
            options.first[i, k] = count
            if i + k >= n:
                continue
            used = 0
            if node >= -1:
                word = int(sentence.words[i + k])
                key = (node + 1) * phrases.source_size + word
                node = find_key(key, phrases.slots, phrases.numbers, mask)
                if word < 0 or node < 0:
                    node = -2
            if count + table_limit + 1 > capacity:
                return -1
            if node >= 0:
                for entry in range(
                    int(phrases.begins[node]), int(phrases.begins[node + 1])
                ):
                    static = float(weights[PHRASES])
                    for f in range(features):
                        static += weights[TABLE + f] * phrases.scores[entry, f]
                    length = int(
                        phrases.target_starts[entry + 1] - phrases.target_starts[entry]
                    )
                    static -= weights[WORDS] * length
                    estimate = static + words_weight * phrase_estimate(
                        tables, phrases, entry
                    )
                    used = _insert(
                        options, count, used, table_limit, entry, static, estimate
                    )
            if k == 0 and used == 0:
                static = weights[UNKNOWNS] * UNKNOWN_COST
                static += weights[PHRASES] - weights[WORDS]
                log_prob, _ = score(tables, 0, int(sentence.passed_lm[i]))
                estimate = static + words_weight * LN10 * log_prob
                used = _insert(options, count, 0, 1, UNKNOWN, static, estimate)
            for o in range(count, count + used):
                options.starts[o] = i
                options.ends[o] = i + k
                entry = int(options.entries[o])
                for c in range(3):
                    options.backward[o, c] = 0.0
                    options.forward[o, c] = 0.0
                    if oriented and entry >= 0:
                        at = TABLE + features + c
                        row = int(phrases.oriented[entry])
                        options.backward[o, c] = (
                            weights[at] * phrases.reordering[row, c]
                        )
                        options.forward[o, c] = (
                            weights[at + 3] * phrases.reordering[row, c + 3]
                        )
            options.counts[i, k] = used
            count += used
    _estimate_futures(options, n)
    return count


def _estimate_futures(options: Options, n: int) -> None:
    """The best estimates of spans, of up to 64 words or to the end."""
    longest = options.first.shape[1]
    widest = options.inner.shape[1]
    for i in range(n):
        for k in range(widest):
            options.inner[i, k] = -np.inf
        for k in range(longest):
            if options.counts[i, k] > 0:
                options.inner[i, k] = options.estimates[options.first[i, k]]
    # Words of a cut span are counted from 0: inner[i, k] is of k + 1 words.
    for size in range(2, min(widest, n) + 1):
        for i in range(n - size + 1):
            best = float(options.inner[i, size - 1])
            for left in range(1, size):
                both = (
                    options.inner[i, left - 1]
                    + options.inner[i + left, size - left - 1]
                )
                best = max(best, both)
            options.inner[i, size - 1] = best
    options.rest[n] = 0.0
    for i in range(n - 1, -1, -1):
        best = -np.inf
        for k in range(min(longest, n - i)):
            if options.counts[i, k] > 0:
                price = options.estimates[options.first[i, k]] + options.rest[i + k + 1]
                best = max(best, price)
        options.rest[i] = best


def make_options(n: int, longest: int, capacity: int) -> Options:
    """Room for the options of a sentence of n words."""
    return Options(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros((capacity, 3)),
        np.zeros((capacity, 3)),
        np.zeros((n, longest), np.int64),
        np.zeros((n, longest), np.int64),
        np.zeros((n, max(64, longest))),
        np.zeros(n + 1),
    )
