"""Texts: how they are cut into words, and which are refused."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anadrome.ngram import InvalidDiscounts, NgramModel
from anadrome.ngram.lexicon import Lexicon
from anadrome.ngram.text import encode_text
from anadrome.text import CorpusError

FALLBACK = (0.5, 1.0, 1.5)


def estimate(text: object, **options: object) -> NgramModel:
    options = {"fallback": FALLBACK, "native": False, **options}
    return NgramModel.estimate(text, 2, **options)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab\u00a0\u00e9\f \t\r", max_size=12), min_size=1, max_size=5),
    st.integers(1, 3),
)
def test_words_are_numbered_as_they_are_met(lines: list[str], pad: int) -> None:
    numbers: dict[str, int] = {"<unk>": 0, "<s>": 1, "</s>": 2}
    expected: list[int] = []
    for line in lines:
        expected += [1] * pad
        # As KenLM does: a no-break space or a form feed is a part of a word.
        for word in line.replace("\t", " ").replace("\r", " ").split(" "):
            if word:
                expected.append(numbers.setdefault(word, len(numbers)))
        expected.append(2)
    lexicon = Lexicon(native=False)
    found = np.concatenate(list(encode_text(lines, lexicon, pad, "error", learn=True)))
    assert found.tolist() == expected
    content, begin = lexicon.words()
    words = [content[a:b].tobytes().decode() for a, b in itertools.pairwise(begin)]
    assert words == list(numbers)


def test_many_words_make_the_table_grow() -> None:
    words = [f"w{i}" for i in range(3000)]
    lexicon = Lexicon()
    found = np.concatenate(
        list(encode_text([words, words], lexicon, 1, "error", learn=True))
    )
    assert found[1:3001].tolist() == list(range(3, 3003))
    np.testing.assert_array_equal(found[1:3001], found[3003:6003])
    assert lexicon.known == 3003


def test_ways_to_give_a_text(tmp_path: Path) -> None:
    text = "a b\nb\n"
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    ways = [
        plain,
        str(plain),
        packed,
        [plain],
        ["a b", "b"],
        [["a", "b"], ["b"]],
        iter(["a b", "b"]),
    ]
    found = [estimate(way).tables.arrays() for way in ways]
    for other in found[1:]:
        for name, array in found[0].items():
            np.testing.assert_array_equal(other[name], array)
    twice = estimate([plain, packed])
    assert not np.array_equal(twice.tables.probs, found[0]["probs"])


def test_reserved_words(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a b\na <unk> b\n")
    with pytest.raises(CorpusError, match="<unk> is reserved") as caught:
        estimate(path)
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    skipped = estimate(path, on_special="skip")
    other = estimate(["a b", "a b"])
    np.testing.assert_array_equal(skipped.tables.probs, other.tables.probs)
    counted = estimate(path, on_special="count")
    assert (
        counted.score(counted.state(["a"]), "<unk>")[0]
        > skipped.score(skipped.state(["a"]), "<unk>")[0]
    )
    assert (10.0 ** counted.logprobs(["a"])).sum() == pytest.approx(1, abs=1e-6)
    with pytest.raises(CorpusError, match="</s> is reserved"):
        estimate(["a </s>"], on_special="count")
    # Not a word of its own.
    estimate(["a<unk>", "x</s>"])


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"", "empty", None),
        (b"\n \n", "empty", None),
        (b"a\nb\xff\n", "not UTF-8", 2),
        (b"a\n\0\n", "NUL", 2),
    ],
)
def test_bad_files(
    tmp_path: Path, content: bytes, message: str, line: int | None
) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message) as caught:
        estimate(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    with pytest.raises(CorpusError, match=message):
        estimate(["a b"]).perplexity(path)


def test_bad_sentences() -> None:
    for text in ([], iter(())):
        with pytest.raises(CorpusError, match="no sentence"):
            estimate(text)
    with pytest.raises(CorpusError, match="line 2: a word of the sentence is empty"):
        estimate([["a"], ["b", ""]])
    with pytest.raises(CorpusError, match="line end"):
        estimate(["a\nb"])


def test_texts_without_discounts() -> None:
    with pytest.raises(InvalidDiscounts, match="no 1-gram has the adjusted count"):
        estimate(["a b"], fallback=None)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        NgramModel.estimate(["a"], 0)
    for prune, message in (
        ((0, -1), "none below 0"),
        ((1, 0), "must not become lower"),
        ((0, 0, 1), "too many"),
        ((), "must be a threshold"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate(["a b"], prune=prune)


def test_vocabulary_limits_the_words() -> None:
    model = estimate(["a b c", "a b", "b a"], vocabulary=["a", "b"])
    assert list(model.vocabulary) == ["<unk>", "<s>", "</s>", "a", "b"]
    assert model.score_sentence(["c"])[0].unknown
    rare = estimate(["a b c", "a b", "b a"], prune=(1,))
    assert list(rare.vocabulary) == ["<unk>", "<s>", "</s>", "a", "b"]
