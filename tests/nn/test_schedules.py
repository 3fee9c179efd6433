"""Learning rates: warm-up, the schedule of the Transformer, falls after a while."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome import nn


def test_warmup_rises_to_the_rate_and_then_begins_the_schedule():
    schedule = nn.Warmup(0.4, 4, nn.Cosine(0.4, 10, 0.1))
    rates = [schedule.rate_at(step) for step in range(1, 15)]
    np.testing.assert_allclose(rates[:4], [0.1, 0.2, 0.3, 0.4])
    assert rates[4] == nn.Cosine(0.4, 10, 0.1).rate_at(1)
    assert rates[-1] == pytest.approx(0.04)


def test_noam_is_the_equation_of_the_paper():
    d, warmup = 512, 40
    schedule = nn.noam(d, warmup)
    for step in (1, 7, 40, 41, 1000):
        wanted = d**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert schedule.rate_at(step) == pytest.approx(wanted, rel=1e-12)


def test_steps_begin_to_fall_after_a_while():
    schedule = nn.StepDecay(1.0, 0.5, every=2, after=3)
    rates = [schedule.rate_at(step) for step in range(1, 11)]
    assert rates == [1, 1, 1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.125]


def test_a_constant_stays():
    assert {nn.Constant(0.3).rate_at(step) for step in (1, 10, 10**6)} == {0.3}


def test_the_running_mean_is_the_mean_of_the_weights_it_saw():
    rng = np.random.default_rng(0)
    seen = [{"w": rng.normal(size=3)} for _ in range(12)]
    averaging = nn.RunningMean(first=4, every=3)
    mean = {"w": np.full(3, np.nan)}
    for step, params in enumerate(seen, start=1):
        share = averaging.share_at(step)
        if share == 1:
            mean = params
        elif share is not None:
            mean = nn.move_mean(mean, params, share)
    wanted = nn.mean_of_records([seen[3], seen[6], seen[9]])
    np.testing.assert_allclose(mean["w"], wanted["w"], rtol=1e-12)
    np.testing.assert_allclose(
        wanted["w"], (seen[3]["w"] + seen[6]["w"] + seen[9]["w"]) / 3
    )


def test_the_exponential_mean_forgets_the_first_weights():
    averaging, mean = nn.ExponentialMean(0.99), np.array([100.0])
    for step in range(1, 60):
        share = averaging.share_at(step)
        mean = nn.move_mean(mean, np.array([1.0]), share)
    assert mean[0] == pytest.approx(1.0, abs=1e-3)
    assert averaging.share_at(10**6) == pytest.approx(0.01)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="no mean of no records"):
        nn.mean_of_records([])
