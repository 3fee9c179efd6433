"""Phrase pairs against a direct transcription of their definition."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from anadrome.smt.alignment.alignments import make_alignments
from anadrome.smt.counts import count_phrases
from anadrome.smt.extract import LONGEST, extract_phrases
from anadrome.smt.lexical import count_words
from anadrome.smt.scoring import (
    is_significant,
    score_orientations,
    score_phrases,
    significance,
)
from anadrome.smt.sentences import number_sentences


@st.composite
def aligned(draw):
    """Sentence pairs of few words, and points."""
    pairs = []
    for _ in range(draw(st.integers(1, 3))):
        n, m = draw(st.integers(1, 8)), draw(st.integers(1, 8))
        words = [
            draw(st.lists(st.sampled_from("abc"), min_size=k, max_size=k))
            for k in (n, m)
        ]
        cells = list(itertools.product(range(n), range(m)))
        points = draw(st.sets(st.sampled_from(cells), max_size=8))
        pairs.append((words[0], words[1], points))
    return pairs


def transcribed(source, target, points, longest):
    """Every pair of spans that is consistent (thesis, 2.3)."""
    n, m = len(source), len(target)
    for i0, j0 in itertools.product(range(n), range(m)):
        for i1 in range(i0, min(n, i0 + longest)):
            for j1 in range(j0, min(m, j0 + longest)):
                inside = [(i, j) for i, j in points if i0 <= i <= i1 and j0 <= j <= j1]
                touching = [(i, j) for i, j in points if i0 <= i <= i1 or j0 <= j <= j1]
                if inside and len(inside) == len(touching):
                    yield i0, i1, j0, j1, tuple(sorted(inside))


def orientation(points, straight, turned, at_end):
    straight = at_end or straight in points
    turned = turned in points
    return 2 if straight == turned else 0 if straight else 1


def numbered(pairs):
    return (
        number_sentences(p[0] for p in pairs),
        number_sentences(p[1] for p in pairs),
        make_alignments(p[2] for p in pairs),
    )


@settings(max_examples=80, deadline=None)
@given(aligned(), st.integers(1, 7))
def test_extraction_is_its_definition(pairs, longest):
    source, target, alignments = numbered(pairs)
    found = extract_phrases(source, target, alignments, longest)
    wanted = []
    for k, (s, t, points) in enumerate(pairs):
        for i0, i1, j0, j1, inside in transcribed(s, t, points, longest):
            bits = sum(1 << (LONGEST * (i - i0) + j - j0) for i, j in inside)
            before = orientation(
                points, (i0 - 1, j0 - 1), (i1 + 1, j0 - 1), i0 == j0 == 0
            )
            end = i1 == len(s) - 1 and j1 == len(t) - 1
            after = orientation(points, (i1 + 1, j1 + 1), (i0 - 1, j1 + 1), end)
            wanted.append(
                (
                    source.starts[k] + i0,
                    i1 - i0 + 1,
                    target.starts[k] + j0,
                    j1 - j0 + 1,
                    bits,
                    before,
                    after,
                )
            )
    columns = [getattr(found, name) for name in found.__dataclass_fields__]
    assert sorted(zip(*(c.tolist() for c in columns))) == sorted(wanted)


@settings(max_examples=25, deadline=None)
@given(aligned())
def test_counts_and_scores_are_relative_frequencies(pairs):
    source, target, alignments = numbered(pairs)
    extracted = extract_phrases(source, target, alignments)
    if not len(extracted):
        return
    counts = count_phrases(source, target, extracted)
    scores = score_phrases(counts, count_words(source, target, alignments))
    joint, left, right, shapes = Counter(), Counter(), Counter(), Counter()
    words = Counter()
    for s, t, points in pairs:
        for i0, i1, j0, j1, inside in transcribed(s, t, points, 7):
            p = (tuple(s[i0 : i1 + 1]), tuple(t[j0 : j1 + 1]))
            joint[p] += 1
            left[p[0]] += 1
            right[p[1]] += 1
            shapes[p, tuple((i - i0, j - j0) for i, j in inside)] += 1
        words.update((s[i], t[j]) for i, j in points)
        words.update((a, None) for i, a in enumerate(s) if i not in dict(points))
        reached = {j for _, j in points}
        words.update((None, b) for j, b in enumerate(t) if j not in reached)
    total_s, total_t = Counter(), Counter()
    for (a, b), c in words.items():
        total_s[a] += c
        total_t[b] += c
    assert len(counts) == len(joint)
    for k in range(len(counts)):
        p = tuple(
            tuple(side.vocabulary.words[w] for w in side.words[at : at + size])
            for side, at, size in (
                (source, counts.sources[k], counts.source_lengths[k]),
                (target, counts.targets[k], counts.target_lengths[k]),
            )
        )
        assert counts.joint[k] == joint[p]
        assert scores[k, 0] == pytest.approx(joint[p] / right[p[1]])
        assert scores[k, 2] == pytest.approx(joint[p] / left[p[0]])
        bits = int(counts.alignments[k])
        inside = [
            (i, j)
            for i in range(len(p[0]))
            for j in range(len(p[1]))
            if bits >> (LONGEST * i + j) & 1
        ]
        assert shapes[p, tuple(inside)] == max(
            c for (q, _), c in shapes.items() if q == p
        )
        direct = 1.0
        for j, b in enumerate(p[1]):
            heads = [p[0][i] for i, jj in inside if jj == j] or [None]
            direct *= sum(words[a, b] / total_s[a] for a in heads) / len(heads)
        inverse = 1.0
        for i, a in enumerate(p[0]):
            heads = [p[1][j] for ii, j in inside if ii == i] or [None]
            inverse *= sum(words[a, b] / total_t[b] for b in heads) / len(heads)
        assert scores[k, 3] == pytest.approx(direct, abs=1e-6)
        assert scores[k, 1] == pytest.approx(inverse, abs=1e-6)


def example():
    lines = ["a b c", "a b", "b c", "a c", "c c b"] * 3
    pairs = [(w.split(), w.upper().split(), {(i, i) for i in range(len(w.split()))})
             for w in lines]  # fmt: skip
    source, target, alignments = numbered(pairs)
    counts = count_phrases(source, target, extract_phrases(source, target, alignments))
    return counts, count_words(source, target, alignments)


@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
def test_smoothed_scores_are_probabilities_and_not_higher_for_rare_pairs(smoothing):
    counts, lexical = example()
    raw = score_phrases(counts, lexical)
    smooth = score_phrases(counts, lexical, smoothing)
    assert np.all(smooth > 0)
    assert np.all(smooth <= 1)
    assert np.array_equal(raw[:, [1, 3]], smooth[:, [1, 3]])
    for column, numbers in ((0, counts.target_numbers), (2, counts.source_numbers)):
        assert np.all(np.bincount(numbers, weights=smooth[:, column]) <= 1 + 1e-9)


def test_orientations_sum_to_one():
    counts, _ = example()
    scores = score_orientations(counts)
    assert scores[:, :3].sum(axis=1) == pytest.approx(np.ones(len(counts)))
    assert scores[:, 3:].sum(axis=1) == pytest.approx(np.ones(len(counts)))
    assert counts.orientations[:, :3].sum(axis=1) == pytest.approx(counts.joint)


def test_significance_is_fisher_s_exact_test():
    counts, _ = example()
    found = significance(counts, 15)
    for k in range(len(counts)):
        left = min(counts.source_counts[k], 15)
        right = min(counts.target_counts[k], 15)
        joint = min(counts.joint[k], left, right)
        p = hypergeom.sf(joint - 1, 15, left, right)
        assert found[k] == pytest.approx(-math.log(p), abs=1e-9)
    kept = counts.keep(is_significant(counts, 15, 5.0))
    assert 0 < len(kept) < len(counts)


def test_phrases_longer_than_bits_allow_are_refused():
    source, target, alignments = numbered([(["a"], ["b"], {(0, 0)})])
    with pytest.raises(ValueError, match="1 to 7"):
        extract_phrases(source, target, alignments, 8)
