"""Lexical weights: how well the words of a phrase pair translate each other.

w(t | s) is the relative frequency of aligned words, where a word without a point counts
as aligned to NULL. A phrase pair with alignment a has (Koehn, Och and Marcu, 2003)

    lex(t | s, a) = Π_j  mean of w(t_j | s_i) over the points (i, j) of a,

with w(t_j | NULL) for a word without points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import anadrome as ad
from anadrome.smt.alignment.alignments import Alignments
from anadrome.smt.extract import LONGEST
from anadrome.smt.hashing import KeyNumbers, find_key
from anadrome.smt.sentences import Array, Sentences

_SMALLEST = 1e-7  # of a pair of words that was never aligned


@dataclass(frozen=True)
class LexicalTable:
    """w(t | s) and w(s | t) of pairs of words; 0 is NULL on either side."""

    numbers: KeyNumbers  # of the keys (s + 1) * size + t + 1
    size: int
    direct: Array  # (P,) w(t | s)
    inverse: Array  # (P,) w(s | t)


def count_words(
    source: Sentences, target: Sentences, alignments: Alignments
) -> LexicalTable:
    """The lexical table of an aligned corpus."""
    size = len(target.vocabulary) + 1
    counts = np.diff(alignments.starts)
    left = np.repeat(source.starts[:-1], counts) + alignments.points[:, 0]
    right = np.repeat(target.starts[:-1], counts) + alignments.points[:, 1]
    alone_left = np.delete(source.words, np.unique(left))
    alone_right = np.delete(target.words, np.unique(right))
    words = np.concatenate(
        [source.words[left] + 1, alone_left + 1, np.zeros_like(alone_right)]
    )
    others = np.concatenate(
        [target.words[right] + 1, np.zeros_like(alone_left), alone_right + 1]
    )
    numbers = KeyNumbers(len(words) // 8)
    found = numbers.add(words * size + others)
    joint = np.bincount(found, minlength=numbers.count).astype(float)
    keys = numbers.keys()
    left_total = np.bincount(words, minlength=len(source.vocabulary) + 1)
    right_total = np.bincount(others, minlength=size)
    return LexicalTable(
        numbers,
        size,
        joint / left_total[keys // size],
        joint / right_total[keys % size],
    )


def lexical_weights(
    table: LexicalTable,
    source: Array,
    sources: Array,
    source_lengths: Array,
    target: Array,
    targets: Array,
    target_lengths: Array,
    alignments: Array,
) -> tuple[Array, Array]:
    """lex(t | s, a) and lex(s | t, a) of phrase pairs: spans of two arrays of words."""
    direct, inverse = np.empty(len(sources)), np.empty(len(sources))
    numbers = table.numbers
    _weigh(
        source,
        sources,
        source_lengths,
        target,
        targets,
        target_lengths,
        alignments,
        numbers.slots,
        numbers.numbers,
        table.size,
        table.direct,
        table.inverse,
        direct,
        inverse,
    )
    return direct, inverse


def _lookup(key: int, slots: Array, numbers: Array, weights: Array) -> float:
    """The weight of a pair of words; a small one if it was never seen."""
    found = find_key(key, slots, numbers, slots.shape[0] - 1)
    return weights[found] if found >= 0 else _SMALLEST


@ad.jit
def _weigh(
    source: Array,
    sources: Array,
    source_lengths: Array,
    target: Array,
    targets: Array,
    target_lengths: Array,
    alignments: Array,
    slots: Array,
    numbers: Array,
    size: int,
    direct_weights: Array,
    inverse_weights: Array,
    direct: Array,
    inverse: Array,
) -> None:
    for k in range(sources.shape[0]):
        bits = alignments[k]
        weight = 1.0
        for j in range(target_lengths[k]):
            word = target[targets[k] + j] + 1
            total = 0.0
            points = 0
            for i in range(source_lengths[k]):
                if (bits >> (LONGEST * i + j)) & 1:
                    key = (source[sources[k] + i] + 1) * size + word
                    total += _lookup(key, slots, numbers, direct_weights)
                    points += 1
            if points == 0:
                weight *= _lookup(word, slots, numbers, direct_weights)
            else:
                weight *= total / points
        direct[k] = weight
        weight = 1.0
        for i in range(source_lengths[k]):
            word = (source[sources[k] + i] + 1) * size
            total = 0.0
            points = 0
            for j in range(target_lengths[k]):
                if (bits >> (LONGEST * i + j)) & 1:
                    key = word + target[targets[k] + j] + 1
                    total += _lookup(key, slots, numbers, inverse_weights)
                    points += 1
            if points == 0:
                weight *= _lookup(word, slots, numbers, inverse_weights)
            else:
                weight *= total / points
        inverse[k] = weight
