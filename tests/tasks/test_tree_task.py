"""The task of trees: from a file of brackets to labels of phrases."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from anadrome.cli.commands import run
from anadrome.corpora import Tree, read_trees
from anadrome.tasks import find_task
from anadrome.tasks.trees import Data, polarity

GOOD = ("good", "fine", "great")
BAD = ("bad", "poor", "dull")
PLAIN = ("film", "plot", "cast")


def phrase(rng):
    """A phrase of two words, turned round by a third one."""
    word, noun = rng.choice(GOOD + BAD), rng.choice(PLAIN)
    side = 1 if word in GOOD else -1
    inner = f"({2 + 2 * side} ({2 + side} {word}) (2 {noun}))"
    if rng.random() < 0.5:
        return f"({2 - 2 * side} (2 Not) {inner})"
    return inner


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")
    rng = np.random.default_rng(0)
    for name, count in (("train", 80), ("valid", 20)):
        lines = [phrase(rng) for _ in range(count)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def command(files, out, *more):
    options = {
        "--steps": "40",
        "--hidden": "8",
        "--embedding": "8",
        "--dropout": "0",
        "--rate": "0.05",
        "--warmup": "4",
        "--batch-tokens": "60",
        "--validate-every": "20",
        "--backend": "python",
        **dict(zip(more[::2], more[1::2])),
    }
    given = [word for pair in options.items() if pair[1] for word in pair]
    return [
        *("train", "trees", str(files / "train.txt"), "--out", str(out)),
        *("--valid", str(files / "valid.txt"), *given),
    ]


@pytest.fixture(scope="module")
def trained(files):
    assert run(command(files, files / "model")) == 0
    return files / "model"


def type_in(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_training_learns_what_turns_a_phrase_round(files, trained, capsys):
    assert run(["evaluate", str(trained), str(files / "valid.txt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("all phrases: accuracy = 100.00 (")
    assert lines[1] == "roots: accuracy = 100.00 (20)"
    assert lines[2].endswith("neutral ones: accuracy = 100.00 (20)")


def test_phrases_are_labelled_line_by_line(trained, monkeypatch, capsys):
    lines = b"(x (x Not) (x (x good) (x plot)))\n\n(x (x dull) (x film))\n"
    type_in(monkeypatch, lines)
    assert run(["trees", str(trained)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "(0 (2 Not) (4 (3 good) (2 plot)))",
        "",
        "(0 (1 dull) (2 film))",
    ]
    type_in(monkeypatch, lines)
    assert run(["trees", str(trained), "--output", "roots"]) == 0
    assert capsys.readouterr().out.splitlines() == ["0", "", "0"]


def test_the_same_command_again_changes_nothing(files, trained, capsys):
    before = (trained / "run.toml").read_bytes()
    assert run(command(files, trained)) == 0
    assert (trained / "run.toml").read_bytes() == before
    assert "step 20:" not in capsys.readouterr().out


@pytest.mark.parametrize("model", ["rnn", "rntn", "child-sum-tree-lstm"])
def test_other_models_train(files, tmp_path, model):
    own = ("--embedding", "") if model in ("rnn", "rntn") else ()
    out = tmp_path / model
    assert run(command(files, out, "--model", model, "--steps", "2", *own)) == 0


def test_vectors_are_where_words_begin(files, tmp_path, capsys):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good 1 0 0\nbad -1 0 0\n", "utf-8")
    given = ("--vectors", str(vectors), "--steps", "1")
    assert run(command(files, tmp_path / "a", *given, "--embedding", "3")) == 0
    assert run(command(files, tmp_path / "b", *given)) == 1
    assert "3 features" in capsys.readouterr().err
    vectors.write_text("good 1 0 0\nbad -1 0\n", "utf-8")
    assert run(command(files, tmp_path / "c", *given, "--embedding", "3")) == 1
    assert f'"{vectors}", line 2' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(2 (2 a) (2 b)\n(2 c)\n", "line 1: 1 bracket(s) not closed"),
        ("(2 (2 a) (2 b))\n(2 c))\n", "line 2: a bracket too many"),
        ("(2 (2 a) (2 b))\nwords only\n", "line 2: text outside a tree"),
        ("(2 (2 a) ())\n", "line 1: a node with neither word nor children"),
        ("(2 a b)\n", "line 1: the word 'b' does not belong to a leaf"),
        ("(2 " * 300 + "(2 a)" + ")" * 300 + "\n", "line 1: the tree has 301 levels"),
        ("((a b) (c d))\n" * 0 + "\n", "the file is empty"),
    ],
)
def test_malformed_trees_are_named_with_their_line(tmp_path, text, told, capsys):
    path = tmp_path / "trees.txt"
    path.write_text(text, "utf-8")
    out = tmp_path / "model"
    assert run(["train", "trees", str(path), "--out", str(out), "--steps", "1"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f'anadrome: File "{path}"')
    assert told in error
    assert not out.exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"(2 (2 a) (2 b)", "line 2: 1 bracket(s) not closed"),
        (b"It works.", "line 2: text outside a tree"),
        (b"(2 a) (2 b)", "line 2: there are 2 trees on the line"),
    ],
)
def test_malformed_input_is_named(trained, monkeypatch, line, told, capsys):
    type_in(monkeypatch, b"(2 (2 a) (2 b))\n" + line + b"\n")
    assert run(["trees", str(trained)]) == 1
    assert f'File "standard input", {told}' in capsys.readouterr().err


def test_trees_are_made_binary(tmp_path, capsys):
    wide = Tree("S", (Tree("A", word="a"), Tree("B", word="b"), Tree("C", word="c")))
    deep = Tree("T", (wide,))
    assert str(deep.binarised("")) == "(T ( (A a) (B b)) (C c))"
    assert str(Tree("T", (Tree("A", word="a"),)).binarised("")) == "(T a)"
    path = tmp_path / "wide.txt"
    path.write_text(f"{deep}\n" * 4, "utf-8")
    small = ("--hidden=3", "--embedding=3", "--steps=1", "--backend=python")
    out = str(tmp_path / "two")
    assert run(["train", "trees", str(path), "--out", out, *small]) == 0
    assert "4 trees had to be made binary" in capsys.readouterr().out
    out = str(tmp_path / "any")
    given = ("--parts=any", "--model=child-sum-tree-lstm")
    assert run(["train", "trees", str(path), "--out", out, *given, *small]) == 0
    assert "made binary" not in capsys.readouterr().out


def test_trees_without_labels_are_left_out():
    data = Data()
    task = find_task("trees")
    trees = [Tree("", (Tree("", word="a"), Tree("X", word="b"))), Tree("", word="a")]
    encoded = task.encode(trees, task.prepare(trees, data), data)
    assert encoded.notes == ("1 trees without a label were left out",)
    assert len(encoded.lengths[0]) == 1


def test_codecs_are_kept(files, trained):
    task = find_task("trees")
    trees = task.read([files / "train.txt"], Data())
    made = task.prepare(trees, Data())
    kept = task.codecs.load(trained)
    assert kept == made
    assert made.labels == ("0", "1", "2", "3", "4")
    assert trees == read_trees(files / "train.txt")
    encoded = made.encode(trees[0], Data())
    assert len(encoded.words) == len(trees[0].words)
    assert [made.labels[k] for k in encoded.labels] == [
        node.label for node in trees[0].nodes()
    ]


def test_polarity():
    signs = {"0": -1, "1": -1, "2": 0, "3": 1, "4": 1}
    assert polarity(("0", "1", "2", "3", "4")) == signs
    assert polarity(("10", "9")) == {"9": -1, "10": 1}
    assert polarity(("NP", "VP")) == {}
