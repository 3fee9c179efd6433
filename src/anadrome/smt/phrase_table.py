"""The phrase table: source phrases in a trie, and the target phrases of each.

A node of the trie is a number; the key of a child is (node + 1) · V + word, in a hash
table that compiled code reads. The words of a source phrase are not written down: they
are those on the way to its node. All is arrays, of integers that are no wider than they
must be, so that a file of them can be mapped into memory and used at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.smt.arrays_file import read_arrays, write_arrays
from anadrome.smt.counts import PhraseCounts
from anadrome.smt.extract import LONGEST
from anadrome.smt.hashing import FREE, KeyNumbers, find_key
from anadrome.smt.repeated import Repeated
from anadrome.smt.sentences import Array, WordNumbers

FORMAT = "anadrome phrase table 2"
_OLD_FORMAT = "anadrome phrase table 1"
STANDARD = ("p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)")
"""The scores of a table, in the order of Moses."""

_ARRAYS = (
    "slots",
    "numbers",
    "begins",
    "target_starts",
    "target_words",
    "scores",
    "point_starts",
    "points",
    "alignments",
)
_REPEATED = ("reordering", "counts")


@dataclass(frozen=True)
class PhraseTable:
    """E phrase pairs, sorted by the node of their source phrase."""

    source: WordNumbers
    target: WordNumbers
    names: tuple[str, ...]  # of the scores
    longest: int  # words of a source phrase
    slots: Array  # keys of the trie
    numbers: Array  # its nodes
    begins: Array  # (nodes + 1,) the entries of each node
    target_starts: Array  # (E + 1,)
    target_words: Array
    scores: Array  # (E, F) float32, logarithms
    point_starts: Array  # (P + 1,) the points of each different inner alignment
    points: Array  # (A, 2) source and target position in the phrases
    alignments: Array  # (E,) which of them
    reordering: Repeated  # (E, 6) float32, logarithms; or (E, 0)
    counts: Repeated  # (E, 3) of the target, the source and the pair; or (E, 0)

    def __len__(self) -> int:
        return len(self.target_starts) - 1

    def source_phrase(self, entry: int) -> list[str]:
        """The words of the source side of an entry."""
        node = int(np.searchsorted(self.begins, entry, side="right")) - 1
        found = []
        while node >= 0:
            before, word = divmod(int(self._keys[node]), len(self.source))
            found.append(self.source.words[word])
            node = before - 1
        return found[::-1]

    @cached_property
    def _keys(self) -> Array:
        """(nodes,) the key of each node of the trie."""
        used = self.slots != FREE
        keys = np.empty(len(self.begins) - 1, np.int64)
        keys[self.numbers[used]] = self.slots[used]
        return keys

    def source_phrases(self) -> tuple[Array, Array]:
        """The words of all source phrases, flat, and where each begins."""
        words = np.empty((len(self), self.longest), np.int64)
        lengths = np.zeros(len(self), np.int64)
        nodes = np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))
        for k in range(self.longest - 1, -1, -1):  # from the last word on
            mine = nodes >= 0
            keys = self._keys[nodes[mine]]
            before, words[mine, k] = np.divmod(keys, len(self.source))
            nodes[mine] = before - 1
            lengths += mine
        there = np.arange(self.longest) >= self.longest - lengths[:, None]
        return words[there], _ends(lengths)

    def target_phrase(self, entry: int) -> list[str]:
        """The words of the target side of an entry."""
        span = slice(self.target_starts[entry], self.target_starts[entry + 1])
        return [self.target.words[w] for w in self.target_words[span]]

    def alignment(self, entry: int) -> Array:
        """The alignment points inside of an entry."""
        which = self.alignments[entry]
        return self.points[self.point_starts[which] : self.point_starts[which + 1]]

    def find(self, phrase: Sequence[str]) -> range:
        """The entries whose source side is a phrase."""
        node = -1
        mask = len(self.slots) - 1
        for word in phrase:
            number = self.source.find(word)
            if number < 0:
                return range(0)
            key = (node + 1) * len(self.source) + number
            node = find_key(key, self.slots, self.numbers, mask)
            if node < 0:
                return range(0)
        if node < 0:
            return range(0)
        return range(int(self.begins[node]), int(self.begins[node + 1]))

    def with_scores(self, scores: Array, names: Sequence[str]) -> PhraseTable:
        """The table with other scores (logarithms)."""
        return replace(self, scores=scores.astype(np.float32), names=tuple(names))

    def with_reordering(self, reordering: Array) -> PhraseTable:
        """The table with scores of orientations (logarithms)."""
        return replace(self, reordering=Repeated.of(reordering.astype(np.float32)))

    def save(self, path: Path) -> None:
        """Write the table to a file that `load` maps into memory."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        for name in _REPEATED:
            arrays[name] = getattr(self, name).rows
            arrays[f"{name} of"] = getattr(self, name).which
        notes = {"names": list(self.names), "longest": self.longest}
        texts = {"source": self.source.words, "target": self.target.words}
        write_arrays(path, FORMAT, notes, texts, arrays)

    @classmethod
    def load(cls, path: Path) -> PhraseTable:
        """The table in a file; its arrays stay in the file until they are read."""
        notes, texts, arrays = read_arrays(path, FORMAT, _OLD_FORMAT)
        source, target = WordNumbers(texts["source"]), WordNumbers(texts["target"])
        if "longest" not in notes:
            return _of_old(source, target, notes["names"], arrays)
        parts: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
        for name in _REPEATED:
            parts[name] = Repeated(arrays[name], arrays[f"{name} of"])
        return cls(source, target, tuple(notes["names"]), notes["longest"], **parts)


