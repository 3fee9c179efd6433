"""Unknown words replaced by alignment and dictionary."""

import numpy as np
import pytest

from anadrome.decode import align_words, learn_dictionary, replace_unknown

SOURCE = ["Frau", "Merkel", "isst", "Knödel", "</s>"]
TARGET = ["Mrs", "<unk>", "eats", "<unk>", "</s>"]
WEIGHTS = np.eye(5) * 0.6 + 0.08


def test_names_are_copied_and_words_looked_up():
    found = replace_unknown(TARGET, SOURCE, WEIGHTS, {"Knödel": "dumplings"})
    assert found == ["Mrs", "Merkel", "eats", "dumplings", "</s>"]
    small = replace_unknown(TARGET, SOURCE, WEIGHTS, {"knödel": "dumplings"})
    assert small == found


def test_the_end_and_padding_are_no_words():
    weights = np.zeros((5, 7))
    weights[:, 4] = 0.5  # </s>
    weights[:, 6] = 0.4  # padding
    weights[:, 3] = 0.1
    assert align_words(SOURCE, weights) == [3] * 5
    assert replace_unknown(TARGET, SOURCE, weights)[1] == "Knödel"
    assert align_words(["</s>"], weights) == [None] * 5
    assert replace_unknown(TARGET, ["</s>"], weights) == TARGET


def test_a_dictionary_from_alignments():
    pairs = [
        (["der", "Hund"], ["the", "dog"], np.eye(2)),
        (["Hund", "der"], ["dog", "a"], np.eye(2)),
        (["der", "<unk>"], ["the", "<unk>"], np.eye(2)),
    ]
    assert learn_dictionary(pairs) == {"der": "the", "Hund": "dog"}
    assert learn_dictionary(pairs, least=3) == {}


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"shape \(5, 5\) for 6 source"):
        align_words([*SOURCE, "x"], WEIGHTS)
    with pytest.raises(ValueError, match="weights for 4 target tokens"):
        replace_unknown(TARGET, SOURCE, WEIGHTS[:4])
