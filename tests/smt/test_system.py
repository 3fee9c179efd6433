"""A translator from two files to translations, through the command."""

from __future__ import annotations

import io
import itertools
import sys

import numpy as np
import pytest

from anadrome.cli.commands import run
from anadrome.smt.decoder import Decoder
from anadrome.smt.neural import add_phrase_scores, phrase_pairs, top_targets
from anadrome.smt.system import System

NOUNS = {"dog": "chien", "cat": "chat", "boy": "garçon", "man": "homme"}
VERBS = {"sees": "voit", "likes": "aime", "follows": "suit"}
COLOURS = {"red": "rouge", "black": "noir"}


def pairs():
    for s, v, o in itertools.product(NOUNS, VERBS, NOUNS):
        yield f"the {s} {v} the {o}", f"le {NOUNS[s]} {VERBS[v]} le {NOUNS[o]}"
    for s, c, v in itertools.product(NOUNS, COLOURS, VERBS):
        yield f"a {c} {s} {v}", f"un {NOUNS[s]} {COLOURS[c]} {VERBS[v]}"
    for c, v in itertools.product(COLOURS, VERBS):
        yield f"{c} {v}", f"{COLOURS[c]} {VERBS[v]}"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smt")
    lines = list(pairs())
    # Some sentences are left out, to be translated from their parts.
    lines = [pair for pair in lines if not pair[0].startswith("a red cat")]
    for side, name in enumerate(("en", "fr")):
        text = "".join(p[side] + "\n" for p in lines)
        (folder / name).write_text(text)
        (folder / f"dev.{name}").write_text("".join(p[side] + "\n" for p in lines[::5]))
    arguments = [
        *("train", "smt", str(folder / "en"), str(folder / "fr")),
        *("--out", str(folder / "model"), "--tokenized"),
        *("--valid", str(folder / "dev.en"), str(folder / "dev.fr")),
        *("--iterations", "2", "--candidates", "20", "--restarts", "1"),
    ]
    assert run(arguments) == 0
    return folder, arguments


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_what_was_not_seen_is_translated(trained, monkeypatch, capsys):
    folder, _ = trained
    feed(monkeypatch, "a red cat\n\nthe boy follows the zebra\n")
    assert run(["translate", str(folder / "model")]) == 0
    assert capsys.readouterr().out == ("un chat rouge\n\nle garçon suit le zebra\n")


