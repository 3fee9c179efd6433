"""Word alignment against direct transcriptions of the models."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma as scipy_digamma

from anadrome.smt.alignment.alignments import (
    alignment_error_rate,
    format_points,
    make_alignments,
    read_alignments,
    write_alignments,
)
from anadrome.smt.alignment.fast_align import (
    FastAlign,
    diagonal_distances,
    diagonal_priors,
    fit_tension,
    train_fast_align,
)
from anadrome.smt.alignment.hmm import Hmm, train_hmm
from anadrome.smt.alignment.ibm1 import train_ibm1
from anadrome.smt.alignment.links import digamma, link_words
from anadrome.smt.alignment.symmetrise import HEURISTICS, symmetrise
from anadrome.smt.sentences import number_sentences
from anadrome.text.errors import MalformedLine, UnequalCounts

SOURCE = ["the house", "the book", "a book", "the big house", "a"]
TARGET = ["das haus", "das buch", "ein buch", "das große haus", "ein"]


def corpus(lines):
    return number_sentences(line.split() for line in lines)


def transcribed_ibm1(source, target, iterations):
    """Model 1 as the paper has it, with dictionaries."""
    table = {}
    likelihoods = []
    for _ in range(iterations):
        counts = {}
        likelihood = 0.0
        for s, t in zip(source, target):
            words = [None, *s.split()]
            for f in t.split():
                p = {e: table.get((e, f), 1e-3) / len(words) for e in words}
                total = sum(p[e] for e in words)
                likelihood += math.log(total)
                for e in words:
                    counts[e, f] = counts.get((e, f), 0.0) + p[e] / total
        totals = {}
        for (e, _), c in counts.items():
            totals[e] = totals.get(e, 0.0) + c
        table = {(e, f): c / totals[e] for (e, f), c in counts.items()}
        likelihoods.append(likelihood)
    return table, likelihoods


def test_model_1_is_its_definition():
    source, target = corpus(SOURCE), corpus(TARGET)
    found = train_ibm1(source, target, iterations=4)
    table, likelihoods = transcribed_ibm1(SOURCE, TARGET, 4)
    assert found.likelihoods == pytest.approx(likelihoods)
    for p, e, f in zip(found.table, found.links.sources, found.links.targets):
        word = None if e == 0 else source.vocabulary.words[e - 1]
        assert p == pytest.approx(table[word, target.vocabulary.words[f]])


def test_likelihood_never_falls_under_plain_expectation_maximisation():
    source, target = corpus(SOURCE), corpus(TARGET)
    options = FastAlign(iterations=8, dirichlet=None, fixed_tension=True)
    for found in (
        train_ibm1(source, target, iterations=8),
        train_fast_align(source, target, options),
    ):
        assert all(b >= a - 1e-9 for a, b in itertools.pairwise(found.likelihoods))


def test_words_that_belong_together_are_aligned():
    source, target = corpus(SOURCE), corpus(TARGET)
    found = train_fast_align(source, target)
    assert found.alignment.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 2, 0]


def test_priors_of_a_position_sum_to_one():
    links = link_words(corpus(SOURCE), corpus(TARGET))
    priors = diagonal_priors(links, diagonal_distances(links), 4.0, 0.08)
    for n, m, start in links.blocks:
        block = priors[start : start + (n + 1) * m].reshape(m, n + 1)
        assert block.sum(axis=1) == pytest.approx(np.ones(m))
        assert block[:, 0] == pytest.approx(np.full(m, 0.08))


def test_tension_is_stationary_where_expected_distance_is_the_observed_one():
    links = link_words(corpus(SOURCE), corpus(TARGET))
    distances = diagonal_distances(links)
    # Expected counts of the model itself with tension 3.
    rows = np.repeat(links.occurrences, (links.blocks[:, 0] + 1) * links.blocks[:, 1])
    counts = diagonal_priors(links, distances, 3.0, 0.0) * rows
    assert fit_tension(links, distances, counts, 3.0) == pytest.approx(3.0)
    assert fit_tension(links, distances, counts, 2.0) > 2.0


@pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 3.7, 6.999, 20.0, 1e5])
def test_digamma(x):
    assert digamma(x) == pytest.approx(scipy_digamma(x), abs=1e-8)


def transcribed_symmetrisation(forward, backward, n, m, heuristic):
    """The heuristics over sets of points, in the order of positions."""
    a = {(i, j) for j, i in enumerate(forward) if i >= 0}
    b = {(i, j) for i, j in enumerate(backward) if j >= 0}
    if heuristic == "union":
        return a | b
    taken = a & b
    near = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    if "diag" in heuristic:
        near += [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    changed = heuristic.startswith("grow")
    while changed:
        changed = False
        for i, j in itertools.product(range(n), range(m)):
            if (i, j) not in taken:
                continue
            for p in [(i + di, j + dj) for di, dj in near]:
                free = p[0] not in {q[0] for q in taken}
                free |= p[1] not in {q[1] for q in taken}
                if p in a | b and p not in taken and free:
                    taken.add(p)
                    changed = True
    if "final" in heuristic:
        for side in (a, b):
            for p in sorted(side):
                frees = [p[k] not in {q[k] for q in taken} for k in (0, 1)]
                if (all if heuristic.endswith("and") else any)(frees):
                    taken.add(p)
    return taken


@st.composite
def two_alignments(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    forward = draw(st.lists(st.integers(-1, n - 1), min_size=m, max_size=m))
    backward = draw(st.lists(st.integers(-1, m - 1), min_size=n, max_size=n))
    return forward, backward


@settings(max_examples=60, deadline=None)
@given(two_alignments(), st.sampled_from(HEURISTICS))
def test_symmetrisation_is_its_definition(directions, heuristic):
    forward, backward = directions
    n, m = len(backward), len(forward)
    source = number_sentences([["a"] * n])
    target = number_sentences([["b"] * m])
    found = symmetrise(np.array(forward), np.array(backward), source, target, heuristic)
    wanted = transcribed_symmetrisation(forward, backward, n, m, heuristic)
    assert set(map(tuple, found[0].tolist())) == wanted


def test_pharaoh_format_comes_back(tmp_path):
    alignments = make_alignments([[(0, 0), (1, 2)], [], [(3, 1)]])
    write_alignments(tmp_path / "a", alignments)
    assert (tmp_path / "a").read_text() == "0-0 1-2\n\n3-1\n"
    again = read_alignments(tmp_path / "a")
    assert [format_points(p) for p in again] == ["0-0 1-2", "", "3-1"]


def test_malformed_alignments_are_located(tmp_path):
    path = tmp_path / "a"
    path.write_text("0-0\n0-x\n")
    with pytest.raises(MalformedLine, match=r"line 2.*'0-x'"):
        read_alignments(path)
    path.write_text("0-0\n1-0\n")
    one = number_sentences([["a"], ["b"]])
    with pytest.raises(MalformedLine, match=r"line 2.*outside of the source"):
        read_alignments(path, one, one)
    path.write_text("0-0\n")
    with pytest.raises(UnequalCounts, match="1 alignments of 2"):
        read_alignments(path, one, one)


def test_alignment_error_rate():
    found = make_alignments([[(0, 0), (1, 1), (2, 2)]])
    sure = make_alignments([[(0, 0), (3, 3)]])
    possible = make_alignments([[(1, 1)]])
    # |A ∩ S| = 1, |A ∩ P| = 2, |A| = 3, |S| = 2
    assert alignment_error_rate(found, sure, possible) == pytest.approx(1 - 3 / 5)
    assert alignment_error_rate(found, found) == 0.0


def test_hmm_is_the_sum_over_all_alignments():
    # One iteration: the likelihood is that of the lexical table of Model 1 with jumps
    # that are all alike, so that every position follows every other equally often.
    source, target = corpus(SOURCE), corpus(TARGET)
    found = train_hmm(source, target, Hmm(iterations=1, first=3, null=0.1))
    table, _ = transcribed_ibm1(SOURCE, TARGET, 3)
    likelihood = 0.0
    for s, t in zip(SOURCE, TARGET):
        words = [None, *s.split()]
        moves = [0.1] + [0.9 / (len(words) - 1)] * (len(words) - 1)
        total = 0.0
        for path in itertools.product(range(len(words)), repeat=len(t.split())):
            p = 1.0
            for i, f in zip(path, t.split()):
                p *= moves[i] * table[words[i], f]
            total += p
        likelihood += math.log(total)
    assert found.likelihoods[0] == pytest.approx(likelihood, abs=1e-6)


def test_hmm_learns_jumps():
    # In the target the two words are always the other way round.
    lines = ["a b", "c d", "b e", "d a", "e c"] * 4
    target = corpus(" ".join(reversed(line.upper().split())) for line in lines)
    found = train_hmm(corpus(lines), target, Hmm(dirichlet=None))
    assert found.alignment.tolist() == [1, 0] * len(lines)
    assert all(b >= a - 1e-6 for a, b in itertools.pairwise(found.likelihoods[1:]))
