import json

import numpy as np
import pytest

from anadrome.text import BOS, EOS, PAD, UNK, CorpusError, Vocabulary, pad_sentences


def test_special_tokens_have_the_first_numbers():
    vocabulary = Vocabulary(["a"])
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert vocabulary.tokens == ("<pad>", "<s>", "</s>", "<unk>", "a")


def test_from_counts_orders_by_count_then_alphabet():
    vocabulary = Vocabulary.from_counts({"b": 2, "c": 5, "a": 2, "d": 1}, min_count=2)
    assert vocabulary.tokens[4:] == ("c", "a", "b")
    assert Vocabulary.from_counts({"b": 2, "a": 3}, max_size=5).tokens[4:] == ("a",)


def test_encode_and_decode():
    vocabulary = Vocabulary.from_sentences([["the", "cat"], ["the", "dog"]])
    ids = vocabulary.encode(["the", "bird", "dog"], bos=True, eos=True)
    assert ids.dtype == np.int64
    assert ids.tolist() == [BOS, vocabulary["the"], UNK, vocabulary["dog"], EOS]
    assert vocabulary.decode(ids) == ["the", "<unk>", "dog"]
    assert vocabulary.decode([4, EOS, 5]) == [vocabulary.tokens[4]]
    assert vocabulary.decode([BOS, 4, EOS, PAD], keep_specials=True)[0] == "<s>"


def test_text_cannot_spell_a_special_token():
    vocabulary = Vocabulary.from_sentences([["</s>", "a", "<pad>"]])
    assert vocabulary.tokens[4:] == ("a",)
    assert vocabulary.encode(["</s>", "<s>", "a"]).tolist() == [UNK, UNK, 4]


def test_decode_refuses_numbers_outside():
    with pytest.raises(IndexError, match="outside the vocabulary of 5"):
        Vocabulary(["a"]).decode([7])
    with pytest.raises(IndexError):
        Vocabulary(["a"]).decode([-1])


def test_save_and_load(tmp_path):
    vocabulary = Vocabulary(["é", "\u2028", '"', "\ud800"])
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not in the format"),
        (json.dumps({"format": "anadrome vocabulary 1"}), "no list of tokens"),
    ],
)
def test_load_names_the_file(tmp_path, content, message):
    path = tmp_path / "v.json"
    path.write_text(content)
    with pytest.raises(CorpusError, match=message) as caught:
        Vocabulary.load(path)
    assert caught.value.path == str(path)


def test_load_missing(tmp_path):
    with pytest.raises(CorpusError, match="no such file"):
        Vocabulary.load(tmp_path / "v.json")


def test_tokens_are_distinct_and_not_reserved():
    with pytest.raises(CorpusError, match="'a' occurs more than once"):
        Vocabulary(["a", "b", "a"])
    with pytest.raises(CorpusError, match="reserved"):
        Vocabulary(["<pad>"])


def test_pad_sentences():
    padded, lengths = pad_sentences([np.array([5, 6]), np.array([7]), np.array([])])
    assert padded.tolist() == [[5, 6], [7, 0], [0, 0]]
    assert lengths.tolist() == [2, 1, 0]
    assert pad_sentences([])[0].shape == (0, 1)
