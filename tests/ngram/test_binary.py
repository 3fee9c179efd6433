"""The binary format: what comes back, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anadrome.ngram import InvalidModel, NgramModel
from anadrome.ngram.binary import MAGIC

SENTENCES = ["a b a c", "a b b", "ç a b a", "b", "a b a a"]


def model() -> NgramModel:
    return NgramModel.estimate(SENTENCES, 3, fallback=(0.5, 1, 1.5), native=False)


def test_model_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    model().write(path)
    assert path.read_bytes().startswith(MAGIC)
    again = NgramModel.read(path, native=False)
    assert list(again.vocabulary) == list(model().vocabulary)
    assert again.order == 3
    expected = model().tables.arrays()
    for name, mine in again.tables.arrays().items():
        assert mine.dtype == expected[name].dtype
        np.testing.assert_array_equal(mine, expected[name])
    assert not again.tables.keys.flags.writeable
    assert again.score_sentence(["ç", "b"]) == model().score_sentence(["ç", "b"])


def test_name_or_choice_makes_it_binary(tmp_path: Path) -> None:
    model().write(tmp_path / "model.ngram")
    model().write(tmp_path / "other", binary=True)
    model().write(tmp_path / "text", binary=False)
    first = (tmp_path / "model.ngram").read_bytes()
    assert first == (tmp_path / "other").read_bytes()
    assert (tmp_path / "text").read_bytes().startswith(b"\\data\\\n")


def test_cut_off_and_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    model().write(path)
    whole = path.read_bytes()
    for end in (len(MAGIC), len(MAGIC) + 2, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(InvalidModel, match="damaged") as caught:
            NgramModel.read(path)
        assert caught.value.path == str(path)
    for old, new in ((b"<i4", b"|O8"), (b'"words"', b'"wards"'), (b"{", b"[")):
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(InvalidModel, match="damaged"):
            NgramModel.read(path)
