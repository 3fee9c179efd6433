"""The command, from two files to a translation."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pytest

import anadrome
from anadrome.cli.commands import run
from anadrome.corpora import write_parallel
from anadrome.corpora.grammar import splits
from anadrome.train import load_newest_checkpoint

OPTIONS = [
    "--steps=4",
    "--embedding=6",
    "--hidden=8",
    "--merges=60",
    "--batch-tokens=200",
    "--validate-every=2",
    "--checkpoint-every=1",
    "--french-target",
    "--backend=python",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpus = splits(train=40, valid=4, test=4, test_long=1)
    write_parallel(corpus.train, folder / "train.en", folder / "train.fr")
    write_parallel(corpus.valid, folder / "valid.en", folder / "valid.fr")
    return folder


@pytest.fixture(scope="module")
def trained(files):
    assert run(command(files, files / "model")) == 0
    return files / "model"


def command(files, out, *more):
    """The command line; options in `more` take the place of those in OPTIONS."""
    given = {option.split("=")[0] for option in more}
    return [
        "train",
        "translate",
        str(files / "train.en"),
        str(files / "train.fr"),
        "--out",
        str(out),
        "--valid",
        str(files / "valid.en"),
        str(files / "valid.fr"),
        *(option for option in OPTIONS if option.split("=")[0] not in given),
        *more,
    ]


def type_in(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_translate_writes_a_line_for_each_line(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"He sleeps.\n\nShe is here.\n")
    assert run(["translate", str(trained), "--beam", "2"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert len(lines) == 4
    assert lines[1] == ""


def test_translate_gives_several_translations(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"He sleeps.\nShe is here.\n")
    assert run(["translate", str(trained), "--beam", "3", "--nbest", "2"]) == 0
    rows = [r.split("\t") for r in capsys.readouterr().out.rstrip("\n").split("\n")]
    assert [r[0] for r in rows] == ["0", "0", "1", "1"]
    assert float(rows[0][1]) >= float(rows[1][1])


def test_translate_aligns(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"He sleeps.\n")
    assert run(["translate", str(trained), "--align"]) == 0
    _, pairs = capsys.readouterr().out.rstrip("\n").split("\t")
    for t, pair in enumerate(pairs.split()):
        source, target = map(int, pair.split("-"))
        assert target == t
        assert source >= 0


def test_evaluate_gives_scores_with_signatures(files, trained, capsys):
    source, reference = str(files / "valid.en"), str(files / "valid.fr")
    assert run(["evaluate", str(trained), source, reference, "--beam", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("BLEU = ")
    assert "chrF2 = " in out
    assert "tok:13a" in out


def test_the_same_command_again_changes_nothing(files, trained, capsys):
    before = load_newest_checkpoint(trained / "checkpoints")
    assert run(command(files, trained)) == 0
    after = load_newest_checkpoint(trained / "checkpoints")
    assert before.step == after.step == 4
    for name, array in before.arrays["params"].items():
        assert array.tobytes() == after.arrays["params"][name].tobytes()


def test_native_steps_are_those_of_python(files, trained, tmp_path):
    out = tmp_path / "native"
    assert run(command(files, out, "--backend=native")) == 0
    wanted = load_newest_checkpoint(trained / "checkpoints").arrays["params"]
    found = load_newest_checkpoint(out / "checkpoints").arrays["params"]
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-3, atol=2e-5)


def test_other_options_for_the_same_folder_are_refused(files, trained, capsys):
    assert run(command(files, trained, "--rate", "0.5")) == 1
    error = capsys.readouterr().err
    assert "training.rate: 0.002 there, 0.5 now" in error
    assert "help: " in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "{}/nothing"], "there is no model here"),
        (["evaluate", "{}/model", "{}/none", "{}/valid.fr"], "no such file"),
        (
            ["evaluate", "{}/model", "{}/valid.en", "{}/train.fr"],
            "valid.en has ended",
        ),
        (["translate", "{}/model", "--nbest", "9"], "a beam of 5 cannot give 9"),
    ],
)
def test_errors_are_one_message_with_a_way_out(
    files, trained, monkeypatch, capsys, arguments, message
):
    type_in(monkeypatch, b"")
    assert run([a.format(files) for a in arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert message in error
    assert "Traceback" not in error


def test_input_that_is_no_text_is_an_error(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"He sleeps.\n\xff\n")
    assert run(["translate", str(trained)]) == 1
    assert "line 2: the line is not UTF-8" in capsys.readouterr().err


def test_a_line_that_is_too_long_is_cut_and_named(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"She is here.\n" + b"He sleeps. " * 3000 + b"\n")
    options = ["--beam", "1", "--max-tokens", "6", "--align"]
    assert run(["translate", str(trained), *options]) == 0
    said = capsys.readouterr()
    assert len(said.out.rstrip("\n").split("\n")) == 2
    assert "line 2 has " in said.err
    assert "only the first 6 are translated" in said.err
    pairs = said.out.split("\n")[1].split("\t")[1].split()
    assert all(int(pair.split("-")[0]) <= 6 for pair in pairs)


def test_no_input_gives_no_output(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"")
    assert run(["translate", str(trained)]) == 0
    assert capsys.readouterr().out == ""


def test_blank_lines_only(trained, monkeypatch, capsys):
    type_in(monkeypatch, b"\n  \n\t\n")
    assert run(["translate", str(trained)]) == 0
    assert capsys.readouterr().out == "\n\n\n"


def test_pairs_that_are_too_long_are_left_out(files, tmp_path, capsys):
    options = ("--max-tokens=25", "--steps=1")
    assert run(command(files, tmp_path / "model", *options)) == 0
    assert "of 40 pairs, which have more than 25 tokens" in capsys.readouterr().out


def test_a_corpus_of_long_lines_only_is_an_error(files, tmp_path, capsys):
    assert run(command(files, tmp_path / "model", "--max-tokens=1")) == 1
    assert "every pair has more than 1 tokens" in capsys.readouterr().err


def test_the_folder_may_be_deep_but_not_a_file(files, tmp_path, capsys):
    deep = tmp_path / "a" / "b" / "c"
    assert run(command(files, deep, "--steps=1")) == 0
    assert (deep / "run.toml").exists()
    taken = tmp_path / "taken"
    taken.write_text("x")
    assert run(command(files, taken)) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"anadrome: {taken}: ")
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "option", ["--steps=0", "--hidden=0", "--dropout=1.0", "--rate=0", "--merges=-1"]
)
def test_numbers_out_of_range_are_refused(files, tmp_path, capsys, option):
    with pytest.raises(SystemExit) as stop:
        run(command(files, tmp_path / "model", option))
    assert stop.value.code != 0
    assert not (tmp_path / "model").exists()
    assert option.split("=")[0] in capsys.readouterr().err


def test_help_names_the_commands(capsys):
    run(["--help"])
    text = capsys.readouterr().out
    for name in ("train", "translate", "evaluate", "demo"):
        assert name in text


def test_the_package_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "anadrome", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, anadrome.__version__)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_the_command(tmp_path, shell):
    home = {**os.environ, "HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "anadrome", "--install-completion", "--shell", shell],
        capture_output=True,
        text=True,
        env=home,
    )
    assert done.returncode == 0, done.stderr
    written = [path for path in tmp_path.rglob("*anadrome*") if path.is_file()]
    assert len(written) == 1
    text = written[0].read_text()
    for word in ("translate", "analyse", "--replace-unknown", "gradient-flow"):
        assert word in text
