"""The HMM alignment model (Vogel, Ney and Tillmann, 1996; Och and Ney, 2003).

The source position of a target word depends on that of the word before:

    p(f, a | e) = Π_j  p(a_j | a_{j-1}, n) t(f_j | e_{a_j}),

where p(i | i', n) is in proportion to a count of the jump i - i'. A word without a
source word goes to NULL with probability p0 and remembers the last position that was
not NULL. Expectation is by the forward and backward recursions, the alignment by
Viterbi's. A Dirichlet prior, as in fast_align, keeps rare source words from explaining
whatever stands beside them; without it translations lose more than a point of BLEU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome.options import Count, NonNegative, Positive, Share
from anadrome.smt.alignment.ibm1 import TrainedAligner, fit_ibm1, uniform_priors
from anadrome.smt.alignment.links import link_words, normalise
from anadrome.smt.sentences import Array, Sentences

_FARTHEST = 100  # jumps that are longer count as this long
_SMOOTHING = 0.1  # counts added to every jump


@dataclass(frozen=True)
class Hmm:
    """Options of the aligner."""

    iterations: Count = 5  # of expectation and maximisation
    first: NonNegative = 5  # iterations of Model 1, whose lexical table is the start
    null: Share = 0.2  # the probability that a target word has no source word
    dirichlet: Positive | None = 0.01  # the prior of the lexical table; none is EM


def train_hmm(
    source: Sentences, target: Sentences, options: Hmm | None = None
) -> TrainedAligner:
    """The alignment of target words to source words."""
    options = options or Hmm()
    links = link_words(source, target)
    table, _ = fit_ibm1(links, uniform_priors(links), options.first)
    jumps = np.ones(2 * _FARTHEST + 1)
    widest = int(links.widths.max(initial=1))
    longest = int(target.lengths.max(initial=1))
    room = np.zeros((4, longest + 1, 2 * widest))
    best = np.empty(len(target.words), dtype=np.int64)
    back = np.zeros((longest + 1, 2 * widest), dtype=np.int64)
    likelihoods = []
    for _ in range(options.iterations):
        counts, new_jumps = np.zeros(len(table)), np.zeros(len(jumps))
        likelihoods.append(
            float(
                _expect_chains(
                    links.pairs, links.starts, links.widths, table, jumps,
                    options.null, room, counts, new_jumps,
                )
            )
        )  # fmt: skip
        table = normalise(links, counts, options.dirichlet)
        jumps = new_jumps + _SMOOTHING
    _best_chains(
        links.pairs, links.starts, links.widths, table, jumps, options.null, room,
        back, best,
    )  # fmt: skip
    return TrainedAligner(best, tuple(likelihoods), links, table, {})


def _jump(distance: int) -> int:
    """The place of a jump in the table of jumps."""
    return min(max(distance, -_FARTHEST), _FARTHEST) + _FARTHEST


def _transitions(jumps: Array, n: int, null: float, moves: Array) -> None:
    """Set moves[i', i] = p(i | i'); the last row is where a sentence begins."""
    for before in range(n + 1):
        last = before if before < n else -1
        total = 0.0
        for i in range(n):
            total += jumps[_jump(i - last)]
        for i in range(n):
            moves[before, i] = (1.0 - null) * jumps[_jump(i - last)] / total


@ad.jit
def _expect_chains(
    pairs: Array,
    starts: Array,
    widths: Array,
    table: Array,
    jumps: Array,
    null: float,
    room: Array,
    counts: Array,
    jump_counts: Array,
) -> float:
    # A state is the last position that was not NULL, n for none, and whether the word
    # itself is at NULL: states 0 … n - 1 are words, n + 1 + i is NULL after i.
    likelihood = 0.0
    widest = room.shape[2] // 2
    moves = np.zeros((widest + 1, widest))
    forward, backward = room[0], room[1]
    for s in range(widths.shape[0]):
        n = int(widths[s]) - 1
        first = int(starts[s])
        m = (int(starts[s + 1]) - first) // (n + 1)
        if n == 0 or m == 0:
            continue
        _transitions(jumps, n, null, moves)
        for j in range(m):
            at = first + j * (n + 1)
            total = 0.0
            for i in range(n):
                p = 0.0
                if j == 0:
                    p = moves[n, i]
                else:
                    for before in range(n):
                        both = forward[j - 1, before] + forward[j - 1, n + 1 + before]
                        p += both * moves[before, i]
                    p += forward[j - 1, 2 * n + 1] * moves[n, i]
                forward[j, i] = p * max(table[pairs[at + 1 + i]], 1e-12)
                total += forward[j, i]
            nothing = max(table[pairs[at]], 1e-12) * null
            for i in range(n + 1):
                p = 0.0
                if j == 0:
                    p = 1.0 if i == n else 0.0
                else:
                    p = forward[j - 1, n + 1 + i]
                    if i < n:
                        p += forward[j - 1, i]
                forward[j, n + 1 + i] = p * nothing
                total += forward[j, n + 1 + i]
            for i in range(2 * n + 2):
                if i != n:
                    forward[j, i] /= total
            forward[j, n] = 0.0
            likelihood += np.log(total)
        for i in range(2 * n + 2):
            backward[m - 1, i] = 1.0
        for j in range(m - 2, -1, -1):
            at = first + (j + 1) * (n + 1)
            nothing = max(table[pairs[at]], 1e-12) * null
            total = 0.0
            for before in range(n + 1):
                p = nothing * backward[j + 1, n + 1 + before]
                for i in range(n):
                    emitted = max(table[pairs[at + 1 + i]], 1e-12)
                    p += moves[before, i] * emitted * backward[j + 1, i]
                backward[j, n + 1 + before] = p
                if before < n:
                    backward[j, before] = p
                total += p
            for i in range(2 * n + 2):
                backward[j, i] /= total
        for j in range(m):
            at = first + j * (n + 1)
            total = 0.0
            for i in range(2 * n + 2):
                if i != n:
                    total += forward[j, i] * backward[j, i]
            for i in range(n):
                p = forward[j, i] * backward[j, i] / total
                counts[pairs[at + 1 + i]] += p
                if j == 0:
                    jump_counts[_jump(i + 1)] += p
            for i in range(n + 1):
                p = forward[j, n + 1 + i] * backward[j, n + 1 + i] / total
                counts[pairs[at]] += p
            if j > 0:
                norm = 0.0
                nothing = max(table[pairs[at]], 1e-12) * null
                for before in range(n + 1):
                    left = forward[j - 1, n + 1 + before]
                    if before < n:
                        left += forward[j - 1, before]
                    norm += left * nothing * backward[j, n + 1 + before]
                    for i in range(n):
                        emitted = max(table[pairs[at + 1 + i]], 1e-12)
                        norm += left * moves[before, i] * emitted * backward[j, i]
                for before in range(n + 1):
                    left = forward[j - 1, n + 1 + before]
                    if before < n:
                        left += forward[j - 1, before]
                    last = before if before < n else -1
                    for i in range(n):
                        emitted = max(table[pairs[at + 1 + i]], 1e-12)
                        p = left * moves[before, i] * emitted * backward[j, i]
                        jump_counts[_jump(i - last)] += p / norm
    return likelihood


@ad.jit
def _best_chains(
    pairs: Array,
    starts: Array,
    widths: Array,
    table: Array,
    jumps: Array,
    null: float,
    room: Array,
    back: Array,
    best: Array,
) -> None:
    widest = room.shape[2] // 2
    moves = np.zeros((widest + 1, widest))
    scores = room[0]
    done = 0
    for s in range(widths.shape[0]):
        n = int(widths[s]) - 1
        first = int(starts[s])
        m = (int(starts[s + 1]) - first) // (n + 1)
        if n == 0:
            for j in range(m):
                best[done + j] = -1
            done += m
            continue
        _transitions(jumps, n, null, moves)
        for j in range(m):
            at = first + j * (n + 1)
            highest = 0.0
            for i in range(n):
                p = moves[n, i] if j == 0 else 0.0
                origin = -1
                if j > 0:
                    for before in range(2 * n + 2):
                        if before == n:
                            continue
                        last = before if before < n else before - n - 1
                        q = scores[j - 1, before] * moves[last, i]
                        if q > p:
                            p = q
                            origin = before
                scores[j, i] = p * max(table[pairs[at + 1 + i]], 1e-12)
                back[j, i] = origin
                highest = max(highest, scores[j, i])
            nothing = max(table[pairs[at]], 1e-12) * null
            for i in range(n + 1):
                p = 0.0
                origin = -1
                if j == 0:
                    p = 1.0 if i == n else 0.0
                else:
                    p = scores[j - 1, n + 1 + i]
                    origin = n + 1 + i
                    if i < n and scores[j - 1, i] > p:
                        p = scores[j - 1, i]
                        origin = i
                scores[j, n + 1 + i] = p * nothing
                back[j, n + 1 + i] = origin
                highest = max(highest, scores[j, n + 1 + i])
            for i in range(2 * n + 2):
                if i != n:
                    scores[j, i] /= highest
        if m > 0:
            state = 0
            for i in range(2 * n + 2):
                if i != n and scores[m - 1, i] > scores[m - 1, state]:
                    state = i
            for j in range(m - 1, -1, -1):
                best[done + j] = state if state < n else -1
                state = int(back[j, state])
        done += m