def make_table(
    source: WordNumbers,
    target: WordNumbers,
    source_phrases: tuple[Array, Array],
    target_phrases: tuple[Array, Array],
    scores: Array,
    names: Sequence[str],
    *,
    reordering: Array | None = None,
    alignments: tuple[Array, Array] | None = None,
    counts: Array | None = None,
) -> PhraseTable:
    """The table of phrase pairs in any order.

    Phrases and alignments are flat arrays and where each begins in them.
    """
    nodes, trie = _build_trie(len(source), *source_phrases)
    order = np.argsort(nodes, kind="stable")
    count = len(order)
    begins = np.searchsorted(nodes[order], np.arange(trie.count + 1))
    target_words, target_starts = _pick(*target_phrases, order)
    flat_points, first_points = alignments or (
        np.empty((0, 2), np.int64),
        np.zeros(count + 1, np.int64),
    )
    points, point_starts, which = _different(flat_points, first_points)
    if reordering is None:
        reordering = np.empty((count, 0))
    if counts is None:
        counts = np.empty((count, 0))
    slots, numbers = trie.packed()
    return PhraseTable(
        source,
        target,
        tuple(names),
        int(np.diff(source_phrases[1]).max(initial=1)),
        slots,
        numbers.astype(np.int32),
        _narrow(begins, len(target_words)),
        _narrow(target_starts, len(target_words)),
        target_words.astype(np.uint16 if len(target) <= 1 << 16 else np.int32),
        np.ascontiguousarray(scores[order], dtype=np.float32),
        _narrow(point_starts, len(points)),
        points.astype(np.min_scalar_type(int(points.max(initial=0)))),
        which[order].astype(np.int32),
        Repeated.of(reordering[order].astype(np.float32)),
        Repeated.of(counts[order].astype(np.float64)),
    )


def _narrow(numbers: Array, most: int) -> Array:
    """Numbers up to so much, in 32 bits if they fit."""
    return numbers.astype(np.int32 if most < 1 << 31 else np.int64)


def _different(points: Array, starts: Array) -> tuple[Array, Array, Array]:
    """The different lists of points, where each begins, and which each phrase has."""
    width = int(points.max(initial=0)) + 1
    nodes, _ = _build_trie(width * width, points[:, 0] * width + points[:, 1], starts)
    _, first, which = np.unique(nodes, return_index=True, return_inverse=True)
    return *_pick(points, starts, first), which


