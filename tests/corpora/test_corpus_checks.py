"""Checks before training: what is found, where, and what becomes of the line."""

import gzip

import pytest

from anadrome.corpora import Limits, ParallelCorpus, Policies, check_corpus
from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    EmptyLine,
    InvalidEncoding,
    UnequalCounts,
)


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


SOURCE = b"a b\n\xff x\n\n1 2 3 4 5 6\nlong one\na b\nin the test\nlast\nmore\n"
TARGET = b"c d\nd\ne\n1 2 3 4 5 6\nx x x x x\nc  d\nf f\ng\n"
EVERY = ["encoding", "empty", "long", "ratio", "duplicate", "overlap", "unequal"]


def policies(policy):
    return Policies(**dict.fromkeys(EVERY, policy))


def check(write, policy, **options):
    return check_corpus(
        write("a.en", SOURCE),
        write("a.fr", TARGET),
        policies=policies(policy),
        limits=Limits(max_tokens=5, max_ratio=2),
        test=[write("test.en", "nothing\nin  the test\n")],
        **options,
    )


def test_every_finding_has_its_place(write, tmp_path):
    report = check(write, "drop")
    found = [(f.check, f.path.rpartition(".")[2], f.line) for f in report.findings]
    assert found == [
        ("encoding", "en", 2),
        ("empty", "en", 3),
        ("long", "en", 4),
        ("long", "fr", 4),
        ("ratio", "en", 5),
        ("duplicate", "en", 6),
        ("overlap", "en", 7),
        ("unequal", "en", 9),
    ]
    messages = {f.check: f.message for f in report.findings}
    assert "0xff" in messages["encoding"]
    assert messages["ratio"] == "2 and 5 tokens"
    assert messages["duplicate"] == "the same as line 1"
    assert messages["overlap"].endswith("test.en, line 2")
    assert report.counts == dict.fromkeys(EVERY, 1) | {"long": 2}
    assert str(report.findings[0]).startswith(f'drop: File "{tmp_path / "a.en"}", line')


def test_dropped_lines_are_left_out(write):
    report = check(write, "drop")
    assert report.corpus == ParallelCorpus(("a b", "last"), ("c d", "g"))
    assert (report.lines, report.numbers, report.errors) == (9, (1, 8), 0)
    assert "9 lines, 2 kept" in str(report)
    assert "long" in str(report)


def test_warnings_leave_the_lines(write):
    report = check(write, "warn")
    # What has no partner cannot stay.
    assert report.numbers == tuple(range(1, 9))
    assert report.rows[1] == ("\ufffd x", "d")


def test_nothing_is_looked_for_when_told_so(write):
    report = check(write, "ignore")
    assert (report.findings, report.counts) == ((), {})


@pytest.mark.parametrize(
    ("check_name", "error", "line"),
    [
        ("encoding", InvalidEncoding, 2),
        ("empty", EmptyLine, 3),
        ("long", CorpusError, 4),
        ("unequal", UnequalCounts, 9),
    ],
)
def test_errors_refuse_the_corpus(check_name, error, line, write):
    chosen = Policies(**(dict.fromkeys(EVERY, "drop") | {check_name: "error"}))
    report = check_corpus(
        write("a.en", SOURCE),
        write("a.fr", TARGET),
        policies=chosen,
        limits=Limits(max_tokens=5),
    )
    assert report.errors >= 1
    with pytest.raises(error) as e:
        _ = report.corpus
    assert (e.value.line, type(e.value)) == (line, error)
    assert e.value.help


def test_one_file_of_any_format(write):
    report = check_corpus(write("a.tsv", "a\tb\na\tb\n"))
    assert report.counts == {"duplicate": 1}
    report = check_corpus(write("a.txt.gz", gzip.compress(b"a\na\nb\n")))
    assert report.counts == {"duplicate": 1}
    with pytest.raises(CorpusError, match="one side only"):
        _ = report.corpus
    report = check_corpus(write("a.jsonl", '{"source": "a", "target": ""}\n'))
    assert report.counts == {"empty": 1}
    with pytest.raises(CorpusError, match="1 column"):
        check_corpus(write("b.tsv", "a\n"))
    with pytest.raises(EmptyCorpus):
        check_corpus(write("a.txt", b""))


def test_findings_are_counted_but_not_all_kept(write):
    report = check_corpus(write("a.txt", "a\n" * 1500))
    assert report.counts == {"duplicate": 1499}
    assert len(report.findings) == 1000
