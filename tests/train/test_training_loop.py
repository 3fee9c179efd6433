"""Training that is interrupted ends with the very weights of training that is not."""

from __future__ import annotations

import dataclasses
import io
import math
import signal

import numpy as np
import pytest

from anadrome.nn import SGD
from anadrome.options import OptionError
from anadrome.random import key
from anadrome.text import BatchStream, make_pair_batch
from anadrome.train.config import TrainingConfig
from anadrome.train.log import read_log
from anadrome.train.loop import TrainingFailed, fit
from anadrome.train.step import make_step
from anadrome.train.task import Validation

CONFIG = TrainingConfig(
    steps=12, checkpoint_every=4, validate_every=6, rate=0.1, warmup=3
)


def batches():
    rng = np.random.default_rng(0)
    pairs = [rng.integers(4, 9, n) for n in rng.integers(1, 6, 20)]
    lengths = [np.array([len(pair) for pair in pairs])] * 2
    return BatchStream(
        lengths,
        lambda indices: make_pair_batch(pairs, pairs, indices, time_major=True),
        budget=20,
        seed=3,
    )


def update(params, state, batch, key, rate):
    """A step whose result depends on everything that a step may depend on."""
    noise = np.sin(float(key[0] % np.uint64(1000)) + batch.source.sum())
    velocity = 0.9 * state["v"] + noise
    return {"w": params["w"] - rate * velocity}, {"v": velocity}, abs(noise), 1.0


def train(folder, step=update, config=CONFIG, **options):
    params, state = {"w": np.ones(3)}, {"v": np.zeros(3)}
    return fit(
        folder, step, params, state, batches(), config, stream=io.StringIO(), **options
    )


def validate(params):
    return Validation(float(params["w"].sum()), "fine")


class Crash(Exception):
    pass


OPTIONS = {
    "plain": {},
    "plateau": {"decay": "plateau", "decay_factor": 0.25},
    "steps": {"decay": "step", "decay_every": 2},
    "exponential mean": {"average": 0.9},
    "running mean": {"average_from": 5, "average_every": 2},
}
CRASHES = [("plain", last) for last in (0, 1, 4, 5, 9, 11)]
CRASHES += [(name, last) for name in OPTIONS if name != "plain" for last in (5, 9)]


@pytest.mark.parametrize(("name", "last"), CRASHES)
def test_going_on_after_a_crash_gives_the_same_weights(tmp_path, name, last):
    config = dataclasses.replace(CONFIG, validate_every=2, **OPTIONS[name])
    wanted = train(tmp_path / "whole", config=config, validate=validate)
    count = 0

    def crashing(*args):
        nonlocal count
        count += 1
        if count > last:
            raise Crash
        return update(*args)

    with pytest.raises(Crash):
        train(tmp_path / "torn", crashing, config, validate=validate)
    found = train(tmp_path / "torn", config=config, validate=validate)
    np.testing.assert_array_equal(found.params["w"], wanted.params["w"])
    assert (found.step, found.best, found.score) == (12, wanted.best, wanted.score)


def test_training_that_is_complete_is_not_begun_again(tmp_path):
    wanted = train(tmp_path)

    def forbidden(*args):
        raise AssertionError

    found = train(tmp_path, forbidden)
    np.testing.assert_array_equal(found.params["w"], wanted.params["w"])


def test_the_first_interrupt_finishes_the_step_and_saves(tmp_path):
    count = 0

    def interrupted(*args):
        nonlocal count
        count += 1
        if count == 7:
            signal.raise_signal(signal.SIGINT)
        return update(*args)

    stopped = train(tmp_path / "stopped", interrupted)
    assert stopped.interrupted
    assert stopped.step == 7
    found = train(tmp_path / "stopped")
    assert not found.interrupted
    assert found.step == 12
    wanted = train(tmp_path / "whole")
    np.testing.assert_array_equal(found.params["w"], wanted.params["w"])


def test_the_second_interrupt_stops_at_once(tmp_path):
    def interrupted(*args):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, interrupted)


def test_training_stops_when_patience_is_at_an_end(tmp_path):
    scores = iter([1.0, 3.0, 2.0, 3.0, 9.0])
    config = TrainingConfig(steps=50, validate_every=2, patience=2)
    found = train(
        tmp_path, config=config, validate=lambda p: Validation(next(scores), "")
    )
    assert (found.step, found.best, found.score) == (8, 4, 3.0)


