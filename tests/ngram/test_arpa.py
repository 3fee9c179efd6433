"""ARPA files of this and other programs, and those that are broken."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from anadrome.ngram import NgramModel
from anadrome.text import CorpusError

FOLDERS = (parent / "shared" / "data" for parent in Path(__file__).parents)
DATA = next((folder for folder in FOLDERS if folder.is_dir()), Path("data"))

GOOD = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.5
-0.7\t</s>
-0.4\ta\t-0.2
-0.6\tb\t-0.3

\\2-grams:
-0.1\t<s> a\t-0.25
-0.2\ta b
-0.3\tb a

\\3-grams:
-0.05\t<s> a b

\\end\\
"""


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, text: str | bytes, *, native: bool = False) -> NgramModel:
    return NgramModel.read(write(path, text), native=native)


def test_what_is_read(tmp_path: Path) -> None:
    model = read(tmp_path / "good.arpa", GOOD)
    assert (model.order, len(model.vocabulary)) == (3, 5)
    scored = model.score_sentence(["a", "b", "a", "c"])
    # "b" after "<s> a" is a trigram; then "a" after "b" with no weight for "a b".
    expected = [(-0.1, 2), (-0.05, 3), (-0.3, 2), (-0.2 - 1.5, 1), (-0.7, 1)]
    assert [(s.log10_prob, s.order) for s in scored] == [
        (pytest.approx(p, abs=1e-6), n) for p, n in expected
    ]


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", "\r\n"),
        "# remarks of another program\n\n" + GOOD,
        GOOD.replace("ngram 1=5", "ngram  1=     5"),
        GOOD.replace("\t", " "),
        gzip.compress(GOOD.encode(), mtime=0),
    ],
    ids=["line ends", "remarks", "spaces in counts", "no tabs", "gzip"],
)
def test_other_spellings(tmp_path: Path, text: str | bytes) -> None:
    model = read(tmp_path / "model", text)
    expected = read(tmp_path / "good.arpa", GOOD)
    for mine, given in zip(model.tables, expected.tables):
        np.testing.assert_array_equal(mine, given)


@pytest.mark.parametrize("old", ["-0.2", "-2e-1", "-2.0E-01", "-.2", "-0000.20"])
def test_numbers_in_native_code(tmp_path: Path, old: str) -> None:
    """What native code does not read by itself, Python does."""
    text = GOOD.replace("-0.2\ta b", f"{old}\ta b")
    model = read(tmp_path / "model", text, native=True)
    assert model.score(model.state(["a"]), "b")[0] == pytest.approx(-0.2)


def test_model_without_unknown_words(tmp_path: Path) -> None:
    text = GOOD.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4")
    model = read(tmp_path / "model.arpa", text)
    assert model.score(0, "something")[0] == -100.0
    assert model.score(0, "b")[0] == pytest.approx(-0.6)