def test_nbest_lists_alignments_and_phrases_are_written(trained, monkeypatch, capsys):
    folder, _ = trained
    feed(monkeypatch, "a red cat\n")
    assert run(["translate", str(folder / "model"), "--align"]) == 0
    text, points = capsys.readouterr().out.rstrip("\n").split("\t")
    assert (text, points) == ("un chat rouge", "0-0 1-2 2-1")
    feed(monkeypatch, "a red cat\n")
    assert run(["translate", str(folder / "model"), "--nbest", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    number, said, values, score = (c.strip() for c in lines[0].split("|||"))
    assert (number, said) == ("0", "un chat rouge")
    assert values.startswith("LM0= ")
    assert float(score) >= float(lines[1].split("|||")[3])
    feed(monkeypatch, "a red cat\n")
    assert run(["translate", str(folder / "model"), "--trace"]) == 0
    assert "rouge" in capsys.readouterr().out


def test_training_again_does_nothing_again(trained, capsys):
    folder, arguments = trained
    before = (folder / "model" / "weights.toml").stat().st_mtime_ns
    assert run(arguments) == 0
    assert (folder / "model" / "weights.toml").stat().st_mtime_ns == before
    assert "align" not in capsys.readouterr().out
    assert run([*arguments, "--lm-order", "3"]) == 1
    assert "made differently: model.lm_order" in capsys.readouterr().err


def test_system_is_evaluated(trained, capsys):
    folder, _ = trained
    files = [str(folder / "dev.en"), str(folder / "dev.fr")]
    assert run(["evaluate", str(folder / "model"), *files]) == 0
    out = capsys.readouterr().out
    assert "BLEU = 100.00" in out
    assert "chrF" in out


def test_stages_one_by_one(trained, capsys, tmp_path):
    folder, _ = trained
    corpus = [str(folder / "en"), str(folder / "fr")]
    points, table = str(tmp_path / "a"), str(tmp_path / "t.gz")
    assert run(["smt", "align", *corpus, "--out", points, "--aligner", "hmm"]) == 0
    gold = ["--gold", points, "--aligner", "hmm"]
    assert run(["smt", "align", *corpus, "--out", str(tmp_path / "b"), *gold]) == 0
    assert "alignment error rate 0.0000" in capsys.readouterr().out
    assert run(["smt", "extract", *corpus, points, "--out", table]) == 0
    assert "different phrase pairs" in capsys.readouterr().out
    files = [str(folder / "dev.en"), str(folder / "dev.fr")]
    assert run(["smt", "score", str(folder / "model"), *files]) == 0
    assert "cannot say" not in capsys.readouterr().out
    tuning = ["--method", "mira", "--iterations", "1"]
    assert run(["smt", "tune", str(folder / "model"), *files, *tuning]) == 0
    assert "iteration 1: BLEU" in capsys.readouterr().out


def test_lists_are_chosen_from_by_other_scores(capsys, tmp_path):
    (tmp_path / "n").write_text(
        "0 ||| a ||| LM0= 1 ||| -1\n0 ||| b ||| LM0= 1 ||| -2\n1 ||| c ||| ||| -1\n"
    )
    (tmp_path / "s").write_text("-9\n-1\n-1\n")
    files = [str(tmp_path / "n"), "--scores", str(tmp_path / "s")]
    assert run(["smt", "rescore", *files]) == 0
    assert capsys.readouterr().out == "b\nc\n"
    (tmp_path / "s").write_text("-9\nx\n-1\n")
    assert run(["smt", "rescore", *files]) == 1
    assert "line 2: 'x' is not a number" in capsys.readouterr().err
    (tmp_path / "n").write_text("0 ||| a ||| LM0= 1 ||| -1\n0 ||| b ||| -2\n")
    assert run(["smt", "rescore", *files]) == 1
    assert "line 2: this is no line of an n-best list" in capsys.readouterr().err


def test_phrases_are_scored_by_another_model(trained):
    folder, _ = trained
    table = System.load(folder / "model").decoder.table
    pairs = phrase_pairs(table)
    assert len(set(pairs)) == len(pairs) == len(table)

    def scorer(sources, targets):
        return [-float(len(t.split())) for _, t in zip(sources, targets)]

    wider = add_phrase_scores(table, scorer, "length")
    assert wider.names == (*table.names, "length")
    assert wider.scores[:, -1].tolist() == [
        -len(table.target_phrase(e)) for e in range(len(table))
    ]
    assert np.array_equal(wider.scores[:, :4], table.scores)
    again = add_phrase_scores(wider, scorer, "length")
    assert np.array_equal(again.scores, wider.scores)
    assert top_targets(wider, ["red"], "p(t|s)", 1) == ["rouge"]
    decoder = Decoder(wider, System.load(folder / "model").decoder.lm)
    assert decoder.features.scores == 5
    with pytest.raises(ValueError, match="not all numbers"):
        add_phrase_scores(table, lambda s, t: [np.nan] * len(s))


def test_a_folder_of_something_else_is_refused(trained, tmp_path, capsys):
    _, arguments = trained
    (tmp_path / "thesis.txt").write_text("mine")
    place = arguments.index("--out") + 1
    elsewhere = [*arguments[:place], str(tmp_path), *arguments[place + 1 :]]
    assert run(elsewhere) == 1
    assert "such as thesis.txt" in capsys.readouterr().err


def test_threads_and_constraints_of_the_command(trained, monkeypatch, capsys):
    folder, _ = trained
    model = str(folder / "model")
    text = "the boy sees the dog\na black cat\n" * 6
    feed(monkeypatch, text)
    assert run(["translate", model]) == 0
    alone = capsys.readouterr().out
    feed(monkeypatch, text)
    assert run(["translate", model, "--threads", "2"]) == 0
    assert capsys.readouterr().out == alone
    feed(monkeypatch, "the boy sees the dog\t1=Pierre\t3-4=Médor le chien\n")
    assert run(["translate", model, "--constraints", "--align"]) == 0
    said, points = capsys.readouterr().out.rstrip().split("\t")
    assert "Médor le chien" in said
    assert f"1-{said.split().index('Pierre')}" in points.split()
    feed(monkeypatch, "a cat\na cat\t9=x\n")
    assert run(["translate", model, "--constraints"]) == 1
    assert '"standard input", line 2' in capsys.readouterr().err


def test_systems_are_compared_and_analysed(trained, capsys, tmp_path):
    folder, _ = trained
    references = (folder / "dev.fr").read_text()
    (tmp_path / "other").write_text(references.replace("chat", "chien"))
    test = ["--test", str(folder / "dev.en"), str(folder / "dev.fr")]
    systems = [f"SMT={folder / 'model'}", f"other={tmp_path / 'other'}"]
    assert run(["compare", *systems, *test, "--samples", "20"]) == 0
    assert "SMT" in capsys.readouterr().out
    assert run(["analyse", *systems, *test, "--out", str(tmp_path / "pictures")]) == 0
    said = capsys.readouterr().out
    assert "unknown" in said
    assert list((tmp_path / "pictures").glob("*.png"))


def test_the_report_and_the_pictures_are_drawn(trained, capsys, tmp_path):
    folder, _ = trained
    model = str(folder / "model")
    assert run(["report", model, "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    for title in ("The phrases it uses", "How it searches", "weights were found"):
        assert title in page
    assert page.count("<svg") >= 5
    pictures = [
        ["phrases", model, "a red cat"],
        ["phrases", model, "a red cat", "un chat rouge"],
        ["stacks", model, "the boy sees the dog"],
        ["tuning", model],
        ["scores", model, "--columns", "p(s|t)", "p(t|s)"],
    ]
    for words in pictures:
        out = tmp_path / f"{words[0]}.svg"
        assert run(["smt", "draw", *words, "--out", str(out)]) == 0
        assert out.read_bytes().startswith(b"<?xml")
    assert run(["smt", "draw", "phrases", model, "a cat", "impossible"]) == 1
    assert "cannot say" in capsys.readouterr().err


def test_targets_are_ranked_by_two_scores(trained, capsys):
    folder, _ = trained
    model = str(folder / "model")
    words = ["smt", "top", model, "the dog", "--columns", "p(s|t)", "p(t|s)"]
    assert run([*words, "--random", "2", "--words", "2"]) == 0
    said = capsys.readouterr().out
    assert "le chien" in said
    assert run(["smt", "top", model, "the dog"]) == 1
    assert "no column 'neural'" in capsys.readouterr().err


def test_lists_are_chosen_from_by_a_language_model(trained, capsys, tmp_path):
    folder, _ = trained
    listed = tmp_path / "list"
    listed.write_text(
        "0 ||| chat le voit ||| LM0= -1 ||| -1\n0 ||| le chat voit ||| LM0= -2 ||| -2\n"
    )
    words = ["smt", "rescore", str(listed), "--lm", str(folder / "model" / "lm.bin")]
    assert run([*words, "--weight", "3"]) == 0
    assert capsys.readouterr().out == "le chat voit\n"
    assert run([*words, "--features"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("Other0= -" in line for line in lines)


def test_empty_pairs_are_left_out_and_counted(tmp_path, capsys):
    lines = [("", "rien"), *itertools.islice(pairs(), 30), ("nothing", " ")]
    for side, name in enumerate(("en", "fr")):
        (tmp_path / name).write_text("".join(p[side] + "\n" for p in lines))
    files = [str(tmp_path / name) for name in ("en", "fr")]
    assert run(["train", "smt", *files, "--out", str(tmp_path / "m")]) == 0
    out, err = capsys.readouterr()
    assert "read" in out
    assert "30 of 30 pairs" in out
    assert "warning: 2 of 32 pairs are empty on a side and left out" in err
    assert f'File "{files[0]}", line 1' in err
