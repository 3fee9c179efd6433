"""Spans of tagged words, such as names, and how many are found.

A tag is `O`, or a letter for the place in a span and the type of the span: `B-person`.
Letters may be those of IOB2 (B, I) or of BIOES and BILOU (B, I, E or L, S or U). Spans
are read as CoNLL's script reads them: a tag that continues nothing begins a span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.evaluate.agreement import COLUMNS, Agreement, add
from anadrome.evaluate.tables import format_table

_PLACES = {"B": "B", "I": "I", "E": "E", "L": "E", "S": "S", "U": "S"}

Tags = Sequence[Sequence[str]]
"""The tags of the words of sentences."""


@dataclass(frozen=True, order=True)
class Span:
    """The words from `start` to before `end`, and what they are."""

    start: int
    end: int
    type: str


class InvalidTag(ValueError):
    """A tag of no known scheme."""


def spans_of(tags: Sequence[str]) -> list[Span]:
    """The spans of a sentence, from the left."""
    found: list[Span] = []
    start: int | None = None  # of the span that the word before is in
    before, kind = "O", ""
    for i, tag in enumerate(tags):
        place, type_ = _parse(tag, i)
        goes_on = place in "IE" and before in "BI" and type_ == kind
        if start is not None and not goes_on:
            found.append(Span(start, i, kind))
            start = None
        if place != "O" and not goes_on:
            start = i
        before, kind = place, type_
    if start is not None:
        found.append(Span(start, len(tags), kind))
    return found


def _parse(tag: str, i: int) -> tuple[str, str]:
    """The place in a span, as in BIOES, and the type."""
    if tag == "O":
        return "O", ""
    place, _, type_ = tag.partition("-")
    if place not in _PLACES:
        raise InvalidTag(
            f"word {i + 1} has the tag {tag!r}\nhelp: tags are O, or one of "
            f"{', '.join(_PLACES)} with a type, as in B-person"
        )
    return _PLACES[place], type_


@dataclass(frozen=True)
class SpanScores:
    """How well spans were found: all, those of each type, and the share of tags."""

    overall: Agreement
    types: dict[str, Agreement]
    accuracy: float

    @property
    def f1(self) -> float:
        """The F1 of all spans together."""
        return self.overall.f1

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the types."""
        if not self.types:
            return 0.0
        return sum(each.f1 for each in self.types.values()) / len(self.types)

    def table(self) -> str:
        """A line for each type and one for all."""
        return _table(self.types, self.overall)


def span_f1(predicted: Tags, gold: Tags) -> SpanScores:
    """Precision, recall and F1 of spans (Tjong Kim Sang and Buchholz 2000).

    A span is right if its type and both ends are. The two may use different letters.
    """
    right = total = 0
    for one, two in zip(predicted, gold):
        right += sum(a == b for a, b in zip(one, two))
        total += len(two)
    pairs = _pairs(predicted, gold)
    types = sorted({span.type for one, two in pairs for span in one | two})
    scores = {
        type_: add(
            Agreement(
                sum(span.type == type_ for span in one & two),
                sum(span.type == type_ for span in one),
                sum(span.type == type_ for span in two),
            )
            for one, two in pairs
        )
        for type_ in types
    }
    overall = add(scores.values())
    return SpanScores(overall, scores, right / total if total else 0.0)


@dataclass(frozen=True)
class SurfaceScores:
    """How well different names were found, all and those of each type."""

    overall: Agreement
    types: dict[str, Agreement]

    @property
    def f1(self) -> float:
        """The F1 of all surface forms together."""
        return self.overall.f1

    def table(self) -> str:
        """A line for each type and one for all."""
        return _table(self.types, self.overall)


def surface_f1(words: Tags, predicted: Tags, gold: Tags) -> SurfaceScores:
    """Precision, recall and F1 of the different pairs of words and type.

    However often a name occurs, it counts once, and it is right if it is found right
    once: the second measure of WNUT17 (Derczynski et al. 2017, section 5).
    """
    if len(words) != len(gold):
        raise ValueError(f"words of {len(words)} sentences, tags of {len(gold)}")
    Form = tuple[tuple[str, ...], str]
    found: set[Form] = set()
    there: set[Form] = set()
    right: set[Form] = set()
    for i, (sentence, (one, two)) in enumerate(zip(words, _pairs(predicted, gold))):
        if len(sentence) != len(gold[i]):
            raise ValueError(
                f"sentence {i + 1}: {len(sentence)} words, {len(gold[i])} tags"
            )
        for spans, forms in ((one, found), (two, there), (one & two, right)):
            forms |= {(tuple(sentence[s.start : s.end]), s.type) for s in spans}
    types = {
        type_: Agreement(
            *(sum(t == type_ for _, t in forms) for forms in (right, found, there))
        )
        for type_ in sorted({type_ for _, type_ in found | there})
    }
    return SurfaceScores(Agreement(len(right), len(found), len(there)), types)


def span_statistics(predicted: Tags, gold: Tags) -> np.ndarray:
    """Correct, predicted and gold spans (N, 3) of each sentence.

    For tests of significance, with `f1_of_sums`.
    """
    counts = [
        (len(one & two), len(one), len(two)) for one, two in _pairs(predicted, gold)
    ]
    return np.array(counts, dtype=np.float64).reshape(-1, 3)


def f1_of_sums(sums: np.ndarray) -> float:
    """The F1 of a corpus from the sums of its sentences' statistics."""
    correct, predicted, gold = sums
    return float(2 * correct / (predicted + gold)) if predicted + gold else 0.0


def _pairs(predicted: Tags, gold: Tags) -> list[tuple[set[Span], set[Span]]]:
    """The spans of each sentence, predicted and gold."""
    if len(predicted) != len(gold):
        raise ValueError(f"{len(predicted)} predictions for {len(gold)} sentences")
    made = []
    for i, (one, two) in enumerate(zip(predicted, gold)):
        if len(one) != len(two):
            raise ValueError(
                f"sentence {i + 1}: {len(one)} predicted tags for {len(two)} words"
            )
        try:
            made.append((set(spans_of(one)), set(spans_of(two))))
        except InvalidTag as error:
            raise InvalidTag(f"sentence {i + 1}: {error}") from None
    return made


def _table(types: dict[str, Agreement], overall: Agreement) -> str:
    rows = [[type_ or "(no type)", *each.cells()] for type_, each in types.items()]
    return format_table(["type", *COLUMNS], [*rows, ["all", *overall.cells()]])
