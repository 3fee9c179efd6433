"""Models are found by task and name; a new one touches nothing but its file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anadrome.models
from anadrome.corpora import write_parallel
from anadrome.corpora.grammar import splits
from anadrome.models import UnknownModel, find_model, models_of
from anadrome.options import options_of
from anadrome.tasks import tasks

MODEL = '''
"""A translator that reads the source backwards."""
from dataclasses import dataclass
from anadrome.models import encoder_decoder, model
from anadrome.models.encoder_decoder import make_params, step
from anadrome.options import Count

@model("translate", name="backwards", cites="Sutskever et al. (2014)")
@dataclass(frozen=True)
class Config(encoder_decoder.Config):
    hidden: Count = 7  # units that look back

def loss(params, batch, config, key):
    return encoder_decoder.loss(params, batch, config, key)

def start(params, source, mask):
    return encoder_decoder.start(params, source[::-1], mask[::-1])
'''


@pytest.fixture
def files(tmp_path):
    corpus = splits(train=20, valid=4, test=4, test_long=1)
    write_parallel(corpus.train, tmp_path / "a", tmp_path / "b")
    return tmp_path


def command(*words, path=None):
    env = dict(os.environ)
    if path is not None:
        before = env.get("PYTHONPATH", "")
        env["PYTHONPATH"] = f"{path}{os.pathsep}{before}" if before else str(path)
    return subprocess.run(
        [sys.executable, "-m", "anadrome.cli", *map(str, words)],
        capture_output=True,
        text=True,
        input="He sleeps.\n",
        env=env,
    )


def train(files, model, path=None):
    return command(
        *("train", "translate", files / "a", files / "b", "--out", files / "out"),
        *("--model", model, "--steps=2", "--embedding=4", "--merges=0"),
        "--backend=python",
        path=path,
    )


def test_a_model_of_another_package_is_trained_by_name(files):
    package = files / "lib"
    (package / "mine").mkdir(parents=True)
    (package / "mine" / "__init__.py").write_text(MODEL)
    info = package / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[anadrome.models]\nmine = mine\n")
    done = train(files, "backwards", path=package)
    assert done.returncode == 0, done.stderr
    assert 'name = "backwards"' in (files / "out" / "run.toml").read_text()
    used = command("translate", files / "out", "--beam=2", path=package)
    assert used.returncode == 0, used.stderr
    assert used.stdout.count("\n") == 1
    shown = command("train", "translate", "--model=backwards", "--help", path=package)
    assert "Units that look back. [default: 7]" in " ".join(shown.stdout.split())


def test_a_model_in_a_file_is_trained(files):
    (files / "my_model.py").write_text(MODEL)
    done = train(files, files / "my_model.py")
    assert done.returncode == 0, done.stderr
    used = command("translate", files / "out")
    assert used.returncode == 0, used.stderr


def test_a_file_without_a_model_is_refused(tmp_path):
    with pytest.raises(UnknownModel, match="no such file"):
        find_model("translate", str(tmp_path / "none.py"))
    (tmp_path / "empty_model.py").write_text("")
    with pytest.raises(UnknownModel, match="declares no model for translate"):
        find_model("translate", str(tmp_path / "empty_model.py"))


def every_model():
    return [m for task in tasks() for m in models_of(task).values()]


@pytest.mark.parametrize("model", every_model(), ids=lambda m: f"{m.task} {m.name}")
def test_every_model_is_documented_and_short(model):
    assert model.summary.endswith(".")
    assert model.cites
    undocumented = [o.name for o in options_of(model.Config) if not o.help]
    assert not undocumented
    assert callable(model.make_params)
    assert callable(model.loss)
    path = Path(model.module.__file__)
    if path.parent == Path(anadrome.models.__file__).parent:
        assert len(path.read_text().splitlines()) <= 200
