"""Pairs for training: one file or two, and what becomes of lines that may be wrong."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from anadrome.cli.commands import run
from anadrome.corpora import convert, read_parallel
from anadrome.tasks.findings import CorpusWarning
from anadrome.tasks.parallel_files import PairChecks, read_pairs
from anadrome.text.errors import CorpusError

ENGLISH = ["the cat sleeps", "the dog sleeps", "a dog eats", "the cat eats a fish"]
FRENCH = ["le chat dort", "le chien dort", "un chien mange", "le chat mange un poisson"]
SMALL = [
    "--embedding=8",
    "--hidden=16",
    "--merges=0",
    "--steps=60",
    "--rate=0.02",
    "--warmup=5",
    "--dropout=0",
    "--smoothing=0",
    "--backend=python",
]


@pytest.fixture
def files(tmp_path):
    for name, lines in (("a.en", ENGLISH), ("a.fr", FRENCH)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    return [tmp_path / "a.en", tmp_path / "a.fr"]


@pytest.mark.parametrize("name", ["a.tsv", "a.tmx", "a.po", "a.csv", "a.xlf", "a.mo"])
def test_one_file_has_both_sides(files, tmp_path, name):
    convert(tuple(files), (tmp_path / name,), languages=("en", "fr"))
    pairs = read_pairs([tmp_path / name], PairChecks(), max_tokens=100)
    assert sorted(pairs) == sorted(zip(ENGLISH, FRENCH))


def test_one_file_is_trained_on_and_judged(files, tmp_path, capsys):
    convert(tuple(files), (tmp_path / "a.tsv",))
    table, folder = str(tmp_path / "a.tsv"), str(tmp_path / "m")
    given = ["train", "translate", table, "--out", folder, *SMALL]
    assert run([*given, "--valid", table, "--overlap=ignore"]) == 0
    assert "on 4 sentences" in capsys.readouterr().out
    assert run(["evaluate", folder, table]) == 0
    assert capsys.readouterr().out.startswith("BLEU = 100.00")
    assert run(["score", folder, table, "--summary"]) == 0
    assert "of 4 sentences" in capsys.readouterr().out
    assert run(["report", folder, "--test", table]) == 0


def test_text_without_translations_is_refused(files, tmp_path, capsys):
    (tmp_path / "a.txt").write_text("one side\n")
    command = ["train", "translate", str(tmp_path / "a.txt"), "--out", "m"]
    assert run(command) == 1
    assert "the file has one side only" in capsys.readouterr().err


def test_the_same_texts_as_ever(tmp_path):
    odd = "\ufeffun\u202f! deux\u00a0; \u2028 trois\tquatre  cinq \r\nsix\r\n"
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(odd.encode())
    files = [tmp_path / "a", tmp_path / "b"]
    assert read_pairs(files, PairChecks(), max_tokens=9) == read_parallel(*files)


WRONG = {
    "unequal": (b"one\ntwo\n", b"un\n", 2),
    "encoding": (b"one\ntw\xff\n", b"un\ndeux\n", 2),
    "empty": (b"one\n\n", b"un\ndeux\n", 2),
    "long": (b"one\na b c d e\n", b"un\nd\n", 2),
    "ratio": (b"one\na\n", b"un\n" + b"d " * 12 + b"\n", 2),
    "duplicate": (b"one\none\n", b"un\nun\n", 2),
    "overlap": (b"two\none\n", b"deux\nun\n", 2),
}


@pytest.mark.parametrize("check", WRONG)
@pytest.mark.parametrize("policy", ["error", "warn", "drop", "ignore"])
def test_policies(tmp_path, check, policy):
    files, held_out = [tmp_path / "a.en", tmp_path / "a.fr"], tmp_path / "v.en"
    source, target, line = WRONG[check]
    files[0].write_bytes(source)
    files[1].write_bytes(target)
    held_out.write_bytes(b"one\n")
    ignored = dict.fromkeys(WRONG, "ignore")
    checks = replace(PairChecks(**ignored), **{check: policy})

    def read():
        return read_pairs(files, checks, max_tokens=4, held_out=[held_out])

    if policy == "error":
        with pytest.raises(CorpusError, match=f"line {line}: "):
            read()
        return
    if policy == "ignore":
        pairs = read()
    else:
        with pytest.warns(CorpusWarning, match=re.escape(f", line {line}: ")):
            pairs = read()
    dropped = policy == "drop" or check in ("unequal",)
    assert len(pairs) == (1 if dropped else 2)


def test_validation_in_the_training_corpus_is_told(files, tmp_path, capsys):
    english, french = map(str, files)
    given = ["train", "translate", english, french, "--out", str(tmp_path / "m")]
    assert run([*given, "--valid", english, french, *SMALL]) == 0
    assert (
        "anadrome: warning: 4 sentences are in the files of validation too; the first "
        f'is File "{english}", line 1: also in {english}, line 1'
    ) in capsys.readouterr().err
    assert run([*given, "--valid", english, french, "--overlap=error"]) == 1


def test_own_cells_in_translators(files, tmp_path, capsys):
    given = ["train", "translate", *map(str, files), *SMALL]
    folder = str(tmp_path / "m")
    assert run([*given, "--cell=mut3", "--out", folder]) == 0
    assert run(["evaluate", folder, *map(str, files)]) == 0
    assert "BLEU = 100.00" in capsys.readouterr().out
    assert run([*given, "--cell=lstm", "--out", str(tmp_path / "n")]) == 1
    assert "has a state of 2 arrays" in capsys.readouterr().err
