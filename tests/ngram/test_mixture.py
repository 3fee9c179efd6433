"""Mixtures: probabilities, weights from a text, perplexity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anadrome.ngram import NgramMixture, NgramModel, fit_weights

FALLBACK = (0.5, 1.0, 1.5)


def estimate(*sentences: str) -> NgramModel:
    return NgramModel.estimate(sentences, 2, fallback=FALLBACK, native=False)


ONE = estimate("a b a b", "a b", "b a")
OTHER = estimate("c c a", "a c c", "c")


def test_one_model_is_itself() -> None:
    text = ["a b x", "b"]
    alone, mixed = ONE.perplexity(text), NgramMixture([ONE]).perplexity(text)
    assert mixed.tokens == alone.tokens == 6
    assert mixed.unknown == alone.unknown == 1
    assert mixed.log10_prob == pytest.approx(alone.log10_prob)
    assert mixed.without_unknown == pytest.approx(alone.without_unknown)


def test_probability_is_the_weighted_mean() -> None:
    mixture = NgramMixture([ONE, OTHER], [3, 1])
    p = [
        [10**s.log10_prob for s in model.score_sentence(["a"])]
        for model in (ONE, OTHER)
    ]
    expected = sum(np.log10(0.75 * x + 0.25 * y) for x, y in zip(*p))
    assert mixture.perplexity(["a"]).log10_prob == pytest.approx(expected)


def test_words_of_one_model_only_and_of_none() -> None:
    mixture = NgramMixture([ONE, OTHER])
    # b and c are each known to one model; all words and <unk> sum to one.
    known = sum(
        10 ** (mixture.perplexity([w]).log10_prob - _end(mixture, w)) for w in "abc"
    )
    end = 10 ** mixture.perplexity([""]).log10_prob
    unknown = mixture.perplexity(["zzz"])
    assert unknown.unknown == 1
    rest = 10**unknown.log10_prob_unknown
    assert known + end + rest == pytest.approx(1.0)


def _end(mixture: NgramMixture, word: str) -> float:
    """The log10-probability of </s> after a word."""
    p = [10 ** m.score_sentence([word])[-1].log10_prob for m in mixture.models]
    return float(np.log10(p @ mixture.weights))


def test_weights_follow_the_text() -> None:
    mixture = NgramMixture.fit([ONE, OTHER], ["a b a b", "b a b", "a b c"])
    assert mixture.weights.sum() == pytest.approx(1.0)
    assert mixture.weights[0] > 0.6
    assert NgramMixture.fit([ONE, ONE], iter(["a b"])).weights == pytest.approx(0.5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 40))
def test_fitted_weights_are_the_best(seed: int, models: int, tokens: int) -> None:
    rng = np.random.default_rng(seed)
    probs = rng.random((tokens, models)) + 1e-3
    weights = fit_weights(probs)
    assert weights.sum() == pytest.approx(1.0)
    best = np.log(probs @ weights).sum()
    for other in rng.dirichlet(np.ones(models), size=20):
        assert np.log(probs @ other).sum() <= best + 1e-3


def test_bad_weights_and_probabilities() -> None:
    with pytest.raises(ValueError, match="2 weights for 1"):
        NgramMixture([ONE], [1, 2])
    with pytest.raises(ValueError, match="negative"):
        NgramMixture([ONE, OTHER], [1, -1])
    with pytest.raises(ValueError, match="at least one"):
        NgramMixture([])
    with pytest.raises(ValueError, match="not a number"):
        fit_weights(np.array([[0.1, np.nan]]))
