"""Training that is interrupted ends with the very weights of training that is not."""

from __future__ import annotations

import io
import signal

import numpy as np
import pytest

from anadrome.text import BatchStream, make_pair_batch
from anadrome.train.config import TrainingConfig
from anadrome.train.loop import TrainingFailed, fit
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


@pytest.mark.parametrize("last", [0, 1, 4, 5, 9, 11])
def test_going_on_after_a_crash_gives_the_same_weights(tmp_path, last):
    wanted = train(tmp_path / "whole", validate=validate)
    count = 0

    def crashing(*args):
        nonlocal count
        count += 1
        if count > last:
            raise Crash
        return update(*args)

    with pytest.raises(Crash):
        train(tmp_path / "torn", crashing, validate=validate)
    found = train(tmp_path / "torn", validate=validate)
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
