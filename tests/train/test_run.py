"""A run: the folder that says all about itself."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from anadrome import nn
from anadrome.corpora import ParallelCorpus
from anadrome.models import UnknownModel
from anadrome.options import OptionError
from anadrome.tasks.translate import TASK, translator_of
from anadrome.train.lock import FolderLock, FolderLocked
from anadrome.train.log import read_log
from anadrome.train.recipe import make_recipe, optimizers
from anadrome.train.run import FolderInUse, load_trained, train
from anadrome.train.toml import read_toml, write_toml

CORPUS = ParallelCorpus(
    ("the cat sleeps", "the dog sleeps", "a dog eats", "the cat eats a fish"),
    ("le chat dort", "le chien dort", "un chien mange", "le chat mange un poisson"),
)
SMALL = {
    "model": {"embedding": 4, "hidden": 5},
    "data": {"merges": 0},
    "training": {
        "steps": 4,
        "rate": 1e-2,
        "warmup": 1,
        "batch_tokens": 50,
        "backend": "python",
    },
}


def small(**training):
    return make_recipe(TASK, SMALL, {"training": training})


def test_a_trained_model_is_loaded_as_it_was(tmp_path):
    done = train(small(), tmp_path / "m", CORPUS, valid=CORPUS)
    loaded = load_trained(TASK, tmp_path / "m")
    for a, b in zip(nn.arrays_of(loaded.params), nn.arrays_of(done.trained.params)):
        np.testing.assert_array_equal(a, b)
    said = translator_of(loaded).translate_best(CORPUS.source)
    assert said == translator_of(done.trained).translate_best(CORPUS.source)


def test_another_corpus_in_the_same_folder_is_refused(tmp_path):
    train(small(), tmp_path, CORPUS)
    other = ParallelCorpus(CORPUS.source, CORPUS.target[::-1])
    with pytest.raises(FolderInUse, match=r"fingerprints\.train: "):
        train(small(), tmp_path, other)


def test_changed_options_are_listed(tmp_path):
    train(small(), tmp_path, CORPUS)
    with pytest.raises(FolderInUse) as error:
        train(small(rate=0.5, seed=3), tmp_path, CORPUS)
    assert "training.rate: 0.01 there, 0.5 now" in str(error.value)
    assert "training.seed: 0 there, 3 now" in str(error.value)


def test_a_folder_that_is_older_than_an_option_has_its_default(tmp_path):
    train(small(), tmp_path, CORPUS)
    path = tmp_path / "run.toml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(x for x in lines if not x.startswith("clip_value")))
    train(small(), tmp_path, CORPUS)
    with pytest.raises(FolderInUse, match=r"clip_value: 0\.0 there, 0\.5"):
        train(small(clip_value=0.5), tmp_path, CORPUS)


def test_files_of_others_are_never_written_over(tmp_path):
    (tmp_path / "thesis.tex").write_text("ten years")
    with pytest.raises(FolderInUse, match=r"such as thesis\.tex"):
        train(small(), tmp_path, CORPUS)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_processes_do_not_train_in_one_folder(tmp_path):
    script = (
        "import sys, pathlib\n"
        "from anadrome.train.lock import FolderLock\n"
        "with FolderLock(pathlib.Path(sys.argv[1])):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "held\n"
    with pytest.raises(FolderLocked, match=f"process {other.pid} on "):
        train(small(), tmp_path, CORPUS)
    other.kill()
    other.communicate()
    with FolderLock(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_the_record_is_a_recipe(tmp_path):
    done = train(small(), tmp_path, CORPUS)
    record = read_toml(tmp_path / "run.toml")
    tables = {k: record[k] for k in ("model", "data", "training", "optimizer")}
    assert make_recipe(TASK, tables) == small()
    assert done.trained.config == small().config
    assert record["versions"]["python"] == sys.version.split()[0]


def test_the_log_has_every_step_once_after_an_interruption(tmp_path):
    train(small(validate_every=2, checkpoint_every=3), tmp_path / "m", CORPUS)
    events = list(read_log(tmp_path / "m" / "log.jsonl"))
    assert [e["step"] for e in events] == [1, 2, 3, 4]
    assert all(e["loss"] > 0 and e["norm"] > 0 and e["size"] > 0 for e in events)
    # as after a crash behind the checkpoint of step 3
    for path in (tmp_path / "m" / "checkpoints").glob("step-00000004*"):
        path.unlink()
    with (tmp_path / "m" / "log.jsonl").open("a") as file:
        file.write('{"step": 5, "lo')
    train(small(validate_every=2, checkpoint_every=3), tmp_path / "m", CORPUS)
    again = list(read_log(tmp_path / "m" / "log.jsonl"))
    assert [e["step"] for e in again] == [1, 2, 3, 4]
    assert again[3]["loss"] == events[3]["loss"]


@pytest.mark.parametrize("name", optimizers())
def test_every_optimiser_goes_on_bitwise(tmp_path, name):
    recipe = make_recipe(
        TASK,
        SMALL,
        {"optimizer": {"name": name}, "training": {"checkpoint_every": 2}},
        {"model": {"name": "encoder-decoder"}},
    )
    whole = train(recipe, tmp_path, CORPUS).trained.params
    # as after a crash behind the checkpoint of step 2
    for path in (tmp_path / "checkpoints").glob("step-00000004*"):
        path.unlink()
    again = train(recipe, tmp_path, CORPUS).trained.params
    for mine, theirs in zip(nn.arrays_of(again), nn.arrays_of(whole), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_accumulated_batches_are_one_large_batch(tmp_path):
    """Without dropout, two batches whose gradients are added are one of both."""
    model = {**SMALL["model"], "dropout": 0.0}
    whole = {"training": {"batch_tokens": 200, "steps": 1}, "model": model}
    # two batches of the four pairs in an epoch
    parts = {"training": {"batch_tokens": 12, "accumulate": 2, "steps": 1}}
    first = train(make_recipe(TASK, SMALL, whole), tmp_path / "a", CORPUS)
    recipe = make_recipe(TASK, SMALL, parts, {"model": model})
    second = train(recipe, tmp_path / "b", CORPUS)
    for a, b in zip(
        nn.arrays_of(first.trained.params), nn.arrays_of(second.trained.params)
    ):
        np.testing.assert_allclose(a, b, atol=2e-4)


def test_averaged_weights_are_those_that_are_used(tmp_path):
    done = train(small(average=0.9), tmp_path, CORPUS, valid=CORPUS)
    plain = train(small(), tmp_path / "plain", CORPUS, valid=CORPUS)
    mine, theirs = (nn.arrays_of(d.trained.params) for d in (done, plain))
    assert any(not np.array_equal(a, b) for a, b in zip(mine, theirs))
    again = train(small(average=0.9), tmp_path, CORPUS, valid=CORPUS)
    for a, b in zip(mine, nn.arrays_of(again.trained.params)):
        np.testing.assert_array_equal(a, b)


def test_translators_of_the_first_version_are_still_read(tmp_path):
    train(small(), tmp_path, CORPUS)
    wanted = translator_of(load_trained(TASK, tmp_path)).translate_best(CORPUS.source)
    (tmp_path / "run.toml").unlink()
    model = {"embedding": 4, "hidden": 5, "attention": 5, "maxout": 4}
    text = {"merges": 0, "max_words": None, "lowercase": False}
    config = {"architecture": "attention", "model": model, "text": text}
    record = {"format": "anadrome translator 1", "config": config}
    (tmp_path / "model.json").write_text(json.dumps(record))
    found = translator_of(load_trained(TASK, tmp_path)).translate_best(CORPUS.source)
    assert found == wanted
    with pytest.raises(FolderInUse, match=r"version 0\.1"):
        train(small(), tmp_path, CORPUS)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"modl": {}}, "no option 'modl'\nhelp: did you mean 'model'?"),
        ({"model": {"hiden": 3}}, "did you mean 'hidden'?"),
        ({"training": {"steps": "many"}}, "steps cannot be 'many'"),
        ({"optimizer": {"name": "adm"}}, "did you mean 'adam'?"),
        ({"model": 3}, "model is a table, not 3"),
    ],
)
def test_misspelt_options_are_named(tables, message):
    with pytest.raises(OptionError) as error:
        make_recipe(TASK, tables)
    assert message in str(error.value)


def test_an_unknown_model_is_named():
    with pytest.raises(UnknownModel, match="did you mean 'attention'"):
        make_recipe(TASK, {"model": {"name": "atention"}})


def test_an_optimiser_brings_its_own_rate():
    assert make_recipe(TASK, {"optimizer": {"name": "adadelta"}}).training.rate == 1.0
    given = {"optimizer": {"name": "adadelta", "rho": 0.9}, "training": {"rate": 0.5}}
    recipe = make_recipe(TASK, given)
    assert (recipe.training.rate, recipe.optimizer.rho) == (0.5, 0.9)


def test_toml_comes_back_as_it_was(tmp_path):
    tables = {
        "a": {"x": 1, "y": 2.5e-8, "z": True, "s": 'quo"te\\ \n\x7f é', "l": [1, 2]},
        "b": {"none": None},
    }
    (tmp_path / "f.toml").write_text(write_toml(tables))
    assert read_toml(tmp_path / "f.toml") == {"a": tables["a"], "b": {}}


def test_configurations_differ_by_their_fields():
    recipe = small()
    assert dataclasses.replace(recipe) == recipe
    assert small(seed=1) != recipe
