"""Cube pruning: of all extensions only those that look best are made (Chiang, 2007).

Hypotheses that cover the same words and end with the same span form a group; a group
and the options of a span form a grid, both sorted, in which scores fall along both axes
but for what the language model says of the seam. A stack is filled from a queue that
begins with the corners of its grids; what is taken from it puts its neighbours in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import anadrome as ad
from anadrome.ngram.query import score
from anadrome.ngram.tables import EOS, Tables
from anadrome.smt.options import DISTORTION, LM, LN10, Options, Phrases, Sentence
from anadrome.smt.search import (
    FULL,
    WINDOW,
    Hypotheses,
    Limits,
    add_hypothesis,
    begin_search,
    cover,
    covers,
    future,
    is_within,
    matches_reference,
    orientation,
    prune_stack,
)
from anadrome.smt.sentences import Array


class Grids(NamedTuple):
    """Room for G grids and for what the queue holds of H hypotheses."""

    members: Array  # ((n + 1) stack,) hypotheses of the groups, best first
    groups: Array  # (G,) where the group begins in `members`
    sizes: Array  # (G,) how many hypotheses it has
    options: Array  # (G,) the first option
    widths: Array  # (G,) how many options
    gaps: Array  # (G,) the coverage that results
    masks: Array  # (G,)
    rests: Array  # (G,) the estimate of what is left then
    next: Array  # (G,) the next grid of the same stack
    heads: Array  # (n + 1,) the first grid of each stack
    grid_of: Array  # (H,) the grid of a hypothesis in the queue
    rows: Array  # (H,) which hypothesis of the group
    columns: Array  # (H,) which option
    queue: Array  # (H,) a heap


def make_grids(grids: int, hypotheses: int, n: int, stack: int) -> Grids:
    """Room for grids."""

    def integers(size: int) -> Array:
        return np.zeros(size, np.int64)

    return Grids(
        members=integers((n + 1) * stack),
        groups=integers(grids),
        sizes=integers(grids),
        options=integers(grids),
        widths=integers(grids),
        gaps=integers(grids),
        masks=integers(grids),
        rests=np.zeros(grids),
        next=integers(grids),
        heads=integers(n + 1),
        grid_of=integers(hypotheses),
        rows=integers(hypotheses),
        columns=integers(hypotheses),
        queue=integers(hypotheses),
    )


def _last_span(options: Options, option: int) -> tuple[int, int]:
    """The span of the last option, (-1, -1) at the beginning."""
    if option < 0:
        return -1, -1
    return int(options.starts[option]), int(options.ends[option])


def _group(h: Hypotheses, options: Options, c: int, members: Array, at: int) -> int:
    """Write the hypotheses of a stack by groups, best first; where they end."""
    for k in range(int(h.sizes[c])):
        item = int(h.stacks[c, k])
        start, end = _last_span(options, int(h.options[item]))
        place = at
        # Insertion: groups in the order of their coverage and last span.
        while place > at - k:
            other = int(members[place - 1])
            other_start, other_end = _last_span(options, int(h.options[other]))
            after = False
            if h.gaps[other] != h.gaps[item]:
                after = h.gaps[other] > h.gaps[item]
            elif h.masks[other] != h.masks[item]:
                after = h.masks[other] > h.masks[item]
            elif other_start != start:
                after = other_start > start
            elif other_end != end:
                after = other_end > end
            else:
                after = h.scores[other] < h.scores[item]
            if not after:
                break
            members[place] = other
            place -= 1
        members[place] = item
        at += 1
    return at


def _alike(h: Hypotheses, options: Options, a: int, b: int) -> bool:
    """Whether two hypotheses are of the same group."""
    if h.gaps[a] != h.gaps[b] or h.masks[a] != h.masks[b]:
        return False
    x, y = int(h.options[a]), int(h.options[b])
    if x < 0 or y < 0:
        return x == y
    return options.starts[x] == options.starts[y] and options.ends[x] == options.ends[y]


def _push(h: Hypotheses, grids: Grids, size: int, item: int) -> int:
    k = size
    while k > 0:
        up = (k - 1) // 2
        if h.totals[grids.queue[up]] >= h.totals[item]:
            break
        grids.queue[k] = grids.queue[up]
        k = up
    grids.queue[k] = item
    return size + 1


def _pop(h: Hypotheses, grids: Grids, size: int) -> int:
    best = int(grids.queue[0])
    item = int(grids.queue[size - 1])
    last = size - 1
    k = 0
    while 2 * k + 1 < last:
        child = 2 * k + 1
        if child + 1 < last:
            if h.totals[grids.queue[child + 1]] > h.totals[grids.queue[child]]:
                child += 1
        if h.totals[grids.queue[child]] <= h.totals[item]:
            break
        grids.queue[k] = grids.queue[child]
        k = child
    grids.queue[k] = item
    return best


def _make(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    options: Options,
    h: Hypotheses,
    grids: Grids,
    g: int,
    row: int,
    column: int,
    new: int,
) -> None:
    """Score the hypothesis of a cell of a grid."""
    n = sentence.words.shape[0]
    parent = int(grids.members[grids.groups[g] + row])
    o = int(grids.options[g]) + column
    start, end = int(options.starts[o]), int(options.ends[o])
    last = int(h.options[parent])
    last_start, last_end = _last_span(options, last)
    which = orientation(start, end, last_start, last_end)
    value = float(h.scores[parent]) - weights[DISTORTION] * abs(start - last_end - 1)
    value += options.static[o] + options.backward[o, which]
    if last >= 0:
        value += options.forward[last, which]
    entry = int(options.entries[o])
    length = int(h.lengths[parent])
    state = int(h.states[parent])
    lm_score = 0.0
    if entry < 0:
        log_prob, state = score(tables, state, int(sentence.passed_lm[start]))
        lm_score += log_prob
        length += 1
    else:
        at = int(phrases.target_starts[entry])
        stop = int(phrases.target_starts[entry + 1])
        length += stop - at
        for k in range(at, stop):
            word = int(phrases.lm_words[phrases.target_words[k]])
            log_prob, state = score(tables, state, word)
            lm_score += log_prob
    if grids.gaps[g] == n:
        log_prob, state = score(tables, state, EOS)
        lm_score += log_prob
    value += LN10 * weights[LM] * lm_score
    h.parents[new] = parent
    h.options[new] = o
    h.scores[new] = value
    h.totals[new] = value + grids.rests[g]
    h.lm_scores[new] = LN10 * lm_score
    h.gaps[new] = grids.gaps[g]
    h.masks[new] = grids.masks[g]
    h.states[new] = state
    h.lengths[new] = length
    h.neural[new] = 0.0
    h.places[new] = -1
    h.arcs[new] = -1
    h.next_arcs[new] = -1
    grids.grid_of[new] = g
    grids.rows[new] = row
    grids.columns[new] = column


@ad.jit
def cube_search(
    sentence: Sentence,
    phrases: Phrases,
    tables: Tables,
    weights: Array,
    options: Options,
    limits: Limits,
    pops: int,
    h: Hypotheses,
    grids: Grids,
) -> int:
    """As `search`, with at most so many hypotheses taken for each stack."""
    n = sentence.words.shape[0]
    longest = options.first.shape[1]
    oriented = phrases.reordering.shape[1] == 6
    forced = sentence.reference.shape[0] > 0
    capacity = h.parents.shape[0]
    used = begin_search(tables, options, n, h)
    for c in range(n + 1):
        grids.heads[c] = -1
    count = 0
    filled = 0
    for c in range(n + 1):
        # Fill the stack from its grids.
        size = 0
        g = int(grids.heads[c])
        while g >= 0:
            if used + 2 >= capacity:
                return FULL
            _make(sentence, phrases, tables, weights, options, h, grids, g, 0, 0, used)
            size = _push(h, grids, size, used)
            used += 1
            g = int(grids.next[g])
        taken = 0
        while size > 0 and taken < pops:
            item = _pop(h, grids, size)
            size -= 1
            taken += 1
            g, row = int(grids.grid_of[item]), int(grids.rows[item])
            column = int(grids.columns[item])
            if used + 2 >= capacity:
                return FULL
            if column + 1 < grids.widths[g]:
                _make(
                    sentence, phrases, tables, weights, options, h, grids, g, row,
                    column + 1, used,
                )  # fmt: skip
                size = _push(h, grids, size, used)
                used += 1
            # Each cell is reached once: along its row, whose first cell is reached
            # along the first column.
            if column == 0 and row + 1 < grids.sizes[g]:
                _make(
                    sentence, phrases, tables, weights, options, h, grids, g, row + 1,
                    0, used,
                )  # fmt: skip
                size = _push(h, grids, size, used)
                used += 1
            good = h.totals[item] >= h.worst[c]
            if forced and good:
                o = int(h.options[item])
                before = int(h.lengths[h.parents[item]])
                good = matches_reference(
                    sentence, phrases, int(options.entries[o]),
                    int(options.starts[o]), before,
                )  # fmt: skip
                if c == n and h.lengths[item] != sentence.reference.shape[0]:
                    good = False
            if good:
                add_hypothesis(h, options, item, c, limits, oriented, forced)
        prune_stack(h, c, limits.stack)
        # The grids that begin at this stack.
        first = filled
        filled = _group(h, options, c, grids.members, filled)
        while first < filled:
            leader = int(grids.members[first])
            end_of_group = first + 1
            while end_of_group < filled and _alike(
                h, options, leader, int(grids.members[end_of_group])
            ):
                end_of_group += 1
            gap, mask = int(h.gaps[leader]), int(h.masks[leader])
            _, last_end = _last_span(options, int(h.options[leader]))
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
                    width = int(options.counts[start, end - start])
                    if width == 0:
                        continue
                    if count == grids.groups.shape[0]:
                        return FULL
                    new_gap, new_mask = cover(gap, mask, start, end)
                    covered = c + end - start + 1
                    grids.groups[count] = first
                    grids.sizes[count] = end_of_group - first
                    grids.options[count] = options.first[start, end - start]
                    grids.widths[count] = width
                    grids.gaps[count] = new_gap
                    grids.masks[count] = new_mask
                    grids.rests[count] = future(options, new_gap, new_mask)
                    grids.next[count] = grids.heads[covered]
                    grids.heads[covered] = count
                    count += 1
            first = end_of_group
    return used