def test_missing_parts_are_what_backing_off_gives(tmp_path: Path) -> None:
    # "a b" is a part of the trigram, "b a" of another one, and neither is there.
    text = GOOD.replace("-0.2\ta b\n", "").replace("-0.3\tb a\n", "")
    text = text.replace("2=3", "2=1").replace("3=1", "3=2")
    text = text.replace("-0.05\t<s> a b\n", "-0.05\t<s> a b\n-0.01\tb a b\n")
    model = read(tmp_path / "model.arpa", text)
    assert model.score(model.state(["a"]), "b")[0] == pytest.approx(-0.2 - 0.6)
    assert model.score(model.state(["b", "a"]), "b")[0] == pytest.approx(-0.01)
    assert model.score(model.state(["b"]), "a")[0] == pytest.approx(-0.3 - 0.4)
    assert model.score(model.state(["b", "a"]), "a")[0] == pytest.approx(-0.2 - 0.4)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "empty"),
        ("hello\nworld\n", 1, "not an ARPA file"),
        (b"mmap lm http://kheafield.com/code format version 5\n\0", 1, "not an ARPA"),
        (GOOD.replace("ngram 2=3", "ngram 2=-3"), 3, "negative"),
        (GOOD.replace("ngram 2=3", "ngram 3=3"), 3, "out of order"),
        (GOOD.replace("ngram 2=3", "bigrams 3"), 3, "not a count"),
        (GOOD.replace("ngram 2=3", "ngram 2=4"), 16, "counts 4 2-grams, and there are"),
        (GOOD.replace("-0.2\ta b\n", "-0.2\ta b\n-0.2\ta b\n"), 17, "counts 3"),
        (GOOD.replace("-0.2\ta b", "nan\ta b"), 15, "'nan' is not the logarithm"),
        (GOOD.replace("-0.2\ta b", "0.2\ta b"), 15, "'0.2' is not the logarithm"),
        (GOOD.replace("-0.2\ta b", "x\ta b"), 15, "'x' is not a number"),
        (GOOD.replace("<s> a\t-0.25", "<s> a\tnan"), 14, "'nan' is not a back-off"),
        (GOOD.replace("-0.2\ta b", "-0.2\ta"), 15, "here are 2 fields"),
        (GOOD.replace("-0.2\ta b", "-0.2\ta c"), 15, "'c' is not among the unigrams"),
        (GOOD.replace("-0.2\ta b", "-0.3\tb a"), 16, "twice"),
        (GOOD.replace("\tb\t-0.3", "\ta\t-0.3"), 11, "'a' stands here again"),
        (GOOD.replace("-0.7\t</s>", "-0.7\tc"), 6, "no </s>"),
        (GOOD[: GOOD.index("\\3-grams")], None, "file ends where the 3-grams"),
        (GOOD[: GOOD.index("\\end")], None, "file ends without"),
        (GOOD + "more\n", 22, "more after"),
        (GOOD.encode().replace(b"-0.6\tb", b"-0.6\tb\xff"), 11, "not UTF-8"),
        (gzip.compress(GOOD.encode(), mtime=0)[:60], None, "damaged"),
    ],
)
def test_broken_files(
    tmp_path: Path, text: str | bytes, line: int | None, message: str
) -> None:
    path = tmp_path / "model.arpa"
    for native in (False, True):
        with pytest.raises(CorpusError, match=re.escape(message)) as caught:
            read(path, text, native=native)
    assert caught.value.path == str(path)
    if line is not None:
        assert caught.value.line == line
        assert f'File "{path}", line {line}: ' in str(caught.value)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    for end in range(len(GOOD) - 2):
        with pytest.raises(CorpusError):
            read(tmp_path / "model.arpa", GOOD[:end])


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        NgramModel.read(tmp_path / "none.arpa")
    with pytest.raises(CorpusError, match="folder"):
        NgramModel.read(tmp_path)


# What KenLM says of the file of its own tests: the log10-probability and the length of
# the n-gram that matched. It has parts of n-grams missing and weights above one.
KENLM = {
    "looking on a little more loin": [
        *[(-0.4847, 2), (-0.3488, 3), (-0.0155, 4), (-0.0031, 5), (-0.0018, 5)],
        *[(-0.0433, 5), (-0.6708, 2)],
    ],
    "also would consider higher looking": [
        *[(-2.1028, 1), (-2.0, 2), (-3.0, 3), (-4.0, 4), (-5.0, 5), (-1.5066, 1)],
    ],
    "to look a little more . foo bar": [
        *[(-2.1028, 1), (-0.2922, 2), (-7.0, 3), (-0.0913, 2), (-0.0166, 3)],
        *[(-0.8076, 2), (-4.4638, 1), (-6.0, 2), (1.9705, 1)],
    ],
    "screening a little however x however y": [
        *[(-1.0515, 2), (-0.165, 2), (-0.0284, 3), (-3.5629, 1), (-2.2967, 2)],
        *[(-4.0, 2), (-6.0, 3), (-33.0295, 1)],
    ],
}


@pytest.mark.parametrize("sentence", KENLM)
def test_scores_are_kenlm_s(sentence: str) -> None:
    path = DATA / "kenlm_arpa" / "test.arpa"
    if not path.exists():
        pytest.skip("needs the data of the experiments")
    model = NgramModel.read(path, native=False)
    found = [(s.log10_prob, s.order) for s in model.score_sentence(sentence.split())]
    assert found == [(pytest.approx(p, abs=1e-4), n) for p, n in KENLM[sentence]]


@pytest.mark.parametrize("name", ["en.europarl.lm.arpa", "en.lm.arpa"])
def test_files_of_other_programs_sum_to_one(name: str) -> None:
    path = DATA / "moses_samples" / name
    if not path.exists():
        pytest.skip("needs the data of the experiments")
    model = NgramModel.read(path)
    for context in (["the"], ["on", "the"], ["zzz"]):
        assert (10.0 ** model.logprobs(context)).sum() == pytest.approx(1, abs=1e-4)
