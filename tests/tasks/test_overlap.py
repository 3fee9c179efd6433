"""Examples that are in the file of validation too, for every task of one file."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from anadrome.cli.commands import run
from anadrome.tasks import find_task
from anadrome.tasks.findings import CorpusWarning
from anadrome.text.errors import CorpusError

CONLLU = "1\t{}\t_\tDET\t_\t_\t0\troot\t_\t_\n2\t{}\t_\tNOUN\t_\t_\t1\tx\t_\t_\n\n"

# The second example of the first file is the first of the second; labels differ.
FILES = {
    "tag": ("a.txt", "the\tD\ncat\tN\n\na\tD\ndog\tN\n\n", "a\tX\ndog\tY\n\n", 4),
    "treebank": (
        "a.conllu",
        CONLLU.format("the", "cat") + CONLLU.format("a", "dog"),
        CONLLU.format("a", "dog"),
        4,
    ),
    "classify": ("a.tsv", "x\tthe cat\ny\ta dog\n", "x\ta  dog\n", 2),
    "table": ("a.csv", "label,text\nx,the cat\ny,a dog\n", "label,text\nx,a dog\n", 3),
    "trees": (
        "a.trees",
        "(1 (0 the) (1 cat))\n(1 (0 a) (1 dog))\n",
        "(0 (1 a) (0 dog))\n",
        2,
    ),
    "lm": ("a.raw", "the cat\na dog\n\n", "a dog\n\n", 2),
}
TASKS = {"treebank": "tag", "table": "classify"}


@pytest.fixture(params=FILES)
def files(request, tmp_path):
    name, train, valid, line = FILES[request.param]
    paths = tmp_path / name, tmp_path / f"valid-{name}"
    for path, content in zip(paths, (train, valid)):
        path.write_text(content)
    return find_task(TASKS.get(request.param, request.param)), *paths, line


def test_it_is_told(files):
    task, train, valid, line = files
    first = (line + 1) // 2 if valid.suffix == ".csv" else 1
    place = f"line {line}: also in {valid}, line {first}"
    with pytest.warns(CorpusWarning, match=place) as told:
        found = task.read([train], task.data(), [valid])
    assert len(told) == 1
    message = str(told[0].message)
    assert message.startswith("1 sentence is in the files of validation too; ")
    assert f'the first is File "{train}"' in message
    assert found == task.read([train], task.data())


def test_it_is_left_out(files):
    task, train, valid, _ = files
    data = replace(task.data(), overlap="drop")
    every = task.read([train], data)
    with pytest.warns(CorpusWarning, match="validation too and left out"):
        found = task.read([train], data, [valid])
    assert found == [every[0], *every[2:]]
    if task.name == "lm":
        train.write_text("a dog\n")  # empty lines are never left out
    with pytest.raises(CorpusError, match="all of it is in the files of validation"):
        task.read([train], data, [train])


def test_it_is_refused(files):
    task, train, valid, line = files
    data = replace(task.data(), overlap="error")
    with pytest.raises(CorpusError, match=f"line {line}: also in ") as refused:
        task.read([train], data, [valid])
    assert refused.value.line == line
    assert refused.value.path == str(train)


def test_it_is_ignored(files):
    task, train, valid, _ = files
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        task.read([train], replace(task.data(), overlap="ignore"), [valid])


def test_the_command_has_the_flag(tmp_path, capsys):
    (tmp_path / "a").write_text("x\tthe cat\ny\ta dog\n")
    name = str(tmp_path / "a")
    command = ["train", "classify", name, "--valid", name, "--out", str(tmp_path / "m")]
    assert run([*command, "--overlap=error"]) == 1
    assert f'File "{name}", line 1: also in {name}, line 1' in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
