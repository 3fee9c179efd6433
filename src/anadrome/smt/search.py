"""Stack decoding: hypotheses by how many source words they cover (thesis, 2.3.1).

A hypothesis is extended by every option whose words are free and not too far away.
Those that no future can tell apart (the same words covered, the same end, the same
state of the language model, the same orientation scores to come) are recombined: the
best stays, the others are kept aside for n-best lists. A stack keeps its best by score
plus estimate of the rest: so many, and none much worse than the best.

Coverage is the position of the first free word and a bit for each of the 62 words after
it, so a sentence may be of any length as long as no jump is longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import anadrome as ad
from anadrome.ngram.query import score, start_state
from anadrome.ngram.tables import EOS, Tables
from anadrome.smt.hashing import slot_of
from anadrome.smt.options import (
    DISTORTION,
    LN10,
    Options,
    Phrases,
    Sentence,
    lm_weight,
)
from anadrome.smt.sentences import Array
from anadrome.text.vocabulary import EOS as LINE_END

WINDOW = 62
"""How many words after the first free one can be covered."""

FULL = -1
"""What the search returns if there is no room for more hypotheses."""


class Hypotheses(NamedTuple):
    """Room for H hypotheses and for stacks of S; the first one is empty."""

    parents: Array  # (H,)
    options: Array  # (H,) the option that it added, -1 for the first
    scores: Array  # (H,) the weighted score so far
    totals: Array  # (H,) with the estimate of the rest
    lm_scores: Array  # (H,) log-probability of the words of the option
    gaps: Array  # (H,) the first word that is not covered
    masks: Array  # (H,) which of the words after it are
    states: Array  # (H,) of the language model
    lengths: Array  # (H,) target words so far
    neural: Array  # (H,) what a network says of the words, or is taken to say
    contexts: Array  # (H, K) the last words so far, as the network numbers them
    places: Array  # (H,) where it stands in its stack, -1 if it was pruned
    arcs: Array  # (H,) the first hypothesis that was recombined with it, or -1
    next_arcs: Array  # (H,) the next one of the same
    chain: Array  # (H,) the next of the same bucket
    buckets: Array  # (a power of two,) of the table that finds equal hypotheses
    stacks: Array  # (n + 1, S) hypotheses
    sizes: Array  # (n + 1,) how many
    best: Array  # (n + 1,) the best total
    worst: Array  # (n + 1,) what a total must exceed
    scratch: Array  # (S,) totals


class Limits(NamedTuple):
    """What bounds the search."""

    stack: int  # hypotheses of a stack
    threshold: float  # how much worse than the best, a logarithm
    distortion: int  # how far a jump may go, -1 for anywhere


def make_hypotheses(capacity: int, n: int, stack: int, context: int = 0) -> Hypotheses:
    """Room for a search, with a network that reads so many words of context."""

    def integers() -> Array:
        return np.zeros(capacity, np.int64)

    def floats() -> Array:
        return np.zeros(capacity)

    buckets = 1 << max(10, (capacity // 4).bit_length())
    return Hypotheses(
        parents=integers(),
        options=integers(),
        scores=floats(),
        totals=floats(),
        lm_scores=floats(),
        gaps=integers(),
        masks=integers(),
        states=integers(),
        lengths=integers(),
        neural=floats(),
        contexts=np.zeros((capacity, context), np.int32),
        places=integers(),
        arcs=integers(),
        next_arcs=integers(),
        chain=integers(),
        buckets=np.full(buckets, -1, np.int64),
        stacks=np.zeros((n + 1, 2 * stack), np.int64),
        sizes=np.zeros(n + 1, np.int64),
        best=np.zeros(n + 1),
        worst=np.zeros(n + 1),
        scratch=np.zeros(2 * stack),
    )


def orientation(start: int, end: int, last_start: int, last_end: int) -> int:
    """0 if a span follows the last one, 1 if it stands before it, else 2."""
    if last_end + 1 == start:
        return 0
    if end + 1 == last_start:
        return 1
    return 2


def future(options: Options, gap: int, mask: int) -> float:
    """The estimate of all words that are not covered."""
    total = 0.0
    at = gap
    while mask != 0:
        run = 1
        while mask & 1 == 0:
            mask >>= 1
            run += 1
        total += float(options.inner[at, run - 1])
        at += run
        while mask & 1 == 1:
            mask >>= 1
            at += 1
        mask >>= 1
    return total + float(options.rest[at])


def _select(values: Array, count: int, k: int) -> float:
    """The k-th highest of some values, which are reordered (Hoare's selection)."""
    low, high = 0, count - 1
    while low < high:
        pivot = float(values[(low + high) // 2])
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                swap = float(values[i])
                values[i] = values[j]
                values[j] = swap
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


def prune_stack(h: Hypotheses, c: int, limit: int) -> None:
    """Keep the best of a stack."""
    size = int(h.sizes[c])
    least = float(h.worst[c])
    if size > limit:
        for k in range(size):
            h.scratch[k] = h.totals[h.stacks[c, k]]
        least = max(least, _select(h.scratch, size, limit - 1))
    kept = 0
    for k in range(size):
        i = int(h.stacks[c, k])
        # Of several that tie for the last place only as many as fit.
        if h.totals[i] >= least and kept < limit:
            h.stacks[c, kept] = i
            h.places[i] = kept
            kept += 1
        else:
            h.places[i] = -1
    h.sizes[c] = kept
    if size > limit:
        h.worst[c] = least


def _bucket(gap: int, mask: int, state: int, end: int, size: int) -> int:
    """Where equal hypotheses are looked for."""
    key = (state * 64 + (gap & 63)) * 64 + (end & 63)
    return slot_of(key ^ (slot_of(mask, 0xFFFFFFF) << 8), size - 1)


def _same(
    h: Hypotheses, options: Options, a: int, b: int, oriented: bool, forced: bool
) -> bool:
    """Whether no future can tell two hypotheses apart."""
    for k in range(h.contexts.shape[1]):
        if h.contexts[a, k] != h.contexts[b, k]:
            return False
    if forced and h.lengths[a] != h.lengths[b]:
        return False
    if h.gaps[a] != h.gaps[b] or h.masks[a] != h.masks[b]:
        return False
    if h.states[a] != h.states[b]:
        return False
    x, y = int(h.options[a]), int(h.options[b])
    if options.ends[x] != options.ends[y]:
        return False
    if oriented:
        if options.starts[x] != options.starts[y]:
            return False
        for c in range(3):
            if options.forward[x, c] != options.forward[y, c]:
                return False
    return True


def add_hypothesis(
    h: Hypotheses, options: Options, new: int, c: int, limits: Limits,
    oriented: bool, forced: bool,
) -> None:  # fmt: skip
    """Put a hypothesis on its stack, or aside if an equal one is better."""
    size = h.buckets.shape[0]
    end = int(options.ends[h.options[new]])
    bucket = _bucket(int(h.gaps[new]), int(h.masks[new]), int(h.states[new]), end, size)
    h.arcs[new] = -1
    h.next_arcs[new] = -1
    before = -1
    old = int(h.buckets[bucket])
    while old >= 0:
        if _same(h, options, old, new, oriented, forced):
            break
        before = old
        old = int(h.chain[old])
    if old >= 0 and h.scores[old] >= h.scores[new]:
        h.next_arcs[new] = h.arcs[old]
        h.arcs[old] = new
        h.places[new] = -1
        return
    if old >= 0:
        # The new one takes the place of the old one, in the chain and in the stack.
        h.chain[new] = h.chain[old]
        if before >= 0:
            h.chain[before] = new
        else:
            h.buckets[bucket] = new
        h.next_arcs[old] = h.arcs[old]
        h.arcs[new] = old
    else:
        h.chain[new] = h.buckets[bucket]
        h.buckets[bucket] = new
    if h.totals[new] > h.best[c]:
        h.best[c] = h.totals[new]
        h.worst[c] = max(h.worst[c], h.best[c] + limits.threshold)
    if old >= 0 and h.places[old] >= 0:
        place = int(h.places[old])
        h.places[old] = -1
    else:
        if h.sizes[c] == h.stacks.shape[1]:
            prune_stack(h, c, limits.stack)
        place = int(h.sizes[c])
        h.sizes[c] += 1
    h.stacks[c, place] = new
    h.places[new] = place


def matches_reference(
    sentence: Sentence, phrases: Phrases, entry: int, start: int, length: int
) -> bool:
    """Whether the words of an option are the next ones of the reference."""
    reference = sentence.reference
    if entry < 0:
        return (
            length < reference.shape[0] and reference[length] == sentence.passed[start]
        )
    first = int(phrases.target_starts[entry])
    size = int(phrases.target_starts[entry + 1]) - first
    if length + size > reference.shape[0]:
        return False
    for k in range(size):
        if reference[length + k] != phrases.target_words[first + k]:
            return False
    return True


def write_context(
    sentence: Sentence, phrases: Phrases, h: Hypotheses, parent: int, entry: int,
    start: int, new: int,
) -> None:  # fmt: skip
    """Set the last words of a hypothesis: those of its option after its parent's."""
    width = h.contexts.shape[1]
    if width == 0:
        return
    at = 0
    size = 1
    if entry >= 0:
        at = int(phrases.target_starts[entry])
        size = int(phrases.target_starts[entry + 1]) - at
    for k in range(width):
        if size + k < width:
            h.contexts[new, k] = h.contexts[parent, size + k]
        elif entry < 0:
            h.contexts[new, k] = sentence.passed_neural[start]
        else:
            word = int(phrases.target_words[at + size + k - width])
            h.contexts[new, k] = phrases.neural_words[word]


def covers(gap: int, mask: int, place: int) -> bool:
    """Whether a word at or after the first free one is covered."""
    return place > gap and (mask >> (place - gap - 1)) & 1 == 1


def is_within(gap: int, start: int, end: int, limit: int) -> bool:
    """Whether one can come back to the first free word after covering start … end."""
    if start == gap:
        return True
    return end - gap <= WINDOW and (limit < 0 or end + 1 - gap <= limit)


def cover(gap: int, mask: int, start: int, end: int) -> tuple[int, int]:
    """The first free word and the mask of those after it, with start … end covered."""
    if start > gap:
        return gap, mask | ((1 << (end - start + 1)) - 1) << (start - gap - 1)
    free = end + 1
    while (mask >> (free - gap - 1)) & 1:
        free += 1
    return free, mask >> (free - gap)


def begin_search(tables: Tables, options: Options, n: int, h: Hypotheses) -> int:
    """Set the empty hypothesis and empty stacks; how many hypotheses there are."""
    for k in range(h.buckets.shape[0]):
        h.buckets[k] = -1
    for c in range(n + 1):
        h.sizes[c] = 0
        h.best[c] = -np.inf
        h.worst[c] = -np.inf
    h.parents[0] = -1
    h.options[0] = -1
    h.scores[0] = 0.0
    h.totals[0] = options.rest[0]
    h.lm_scores[0] = 0.0
    h.gaps[0] = 0
    h.masks[0] = 0
    h.states[0] = start_state(tables)
    h.lengths[0] = 0
    h.neural[0] = 0.0
    for k in range(h.contexts.shape[1]):
        h.contexts[0, k] = LINE_END
    h.arcs[0] = -1
    h.next_arcs[0] = -1
    h.places[0] = 0
    h.stacks[0, 0] = 0
    h.sizes[0] = 1
    return 1


@ad.jit
def search(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    options: Options,
    limits: Limits,
    h: Hypotheses,
) -> int:
    """Fill in hypotheses; how many they are, or FULL.

    The last stack holds the complete ones, with the end of the sentence scored.
    """
    n = sentence.words.shape[0]
    used = begin_search(tables, options, n, h)
    for c in range(n):
        prune_stack(h, c, limits.stack)
        used = _expand(sentence, phrases, tables, weights, options, limits, h, c, used)
        if used == FULL:
            return FULL
    prune_stack(h, n, limits.stack)
    return used


def _expand(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    options: Options,
    limits: Limits,
    h: Hypotheses,
    c: int,
    used: int,
) -> int:
    """Add all that follows the hypotheses of a stack; how many there are then."""
    n = sentence.words.shape[0]
    longest = options.first.shape[1]
    oriented = phrases.reordering.shape[1] == 6
    forced = sentence.reference.shape[0] > 0
    capacity = h.parents.shape[0]
    # Probabilities are at most 1, so what is left of an option's words cannot help.
    words_weight = LN10 * lm_weight(phrases, weights)
    bounded = words_weight >= 0.0
    for place in range(int(h.sizes[c])):
        parent = int(h.stacks[c, place])
        gap, mask = int(h.gaps[parent]), int(h.masks[parent])
        last = int(h.options[parent])
        last_start, last_end = -1, -1
        if last >= 0:
            last_start = int(options.starts[last])
            last_end = int(options.ends[last])
        for start in range(gap, min(n, gap + WINDOW)):
            if covers(gap, mask, start):
                continue
            jump = abs(start - last_end - 1)
            if limits.distortion >= 0 and jump > limits.distortion:
                continue
            for end in range(start, min(n, start + longest)):
                if covers(gap, mask, end):
                    break
                if not is_within(gap, start, end, limits.distortion):
                    break
                count = int(options.counts[start, end - start])
                if count == 0:
                    continue
                new_gap, new_mask = cover(gap, mask, start, end)
                covered = c + end - start + 1
                rest = future(options, new_gap, new_mask)
                which = orientation(start, end, last_start, last_end)
                base = h.scores[parent] - weights[DISTORTION] * jump
                if last >= 0:
                    base += options.forward[last, which]
                first = int(options.first[start, end - start])
                for o in range(first, first + count):
                    value = base + options.static[o] + options.backward[o, which]
                    # What the stack asks for may rise with every hypothesis.
                    least = h.worst[covered] - rest
                    if bounded and value < least:
                        continue
                    entry = int(options.entries[o])
                    length = int(h.lengths[parent])
                    if forced and not matches_reference(
                        sentence, phrases, entry, start, length
                    ):
                        continue
                    state = int(h.states[parent])
                    lm_score = 0.0
                    if entry < 0:
                        word = int(sentence.passed_lm[start])
                        log_prob, state = score(tables, state, word)
                        lm_score += log_prob
                        length += 1
                    else:
                        at = int(phrases.target_starts[entry])
                        stop = int(phrases.target_starts[entry + 1])
                        length += stop - at
                        while at < stop:
                            word = int(phrases.lm_words[phrases.target_words[at]])
                            log_prob, state = score(tables, state, word)
                            lm_score += log_prob
                            at += 1
                            if bounded and value + words_weight * lm_score < least:
                                break
                    if covered == n:
                        if forced and length != sentence.reference.shape[0]:
                            continue
                        log_prob, state = score(tables, state, EOS)
                        lm_score += log_prob
                    value += words_weight * lm_score
                    if value < least:
                        continue
                    if used == capacity:
                        return FULL
                    h.parents[used] = parent
                    h.options[used] = o
                    h.scores[used] = value
                    h.totals[used] = value + rest
                    h.lm_scores[used] = LN10 * lm_score
                    h.gaps[used] = new_gap
                    h.masks[used] = new_mask
                    h.states[used] = state
                    h.lengths[used] = length
                    h.neural[used] = LN10 * lm_score
                    write_context(sentence, phrases, h, parent, entry, start, used)
                    add_hypothesis(h, options, used, covered, limits, oriented, forced)
                    used += 1
    return used


@ad.jit
def expand_stack(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    options: Options,
    limits: Limits,
    h: Hypotheses,
    c: int,
    used: int,
) -> int:
    """As `search`, one stack only; before the first one all stacks are emptied."""
    if c == 0:
        used = begin_search(tables, options, sentence.words.shape[0], h)
    return _expand(sentence, phrases, tables, weights, options, limits, h, c, used)
