"""Softmaxes of samples and of classes against the whole one."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.nn import (
    classed_distributions,
    classed_log_probabilities,
    make_classed_softmax,
    map_arrays,
    sampled_log_probabilities,
    word_log_probabilities,
)
from anadrome.random import key


@pytest.mark.parametrize("V", [1, 2, 7, 9, 11])
def test_classes_sum_to_one(V):
    rng = np.random.default_rng(0)
    p = map_arrays(
        lambda a: rng.normal(size=a.shape), make_classed_softmax(key(0), V, 3)
    )
    x = rng.normal(size=(5, 3))
    found = classed_distributions(p, x, V)
    assert found.shape == (5, V)
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1)
    targets = np.arange(5) % V
    one = classed_log_probabilities(p, x, targets, V)
    np.testing.assert_allclose(one, found[np.arange(5), targets], atol=1e-12)


def test_many_samples_give_the_gradient_of_the_whole_softmax():
    rng = np.random.default_rng(0)
    x, words, bias = (
        rng.normal(size=(4, 3)),
        rng.normal(size=(9, 3)),
        rng.normal(size=9),
    )
    targets = np.array([0, 3, 8, 3])

    def whole(x, words, bias):
        return np.sum(word_log_probabilities(x, words, bias, targets))

    def sampled(x, words, bias, count, place):
        return np.sum(sampled_log_probabilities(x, words, bias, targets, count, place))

    wanted = ad.grad(whole, argnums=(0, 1, 2))(x, words, bias)
    slopes = ad.grad(sampled, argnums=(0, 1, 2))
    errors = []
    for count in (20, 200_000):
        found = slopes(x, words, bias, count, key(1))
        errors.append(
            max(float(abs(f - w).max()) for f, w in zip(found, wanted, strict=True))
        )
    assert errors[1] < 0.02 < errors[0]


def test_a_target_among_the_samples_counts_once():
    x = np.ones((2, 1))
    words, bias = np.zeros((1, 1)), np.zeros(1)
    # the only word there is
    found = sampled_log_probabilities(x, words, bias, np.zeros(2, int), 5, key(0))
    np.testing.assert_allclose(found, 0)
