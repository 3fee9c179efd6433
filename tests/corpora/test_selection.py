"""Moore-Lewis selection: a proper model, and sentences of the domain first."""

import itertools
import math

import pytest

from anadrome.corpora import cross_entropy_differences, select_lowest
from anadrome.corpora.selection import NgramModel

SENTENCES = [["a", "b", "a"], ["b", "c"], ["a", "b", "c", "a"]]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_add_up_to_one(order):
    model = NgramModel(SENTENCES, "abc", order)
    words = [*"abc", "</s>", "<unk>"]
    for history in itertools.product(["<s>", *"abc", "<unk>"], repeat=order - 1):
        total = sum(model.probability(word, history) for word in words)
        assert math.isclose(total, 1.0)


def test_probability_is_that_of_witten_and_bell():
    model = NgramModel([["a", "b"], ["a", "a"]], "ab", 2)
    # Without history: a three times, b once, </s> twice; three kinds; four words.
    unigram = (3 + 3 / 4) / (6 + 3)
    assert math.isclose(model.probability("a"), unigram)
    # After a: b, a, </s> once each.
    assert math.isclose(model.probability("a", ["a"]), (1 + 3 * unigram) / (3 + 3))


def test_cross_entropy_is_the_mean_of_bits():
    model = NgramModel(SENTENCES, "abc", 2)
    words = ["<s>", "b", "<unk>", "</s>"]
    bits = [-math.log2(model.probability(w, [h])) for h, w in itertools.pairwise(words)]
    assert math.isclose(model.cross_entropy(["b", "zebra"]), sum(bits) / 3)


def test_sentences_of_the_domain_come_first():
    domain = [f"the {x} court rules".split() for x in ("high", "low", "old")] * 3
    general = [
        ["my", "cat", "sleeps"],
        ["the", "high", "court", "rules"],
        ["a", "dog", "barks", "at", "night"],
        ["the", "low", "court", "rules"],
    ] * 5
    scores = cross_entropy_differences(general, domain)
    assert select_lowest(scores, 10) == [i for i in range(20) if i % 2]
    assert scores == cross_entropy_differences(general, domain)


def test_selection_keeps_the_order_and_breaks_ties_by_place():
    assert select_lowest([3.0, 1.0, 2.0, 1.0], 3) == [1, 2, 3]
    assert select_lowest([1.0, 1.0, 1.0], 2) == [0, 1]
    assert select_lowest([1.0], 5) == [0]


def test_both_corpora_are_needed():
    with pytest.raises(ValueError, match="need sentences"):
        cross_entropy_differences([], [["a"]])
    with pytest.raises(ValueError, match="at least one word"):
        NgramModel([], [], 0)
