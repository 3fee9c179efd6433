"""What a caller gets: as many arrays as Python makes, views where those are views."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def _in_a_list(x):
    return [np.sin(x) for _ in range(2)]


def _composed(x):
    out = []
    for _ in range(2):
        out.append(x.clip(min=0.0))
    return out


def _appended(x):
    out = []
    for _ in range(2):
        out.append(np.zeros(3))
    return out


def _in_a_pair(x):
    return np.exp(x), np.exp(x)


def _in_a_dictionary(x):
    return {"m": np.ones_like(x), "v": np.ones_like(x)}.values()


@pytest.mark.parametrize(
    "f",
    [
        _in_a_list,
        _appended,
        _composed,
        _in_a_pair,
        lambda x: list(_in_a_dictionary(x)),
    ],
)
def test_results_that_are_equal_are_not_one_array(f):
    first, second = ad.jit(f)(np.ones(3))
    assert not np.shares_memory(first, second)


def test_what_is_put_into_an_argument_is_not_one_array():
    def twice(box, x):
        box.append(np.cos(x) + 1)
        box.append(np.cos(x) + 1)

    box = []
    ad.jit(twice)(box, np.ones(3))
    assert not np.shares_memory(*box)


def test_a_function_that_copies_gives_another_array():
    x = np.ones(3)
    assert not np.shares_memory(ad.jit(lambda x: np.conj(x))(x), x)
    assert np.shares_memory(ad.jit(lambda x: x.conj())(x), x)


def test_a_diagonal_by_einsum_is_a_view():
    x = np.ones((3, 3))
    ad.jit(lambda x: np.einsum("ii->i", x))(x)[...] = 5.0
    assert np.all(np.diag(x) == 5.0)


def test_views_of_misaligned_and_of_swapped_arrays_are_views():
    raw = np.zeros(33, np.uint8)[1:].view(np.float64)
    for x in (raw, np.ones(4, ">f8")):
        ad.jit(lambda x: x[::2])(x)[0] = 7.0
        assert x[0] == 7.0
