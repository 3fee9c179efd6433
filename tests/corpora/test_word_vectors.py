"""Vectors of words in text files."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.corpora import read_vectors
from anadrome.text.errors import CorpusError


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_vectors_of_known_words(tmp_path, header):
    path = tmp_path / "vectors.txt"
    path.write_text(header + "the 1 2\n. . . 3 4\nIt 5 -6e-1\n", "utf-8")
    found = read_vectors(path, {"the": 0, "it": 1, "here": 2})
    np.testing.assert_array_equal(found[:2], np.array([[1, 2], [5, -0.6]], np.float32))
    assert np.isnan(found[2]).all()


def test_exact_words_come_before_others(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("IT 1 1\nit 2 2\nIt 3 3\n", "utf-8")
    np.testing.assert_array_equal(read_vectors(path, {"it": 0}), [[2, 2]])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a 1 2\nb 1\n", "line 2: there are 1 numbers, not 2"),
        ("a 1 2\nb 1 2 3\n", "line 2: there are 3 numbers, not 2"),
        ("a 1 x\n", "line 1: what stands behind 'a' is not all numbers"),
        ("a 1 nan\n", "line 1: what stands behind 'a' is not all numbers"),
        ("a\nb\n", "line 1: there are no numbers behind the word"),
        ("10 300\n", "there are no vectors here"),
        ("", "the file is empty"),
    ],
)
def test_malformed_files(tmp_path, text, told):
    path = tmp_path / "vectors.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(CorpusError) as raised:
        read_vectors(path, {"a": 0, "b": 1})
    assert told in str(raised.value)
    assert str(path) in str(raised.value)
