"""`anadrome draw` and `anadrome report`."""

from __future__ import annotations

import pytest

from anadrome.cli.commands import run

PNG = b"\x89PNG"


@pytest.mark.parametrize(
    ("what", "more"),
    [
        ("curves", []),
        ("alignment", ["She is here."]),
        ("alignment", ["She is here.", "Elle est ici."]),
        ("beam", ["She is here.", "--beam=2"]),
    ],
)
def test_pictures_of_a_translator(workshop, tmp_path, what, more):
    out = tmp_path / "picture.png"
    words = ["draw", what, workshop.path("first"), *more, "--out", str(out)]
    assert run(words) == 0
    assert out.read_bytes().startswith(PNG)


def test_a_parse_of_a_grconv(workshop, tmp_path, capsys):
    words = ["draw", "parse", workshop.path("tree"), "She is here."]
    assert run([*words, "--out", str(tmp_path / "parse.svg")]) == 0
    assert b"<svg" in (tmp_path / "parse.svg").read_bytes()
    words[2] = workshop.path("first")
    assert run([*words, "--out", str(tmp_path / "other.svg")]) == 1
    assert "the attention model finds no structure" in capsys.readouterr().err


def test_a_map_of_words(workshop, tmp_path, capsys):
    pytest.importorskip("openTSNE")
    out = tmp_path / "words.png"
    words = ["draw", "words", workshop.path("first"), workshop.path("train.en")]
    assert run([*words, "--count=20", "--out", str(out)]) == 0
    assert out.read_bytes().startswith(PNG)


def test_gradient_flow_of_few_steps(tmp_path):
    out = tmp_path / "flow.png"
    assert run(["draw", "gradient-flow", "--steps=6", "--out", str(out)]) == 0
    assert out.read_bytes().startswith(PNG)


def test_pictures_are_png_or_svg(workshop, capsys):
    words = ["draw", "curves", workshop.path("first"), "--out", "curves.gif"]
    assert run(words) == 1
    assert "pictures are .png or .svg" in capsys.readouterr().err


def test_foreign_pictures_are_left_alone(workshop, tmp_path, capsys):
    out = tmp_path / "holiday.png"
    out.write_bytes(PNG + b"a beach")
    assert run(["draw", "curves", workshop.path("first"), "--out", str(out)]) == 1
    assert "left alone" in capsys.readouterr().err
    assert out.read_bytes() == PNG + b"a beach"


@pytest.mark.parametrize("name", ["first", "tree"])
def test_reports_show_the_validation_examples(workshop, tmp_path, capsys, name):
    out = tmp_path / "report.html"
    assert run(["report", workshop.path(name), "--out", str(out)]) == 0
    page = out.read_text()
    for part in ("How good it is", "On 6 sentences.", "How it searches", "Loss"):
        assert part in page
    assert ("How it reads" in page) == (name == "tree")
    assert ("Where it looks" in page) == (name == "first")


def test_training_leaves_a_report(workshop):
    page = (workshop.folder / "first" / "report.html").read_text()
    assert "How training went" in page


def test_a_map_of_phrases(workshop, tmp_path, capsys):
    pytest.importorskip("openTSNE")
    out, few = tmp_path / "phrases.png", tmp_path / "few.txt"
    words = ["draw", "phrases", workshop.path("tree"), workshop.path("train.en")]
    assert run([*words, "--out", str(out)]) == 0
    assert out.read_bytes().startswith(PNG)
    few.write_text("She is here.\n\n")
    assert run([*words[:3], str(few), "--out", str(out)]) == 1
    assert "a map needs four phrases" in capsys.readouterr().err
    words[2] = workshop.path("first")
    assert run([*words, "--out", str(out)]) == 1
    assert "the attention model makes no summaries" in capsys.readouterr().err
