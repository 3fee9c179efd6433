import numpy as np
import pytest
from tiny_models import HistoryModel, TableModel

from anadrome.decode import Limits, Sharpening, greedy_search, sample

LIMITS = Limits(max_length=8)


def test_greedy_takes_the_likeliest_token():
    model = HistoryModel(3)
    for sentence, found in enumerate(
        greedy_search(model, np.arange(6), 6, limits=LIMITS)
    ):
        said = (1,)
        for token in found.tokens:
            log_probs = model.log_probs(sentence, said)
            log_probs[[0, 1]] = -np.inf
            assert token == np.argmax(log_probs)
            said = (*said, token)
        assert found.finished == (found.tokens[-1] == 2)
        assert found.finished or len(found.tokens) == LIMITS.max_length
        log_prob, attention = model.score_tokens(sentence, found.tokens)
        np.testing.assert_allclose(found.log_prob, log_prob)
        np.testing.assert_allclose(found.attention, attention)


def test_samples_follow_the_distribution():
    probabilities = np.array([0, 0, 0.2, 0.5, 0.3])
    with np.errstate(divide="ignore"):
        model = TableModel([np.log(probabilities)])
    rng = np.random.default_rng(0)
    drawn = sample(model, [0], 1, rng, samples=20_000, limits=Limits(max_length=1))
    counts = np.bincount([h.tokens[0] for h in drawn[0]], minlength=5) / 20_000
    np.testing.assert_allclose(counts, probabilities, atol=0.012)
    assert counts[0] == 0


def test_samples_are_scored_by_the_model():
    model = HistoryModel(5)
    drawn = sample(
        model, np.arange(3), 3, np.random.default_rng(1), samples=4,
        sharpening=Sharpening(temperature=0.5, top_k=2), limits=LIMITS,
    )  # fmt: skip
    assert [len(d) for d in drawn] == [4, 4, 4]
    for sentence, hypotheses in enumerate(drawn):
        for h in hypotheses:
            log_prob, attention = model.score_tokens(sentence, h.tokens)
            np.testing.assert_allclose(h.log_prob, log_prob)
            np.testing.assert_allclose(h.attention, attention)


def test_the_seed_decides():
    def draw(seed):
        rng = np.random.default_rng(seed)
        return [h.tokens for d in sample(HistoryModel(1), range(4), 4, rng) for h in d]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_low_temperature_is_greedy():
    cold = Sharpening(temperature=1e-4)
    drawn = sample(HistoryModel(2), range(4), 4, np.random.default_rng(0),
                   sharpening=cold, limits=LIMITS)  # fmt: skip
    greedy = greedy_search(HistoryModel(2), range(4), 4, limits=LIMITS)
    assert [d[0].tokens for d in drawn] == [h.tokens for h in greedy]


def test_sharpening():
    log_probs = np.log([[0.1, 0.4, 0.3, 0.2]])

    def sharpened(**options):
        return Sharpening(**options).probabilities(log_probs)[0]

    np.testing.assert_allclose(sharpened(), [0.1, 0.4, 0.3, 0.2])
    np.testing.assert_allclose(sharpened(top_k=2), [0, 4 / 7, 3 / 7, 0])
    np.testing.assert_allclose(sharpened(top_p=0.5), [0, 4 / 7, 3 / 7, 0])
    np.testing.assert_allclose(sharpened(top_p=0.39), [0, 1, 0, 0])
    squares = np.array([0.01, 0.16, 0.09, 0.04]) / 0.3
    np.testing.assert_allclose(sharpened(temperature=0.5), squares)


@pytest.mark.parametrize(
    "options", [{"temperature": 0}, {"top_k": 0}, {"top_p": 0}, {"top_p": 1.5}]
)
def test_senseless_sharpening_is_refused(options):
    with pytest.raises(ValueError):
        Sharpening(**options)


def test_a_model_without_a_way_out_is_named():
    model = TableModel([np.full(5, -np.inf)])
    with pytest.raises(ValueError, match="rules all of them out"):
        sample(model, [0], 1, np.random.default_rng(0))
