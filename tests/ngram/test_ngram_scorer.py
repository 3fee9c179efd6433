"""An n-gram model in search."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anadrome.decode import Limits, beam_search, exhaustive_search
from anadrome.ngram import NgramModel, NgramScorer
from anadrome.text import BOS, EOS, UNK, Vocabulary

SENTENCES = ["a b a c", "a b b", "c a b a", "b", "a b a a"]
MODEL = NgramModel.estimate(SENTENCES, 3, fallback=(0.5, 1, 1.5), native=False)
VOCABULARY = Vocabulary(["c", "b", "a", "z"])


def test_scores_are_the_model_s() -> None:
    scorer = NgramScorer(MODEL, VOCABULARY)
    state = scorer.start(2)
    state, first = scorer.step(state, np.array([BOS, BOS]))
    assert first.shape == (2, len(VOCABULARY))
    a, b = VOCABULARY["a"], VOCABULARY["b"]
    expected = [s.log10_prob * math.log(10) for s in MODEL.score_sentence(["a", "b"])]
    assert first[0, a] == pytest.approx(expected[0])
    state, second = scorer.step(
        scorer.reorder(state, np.array([1, 0])), np.array([a, b])
    )
    assert second[0, b] == pytest.approx(expected[1])
    state, third = scorer.step(state, np.array([b, b]))
    assert third[0, EOS] == pytest.approx(expected[2])
    # Every token but <s> and padding, and <unk> once, share a probability of one.
    total = np.exp(third[0, [EOS, UNK, VOCABULARY["c"], a, b]]).sum()
    assert total == pytest.approx(1.0, abs=1e-6)
    assert third[0, VOCABULARY["z"]] == third[0, UNK]


def test_beam_finds_what_exhaustive_search_finds() -> None:
    scorer = NgramScorer(MODEL, VOCABULARY)
    limits = Limits(max_length=4, forbidden=(0, BOS, UNK))
    best = exhaustive_search(scorer, 2, 2, limits=limits)
    found = beam_search(scorer, 2, 2, beam=200, limits=limits)
    assert found[0][0].tokens == best[0][0].tokens == found[1][0].tokens
    words = VOCABULARY.decode(found[0][0].tokens)
    total = sum(s.log10_prob for s in MODEL.score_sentence(words))
    assert found[0][0].log_prob == pytest.approx(total * math.log(10))
