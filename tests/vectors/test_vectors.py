"""Vectors: files, counts, training, neighbours and tests of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anadrome as ad
from anadrome.text.errors import CorpusError
from anadrome.vectors import (
    GloveConfig,
    GloveState,
    UnknownWord,
    WordVectors,
    count_cooccurrences,
    read_analogies,
    read_similarities,
    read_vectors,
    score_analogies,
    score_similarities,
    train_glove,
    write_vectors,
)
from anadrome.vectors.glove import cost

RNG = np.random.default_rng(0)
SOME = WordVectors(
    ("king", "queen", "man", "woman", "été"),
    np.array([[1, 1], [-1, 1], [1, 0.1], [-1, 0.1], [0, -1]], np.float32),
)


@pytest.mark.parametrize("name", ["a.txt", "a.bin", "a.txt.gz", "a.bin.gz"])
def test_files_come_back(name, tmp_path):
    path = tmp_path / name
    write_vectors(path, SOME)
    assert name.endswith(".gz") == (path.read_bytes()[:2] == b"\x1f\x8b")
    found = read_vectors(path)
    assert found.words == SOME.words
    np.testing.assert_allclose(found.array, SOME.array, rtol=1e-6)
    assert read_vectors(path, limit=2).words == ("king", "queen")


def test_glove_files_have_no_header_and_words_may_hold_spaces(tmp_path):
    path = tmp_path / "glove.txt"
    write_vectors(path, SOME, header=False)
    assert read_vectors(path).words == SOME.words
    path.write_text("a 1 2\nat name 3 4\n")
    found = read_vectors(path)
    assert found.words == ("a", "at name")
    np.testing.assert_array_equal(found["at name"], [3, 4])


BAD = {
    "short.txt": (b"a 1 2\nb 1\n", "line 2"),
    "text.txt": (b"a 1 2\nb 1 x\n", "line 2"),
    "nan.txt": (b"a 1 2\nb 1 nan\n", "line 2: nan or inf"),
    "twice.txt": (b"a 1 2\nb 1 3\na 4 5\n", "on line 1 already"),
    "word.txt": (b"a\n", "line 1"),
    "empty.txt": (b"", "empty"),
    "cut.bin": (b"2 2\na \0\0\0\0\0\0\0\0\nb \0\0", "ends inside of vector 2 of 2"),
    "head.bin": (b"junk\n", "two counts"),
    "none.bin": (b"0 5\n", "no vectors"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named(name, tmp_path):
    content, wanted = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=wanted) as error:
        read_vectors(tmp_path / name)
    assert error.value.path == str(tmp_path / name)


def test_neighbours_and_analogies():
    assert SOME.analogy("man", "king", "woman")[0][0] == "queen"
    assert next(w for w, _ in SOME.nearest("man", 99)) == "king"
    assert len(SOME.nearest("man", 99)) == 4
    with pytest.raises(UnknownWord, match="did you mean 'queen'"):
        SOME.nearest("quen")
    with pytest.raises(ValueError, match="5 words have an array"):
        WordVectors(SOME.words, SOME.array[:4])


def test_scores(tmp_path):
    path = tmp_path / "q.txt"
    path.write_text(
        ": family\nman king woman queen\nMan King boy prince\n"
        ": gram1\nman woman king man\n"
    )
    family, gram = score_analogies(SOME, read_analogies(path))
    assert (family.right, family.asked, family.total) == (1, 1, 2)
    assert (gram.right, gram.asked) == (0, 1)
    (tmp_path / "s.txt").write_text("king\tman\t9\nKing queen 4\nman été 1\nx y 2\n")
    score = score_similarities(SOME, read_similarities(tmp_path / "s.txt"))
    assert (score.asked, score.total) == (3, 4)
    assert score.correlation == pytest.approx(1)
    (tmp_path / "bad.txt").write_text("king man\n")
    with pytest.raises(CorpusError, match="line 1: there should be two words"):
        read_similarities(tmp_path / "bad.txt")


def direct_counts(ids, window):
    counts = Counter()
    for t, second in enumerate(ids):
        for s in range(max(0, t - window), t):
            if second >= 0 and min(ids[s:t]) >= 0:
                counts[int(ids[s]), int(second)] += 1 / (t - s)
                counts[int(second), int(ids[s])] += 1 / (t - s)
    return counts


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-1, 6), max_size=60), st.integers(1, 5))
def test_counts_are_those_of_the_definition(ids, window):
    found = count_cooccurrences(np.array(ids, np.int64), 7, window=window, slots=64)
    wanted = direct_counts(ids, window)
    assert len(found) == len(wanted)
    for i, j, x in zip(found.rows, found.columns, found.values):
        assert x == pytest.approx(wanted[i, j])


def test_counting_in_little_memory_gives_the_same():
    ids = RNG.integers(0, 60, 4000)
    large = count_cooccurrences(ids, 60, window=4)
    small = count_cooccurrences(ids, 60, window=4, slots=256)
    np.testing.assert_array_equal(large.rows, small.rows)
    np.testing.assert_array_equal(large.columns, small.columns)
    np.testing.assert_allclose(large.values, small.values)


def test_one_update_is_adagrad_on_the_cost():
    counts = count_cooccurrences(np.array([0, 1]), 2, symmetric=False)
    config = GloveConfig(size=3, iterations=1, enough=10)
    first = GloveState.start(2, config)
    w, c = first.words.copy(), first.contexts.copy()
    b, d = first.word_biases.copy(), first.context_biases.copy()
    done = train_glove(counts, 2, config)
    weight = 0.1**0.75
    value, slope = ad.value_and_grad(cost)(w[0], c[1], b[0], d[1], 0.0, weight)
    assert done.costs == pytest.approx([value])
    np.testing.assert_allclose(done.words[0], w[0] - 0.05 * slope, rtol=1e-5)
    np.testing.assert_allclose(done.squares[0][0], 1 + (0.05 * slope) ** 2, rtol=1e-6)
    np.testing.assert_array_equal(done.words[1], w[1])


@pytest.mark.parametrize("threads", [1, 3])
def test_training_goes_on_where_it_ended(threads):
    counts = count_cooccurrences(RNG.integers(0, 40, 3000), 40)
    config = GloveConfig(size=8, iterations=4, threads=threads)
    whole = train_glove(counts, 40, config)
    assert whole.costs[-1] < 0.7 * whole.costs[0]
    half = train_glove(counts, 40, GloveConfig(size=8, iterations=2, threads=threads))
    again = train_glove(counts, 40, config, state=half)
    np.testing.assert_array_equal(again.vectors, whole.vectors)
    assert again.costs == whole.costs


def test_a_text_file_that_was_cut_is_noticed(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("3 2\nthe 0.1 0.2\ncat 0.1 0.3\n")
    with pytest.raises(CorpusError, match="counts 3 vectors, but there are 2"):
        read_vectors(path)
    assert read_vectors(path, limit=2).words == ("the", "cat")
