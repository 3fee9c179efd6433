import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import HistoryModel, TableModel

import anadrome as ad
from anadrome.decode import (
    AtFirst,
    Limits,
    NoPenalty,
    OffsetPenalty,
    PowerPenalty,
    WhenCertain,
    WhenFull,
    WordReward,
    beam_search,
    exhaustive_search,
    greedy_search,
)
from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.decode.selection import extend, take_best

PENALTIES = [NoPenalty(), PowerPenalty(1.0), PowerPenalty(0.5), OffsetPenalty(0.8),
             WordReward(0.4)]  # fmt: skip
SEEDS = st.integers(0, 10_000)


def assert_same(one, two):
    assert len(one) == len(two)
    for found, expected in zip(one, two):
        assert found.tokens == expected.tokens
        assert found.finished == expected.finished
        np.testing.assert_allclose(found.log_prob, expected.log_prob)
        np.testing.assert_allclose(found.score, expected.score)
        np.testing.assert_allclose(found.attention, expected.attention)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(PENALTIES), st.integers(1, 3))
def test_a_wide_beam_is_exhaustive(seed, penalty, min_length):
    limits = Limits(max_length=4, min_length=min_length)
    source = np.array([0, 1, 2])
    # Vocabulary 5 without <pad> and <s>: at most 3^3 prefixes live at a time.
    every = exhaustive_search(
        HistoryModel(seed, 5), source, 3, limits=limits, n_best=6, penalty=penalty
    )
    for stopping in (WhenCertain(), WhenFull()):
        found = beam_search(
            HistoryModel(seed, 5), source, 3, beam=200, n_best=6, penalty=penalty,
            limits=limits, stopping=stopping,
        )  # fmt: skip
        for one, two in zip(found, every):
            assert_same(one, two)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(1, 3))
def test_a_beam_of_one_is_greedy(seed, max_length, min_length):
    limits = Limits(max_length=max(max_length, min_length), min_length=min_length)
    source = np.arange(4)
    beams = beam_search(HistoryModel(seed), source, 4, beam=1, limits=limits)
    greedy = greedy_search(HistoryModel(seed), source, 4, limits=limits)
    assert_same([found[0] for found in beams], greedy)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 6), st.sampled_from(PENALTIES))
def test_batching_changes_nothing(seed, beam, penalty):
    options = {"beam": beam, "n_best": beam, "penalty": penalty,
               "limits": Limits(max_length=7)}  # fmt: skip
    together = beam_search(HistoryModel(seed), np.arange(5), 5, **options)
    for sentence, found in enumerate(together):
        alone = beam_search(HistoryModel(seed), np.array([sentence]), 1, **options)
        assert_same(found, alone[0])


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 6), st.sampled_from(PENALTIES))
def test_what_is_reported_is_what_the_model_says(seed, beam, penalty):
    limits = Limits(max_length=6)
    model = HistoryModel(seed)
    found = beam_search(
        model, np.arange(3), 3, beam=beam, n_best=beam, penalty=penalty, limits=limits
    )
    for sentence, hypotheses in enumerate(found):
        assert hypotheses
        ranks = [(not h.finished, -h.score) for h in hypotheses]
        assert ranks == sorted(ranks)
        assert len({h.tokens for h in hypotheses}) == len(hypotheses)
        for h in hypotheses:
            log_prob, attention = model.score_tokens(sentence, h.tokens)
            np.testing.assert_allclose(h.log_prob, log_prob)
            np.testing.assert_allclose(h.attention, attention)
            np.testing.assert_allclose(h.score, penalty.score(log_prob, len(h.tokens)))
            assert h.finished == (h.tokens[-1] == limits.eos)
            assert limits.eos not in h.tokens[:-1]
            assert not {0, 1} & set(h.tokens)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(2, 6), st.sampled_from(PENALTIES))
