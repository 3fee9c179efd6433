"""`anadrome vectors`: what is written, printed, and taken up again."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome.cli.vectors as command
from anadrome.cli.commands import run
from anadrome.vectors import read_vectors

SMALL = ["--min-count=2", "--size=6", "--iterations=5", "--window=3"]


@pytest.fixture
def text(tmp_path):
    rng = np.random.default_rng(1)
    words = np.array(["cat", "dog", "fish", "sun", "moon", "star"])
    lines = (" ".join(rng.choice(words[k % 2 :: 2], 9)) for k in range(60))
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\nonce\n")
    return tmp_path / "t.txt"


def test_from_text_to_neighbours(text, tmp_path, capsys):
    out = tmp_path / "v.txt"
    assert run(["vectors", "train", str(text), "--out", str(out), *SMALL]) == 0
    said = capsys.readouterr()
    assert said.out == f"6 vectors are in {out}\n"
    assert "iteration 5/5" in said.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.txt", "v.txt"]
    assert len(read_vectors(out)) == 6
    assert run(["vectors", "similar", str(out), "cat", "--top=3"]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == [
        "cat"
    ] * 3
    assert run(["vectors", "analogy", str(out), "cat", "dog", "sun"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert run(["vectors", "similar", str(out), "catt"]) == 1
    assert "did you mean 'cat'" in capsys.readouterr().err


def test_an_interrupted_training_goes_on(text, tmp_path, capsys, monkeypatch):
    def train(name):
        return run(
            ["vectors", "train", str(text), "--out", str(tmp_path / name), *SMALL]
        )

    assert train("whole.txt") == 0
    saved = command._Progress.save

    def save_and_stop(self, state):
        saved(self, state)
        if state.done == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command._Progress, "save", save_and_stop)
        assert train("half.txt") == 130
    assert not (tmp_path / "half.txt").exists()
    assert train("half.txt") == 0
    assert "goes on after iteration 2" in capsys.readouterr().err
    half = (tmp_path / "half.txt").read_bytes()
    assert half == (tmp_path / "whole.txt").read_bytes()
    assert not (tmp_path / "half.txt.part").exists()


def test_judging(tmp_path, capsys):
    (tmp_path / "v.txt").write_text(
        "king 1 1\nqueen -1 1\nman 1 0.1\nwoman -1 0.1\nx 0 -1\n"
    )
    (tmp_path / "q.txt").write_text(": family\nman king woman queen\nman king x y\n")
    (tmp_path / "s.txt").write_text("king man 9\nking queen 4\nman x 1\n")
    given = [str(tmp_path / "v.txt"), "--analogies", str(tmp_path / "q.txt")]
    given += ["--similarities", str(tmp_path / "s.txt")]
    assert run(["vectors", "judge", *given]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == [
        "family",
        "100.00",
        "%",
        "(1",
        "of",
        "1",
        "asked,",
        "2",
        "in",
        "all)",
    ]
    assert said[-1].split()[:3] == ["s", "Spearman", "1.000"]


def test_text_without_frequent_words(tmp_path, capsys):
    (tmp_path / "t.txt").write_text("each word once\n")
    given = ["vectors", "train", str(tmp_path / "t.txt"), "--out"]
    assert run([*given, str(tmp_path / "v.txt")]) == 1
    assert "no word occurs 5 times" in capsys.readouterr().err


def test_a_map_of_words(text, tmp_path, capsys):
    pytest.importorskip("openTSNE")
    vectors, out = tmp_path / "v.txt", tmp_path / "map.png"
    assert run(["vectors", "train", str(text), "--out", str(vectors), *SMALL]) == 0
    plot = ["vectors", "plot", str(vectors)]
    assert run([*plot, "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    some = ["cat", "dog", "sun", "moon"]
    assert run([*plot, *some, "--out", str(tmp_path / "map.svg")]) == 0
    assert b"<svg" in (tmp_path / "map.svg").read_bytes()
    capsys.readouterr()
    for words, said in (
        (["cat", "dog"], "a map needs four words or more"),
        (["cat", "dog", "sun", "mon"], "did you mean 'moon'?"),
        (["--out=map.jpg"], "pictures are .png or .svg"),
    ):
        assert run([*plot, *words]) == 1
        assert said in capsys.readouterr().err


def test_vectors_replace_nothing_but_vectors(tmp_path, capsys):
    text, other = tmp_path / "a.txt", tmp_path / "b.txt"
    text.write_text("a b a b a b c\n" * 5)
    other.write_text("precious words\n")
    command = ["vectors", "train", str(text), "--size=2", "--iterations=1"]
    assert run([*command, "--out", str(other)]) == 1
    assert f"{other}: there is another file already" in capsys.readouterr().err
    assert other.read_text() == "precious words\n"
