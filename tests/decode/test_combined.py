"""Scorers together: ensembles and shallow fusion; outputs that are given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import HistoryModel, TableModel

from anadrome.decode import (
    CoveragePenalty,
    Limits,
    Mixture,
    PowerPenalty,
    Product,
    ShallowFusion,
    beam_search,
    exhaustive_search,
    greedy_search,
    score_outputs,
)

SEEDS = st.integers(0, 10_000)
LIMITS = Limits(max_length=5)


def outputs(found):
    return [[(h.tokens, pytest.approx(h.score)) for h in mine] for mine in found]


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.sampled_from([Mixture, Product]))
def test_an_ensemble_of_one_is_that_one(seed, kind):
    options = {"beam": 4, "n_best": 4, "limits": LIMITS}
    one = beam_search(HistoryModel(seed), range(3), 3, **options)
    for members in ([HistoryModel(seed)], [HistoryModel(seed)] * 3):
        found = beam_search(kind(members), range(3), 3, **options)
        assert outputs(found) == outputs(one)
        np.testing.assert_allclose(found[0][0].attention, one[0][0].attention)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.sampled_from([Mixture, Product, ShallowFusion]))
def test_a_wide_beam_over_several_is_exhaustive(seed, kind):
    members = [HistoryModel(seed, 5), HistoryModel(seed + 1, 5)]
    scorer = kind(*members, 0.3) if kind is ShallowFusion else kind(members)
    options = {"limits": Limits(max_length=4), "n_best": 5}
    every = exhaustive_search(scorer, range(2), 2, **options)
    found = beam_search(scorer, range(2), 2, beam=200, **options)
    assert outputs(found) == outputs(every)
    greedy = greedy_search(scorer, range(2), 2, limits=LIMITS)
    narrow = beam_search(scorer, range(2), 2, beam=1, limits=LIMITS)
    assert [h.tokens for h in greedy] == [mine[0].tokens for mine in narrow]


def step_of(scorer):
    _, log_probs = scorer.step(scorer.start([0]), np.array([1]))
    return np.exp(log_probs[0])


P, Q = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.4, 0.2, 0.0])


def members():
    with np.errstate(divide="ignore"):
        return [TableModel([np.log(P)]), TableModel([np.log(Q)])]


def test_a_mixture_by_hand():
    np.testing.assert_allclose(step_of(Mixture(members())), (P + Q) / 2)
    weighted = step_of(Mixture(members(), weights=[3, 1]))
    np.testing.assert_allclose(weighted, 0.75 * P + 0.25 * Q)
    np.testing.assert_allclose(step_of(Mixture(members(), weights=[1, 0])), P)


def test_a_product_by_hand():
    root = np.sqrt(P * Q)
    np.testing.assert_allclose(step_of(Product(members())), root / root.sum())
    np.testing.assert_allclose(step_of(Product(members(), weights=[2, 0])), P)


def test_fusion_by_hand():
    fused = step_of(ShallowFusion(*members(), weight=0.5))
    np.testing.assert_allclose(fused, P * np.sqrt(Q))


def test_members_may_read_different_sources():
    views = [lambda source: source[0], lambda source: source[1]]
    scorer = Mixture([HistoryModel(0), HistoryModel(0)], views=views)
    plain = Mixture([HistoryModel(0)])
    found = beam_search(scorer, ([2, 3], [2, 3]), 2, limits=LIMITS)
    assert outputs(found) == outputs(beam_search(plain, [2, 3], 2, limits=LIMITS))
    language = HistoryModel(5)
    fused = ShallowFusion(HistoryModel(0), language, 0.5, view=lambda s: [0] * len(s))
    (best,) = greedy_search(fused, [3], 1, limits=LIMITS)
    total, attention = HistoryModel(0).score_tokens(3, best.tokens)
    total += 0.5 * language.score_tokens(0, best.tokens)[0]
    assert best.log_prob == pytest.approx(total)
    np.testing.assert_allclose(best.attention, attention)


def test_members_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"different shapes: \(1, 4\), \(1, 6\)"):
        greedy_search(Mixture([members()[0], HistoryModel(0)]), [0], 1)
    with pytest.raises(ValueError, match="3 weights for 2 scorers"):
        Mixture(members(), weights=[1, 1, 1])
    with pytest.raises(ValueError, match="negative"):
        Product(members(), weights=[1, -1])
    with pytest.raises(ValueError, match="at least one"):
        Product([])


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.booleans())
def test_forced_scores_are_those_of_the_search(seed, ensemble):
    model = HistoryModel(seed)
    scorer = Mixture([model, HistoryModel(seed + 1)]) if ensemble else model
    options = {"penalty": PowerPenalty(0.8), "coverage": CoveragePenalty(0.3)}
    found = beam_search(scorer, range(3), 3, beam=4, n_best=4, limits=LIMITS, **options)
    owners = [i for i, mine in enumerate(found) for _ in mine]
    flat = [h for mine in found for h in mine]
    order = np.random.default_rng(seed).permutation(len(flat))
    forced = score_outputs(
        scorer, range(3), [flat[i].tokens for i in order],
        owners=[owners[i] for i in order], **options,
    )  # fmt: skip
    for i, made in zip(order, forced, strict=True):
        assert made.tokens == flat[i].tokens
        assert made.score == pytest.approx(flat[i].score, abs=1e-9)
        assert made.log_prob == pytest.approx(flat[i].log_prob)
        assert made.token_log_probs.sum() == pytest.approx(made.log_prob)
        np.testing.assert_allclose(made.attention, flat[i].attention)


def test_every_token_has_its_log_probability():
    model = HistoryModel(7)
    (made,) = score_outputs(model, [5], [[3, 4, 2]])
    wanted = [
        model.log_probs(5, (1, 3, 4)[: t + 1])[w] for t, w in enumerate((3, 4, 2))
    ]
    np.testing.assert_allclose(made.token_log_probs, wanted)
    assert sum(model.rows) == 3


def test_wrong_outputs_are_refused():
    model = HistoryModel(0)
    assert score_outputs(model, [0], []) == []
    with pytest.raises(ValueError, match="output 1 has no tokens"):
        score_outputs(model, [0, 1], [[3], []])
    with pytest.raises(ValueError, match="output 1 holds the token 6"):
        score_outputs(model, [0, 1], [[3], [6, 3]])
    with pytest.raises(ValueError, match="1 sentences for 2 outputs"):
        score_outputs(model, [0, 1], [[3], [3]], owners=[0])
    with pytest.raises(FloatingPointError, match="NaN"):
        score_outputs(TableModel([np.full(4, np.nan)]), [0], [[3]])