def test_stopping_when_certain_changes_nothing(seed, beam, penalty):
    options = {"beam": beam, "n_best": 2, "penalty": penalty,
               "limits": Limits(max_length=9)}  # fmt: skip
    patient, quick = HistoryModel(seed, spread=2.0), HistoryModel(seed, spread=2.0)
    expected = beam_search(patient, np.arange(3), 3, stopping=WhenFull(), **options)
    found = beam_search(quick, np.arange(3), 3, stopping=WhenCertain(), **options)
    for one, two in zip(found, expected):
        assert_same(one, two)
    assert sum(quick.rows) <= sum(patient.rows)


def test_stopping_when_certain_saves_steps():
    spared = 0
    for seed in range(20):
        patient, quick = HistoryModel(seed, spread=2.0), HistoryModel(seed, spread=2.0)
        for model, rule in ((patient, WhenFull()), (quick, WhenCertain())):
            beam_search(model, np.arange(2), 2, beam=4, stopping=rule,
                        limits=Limits(max_length=20))  # fmt: skip
        spared += sum(patient.rows) - sum(quick.rows)
    assert spared > 0


def logs(*probabilities):
    with np.errstate(divide="ignore"):
        return np.log(np.array(probabilities))


def test_stopping_at_the_first():
    # </s> has number 2; a longer output is likelier per token.
    table = [logs(0, 0, 0.4, 0.6), logs(0, 0, 0.9, 0.1), logs(0, 0, 1, 0)]
    options = {"beam": 3, "penalty": PowerPenalty(1.0), "limits": Limits(max_length=3)}
    model = TableModel(table)
    first = beam_search(model, [0], 1, stopping=AtFirst(), **options)
    best = beam_search(model, [0], 1, stopping=WhenCertain(), **options)
    assert first[0][0].tokens == (2,)
    assert best[0][0].tokens == (3, 2)


def test_length_normalisation_prefers_longer_outputs():
    table = [logs(0, 0, 0.5, 0.5), logs(0, 0, 0.9, 0.1), logs(0, 0, 1, 0)]
    limits = Limits(max_length=3)
    plain = beam_search(TableModel(table), [0], 1, beam=4, limits=limits)
    mean = beam_search(
        TableModel(table), [0], 1, beam=4, limits=limits, penalty=PowerPenalty()
    )
    assert plain[0][0].tokens == (2,)
    assert mean[0][0].tokens == (3, 2)


def test_what_is_cut_off_comes_last_and_is_not_finished():
    table = [logs(0, 0, 0.01, 0.99)] * 3
    found = beam_search(
        TableModel(table), [0], 1, beam=2, n_best=2, limits=Limits(max_length=3)
    )
    assert [h.finished for h in found[0]] == [True, False]
    assert found[0][0].log_prob < found[0][1].log_prob
    assert found[0][1].tokens == (3, 3, 3)


def test_impossible_continuations_leave_fewer_outputs():
    table = [logs(0, 0, 1, 0)] * 2
    found = beam_search(
        TableModel(table), [0], 1, beam=3, n_best=3, limits=Limits(max_length=2)
    )
    assert [h.tokens for h in found[0]] == [(2,)]
    nothing = beam_search(TableModel([logs(0, 0, 0, 0)]), [0], 1, beam=2)
    assert nothing == [[]]


def test_the_lowest_number_wins_a_tie():
    table = [logs(0, 0, 0.1, 0.3, 0.3, 0.3), logs(0, 0, 1, 0, 0, 0)]
    found = beam_search(
        TableModel(table), [0], 1, beam=2, n_best=2, limits=Limits(max_length=2)
    )
    assert [h.tokens for h in found[0]] == [(3, 2), (4, 2)]


def test_finished_sentences_cost_nothing():
    class Mixed(TableModel):
        def start(self, source):
            return np.asarray(source) * 10

        def step(self, state, last_tokens):
            asked.append(len(state))
            ends = logs(0, 0, 1, 0)
            goes = logs(0, 0, 0, 1)
            return state, np.stack([ends if s == 0 else goes for s in state])

    asked = []
    beam_search(Mixed([]), [0, 1, 0], 3, beam=2, limits=Limits(max_length=4))
    assert asked == [3, 2, 2, 2]


