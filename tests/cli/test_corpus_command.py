"""`anadrome corpus`: what is printed, what is written, the exit status."""

import pytest

from anadrome.cli.commands import run
from anadrome.corpora import read_lines, scan_pairs


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.en").write_text("a cat\na dog\na cat\n\nlaw and order\n")
    (tmp_path / "a.fr").write_text("un chat\nun chien\nun chat\nx\nla loi\n")
    return tmp_path


def test_check(files, capsys):
    sides = [str(files / "a.en"), str(files / "a.fr")]
    assert run(["corpus", "check", *sides]) == 1
    said = capsys.readouterr().out
    assert f'error: File "{files}/a.en", line 4: the line is empty' in said
    assert "5 lines, 3 kept" not in said
    out = [str(files / "b.en"), str(files / "b.fr")]
    dropping = ["--empty=drop", "--duplicate=drop", "--overlap=drop"]
    (files / "t.txt").write_text("a dog\n")
    written = ["--test", str(files / "t.txt"), "--out", *out]
    assert run(["corpus", "check", *sides, *dropping, *written]) == 0
    assert read_lines(out[0]) == ["a cat", "law and order"]
    assert read_lines(out[1]) == ["un chat", "la loi"]


def test_stats(files, capsys):
    assert run(["corpus", "stats", str(files / "a.en")]) == 0
    assert "5  (1 empty)" in capsys.readouterr().out
    arguments = [str(files / "a.fr"), "--against", str(files / "a.en")]
    assert run(["corpus", "stats", *arguments]) == 0
    assert "9 tokens (100.00 %)" in capsys.readouterr().out


def test_convert(files, capsys):
    (files / "c.tsv").write_text("one\tun\ntwo\tdeux\n")
    out = files / "c.tmx"
    given = ["--out", str(out), "--languages", "en", "fr"]
    assert run(["corpus", "convert", str(files / "c.tsv"), *given]) == 0
    assert "2 records" in capsys.readouterr().out
    pairs = [pair for _, pair in scan_pairs(out, languages=("fr", "en"))]
    assert pairs == [("un", "one"), ("deux", "two")]
    sides = [str(files / "d.en"), str(files / "d.fr")]
    assert run(["corpus", "convert", str(out), "--out", *sides]) == 0
    assert read_lines(sides[1]) == ["un", "deux"]


def test_select(files, capsys):
    (files / "law.en").write_text("law and order\nlaw and peace\n")
    arguments = ["--domain", str(files / "law.en"), "--out", str(files / "s.en")]
    assert (
        run(["corpus", "select", str(files / "a.en"), *arguments, "--keep", "1"]) == 0
    )
    assert read_lines(files / "s.en") == ["law and order"]
    assert "1 of 5 lines" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check"], "no file is named"),
        (["check", "nowhere.txt"], "no such file"),
        (["check", "a", "b", "c"], "one file or two can be checked, not 3"),
        (["stats", "nowhere.tmx"], "no such file"),
        (["stats", "a.en", "--format=xml"], "there is no format 'xml'"),
        (["convert", "a.en", "--out", "b.tmx"], "does not say its format"),
        (["select", "a.en", "--domain", "b", "c", "--out", "d"], "2 of --domain"),
    ],
)
def test_what_goes_wrong_is_said_in_a_line(words, said, files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    assert run(["corpus", *words]) == 1
    error = capsys.readouterr().err
    assert error.startswith("anadrome: ")
    assert said in error
    assert len(error.strip().split("\n")) <= 2


def test_a_file_that_is_read_is_not_written(tmp_path, capsys):
    path = tmp_path / "a.txt"
    path.write_text("one two\nthree\n")
    name = str(path)
    for command in (
        ["corpus", "check", name, "--out", name],
        ["corpus", "convert", name, "--out", name],
        ["corpus", "select", name, "--domain", name, "--out", name],
    ):
        assert run(command) == 1
        assert "the file is read, and cannot be written" in capsys.readouterr().err
        assert path.read_text() == "one two\nthree\n"
