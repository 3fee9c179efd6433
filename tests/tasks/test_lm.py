"""Language modelling as a task: windows, resuming, judgement."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.nn import arrays_of
from anadrome.tasks.lm import TASK, judge, log_probabilities
from anadrome.text.errors import EmptyCorpus
from anadrome.train import run
from anadrome.train.recipe import make_recipe
from anadrome.train.run import load_trained, train
from anadrome.train.step import make_step

LINES = ["the cat sat on the mat", "the dog sat on the cat", "a cat is a cat"] * 3
SMALL = {
    "model": {"embedding": 4, "hidden": 5},
    "data": {"window": 4, "rows": 2},
    "training": {
        "steps": 9,
        "rate": 1e-2,
        "warmup": 1,
        "batch_tokens": 12,
        "validate_every": 3,
        "checkpoint_every": 1,
        "backend": "python",
    },
}
MODELS = {
    "rnn": {"name": "rnn"},
    "nnlm": {"name": "nnlm"},
    "cslm": {"name": "cslm", "first": 6, "second": 5, "embedding": 4},
}


def recipe(model="rnn", **training):
    own = dict(MODELS[model])
    tables = {**SMALL, "model": {**SMALL["model"], **own}}
    if model == "cslm":
        tables["model"].pop("hidden")
    return make_recipe(TASK, tables, {"training": training})


@pytest.mark.parametrize("model", MODELS)
def test_training_that_was_interrupted_gives_the_same_bits(tmp_path, model):
    whole = train(recipe(model), tmp_path / "whole", LINES, valid=LINES)
    # a run that stops with a mistake in its sixth step, and is taken up again
    part = tmp_path / "part"
    calls = []

    class Stop(Exception):
        pass

    def failing_step(*args):
        step = make_step(*args)

        def counted(*given):
            calls.append(1)
            if len(calls) == 6:
                raise Stop
            return step(*given)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "make_step", failing_step)
        with pytest.raises(Stop):
            train(recipe(model), part, LINES, valid=LINES)
    again = train(recipe(model), part, LINES, valid=LINES)
    assert again.outcome.step == whole.outcome.step == 9
    for a, b in zip(arrays_of(again.trained.params), arrays_of(whole.trained.params)):
        np.testing.assert_array_equal(a, b)


def test_training_lowers_the_perplexity(tmp_path):
    larger = {
        "model": {"hidden": 16, "layers": 1},
        "training": {"steps": 100, "validate_every": 20, "rate": 0.05},
    }
    done = train(make_recipe(TASK, SMALL, larger), tmp_path / "m", LINES, valid=LINES)
    numbers = done.trained.codecs.encode(LINES)
    found = judge(done.trained, numbers)
    assert found.perplexity < 4
    assert "perplexity" in done.outcome.text


def test_every_token_is_judged_once(tmp_path):
    trained = train(recipe(), tmp_path / "m", LINES).trained
    numbers = trained.codecs.encode(LINES)
    assert len(log_probabilities(trained, numbers)) == len(numbers)
    assert judge(trained, numbers).tokens == len(numbers)


def test_accumulated_windows_follow_one_another(tmp_path):
    done = train(recipe(accumulate=2), tmp_path / "m", LINES)
    assert done.outcome.step == 9


def test_lines_are_scored_each_for_itself(tmp_path):
    trained = train(recipe(), tmp_path / "m", LINES).trained
    options = TASK.predicting()
    one = list(TASK.predict(trained, ["the cat", "a dog"], 1, options))
    two = list(TASK.predict(trained, ["a dog"], 1, options))
    assert one[1] == two[0]
    assert one[1].endswith("\ta dog")


def test_unknown_words_are_told(tmp_path):
    trained = train(recipe(), tmp_path / "m", LINES).trained
    lines = list(TASK.evaluate(trained, ["the zebra"], TASK.predicting()))
    assert lines[1] == "3 tokens, 1 of them unknown"


def test_characters_are_judged_in_bits(tmp_path):
    tables = {**SMALL, "data": {"unit": "characters", "window": 4}}
    trained = train(make_recipe(TASK, tables), tmp_path / "m", LINES).trained
    (line, _) = TASK.evaluate(trained, LINES, TASK.predicting())
    assert "bits per character" in line
    loaded = load_trained(TASK, tmp_path / "m")
    assert loaded.codecs == trained.codecs
    text = trained.codecs.decode(trained.codecs.encode(LINES))
    assert text == "\n".join(LINES) + "\n"


def test_empty_text_is_refused(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("")
    with pytest.raises(EmptyCorpus, match="empty"):
        TASK.read([path], TASK.data())
    trained = train(recipe(), tmp_path / "m", LINES).trained
    with pytest.raises(EmptyCorpus):
        log_probabilities(trained, np.zeros(0, np.int64))
