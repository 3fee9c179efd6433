"""Spans of tags: CoNLL's reading, F1, WNUT17's surface forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.evaluate import (
    InvalidTag,
    Method,
    Span,
    accuracy_statistics,
    f1_of_sums,
    paired_test,
    ratio_of_sums,
    span_f1,
    span_statistics,
    spans_of,
    surface_f1,
)


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("B-A I-A O B-B", [(0, 2, "A"), (3, 4, "B")]),
        ("B-A B-A I-A", [(0, 1, "A"), (1, 3, "A")]),
        # what continues nothing begins a span
        ("I-A I-A O I-B", [(0, 2, "A"), (3, 4, "B")]),
        ("B-A I-B I-B", [(0, 1, "A"), (1, 3, "B")]),
        # BIOES and BILOU
        ("S-A B-A E-A B-B I-B E-B", [(0, 1, "A"), (1, 3, "A"), (3, 6, "B")]),
        ("U-A B-A L-A", [(0, 1, "A"), (1, 3, "A")]),
        ("E-A E-A I-A S-A I-A", [(0, 1, "A"), (1, 2, "A"), (2, 3, "A"),
                                 (3, 4, "A"), (4, 5, "A")]),
        ("B-A S-A", [(0, 1, "A"), (1, 2, "A")]),
        # a type may hold a hyphen, or be missing
        ("B-creative-work I-creative-work", [(0, 2, "creative-work")]),
        ("B I O", [(0, 2, "")]),
        ("O O", []),
    ],
)  # fmt: skip
def test_spans_are_read_as_conll_does(tags, wanted):
    assert spans_of(tags.split()) == [Span(*each) for each in wanted]


@given(st.lists(st.sampled_from(["A", "B", None]), max_size=12), st.data())
def test_all_schemes_say_the_same(kinds, data):
    """Random spans written in both schemes."""
    spans, i = [], 0
    for kind in kinds:
        if kind is not None:
            length = data.draw(st.integers(1, 3))
            spans.append(Span(i, i + length, kind))
            i += length
        else:
            i += 1
    iob, bioes = ["O"] * i, ["O"] * i
    for span in spans:
        iob[span.start] = f"B-{span.type}"
        for at in range(span.start + 1, span.end):
            iob[at] = f"I-{span.type}"
            bioes[at] = f"{'E' if at + 1 == span.end else 'I'}-{span.type}"
        single = span.end == span.start + 1
        bioes[span.start] = f"{'S' if single else 'B'}-{span.type}"
    assert spans_of(iob) == spans == spans_of(bioes)
    scores = span_f1([iob], [bioes])
    assert scores.f1 == (1.0 if spans else 0.0)


GOLD = [["B-P", "I-P", "O", "B-L"], ["O", "B-P", "O", "O"]]
FOUND = [["B-P", "I-P", "O", "B-P"], ["O", "B-P", "I-P", "O"]]
WORDS = [["Ada", "L", "in", "Rome"], ["so", "Ada", "L", "left"]]


def test_f1_by_hand():
    scores = span_f1(FOUND, GOLD)
    assert (scores.overall.correct, scores.overall.predicted) == (1, 3)
    assert scores.overall.gold == 3
    assert scores.f1 == pytest.approx(1 / 3)
    assert scores.types["P"].precision == pytest.approx(1 / 3)
    assert scores.types["P"].recall == pytest.approx(1 / 2)
    assert scores.types["L"].f1 == 0
    assert scores.macro_f1 == pytest.approx(0.2)
    assert scores.accuracy == 6 / 8
    lines = scores.table().splitlines()
    assert lines[0].split() == ["type", "precision", "recall", "F1", "gold",
                                "predicted", "correct"]  # fmt: skip
    assert lines[-1].split() == ["all", "33.33", "33.33", "33.33", "3", "3", "1"]


def test_surface_forms_count_once():
    # gold: (Ada L, P), (Rome, L), (Ada, P); found: (Ada L, P) twice, (Rome, P)
    scores = surface_f1(WORDS, FOUND, GOLD)
    assert (scores.overall.correct, scores.overall.predicted) == (1, 2)
    assert scores.overall.gold == 3
    assert scores.f1 == pytest.approx(2 / 5)
    assert scores.types["L"].gold == 1
    assert "all" in scores.table()


def test_a_form_must_be_found_in_its_place():
    """The right words with the right type, but never where they stand."""
    words = [["Ada", "sees", "Ada"]]
    scores = surface_f1(words, [["B-P", "O", "O"]], [["O", "O", "B-P"]])
    assert (scores.overall.correct, scores.overall.predicted) == (0, 1)


def test_wrong_tags_are_located():
    with pytest.raises(InvalidTag, match="sentence 2: word 1 has the tag 'X-P'"):
        span_f1([["O"], ["X-P"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="sentence 1: 1 predicted tags for 2"):
        span_f1([["O"]], [["O", "O"]])
    with pytest.raises(ValueError, match="1 predictions for 2"):
        span_f1([["O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="sentence 1: 1 words, 2 tags"):
        surface_f1([["a"]], [["O", "O"]], [["O", "O"]])
    with pytest.raises(ValueError, match="words of 0 sentences"):
        surface_f1([], [["O"]], [["O"]])


def test_statistics_add_up():
    sums = span_statistics(FOUND, GOLD).sum(axis=0)
    assert f1_of_sums(sums) == span_f1(FOUND, GOLD).f1
    right = accuracy_statistics(FOUND, GOLD).sum(axis=0)
    assert ratio_of_sums(right) == span_f1(FOUND, GOLD).accuracy
    assert f1_of_sums(np.zeros(3)) == 0


@pytest.mark.parametrize("method", Method)
def test_a_clear_difference_and_none(method):
    rng = np.random.default_rng(0)
    ones = np.ones(300)
    bad = np.stack([rng.random(300) < 0.5, ones], axis=1)
    good = np.stack([rng.random(300) < 0.7, ones], axis=1)
    test = paired_test(bad, good, ratio_of_sums, method=method, samples=400)
    assert test.p_value < 0.01
    assert test.difference == pytest.approx(good[:, 0].mean() - bad[:, 0].mean())
    same = paired_test(bad, bad, ratio_of_sums, method=method, samples=100)
    assert same.p_value == 1
    turned = paired_test(good, bad, ratio_of_sums, method=method, samples=400)
    assert turned.p_value == test.p_value
    assert f"{method.value}, 400 samples" in str(test)
    if method is Method.BOOTSTRAP:
        assert test.interval[0] < test.difference < test.interval[1]
        assert test.interval[0] > 0
    else:
        assert test.interval is None


def test_p_values_of_equal_systems_are_spread_evenly():
    """Under no difference, a p-value below 0.2 comes about one time in five."""
    rng = np.random.default_rng(1)
    for method in Method:
        low = 0
        for i in range(100):
            pair = [np.stack([rng.random(60) < 0.6, np.ones(60)], axis=1) for _ in "ab"]
            test = paired_test(*pair, ratio_of_sums, method=method, samples=80, seed=i)
            low += test.p_value < 0.2
        assert 8 <= low <= 34


def test_statistics_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"shapes \(2, 2\) and \(3, 2\)"):
        paired_test(np.ones((2, 2)), np.ones((3, 2)), ratio_of_sums)
    with pytest.raises(ValueError, match="nothing to draw"):
        paired_test(np.ones((0, 2)), np.ones((0, 2)), ratio_of_sums)
    with pytest.raises(ValueError, match="1 predictions for 0"):
        accuracy_statistics([["O"]], [])
