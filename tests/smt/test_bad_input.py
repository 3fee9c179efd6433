"""What is wrong with files is said with file and line; the status is not 0."""

from __future__ import annotations

import gzip
import io
import sys

import numpy as np
import pytest
from smt.tiny_models import random_lm, random_table

from anadrome.cli.commands import run
from anadrome.corpora import ParallelCorpus
from anadrome.smt.moses_table import write_moses_reordering, write_moses_table
from anadrome.smt.system import (
    MODEL,
    PHRASES,
    RECORD,
    WEIGHTS,
    Config,
    TextOptions,
    read_tuning,
    train_system,
)

INI = """[distortion-limit]
6
[feature]
KENLM path=lm.arpa
Distortion
LexicalReordering type=msd-bidirectional-fe path=orientations
WordPenalty
UnknownWordPenalty
PhraseDictionaryMemory path=phrases
[weight]
KENLM0= 0.5
Distortion0= 0.3
LexicalReordering0= 0.3 0.3 0.3 0.3 0.3 0.3
WordPenalty0= -1
PhraseDictionaryMemory0= 0.2 0.2
"""


@pytest.fixture
def moses(tmp_path):
    rng = np.random.default_rng(0)
    table = random_table(rng)
    write_moses_table(tmp_path / "phrases", table)
    write_moses_reordering(tmp_path / "orientations", table)
    random_lm(rng).write(tmp_path / "lm.arpa")
    (tmp_path / "moses.ini").write_text(INI)
    return tmp_path


def translate(monkeypatch, path, text=b"a b c\n", *more):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    return run(["translate", str(path), *more])


def change(path, number, edit):
    lines = path.read_text().splitlines(keepends=True)
    lines[number - 1] = edit(lines[number - 1])
    path.write_text("".join(lines))


def test_a_whole_system_of_moses_translates(moses, monkeypatch, capsys):
    assert translate(monkeypatch, moses / "moses.ini") == 0
    assert len(capsys.readouterr().out.split()) >= 1


@pytest.mark.parametrize(
    ("name", "number", "edit", "message"),
    [
        ("phrases", 3, lambda x: x.replace("|||", " "), "column"),
        ("phrases", 2, lambda x: "a ||| w ||| nan 0.5 |||\n", "'nan' is not a number"),
        ("phrases", 4, lambda x: x[: x.index("|||") + 5] + "\n", "column"),
        ("phrases", 4, lambda x: "a d a ||| w |||\n", "no scores"),
        ("phrases", 4, lambda x: " ||| w ||| 0.5 0.5\n", "source phrase is empty"),
        ("phrases", 4, lambda x: "a |||  ||| 0.5 0.5\n", "target phrase is empty"),
        ("phrases", 5, lambda x: "a ||| w w ||| 0.5 0.5 1\n", "3 scores, but 2"),
        ("orientations", 2, lambda x: "a ||| w ||| 0.5 0.5\n", "has 6"),
        ("lm.arpa", 9, lambda x: "half a\n", "half"),
        ("moses.ini", 4, lambda x: "NEURALTHING path=x\n", "NEURALTHING is not known"),
        ("moses.ini", 11, lambda x: "Wrong0= 0.5\n", "no feature 'Wrong0'"),
        ("moses.ini", 11, lambda x: "KENLM0= half\n", "not numbers"),
    ],
)
def test_what_breaks_a_file_is_located(
    moses, monkeypatch, capsys, name, number, edit, message
):
    change(moses / name, number, edit)
    assert translate(monkeypatch, moses / "moses.ini") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f'{name}", line {number}' in said.err
    assert message in said.err


def test_weights_of_another_number_are_refused(moses, monkeypatch, capsys):
    change(moses / "moses.ini", 15, lambda x: "PhraseDictionaryMemory0= 0.2\n")
    assert translate(monkeypatch, moses / "moses.ini") == 1
    assert "2 value(s), but 1 weight(s)" in capsys.readouterr().err


def test_a_model_of_another_language_is_refused(moses, monkeypatch, capsys):
    arpa = (moses / "lm.arpa").read_text()
    for old, new in zip("wxyz", "ABCD"):
        arpa = arpa.replace(f"\t{old}", f"\t{new}").replace(f" {old}", f" {new}")
    (moses / "lm.arpa").write_text(arpa)
    assert translate(monkeypatch, moses / "moses.ini") == 1
    said = capsys.readouterr().err
    assert "knows none of the target words" in said
    assert "lm.arpa" in said


def test_a_compressed_table_that_is_cut_is_refused(moses, monkeypatch, capsys):
    content = gzip.compress((moses / "phrases").read_bytes())
    (moses / "phrases").unlink()
    (moses / "phrases.gz").write_bytes(content[: len(content) // 2])
    assert translate(monkeypatch, moses / "moses.ini") == 1
    assert "phrases.gz" in capsys.readouterr().err


def test_input_in_another_encoding(moses, monkeypatch, capsysbinary):
    text = "a é b\n".encode("latin-1")
    assert translate(monkeypatch, moses / "moses.ini", text) == 1
    assert b'"standard input", line 1' in capsysbinary.readouterr().err
    more = ("--encoding", "latin-1")
    assert translate(monkeypatch, moses / "moses.ini", text, *more) == 0
    assert "é".encode("latin-1") in capsysbinary.readouterr().out
    assert translate(monkeypatch, moses / "moses.ini", text, "--encoding", "x") == 1


def test_long_lines_are_refused_where_all_words_meet_all_words(tmp_path, capsys):
    (tmp_path / "en").write_text("a\n" + "a " * 10_000 + "\n")
    (tmp_path / "fr").write_text("b\nb\n")
    arguments = ["smt", "align", str(tmp_path / "en"), str(tmp_path / "fr")]
    assert run([*arguments, "--out", str(tmp_path / "points")]) == 1
    assert 'en", line 2: a sentence of 10,000 words' in capsys.readouterr().err
    assert not (tmp_path / "points").exists()


@pytest.fixture
def folder(tmp_path):
    corpus = ParallelCorpus(("a b", "b a", "a"), ("x y", "y x", "x"))
    config = Config(text=TextOptions(tokenized=True))
    for _ in train_system(tmp_path / "system", corpus, config):
        pass
    return tmp_path / "system"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (WEIGHTS, b"[weights]\nWrong0 = [1.0]\n", "no feature 'Wrong0'"),
        (WEIGHTS, b"[weights]\nLM0 = [nan]\n", "not a number"),
        (WEIGHTS, b"[weights]\nLM0 = 'much'\n", WEIGHTS),
        (WEIGHTS, b"LM0 =", WEIGHTS),
        (PHRASES, b"nothing", PHRASES),
        (MODEL, b"nothing", MODEL),
        (RECORD, b"[run]\nformat = 'other'\n", RECORD),
    ],
)
def test_damaged_folders_are_named(folder, monkeypatch, capsys, name, content, message):
    (folder / name).write_bytes(content)
    assert translate(monkeypatch, folder) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err


def test_a_phrase_table_that_is_cut_is_named(folder, monkeypatch, capsys):
    whole = (folder / PHRASES).read_bytes()
    (folder / PHRASES).write_bytes(whole[:-100])
    assert translate(monkeypatch, folder) == 1
    assert "not whole" in capsys.readouterr().err


def test_a_line_of_the_log_that_is_cut_is_located(folder):
    (folder / "tuning.jsonl").write_text('{"iteration": 1}\n{"iter')
    with pytest.raises(ValueError, match=r"tuning.jsonl\", line 2"):
        read_tuning(folder / "tuning.jsonl")
