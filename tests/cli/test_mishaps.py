"""What goes wrong is one clear line and a status, and leaves what there was intact."""

from __future__ import annotations

import dataclasses
import errno
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anadrome.cli import using
from anadrome.cli.commands import run
from anadrome.nn import map_arrays
from anadrome.train import list_checkpoints, load_newest_checkpoint
from anadrome.train import run as runs


@pytest.fixture
def model(workshop, tmp_path):
    """A copy of a translator, to be damaged."""
    return Path(shutil.copytree(workshop.path("second"), tmp_path / "model"))


def ask(model: Path, type_in, capsys) -> tuple[int, str]:
    """The status of translating a line, and what is said about it."""
    type_in(b"He sleeps.\n")
    capsys.readouterr()
    status = run(["translate", str(model), "--beam=1"])
    return status, capsys.readouterr().err


FILES = ["run.toml", "source.json", "target.json"]
FAULTS = {
    "missing": lambda content: None,
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "binary": lambda content: bytes(range(256)) * 4,
    "list": lambda content: b"[1, 2, 3]\n",
    "foreign": lambda content: b'{"format": "something else"}\n',
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(model, type_in, capsys, name, fault):
    path = model / name
    content = FAULTS[fault](path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    status, error = ask(model, type_in, capsys)
    assert status == 1
    assert error.startswith("anadrome: ")
    assert str(model) in error


@pytest.mark.parametrize("fault", ["missing", "empty", "half", "binary"])
def test_damaged_checkpoints_are_named_or_passed_over(model, type_in, capsys, fault):
    newest = max(list_checkpoints(model / "checkpoints"))
    for path in (model / "checkpoints").glob(f"step-{newest:08d}.params.*"):
        content = FAULTS[fault](path.read_bytes())
        path.unlink()
        if content is not None:
            path.write_bytes(content)
    status, error = ask(model, type_in, capsys)
    assert status == 0
    assert error.startswith("anadrome: warning: ")
    assert "going on from step" in error
    for path in (model / "checkpoints").glob("*.safetensors"):
        path.write_bytes(b"")
    status, error = ask(model, type_in, capsys)
    assert status == 1
    assert "no checkpoint can be used" in error


def test_weights_of_other_sizes_are_named(model, type_in, capsys):
    path = model / "run.toml"
    path.write_text(path.read_text().replace("hidden = 8", "hidden = 9"))
    status, error = ask(model, type_in, capsys)
    assert status == 1
    assert "checkpoint" in error


def test_weights_that_are_no_numbers_are_named(model, type_in, monkeypatch, capsys):
    def load_broken(*given, **more):
        trained = runs.load_trained(*given, **more)
        broken = map_arrays(lambda a: np.full_like(a, np.nan), trained.params)
        return dataclasses.replace(trained, params=broken)

    monkeypatch.setattr(using, "load_trained", load_broken)
    status, error = ask(model, type_in, capsys)
    assert status == 1
    assert "the model gave NaN" in error


@pytest.mark.parametrize("what", ["a file", "an empty folder", "nothing"])
def test_what_is_no_model_is_refused(tmp_path, type_in, capsys, what):
    path = tmp_path / "thing"
    if what == "a file":
        path.write_text("x")
    elif what == "an empty folder":
        path.mkdir()
    status, error = ask(path, type_in, capsys)
    assert status == 1
    assert "there is no model here" in error


def test_foreign_files_in_out_are_left_alone(workshop, capsys):
    folder = workshop.folder / "papers"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    assert workshop.train("papers") == 1
    assert "files that are not a model's, such as thesis.tex" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]


def test_a_full_disk_leaves_the_last_checkpoint(workshop, monkeypatch, capsys):
    assert workshop.train("full", "--steps=2") == 0
    out = workshop.folder / "full"
    shutil.rmtree(out)
    writes = []
    usual = os.replace

    def full_after_some(source, target):
        writes.append(target)
        if ".params." in str(target) and "00000003" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        usual(source, target)

    monkeypatch.setattr(os, "replace", full_after_some)
    capsys.readouterr()
    assert workshop.train("full") == 1
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert "No space left on device\nhelp: make room" in error
    assert load_newest_checkpoint(out / "checkpoints").step == 2
    assert not list(out.rglob(".partial-*"))
    monkeypatch.setattr(os, "replace", usual)
    assert workshop.train("full") == 0
    assert load_newest_checkpoint(out / "checkpoints").step == 3


def test_codecs_survive_a_full_disk(workshop, monkeypatch, capsys):
    assert workshop.train("codecs", "--steps=1") == 0
    path = workshop.folder / "codecs" / "source.json"
    before = path.read_bytes()

    def full(self, *given, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert workshop.train("codecs", "--steps=1") == 1
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_files_that_may_not_grow_end_training_in_a_line(workshop):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    out = workshop.folder / "limited"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "anadrome", "train", "translate"),
            *(*workshop.pair("train"), "--out", str(out), "--steps=2"),
            *("--hidden=8", "--embedding=8", "--merges=30", "--backend=python"),
        ],
        preexec_fn=limit,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("anadrome: ")
    assert "File too large\nhelp: make room" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("broken", ["loss", "gradient"])
