"""What printed programs call, where what they are given is unusual."""

import numpy as np

from anadrome import runtime


def test_nothing_is_added_by_none() -> None:
    for d in (np.ones(2), [1.0, 2.0], {"a": 1.0}):
        assert runtime.index_add(d, 0, None) is d


def test_a_tuple_stays_what_it_is() -> None:
    d = (1.0, None)
    assert runtime.index_add(d, 0, 2.0) == (3.0, None)
    assert runtime.index_add(d, 1, 2.0) == (1.0, None)
