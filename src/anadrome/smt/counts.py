"""Phrase pairs counted: how often each was extracted, and with which alignment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.smt.extract import Extracted
from anadrome.smt.hashing import KeyNumbers
from anadrome.smt.sentences import Array, Sentences


@dataclass(frozen=True)
class PhraseCounts:
    """The different phrase pairs of a corpus; phrases are spans of its words."""

    source: Sentences
    target: Sentences
    sources: Array  # (E,) where the source phrase stands in the corpus
    source_lengths: Array  # (E,)
    targets: Array  # (E,)
    target_lengths: Array  # (E,)
    source_numbers: Array  # (E,) the same for pairs with the same source phrase
    target_numbers: Array  # (E,)
    joint: Array  # (E,) how often the pair was extracted
    alignments: Array  # (E,) its most frequent alignment, as bits
    orientations: Array  # (E, 6) counts: previous m, s, d, following m, s, d

    def __len__(self) -> int:
        return len(self.joint)

    @property
    def source_counts(self) -> Array:
        """(E,) how often the source phrase was extracted."""
        return np.bincount(self.source_numbers, weights=self.joint)[self.source_numbers]

    @property
    def target_counts(self) -> Array:
        """(E,) how often the target phrase was extracted."""
        return np.bincount(self.target_numbers, weights=self.joint)[self.target_numbers]

    def keep(self, which: Array) -> PhraseCounts:
        """Some of the pairs, numbered as before."""
        return PhraseCounts(
            self.source,
            self.target,
            *(
                getattr(self, name)[which]
                for name in (
                    "sources",
                    "source_lengths",
                    "targets",
                    "target_lengths",
                    "source_numbers",
                    "target_numbers",
                    "joint",
                    "alignments",
                    "orientations",
                )
            ),
        )


def count_phrases(
    source: Sentences, target: Sentences, extracted: Extracted
) -> PhraseCounts:
    """The different phrase pairs, in the order in which they were first extracted."""
    left = number_spans(source, extracted.sources, extracted.source_lengths)
    right = number_spans(target, extracted.targets, extracted.target_lengths)
    pairs = KeyNumbers(len(left) // 2)
    size = int(right.max(initial=0)) + 1
    pair = pairs.add(left * size + right)
    count = pairs.count
    # The place where each pair was extracted first: later ones are overwritten.
    first = np.empty(count, dtype=np.int64)
    first[pair[::-1]] = np.arange(len(pair))[::-1]
    joint = np.bincount(pair, minlength=count)
    orientations = np.empty((count, 6))
    for k in range(3):
        for column, found in ((k, extracted.previous), (3 + k, extracted.following)):
            orientations[:, column] = np.bincount(pair[found == k], minlength=count)
    return PhraseCounts(
        source,
        target,
        extracted.sources[first],
        extracted.source_lengths[first],
        extracted.targets[first],
        extracted.target_lengths[first],
        left[first],
        right[first],
        joint,
        _most_frequent(pair, extracted.alignments, count),
        orientations,
    )


def number_spans(sentences: Sentences, starts: Array, lengths: Array) -> Array:
    """A number for every span, the same for the same words.

    The number of a span comes from that of the span without its last word.
    """
    size = len(sentences.vocabulary)
    words = sentences.words
    numbers = KeyNumbers(len(words))
    found = np.zeros(len(starts), dtype=np.int64)
    shorter = np.zeros(len(words), dtype=np.int64)  # plus 1, so that 0 is no word
    for length in range(1, int(lengths.max(initial=0)) + 1):
        fits = len(words) - length + 1
        if fits <= 0:
            break
        keys = shorter[:fits] * size + words[length - 1 :]
        shorter = numbers.add(keys) + 1
        mine = lengths == length
        found[mine] = shorter[starts[mine]] - 1
    # Numbers without gaps: not every span is a phrase.
    used = np.zeros(numbers.count, dtype=np.int64)
    used[found] = 1
    return (np.cumsum(used) - 1)[found]


def _most_frequent(pair: Array, alignments: Array, count: int) -> Array:
    """Of every pair the alignment that was extracted most often, or first."""
    unique, which = np.unique(alignments, return_inverse=True)
    numbers = KeyNumbers(len(pair) // 2)
    variant = numbers.add(pair * len(unique) + which)
    owner, bits = np.divmod(numbers.keys(), len(unique))
    times = np.bincount(variant, minlength=numbers.count)
    order = np.lexsort((-np.arange(len(times)), times))
    best = np.empty(count, dtype=np.int64)
    best[owner[order]] = unique[bits[order]]
    return best
