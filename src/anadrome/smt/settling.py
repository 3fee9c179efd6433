"""A stack is settled: what a network says of its words takes the place of an estimate.

The n-grams of all hypotheses of a stack, and of those that were recombined with them,
are collected in a buffer and scored at once when the stack is about to be pruned
(thesis, 4.4.1). Until then the network is taken to agree with the n-gram model.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

import anadrome as ad
from anadrome.smt.options import Options, Phrases, Sentence
from anadrome.smt.search import Hypotheses, Limits, prune_stack
from anadrome.smt.sentences import Array
from anadrome.text.vocabulary import EOS as LINE_END


class NgramNetwork(Protocol):
    """A network that scores n-grams of words, which it numbers itself."""

    @property
    def order(self) -> int:
        """The words of an n-gram."""

    def numbers(self, words: list[str]) -> Array:
        """The number of each word."""

    def score(self, ngrams: Array) -> Array:
        """The log-probabilities (N,) of the last words of n-grams (N, n)."""


def settle(
    network: NgramNetwork,
    sentence: Sentence,
    phrases: Phrases,
    options: Options,
    weight: float,
    limits: Limits,
    h: Hypotheses,
    c: int,
) -> None:
    """Let a network score the words of a stack, and prune it then."""
    # Of many that were recombined the few best matter, for lists of translations.
    most = max(4, limits.stack // 25)
    items, words = _count(sentence, phrases, options, h, c, most)
    if items:
        owners = np.empty(words, np.int64)
        ngrams = np.empty((words, network.order), np.int32)
        members = np.empty(items, np.int64)
        _collect(sentence, phrases, options, h, c, members, owners, ngrams)
        totals = np.bincount(owners, network.score(ngrams), minlength=items)
        _apply(h, c, members, totals, weight, limits)
    _prune(h, c, limits)


def _size(sentence: Sentence, phrases: Phrases, options: Options, o: int) -> int:
    """How many words an option has."""
    entry = int(options.entries[o])
    if entry < 0:
        return 1
    return int(phrases.target_starts[entry + 1] - phrases.target_starts[entry])


@ad.jit
def _count(
    sentence: Sentence, phrases: Phrases, options: Options, h: Hypotheses, c: int,
    most: int,
) -> tuple[int, int]:  # fmt: skip
    """Drop all but the best recombined ones; hypotheses and words that are left."""
    items, words = 0, 0
    end = 1 if c == sentence.words.shape[0] else 0
    kept = np.zeros(most, dtype=np.int64)
    for place in range(int(h.sizes[c])):
        head = int(h.stacks[c, place])
        if h.options[head] < 0:
            continue
        items += 1
        words += _size(sentence, phrases, options, int(h.options[head])) + end
        count = 0
        arc = int(h.arcs[head])
        while arc >= 0:
            following = int(h.next_arcs[arc])
            at = count
            while at > 0 and h.scores[kept[at - 1]] < h.scores[arc]:
                if at < most:
                    kept[at] = kept[at - 1]
                at -= 1
            if at < most:
                kept[at] = arc
                count = min(count + 1, most)
            arc = following
        h.arcs[head] = -1
        for k in range(count - 1, -1, -1):
            arc = int(kept[k])
            h.next_arcs[arc] = h.arcs[head]
            h.arcs[head] = arc
            items += 1
            words += _size(sentence, phrases, options, int(h.options[arc])) + end
    return items, words


@ad.jit
def _collect(
    sentence: Sentence,
    phrases: Phrases,
    options: Options,
    h: Hypotheses,
    c: int,
    members: Array,
    owners: Array,
    ngrams: Array,
) -> None:
    end = 1 if c == sentence.words.shape[0] else 0
    width = ngrams.shape[1] - 1
    item, row = 0, 0
    for place in range(int(h.sizes[c])):
        head = int(h.stacks[c, place])
        node = head
        if h.options[head] < 0:
            node = -1
        while node >= 0:
            members[item] = node
            o = int(h.options[node])
            entry = int(options.entries[o])
            parent = int(h.parents[node])
            size = _size(sentence, phrases, options, o)
            for word in range(size + end):
                owners[row] = item
                for k in range(width + 1):
                    at = word + k  # in the context and the words after it
                    if at < width:
                        ngrams[row, k] = h.contexts[parent, at]
                    elif at - width == size:
                        ngrams[row, k] = LINE_END
                    elif entry < 0:
                        ngrams[row, k] = sentence.passed_neural[options.starts[o]]
                    else:
                        first = int(phrases.target_starts[entry])
                        number = int(phrases.target_words[first + at - width])
                        ngrams[row, k] = phrases.neural_words[number]
                row += 1
            item += 1
            node = int(h.arcs[node]) if node == head else int(h.next_arcs[node])


@ad.jit
def _apply(
    h: Hypotheses, c: int, members: Array, totals: Array, weight: float, limits: Limits
) -> None:
    for k in range(members.shape[0]):
        node = int(members[k])
        change = weight * (totals[k] - h.neural[node])
        h.scores[node] += change
        h.totals[node] += change
        h.neural[node] = totals[k]
    # The best of those that are alike stands for them.
    highest = -np.inf
    for place in range(int(h.sizes[c])):
        head = int(h.stacks[c, place])
        best, before = head, -1
        last = -1
        arc = int(h.arcs[head])
        while arc >= 0:
            if h.scores[arc] > h.scores[best]:
                best, before = arc, last
            last = arc
            arc = int(h.next_arcs[arc])
        if best != head:
            following = int(h.next_arcs[best])
            first = int(h.arcs[head])
            if before >= 0:
                h.next_arcs[before] = following
            else:
                first = following
            h.next_arcs[head] = first
            h.arcs[best] = head
            h.places[head] = -1
            h.places[best] = place
            h.stacks[c, place] = best
        highest = max(highest, float(h.totals[best]))
    h.best[c] = highest
    h.worst[c] = highest + limits.threshold


@ad.jit
def _prune(h: Hypotheses, c: int, limits: Limits) -> None:
    prune_stack(h, c, limits.stack)