def _of_old(
    source: WordNumbers,
    target: WordNumbers,
    names: Sequence[str],
    arrays: dict[str, Array],
) -> PhraseTable:
    """The table of a file in the format of version 1, made anew in memory."""

    def flat(name: str, starts: str) -> tuple[Array, Array]:
        return arrays[name].astype(np.int64), arrays[starts]

    return make_table(
        source,
        target,
        flat("source_words", "source_starts"),
        flat("target_words", "target_starts"),
        arrays["scores"],
        names,
        reordering=arrays["reordering"],
        alignments=flat("alignment_points", "alignment_starts"),
        counts=arrays["counts"],
    )


def filter_table(
    table: PhraseTable, sentences: Iterable[Sequence[str]], most: int | None = None
) -> PhraseTable:
    """The entries whose source phrase occurs in some sentences.

    Of the targets of a phrase at most so many are kept, the likeliest by p(t|s).
    """
    longest = table.longest
    spans: dict[tuple[str, ...], range] = {}
    for words in sentences:
        for i in range(len(words)):
            for j in range(i + 1, min(len(words), i + longest) + 1):
                phrase = tuple(words[i:j])
                if phrase not in spans:
                    spans[phrase] = table.find(phrase)
    column = table.names.index("p(t|s)") if "p(t|s)" in table.names else 0
    kept: list[int] = []
    for entries in spans.values():
        if most is None or len(entries) <= most:
            kept.extend(entries)
            continue
        scores = table.scores[entries.start : entries.stop, column]
        order = np.argsort(-scores, kind="stable")[:most]
        kept.extend((entries.start + order).tolist())
    which = np.sort(np.array(kept, np.int64))
    points = table.points.astype(np.int64)
    return make_table(
        table.source,
        table.target,
        _pick(*table.source_phrases(), which),
        _pick(table.target_words.astype(np.int64), table.target_starts, which),
        table.scores[which],
        table.names,
        reordering=table.reordering[which],
        alignments=_pick(points, table.point_starts, table.alignments[which]),
        counts=table.counts[which],
    )


def table_of_counts(
    counts: PhraseCounts, scores: Array, orientations: Array | None
) -> PhraseTable:
    """The table of extracted phrase pairs with their probabilities."""
    spans = [
        (side.words, starts, lengths)
        for side, starts, lengths in (
            (counts.source, counts.sources, counts.source_lengths),
            (counts.target, counts.targets, counts.target_lengths),
        )
    ]
    phrases = [(words[_ranges(s, n)], _ends(n)) for words, s, n in spans]
    which, bits = np.nonzero(
        (counts.alignments[:, None] >> np.arange(LONGEST * LONGEST)) & 1
    )
    points = np.stack(np.divmod(bits, LONGEST), axis=1)
    starts = np.searchsorted(which, np.arange(len(counts) + 1))
    return make_table(
        counts.source.vocabulary,
        counts.target.vocabulary,
        phrases[0],
        phrases[1],
        np.log(scores),
        STANDARD,
        reordering=None if orientations is None else np.log(orientations),
        alignments=(points, starts),
        counts=np.column_stack(
            [counts.target_counts, counts.source_counts, counts.joint]
        ),
    )


def _build_trie(size: int, words: Array, starts: Array) -> tuple[Array, KeyNumbers]:
    """The node of every phrase, and the trie of them and their beginnings."""
    trie = KeyNumbers(len(starts))
    nodes = np.full(len(starts) - 1, -1, dtype=np.int64)
    lengths = np.diff(starts)
    for depth in range(int(lengths.max(initial=0))):
        mine = np.flatnonzero(lengths > depth)
        keys = (nodes[mine] + 1) * size + words[starts[mine] + depth]
        nodes[mine] = trie.add(keys)
    return nodes, trie


def _ranges(starts: Array, lengths: Array) -> Array:
    """The indices start, start + 1, … of every span, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        starts - (ends - lengths), lengths
    )


def _ends(lengths: Array) -> Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _pick(items: Array, starts: Array, order: Array) -> tuple[Array, Array]:
    """Some of the pieces of a flat array, and where each begins then."""
    lengths = np.diff(starts)[order]
    return items[_ranges(starts[:-1][order], lengths)], _ends(lengths)
