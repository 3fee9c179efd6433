import numpy as np
import pytest

from anadrome.evaluate import confusion_of

GOLD = ["a", "a", "a", "b", "b", "c"]
FOUND = ["a", "b", "a", "b", "b", "a"]


def test_confusion_by_hand():
    found = confusion_of(FOUND, GOLD)
    assert found.labels == ("a", "b", "c")
    np.testing.assert_array_equal(found.counts, [[2, 1, 0], [0, 2, 0], [1, 0, 0]])
    assert found.accuracy == 4 / 6
    assert found.of("a").precision == 2 / 3
    assert found.of("a").recall == 2 / 3
    assert found.of("b").precision == 2 / 3
    assert found.of("b").recall == 1
    assert found.of("c").f1 == 0
    assert found.macro_f1 == pytest.approx((2 / 3 + 4 / 5) / 3)
    assert found.worst() == [("a", "b", 1), ("c", "a", 1)]
    assert found.worst(1) == [("a", "b", 1)]


def test_tables():
    found = confusion_of(FOUND, GOLD, labels=["c", "b", "a"])
    assert found.matrix().splitlines() == [
        "gold \\ predicted  c  b  a",
        "-------------------------",
        "c                 0  0  1",
        "b                 0  2  0",
        "a                 0  1  2",
    ]
    assert found.table().splitlines()[-1] == "accuracy 66.67, macro F1 48.89"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: confusion_of(["a"], []), "1 predictions for 0"),
        (lambda: confusion_of([], []), "no labels"),
        (lambda: confusion_of(["a"], ["b"], labels=["b"]), "'a' is none of b"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
