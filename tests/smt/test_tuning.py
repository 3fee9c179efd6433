"""Tuning: the line search against a scan, BLEU against sacrebleu, better weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from smt.tiny_models import SOURCE, random_lm, random_table

from anadrome.smt import mert, mira
from anadrome.smt.bleu_counts import WIDTH, bleu_of, count_matches
from anadrome.smt.candidates import CandidatePool, Candidates
from anadrome.smt.decoder import Decoder, Searching
from anadrome.smt.sentences import number_sentences
from anadrome.smt.tune import Tuning, tune


def random_candidates(rng, sentences=6, features=3):
    pool = CandidatePool(sentences, features)
    for s in range(sentences):
        count = rng.integers(1, 9)
        totals = np.sort(rng.integers(4, 12, (count, 4)), axis=1)[:, ::-1]
        matches = np.minimum(np.sort(rng.integers(1, 9, (count, 4)))[:, ::-1], totals)
        reference = np.full((count, 1), 8)
        rows = np.hstack([matches, totals, reference]).astype(float)
        pool.add(s, rng.normal(size=(count, features)), rows)
    return pool.candidates()


def bleu_at(candidates, weights):
    return float(bleu_of(candidates.statistics[candidates.best(weights)].sum(axis=0)))


@pytest.mark.parametrize("seed", range(20))
def test_line_search_is_a_scan_of_all_intervals(seed):
    rng = np.random.default_rng(seed)
    candidates = random_candidates(rng)
    weights, direction = rng.normal(size=(2, 3))
    # BLEU changes only where two candidates of a sentence have the same score.
    points = []
    for s in range(len(candidates)):
        rows = candidates.values[candidates.starts[s] : candidates.starts[s + 1]]
        a, b = rows @ weights, rows @ direction
        for i in range(len(rows)):
            for j in range(i):
                if abs(b[i] - b[j]) > 1e-12:
                    points.append((a[i] - a[j]) / (b[j] - b[i]))
    points = sorted(points)
    places = [
        points[0] - 1,
        *((x + y) / 2 for x, y in itertools.pairwise(points) if y - x > 1e-9),
        points[-1] + 1,
    ]
    best = max(bleu_at(candidates, weights + g * direction) for g in places)
    found = mert.line_search(candidates, weights, direction)
    assert found.bleu == pytest.approx(best)
    assert bleu_at(candidates, weights + found.gamma * direction) == pytest.approx(best)


def test_line_search_stays_where_nothing_is_better():
    rows = np.zeros((2, WIDTH)) + 4.0
    candidates = Candidates(np.array([[1.0], [0.0]]), rows, np.array([0, 2]))
    assert mert.line_search(candidates, np.ones(1), np.ones(1)).gamma == 0.0


@pytest.mark.parametrize("method", [mert, mira])
def test_weights_get_better_and_fixed_ones_stay(method):
    rng = np.random.default_rng(5)
    candidates = random_candidates(rng, sentences=15)
    start = np.array([0.1, -0.2, 0.3])
    fixed = np.array([False, False, True])
    weights, bleu = method.optimise(candidates, start, fixed, rng)
    assert bleu > bleu_at(candidates, start)
    assert bleu == pytest.approx(bleu_at(candidates, weights))
    assert weights[2] == start[2]


SENTENCE = st.lists(st.sampled_from("abcd"), min_size=4, max_size=9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=4))
def test_bleu_is_that_of_sacrebleu(pairs):
    rows = np.zeros(WIDTH)
    for said, wanted in pairs:
        numbers = number_sentences([said, wanted])
        rows += count_matches(numbers[0], np.array([0, len(said)]), numbers[1])[0]
    score = sacrebleu.corpus_bleu(
        [" ".join(p[0]) for p in pairs],
        [[" ".join(p[1]) for p in pairs]],
        tokenize="none",
        smooth_method="none",
        force=True,
    ).score
    assert 100 * float(bleu_of(rows)) == pytest.approx(score, abs=1e-6)


def test_known_candidates_are_not_added_again():
    pool = CandidatePool(1, 2)
    values, rows = np.array([[1.0, 2.0], [1.0, 2.0]]), np.ones((2, WIDTH))
    assert pool.add(0, values, rows) == 1
    assert pool.add(0, values + 1e-7, rows) == 0
    assert pool.add(0, values + 1, rows) == 1
    assert len(pool.candidates().values) == 2


@pytest.mark.parametrize("method", ["mert", "mira"])
def test_tuning_raises_bleu_and_leaves_the_best_weights(method):
    rng = np.random.default_rng(3)
    table, lm = random_table(rng, scores=4), random_lm(rng)
    searching = Searching(stack=20, distortion=2)
    teacher = Decoder(table, lm, searching=searching)
    teacher.weights = rng.uniform(0.0, 1.0, teacher.features.size)
    teacher.weights[3] = 1.0
    sources = [list(rng.choice(list(SOURCE), 5)) for _ in range(25)]
    references = [teacher.translate(s).words for s in sources]
    decoder = Decoder(table, lm, searching=searching)
    options = Tuning(method=method, iterations=3, candidates=20, restarts=3)
    steps = list(tune(decoder, sources, references, options))
    best = max(steps, key=lambda s: s.decoded)
    assert best.decoded > steps[0].decoded
    assert np.array_equal(decoder.weights, best.weights)
    assert steps[0].new > 0
