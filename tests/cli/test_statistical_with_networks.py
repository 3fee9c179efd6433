"""A statistical translator and neural models that work together."""

from __future__ import annotations

import io
import sys

import pytest

from anadrome.cli.commands import run
from anadrome.cli.statistical import load_statistical


@pytest.fixture(scope="module")
def system(workshop):
    out = workshop.path("statistical")
    arguments = ["train", "smt", *workshop.pair("train"), "--out", out]
    assert run([*arguments, "--valid", *workshop.pair("valid"), "--iterations=1"]) == 0
    return out


def say(monkeypatch, *words, text="a dog sees the cat\nthe woman sleeps\n"):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return run(["translate", *words])


def test_both_choose_together(workshop, system, monkeypatch, capsys):
    first = workshop.path("first")
    assert say(monkeypatch, system, "--nbest=20") == 0
    plain = capsys.readouterr().out
    assert say(monkeypatch, system, first, "--nbest=20", "--candidates=20") == 0
    both = capsys.readouterr().out

    def texts(said):
        return {tuple(line.split(" ||| ")[:2]) for line in said.splitlines()}

    assert texts(both) == texts(plain)
    assert both != plain  # other scores, so another order
    assert say(monkeypatch, system, first, "--weight=0") == 0
    alone = capsys.readouterr().out
    assert say(monkeypatch, system) == 0
    assert capsys.readouterr().out == alone
    test = workshop.pair("test")
    assert run(["evaluate", system, *test, "--partner", first]) == 0
    assert "BLEU" in capsys.readouterr().out
    assert say(monkeypatch, system, first, first) == 1


def test_attention_is_an_alignment(workshop, tmp_path, capsys):
    sides = [tmp_path / "en", tmp_path / "fr"]
    sides[0].write_text("a dog sees the cat\nthe woman\n")
    sides[1].write_text("un chien voit le chat\nla femme\n")
    words = ["smt", "align", *map(str, sides), "--out", str(tmp_path / "points")]
    assert run([*words, "--translator", workshop.path("first")]) == 0
    lines = (tmp_path / "points").read_text().splitlines()
    assert [len(line.split()) for line in lines] == [5, 2]
    for line, length in zip(lines, (5, 2)):
        assert all(int(point.split("-")[0]) < length for point in line.split())


def test_networks_are_features_of_the_search(workshop, system, monkeypatch, capsys):
    train = workshop.pair("train")
    network = workshop.path("cslm")
    sizes = ["--order=3", "--embedding=4", "--first=5", "--second=5", "--steps=2"]
    assert run(
        ["train", "lm", train[1], "--out", network, "--model=cslm", *sizes,
         "--max-words=20", "--batch-tokens=64", "--backend=python"]
    ) == 0  # fmt: skip
    assert say(monkeypatch, system) == 0
    before = capsys.readouterr().out.splitlines()[-2:]
    assert run(["smt", "add-network", system, network, "--penalty"]) == 0
    assert "the network knows" in capsys.readouterr().out
    made = load_statistical(workshop.folder / "statistical").decoder
    assert made.table.names[-1] == "unknown words"
    assert made.features.groups[-1] == ("CSLM0", 1)
    # With weight 0 they change nothing; tuning finds weights for them.
    assert say(monkeypatch, system) == 0
    assert capsys.readouterr().out.splitlines() == before
    valid = workshop.pair("valid")
    assert run(["smt", "tune", system, *valid, "--iterations=2", "--threads=2"]) == 0
    weights = load_statistical(workshop.folder / "statistical").decoder.weights
    assert len(weights) == len(made.weights)
    assert say(monkeypatch, system, "--nbest=2") == 0
    assert "CSLM0= -" in capsys.readouterr().out
    assert run(["smt", "add-network", system, workshop.path("first")]) == 1


def test_phrases_in_a_network(workshop, system, tmp_path, capsys):
    pytest.importorskip("openTSNE")
    out = tmp_path / "map.png"
    words = ["smt", "draw", "phrase-map", system, workshop.path("summary")]
    sizes = ("--model=encoder-decoder", "--steps=2")
    assert workshop.train("summary", *sizes) == 0
    assert run([*words, "--words=1", "--count=30", "--out", str(out)]) == 0
    assert out.stat().st_size > 1000
    words[-1] = workshop.path("first")
    assert run([*words, "--words=1", "--count=30"]) == 1
    assert "no summary" in capsys.readouterr().err
