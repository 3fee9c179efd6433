"""`anadrome score`, `compare` and `analyse`."""

from __future__ import annotations

import math

import pytest

from anadrome.cli.commands import run


def test_scores_of_pairs_and_their_perplexity(workshop, capsys):
    command = ["score", workshop.path("first"), *workshop.pair("test")]
    assert run(command) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 8
    for log_prob, tokens, perplexity in rows:
        mean = math.exp(-float(log_prob) / int(tokens))
        assert float(perplexity) == pytest.approx(mean, rel=1e-3)
    assert run([*command, "--summary"]) == 0
    total = sum(float(row[0]) for row in rows)
    count = sum(int(row[1]) for row in rows)
    said = capsys.readouterr().out
    assert f"({count:,} tokens of 8 sentences" in said
    found = float(said.split(" = ")[1].split(" ")[0])
    assert found == pytest.approx(math.exp(-total / count), rel=1e-3)


def test_scores_of_tokens_add_up(workshop, capsys):
    command = ["score", workshop.path("first"), *workshop.pair("test"), "--tokens"]
    assert run(command) == 0
    for line in capsys.readouterr().out.splitlines():
        log_prob, tokens, _, each = line.split("\t")
        values = [float(part.rpartition("|")[2]) for part in each.split(" ")]
        assert len(values) == int(tokens)
        assert sum(values) == pytest.approx(float(log_prob), abs=1e-2)
        assert "</s>|" in each


def test_evaluate_has_three_metrics_with_signatures(workshop, capsys):
    command = ["evaluate", "--beam", "2", workshop.path("first")]
    assert run([*command, *workshop.pair("test")]) == 0
    names = [line.split(" = ")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["BLEU", "chrF2", "TER"]


def test_scores_of_models_that_work_together(workshop, capsys):
    def scores(*partners: str) -> list[float]:
        command = ["score", workshop.path("first"), *workshop.pair("test")]
        for name in partners:
            command += ["--together", workshop.path(name)]
        assert run(command) == 0
        lines = capsys.readouterr().out.splitlines()
        return [float(line.split("\t")[0]) for line in lines]

    alone, twice, both = scores(), scores("first"), scores("second")
    assert twice == pytest.approx(alone, abs=1e-3)
    assert both != pytest.approx(alone, abs=1e-3)


def test_compare_models_and_files(workshop, capsys):
    systems = [workshop.path("first"), workshop.path("second")]
    human = f"human={workshop.path('test.fr')}"
    options = ["--test", *workshop.pair("test"), "--samples=20", "--beam=1"]
    assert run(["compare", *systems, human, *options]) == 0
    said = capsys.readouterr().out
    assert "first (baseline)" in said
    assert "human" in said
    assert "100.00" in said
    assert "p = " in said
    assert "TER: nrefs:1|bs:20" in said


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (["first"], "two systems or more"),
        (["first", "first"], "the same system is named twice"),
        (["first", "nowhere"], "no such file"),
        (["first", "valid.fr"], "6 lines for 8 sentences"),
    ],
)
def test_compare_refuses_in_one_line(workshop, capsys, systems, message):
    named = [workshop.path(name) for name in systems]
    options = ["--test", *workshop.pair("test"), "--beam=1"]
    assert run(["compare", *named, *options]) == 1
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert message in error


def test_analyse_writes_tables_and_pictures(workshop, tmp_path, capsys):
    out = tmp_path / "analysis"
    command = [
        *("analyse", workshop.path("first"), f"human={workshop.path('test.fr')}"),
        *("--test", *workshop.pair("test"), "--out", str(out)),
        *("--beam=3", "--top=3", "--long=6", "--samples=1", "--format=svg"),
    ]
    assert run(command) == 0
    said = capsys.readouterr().out
    for part in ("words (source)", "unknown words (reference)", "no UNK", "NLL"):
        assert part in said
    assert (out / "analysis.txt").read_text() == said
    assert "<svg" in (out / "bleu-by-words-source.svg").read_text()
    assert run(command) == 0  # what it wrote itself may be written anew


def test_analyse_leaves_foreign_folders_alone(workshop, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    options = ["--test", *workshop.pair("test"), "--out", str(tmp_path)]
    assert run(["analyse", workshop.path("test.fr"), *options]) == 1
    assert "such as thesis.tex, which are left alone" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


LABELLED = "".join(f"{'ab'[i % 2]}\t{'xy'[i % 2] * (2 + i % 5)}\n" for i in range(40))


def test_compare_classifiers(tmp_path, capsys):
    data = tmp_path / "names.tsv"
    data.write_text(LABELLED)
    small = [
        *("--units=letters", "--min-count=1", "--hidden=4", "--embedding=4"),
        *("--batch-tokens=100", "--backend=python"),
    ]
    for name, steps in (("a", 1), ("b", 2)):
        options = [*small, f"--steps={steps}", "--out", str(tmp_path / name)]
        assert run(["train", "classify", str(data), *options]) == 0
    capsys.readouterr()
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert run(["compare", *folders, "--test", str(data), "--samples=30"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("system")
    assert "a (baseline)" in said
    assert run(["score", folders[0], str(data)]) == 1
    assert "a classifier cannot score examples" in capsys.readouterr().err
    assert run(["report", folders[0], "--test", str(data)]) == 0
    page = (tmp_path / "a" / "report.html").read_text()
    assert "What it mixes up" in page
