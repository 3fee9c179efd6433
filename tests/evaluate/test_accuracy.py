import math

import numpy as np
import pytest

from anadrome.evaluate import (
    bits_per_character,
    perplexity,
    sentence_accuracy,
    token_accuracy,
)


def test_token_accuracy():
    predicted = np.array([[5, 6, 7], [5, 9, 9]])
    target = np.array([[5, 6, 8], [5, 0, 0]])
    mask = np.array([[1, 1, 1], [1, 0, 0]], dtype=np.float32)
    assert token_accuracy(predicted, target, mask) == 3 / 4
    assert token_accuracy(predicted, target) == 3 / 6
    assert token_accuracy(predicted.T, target.T, mask.T) == 3 / 4


def test_sentence_accuracy():
    assert sentence_accuracy([[1, 2], [3], [4]], [[1, 2], [3, 4], [4]]) == 2 / 3
    assert sentence_accuracy(["ab", "c"], ["ab", "d"]) == 0.5


def test_perplexity():
    assert perplexity(10 * math.log(8), 10) == pytest.approx(8)
    assert perplexity(1e6, 1) == math.inf
    assert bits_per_character(10 * math.log(8), 10) == pytest.approx(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: token_accuracy(np.zeros(2), np.zeros(3)), r"\(2,\), targets \(3,\)"),
        (lambda: token_accuracy(np.zeros(2), np.zeros(2), np.ones(3)), "the mask"),
        (lambda: token_accuracy(np.zeros(2), np.zeros(2), np.zeros(2)), "no tokens"),
        (lambda: sentence_accuracy([], [[1]]), "0 predictions for 1"),
        (lambda: sentence_accuracy([], []), "no sentences"),
        (lambda: perplexity(1.0, 0), "no tokens"),
        (lambda: bits_per_character(1.0, 0), "no characters"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