def test_numbers_that_are_none_end_training(workshop, monkeypatch, capsys, broken):
    usual = runs.make_step

    def make_step(*given, **more):
        step = usual(*given, **more)

        def breaking(params, state, batch, key, rate):
            params, state, loss, norm = step(params, state, batch, key, rate)
            breaking.count += 1
            if breaking.count < 2:
                return params, state, loss, norm
            if broken == "loss":
                return params, state, np.float32("nan"), norm
            return params, state, loss, np.float32("inf")

        breaking.count = 0
        return breaking

    monkeypatch.setattr(runs, "make_step", make_step)
    capsys.readouterr()
    assert workshop.train(f"nan-{broken}") == 1
    error = capsys.readouterr().err
    assert f"the {broken} of step 2 is {'nan' if broken == 'loss' else 'inf'}" in error
    assert "the last checkpoint is good" in error
    folder = workshop.folder / f"nan-{broken}" / "checkpoints"
    assert load_newest_checkpoint(folder).step == 1


def test_divergence_is_said(workshop, capsys):
    options = ("--rate=30", "--clip=1000", "--steps=40", "--warmup=15")
    workshop.train("wild", *options, "--optimizer=sgd", "--validate-every=40")
    said = capsys.readouterr()
    assert "training diverges" in said.out or "is nan" in said.err


def test_too_much_memory_is_a_line(workshop, monkeypatch, capsys):
    def too_much(*given):
        raise MemoryError("Unable to allocate 40 TiB")

    monkeypatch.setattr(runs, "_first_params", too_much)
    assert workshop.train("huge") == 1
    assert "there is not enough memory (Unable to allocate" in capsys.readouterr().err


def launch(words, **environment):
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "anadrome", *words],
        input="She is here.\nTrès bien.\n".encode(),
        capture_output=True,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}]
)
def test_output_is_utf8_in_every_locale(workshop, locale):
    locale = {**locale, "PYTHONCOERCECLOCALE": "0"}
    words = ["score", workshop.path("first"), *workshop.pair("test"), "--tokens"]
    done = launch(words, **locale)
    assert done.returncode == 0, done.stderr
    assert any(ord(c) > 127 for c in done.stdout.decode("utf-8"))
    done = launch(["--help"], **locale)
    assert done.returncode == 0
    assert "╭" in done.stdout.decode("utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_an_output_that_is_full(workshop):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anadrome", "translate", workshop.path("first")],
            input=b"She is here.\n",
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert done.stderr == b"anadrome: No space left on device\n"


def test_wrong_usage_has_a_status_of_its_own(capsys):
    for words in (["translat"], ["translate"], ["train", "translate", "--stepz=3"]):
        with pytest.raises(SystemExit) as stop:
            run(words)
        assert stop.value.code == 2
        error = capsys.readouterr().err
        assert error.startswith("anadrome: ")
        assert "--help names what can be given" in error
