"""The phrase table: source phrases in a trie, and the target phrases of each.

A node of the trie is a number; the key of a child is (node + 1) · V + word, in a hash
table that compiled code reads. All is arrays, so that a file of them can be mapped into
memory and used at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from anadrome.smt.arrays_file import read_arrays, write_arrays
from anadrome.smt.counts import PhraseCounts
from anadrome.smt.extract import LONGEST
from anadrome.smt.hashing import KeyNumbers, find_key
from anadrome.smt.sentences import Array, WordNumbers

FORMAT = "anadrome phrase table 1"
STANDARD = ("p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)")
"""The scores of a table, in the order of Moses."""

_ARRAYS = (
    "slots",
    "numbers",
    "begins",
    "source_starts",
    "source_words",
    "target_starts",
    "target_words",
    "scores",
    "reordering",
    "alignment_starts",
    "alignment_points",
    "counts",
)


@dataclass(frozen=True)
class PhraseTable:
    """E phrase pairs, sorted by the node of their source phrase."""

    source: WordNumbers
    target: WordNumbers
    names: tuple[str, ...]  # of the scores
    slots: Array  # keys of the trie
    numbers: Array  # its nodes
    begins: Array  # (nodes + 1,) the entries of each node
    source_starts: Array  # (E + 1,)
    source_words: Array
    target_starts: Array  # (E + 1,)
    target_words: Array
    scores: Array  # (E, F) float32, logarithms
    reordering: Array  # (E, 6) float32, logarithms; or (E, 0)
    alignment_starts: Array  # (E + 1,)
    alignment_points: Array  # (A, 2) source and target position in the phrases
    counts: Array  # (E, 3) of the target, the source and the pair; or (E, 0)

    def __len__(self) -> int:
        return len(self.target_starts) - 1

    def source_phrase(self, entry: int) -> list[str]:
        """The words of the source side of an entry."""
        span = slice(self.source_starts[entry], self.source_starts[entry + 1])
        return [self.source.words[w] for w in self.source_words[span]]

    def target_phrase(self, entry: int) -> list[str]:
        """The words of the target side of an entry."""
        span = slice(self.target_starts[entry], self.target_starts[entry + 1])
        return [self.target.words[w] for w in self.target_words[span]]

    def alignment(self, entry: int) -> Array:
        """The alignment points inside of an entry."""
        span = slice(self.alignment_starts[entry], self.alignment_starts[entry + 1])
        return self.alignment_points[span]

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
        return replace(self, reordering=reordering.astype(np.float32))

    def save(self, path: Path) -> None:
        """Write the table to a file that `load` maps into memory."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        notes = {"names": list(self.names)}
        texts = {"source": self.source.words, "target": self.target.words}
        write_arrays(path, FORMAT, notes, texts, arrays)

    @classmethod
    def load(cls, path: Path) -> PhraseTable:
        """The table in a file; its arrays stay in the file until they are read."""
        notes, texts, arrays = read_arrays(path, FORMAT)
        return cls(
            WordNumbers(texts["source"]),
            WordNumbers(texts["target"]),
            tuple(notes["names"]),
            *(arrays[name] for name in _ARRAYS),
        )


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
    flat_points, first_points = alignments or (
        np.empty((0, 2), np.int64),
        np.zeros(count + 1, np.int64),
    )
    source_words, source_starts = _pick(*source_phrases, order)
    target_words, target_starts = _pick(*target_phrases, order)
    points, point_starts = _pick(flat_points, first_points, order)
    return PhraseTable(
        source,
        target,
        tuple(names),
        trie.slots,
        trie.numbers,
        begins,
        source_starts,
        source_words.astype(np.int32),
        target_starts,
        target_words.astype(np.int32),
        np.ascontiguousarray(scores[order], dtype=np.float32),
        np.empty((count, 0), np.float32)
        if reordering is None
        else np.ascontiguousarray(reordering[order], dtype=np.float32),
        point_starts,
        points.astype(np.int16),
        np.empty((count, 0)) if counts is None else counts[order],
    )


def filter_table(
    table: PhraseTable, sentences: Iterable[Sequence[str]], most: int | None = None
) -> PhraseTable:
    """The entries whose source phrase occurs in some sentences.

    Of the targets of a phrase at most so many are kept, the likeliest by p(t|s).
    """
    longest = int(np.diff(table.source_starts).max(initial=0))
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
    flat = table.alignment_points.astype(np.int64)
    return make_table(
        table.source,
        table.target,
        _pick(table.source_words.astype(np.int64), table.source_starts, which),
        _pick(table.target_words.astype(np.int64), table.target_starts, which),
        table.scores[which],
        table.names,
        reordering=table.reordering[which] if table.reordering.shape[1] else None,
        alignments=_pick(flat, table.alignment_starts, which),
        counts=table.counts[which] if table.counts.shape[1] else None,
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