def test_the_checkpoint_of_the_best_validation_is_kept(tmp_path):
    scores = iter([3.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    config = TrainingConfig(steps=12, validate_every=2, patience=0, keep=1)
    train(tmp_path, config=config, validate=lambda p: Validation(next(scores), ""))
    names = sorted(p.name for p in tmp_path.glob("step-*.json"))
    assert names == ["step-00000002.json", "step-00000012.json"]


def test_a_loss_that_is_no_number_is_an_error(tmp_path):
    def broken(params, state, batch, key, rate):
        return params, state, float("nan"), 1.0

    with pytest.raises(TrainingFailed, match="the loss of step 1 is nan"):
        train(tmp_path, broken)


def test_the_learning_rate_rises_and_falls():
    config = TrainingConfig(steps=110, rate=1.0, warmup=10, final=0.1)
    rates = [config.rate_at(step) for step in range(1, 111)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == 1.0
    assert rates[59] == pytest.approx(0.55)
    assert rates[-1] == pytest.approx(0.1)
    assert np.all(np.diff(rates[9:]) < 0)


def rates_of(folder, **options):
    """The learning rates that the log has, and scores that rise only at first."""
    folder.mkdir()
    scores = iter([1.0, 2.0, 2.0, 1.0, 2.0, 0.0])
    config = TrainingConfig(**{"steps": 12, "validate_every": 2, **options})
    train(
        folder,
        config=config,
        validate=lambda p: Validation(next(scores), ""),
        log=folder / "log.jsonl",
    )
    events = list(read_log(folder / "log.jsonl"))
    return [event["rate"] for event in events if "rate" in event]


def test_the_rate_falls_on_a_plateau(tmp_path):
    options = {"decay": "plateau", "rate": 1.0, "warmup": 1, "patience": 0}
    found = rates_of(tmp_path / "a", **options)
    assert found == [1] * 6 + [0.5] * 2 + [0.25] * 2 + [0.125] * 2
    found = rates_of(tmp_path / "b", decay_factor=0.1, decay_patience=1, **options)
    assert found == [1] * 8 + [0.1] * 4


def test_the_rate_falls_by_factors():
    options = {"steps": 20, "rate": 1.0, "warmup": 2, "decay_every": 4}
    config = TrainingConfig(decay="step", decay_after=4, **options)
    rates = [config.rate_at(step) for step in range(1, 17)]
    assert rates == [0.5] + [1.0] * 9 + [0.5] * 4 + [0.25] * 2
    config = TrainingConfig(decay="exponential", decay_factor=0.1, **options)
    assert config.rate_at(2) == 1.0
    assert config.rate_at(6) == pytest.approx(0.1)
    assert config.rate_at(8) == pytest.approx(0.1**1.5)


def test_the_rates_are_those_of_before_there_were_schedules():
    """As the formulas were written for version 0.1, bit for bit."""
    config = TrainingConfig(steps=97, rate=2e-3, warmup=13, final=0.05)
    for step in range(1, 110):
        passed = (step - 13) / 84
        wave = 0.5 * (1 + math.cos(math.pi * min(1.0, passed)))
        rise = 2e-3 * step / 13
        wanted = {
            "cosine": 2e-3 * (0.05 + (1 - 0.05) * wave),
            "linear": 2e-3 * (0.05 + (1 - 0.05) * (1 - min(1.0, passed))),
            "root": 2e-3 * math.sqrt(13 / step),
            "none": 2e-3,
        }
        for decay, rate in wanted.items():
            found = dataclasses.replace(config, decay=decay).rate_at(step)
            assert found == (rise if step <= 13 else rate)


def test_the_plain_mean_is_of_the_weights_from_an_update_on(tmp_path):
    seen = []

    def noting(*args):
        made = update(*args)
        seen.append(made[0]["w"])
        return made

    config = dataclasses.replace(CONFIG, average_from=6, average_every=3)
    found = train(tmp_path, noting, config)
    wanted = np.mean([seen[5], seen[8], seen[11]], axis=0)
    np.testing.assert_allclose(found.params["w"], wanted, rtol=1e-12)


def test_two_means_at_once_are_refused(tmp_path):
    config = dataclasses.replace(CONFIG, average=0.9, average_from=3)
    with pytest.raises(OptionError, match="choose one of them"):
        train(tmp_path, config=config)


def quadratic(params, batch, config, key):
    return np.sum(batch * params["w"] ** 2) / 2


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ((0.0, 0.0), [3.0, 4.0]),
        ((1.0, 0.0), [0.6, 0.8]),
        ((0.0, 3.5), [3.0, 3.5]),
        ((1.0, 3.0), [0.5**0.5, 0.5**0.5]),
    ],
)
def test_gradients_are_clipped_by_norm_and_value(native, limits, wanted):
    clip, value = limits
    step = make_step(quadratic, None, SGD(), clip, native, clip_value=value)
    params = {"w": np.array([3.0, 4.0])}
    start = SGD().start(params)
    moved, _, loss, norm = step(params, start, np.ones(2), key(0), 1.0)
    np.testing.assert_allclose(params["w"] - moved["w"], wanted, rtol=1e-12)
    assert (loss, norm) == (12.5, 5.0)
