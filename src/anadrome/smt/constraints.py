"""Translations of which parts are given: names, terms, what a person has decided.

A given span of the source is one token that only the given words translate. The rest
has its phrases as always, in a small table for this sentence alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anadrome.options import OptionError
from anadrome.smt.decoder import Decoder, Derivation, UsedPhrase
from anadrome.smt.extract import LONGEST
from anadrome.smt.phrase_table import make_table
from anadrome.smt.repeated import Repeated
from anadrome.smt.sentences import Array, WordNumbers

GIVEN = -2
"""The entry of a phrase that was given."""

_CONSTRAINT = re.compile(r"(\d+)(?:-(\d+))?=(.*)")


@dataclass(frozen=True)
class Given:
    """Source words start to end - 1, and what they must become."""

    start: int
    end: int
    target: tuple[str, ...]


def parse_constraints(line: str) -> tuple[str, list[Given]]:
    """The sentence of a line, and what stands after tabs: `0-1=das Haus`."""
    text, *cells = line.split("\t")
    found = []
    for cell in cells:
        match = _CONSTRAINT.fullmatch(cell.strip())
        if match is None or not match[3].split():
            raise OptionError(
                f"{cell!r} is no constraint\n"
                "help: as in 0-1=das Haus, first and last word from 0, or 3=klein"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        found.append(Given(first, last + 1, tuple(match[3].split())))
    return text, found


def translate_given(
    decoder: Decoder,
    words: Sequence[str],
    given: Sequence[Given],
    count: int = 1,
    *,
    distinct: bool = True,
) -> list[Derivation]:
    """The best translations of a sentence of which parts are given."""
    if not given:
        return decoder.n_best(words, count, distinct=distinct)
    spans = _tokens(words, given)
    by_start = {g.start: g for g in given}
    known = decoder.table
    source, target = WordNumbers(map(str, range(len(spans)))), WordNumbers()
    phrases: tuple[list[int], list[int]] = ([], [])
    starts: tuple[list[int], list[int]] = ([0], [0])
    entries: list[int] = []

    def add(first: int, last: int, said: Sequence[str], entry: int) -> None:
        phrases[0].extend(range(first, last))
        phrases[1].extend(map(target.add, said))
        for side in (0, 1):
            starts[side].append(len(phrases[side]))
        entries.append(entry)

    for i, (begin, _) in enumerate(spans):
        if begin in by_start:
            add(i, i + 1, by_start[begin].target, GIVEN)
            continue
        for j in range(i + 1, min(len(spans), i + LONGEST) + 1):
            if spans[j - 1][0] in by_start:
                break
            for entry in known.find(words[begin : spans[j - 1][1]]):
                add(i, j, known.target_phrase(entry), entry)
    chosen = np.array(entries, np.int64)
    table = make_table(
        source,
        target,
        (np.array(phrases[0], np.int64), np.array(starts[0], np.int64)),
        (np.array(phrases[1], np.int64), np.array(starts[1], np.int64)),
        _rows(known.scores, chosen),
        known.names,
        reordering=_rows(known.reordering, chosen),
        counts=chosen[:, None].astype(float),
    )
    small = Decoder(
        table, decoder.lm, decoder.weights, decoder.searching, decoder.network
    )
    tokens = [" ".join(words[begin:end]) for begin, end in spans]
    found = small.n_best(
        tokens, count, distinct=distinct, numbers=np.arange(len(spans))
    )

    def back(phrase: UsedPhrase) -> UsedPhrase:
        entry = phrase.entry
        return UsedPhrase(
            spans[phrase.start][0],
            spans[phrase.end - 1][1],
            phrase.target,
            entry if entry < 0 else int(table.counts[entry][0]),
        )

    return [replace(made, phrases=tuple(map(back, made.phrases))) for made in found]


def _tokens(words: Sequence[str], given: Sequence[Given]) -> list[tuple[int, int]]:
    """The spans of the tokens: a given one is one."""
    spans = []
    at = 0
    for each in sorted(given, key=lambda g: g.start):
        if each.end > len(words) or each.end <= each.start:
            raise OptionError(
                f"the constraint {each.start}-{each.end - 1} is outside of a sentence "
                f"of {len(words)} words"
            )
        if each.start < at:
            raise OptionError(
                f"the constraint {each.start}-{each.end - 1} overlaps another one"
            )
        spans += [(k, k + 1) for k in range(at, each.start)]
        spans.append((each.start, each.end))
        at = each.end
    return spans + [(k, k + 1) for k in range(at, len(words))]


def _rows(scores: Array | Repeated, entries: Array) -> Array:
    """The scores of entries; what is given has the logarithm of 1."""
    return np.where((entries >= 0)[:, None], scores[np.maximum(entries, 0)], 0.0)