def test_attention_is_absent_without_an_attending_model():
    found = beam_search(TableModel([logs(0, 0, 1, 0)]), [0], 1, beam=1)
    assert found[0][0].attention is None


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_nothing_is_asked_about_hypotheses_that_have_ended(seed, beam):
    asked = []

    class Selective(HistoryModel):
        def step_some(self, state, last_tokens, rows, barred, count):
            asked.append(len(rows))
            state, log_probs = self.step(state, last_tokens)
            said = [words for _, words in state]
            assert not any(2 in said[r][1:] for r in rows)  # </s>
            values = log_probs[rows]
            values[:, barred] = -np.inf
            return state, Candidates(*best_tokens(values, count))

    source, limits = np.arange(3), Limits(max_length=6)
    wanted = beam_search(HistoryModel(seed), source, 3, beam=beam, limits=limits)
    model = Selective(seed)
    found = beam_search(model, source, 3, beam=beam, limits=limits)
    assert [h[0].tokens for h in found] == [h[0].tokens for h in wanted]
    assert len(asked) == len(model.rows)
    assert all(some <= rows for some, rows in zip(asked, model.rows))


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match="a beam of 2 cannot give 3"):
        beam_search(HistoryModel(0), [0], 1, beam=2, n_best=3)
    with pytest.raises(ValueError, match="none at all"):
        Limits(max_length=2, min_length=3)
    with pytest.raises(FloatingPointError, match="NaN for token 1"):
        beam_search(TableModel([np.full(4, np.nan)]), [0], 1)
    with pytest.raises(ValueError, match="too many"):
        exhaustive_search(
            HistoryModel(0), [0], 1, limits=Limits(max_length=9), max_rows=10
        )
    assert beam_search(HistoryModel(0), [], 0) == []


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(1, 5), st.integers(1, 200), st.integers(1, 8), st.booleans())
def test_the_best_extensions_are_those_of_a_sort(seed, rows, vocabulary, beam, gaps):
    rng = np.random.default_rng(seed)
    # rounded, so that there are ties
    scores = np.round(rng.normal(size=(3, rows)), 1)
    log_probs = np.round(rng.normal(size=(3 * rows, vocabulary)), 1)
    if gaps:
        scores[rng.random(scores.shape) < 0.3] = -np.inf
        log_probs[rng.random(log_probs.shape) < 0.5] = -np.inf
    widths = rng.integers(0, beam + 1, 3)
    live = log_probs[np.isfinite(scores).ravel()]
    offered = Candidates(*best_tokens(live.copy(), beam))
    parents, chosen, best = take_best(extend(scores, offered), beam, widths)
    totals = (scores.reshape(-1, 1) + log_probs).reshape(3, -1)
    for b in range(3):
        order = np.argsort(-totals[b], kind="stable")[: widths[b]]
        order = order[np.isfinite(totals[b][order])]
        found = len(order)
        np.testing.assert_array_equal(best[b, :found], totals[b][order])
        np.testing.assert_array_equal(best[b, found:], -np.inf)
        wanted = b * rows + order // vocabulary
        np.testing.assert_array_equal(parents[b, :found], wanted)
        np.testing.assert_array_equal(chosen[b, :found], order % vocabulary)


@pytest.mark.parametrize("vocabulary", [1, 63, 64, 65, 200])
def test_the_best_tokens_are_those_of_a_sort(vocabulary):
    rng = np.random.default_rng(vocabulary)
    values = np.round(rng.normal(size=(5, vocabulary)), 1).astype(np.float32)
    values[rng.random(values.shape) < 0.3] = -np.inf
    count = min(vocabulary, 7)
    for search in (best_tokens, ad.jit(best_tokens)):
        tokens, best = search(values.copy(), count)
        order = np.argsort(-values, axis=1, kind="stable")[:, :count]
        wanted = np.take_along_axis(values, order, axis=1)
        np.testing.assert_array_equal(best, wanted, strict=True)
        possible = wanted > -np.inf
        np.testing.assert_array_equal(tokens[possible], order[possible])
    values[3, vocabulary // 2] = np.nan
    assert np.isnan(ad.jit(best_tokens)(values.copy(), 1)[1][3, 0])
