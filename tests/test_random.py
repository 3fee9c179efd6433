"""Draws are functions of their key, well distributed, and constants to the compiler."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome import random


def test_the_same_key_gives_the_same_numbers():
    for draw in (random.uniform, random.normal):
        np.testing.assert_array_equal(
            draw(random.key(7), (3, 2)), draw(random.key(7), (3, 2))
        )
        assert np.all(draw(random.key(7), 5) != draw(random.key(8), 5))


def test_keys_that_are_made_differ_from_each_other():
    root = random.key(0)
    made = [root, *random.split(root, 100)]
    made += [random.fold_in(root, n) for n in range(-50, 50)]
    assert len({tuple(k.tolist()) for k in made}) == 201


def test_fold_in_takes_any_integer():
    for number in (-1, 0, 2**62):
        assert random.fold_in(random.key(1), number).dtype == np.uint64
    assert random.key(-1).tolist() == [2**64 - 1, 2**64 - 1]


def test_distributions():
    n = 20_000
    u = random.uniform(random.key(1), n, np.float32)
    assert u.dtype == np.float32
    assert 0 <= u.min() < u.max() < 1
    assert u.mean() == pytest.approx(0.5, abs=0.01)
    z = random.normal(random.key(1), (n,))
    assert z.mean() == pytest.approx(0, abs=0.03)
    assert z.std() == pytest.approx(1, abs=0.03)
    kept = random.bernoulli(random.key(1), 0.3, n)
    assert kept.dtype == bool
    assert kept.mean() == pytest.approx(0.3, abs=0.02)


def test_draws_of_neighbouring_keys_are_not_correlated():
    root = random.key(2)
    draws = [random.normal(random.fold_in(root, i), 2000) for i in range(8)]
    correlations = np.corrcoef(draws) - np.eye(8)
    assert np.abs(correlations).max() < 0.1


def test_a_draw_is_a_constant_to_the_compiler():
    def f(mean, scale, k):
        return np.sum(mean + scale * random.normal(random.fold_in(k, 3), (4,)))

    dmean, dscale = ad.grad(f, (0, 1))(1.0, 2.0, random.key(5))
    assert dmean == 4.0
    drawn = random.normal(random.fold_in(random.key(5), 3), (4,))
    assert dscale == pytest.approx(drawn.sum())
