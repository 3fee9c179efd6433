"""The NumPy generator: known answers, streams and distributions."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

from anadrome.random_bits import (
    NumpyOps,
    bernoulli,
    normal,
    normal_quantile,
    philox,
    random_words,
    uniform,
)

# The known answers that the authors of the algorithm publish.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter, key, expected):
    words = philox(
        NumpyOps,
        [np.array([c], np.uint64) for c in counter],
        [np.uint64(k) for k in key],
    )
    assert " ".join(f"{int(word[0]):08x}" for word in words) == expected


def test_any_part_of_a_stream_can_be_made_alone():
    whole = random_words(1, 2, 100)
    for first in (0, 1, 3, 4, 50, 99):
        part = random_words(1, 2, 100 - first, first)
        np.testing.assert_array_equal(part, whole[first:])


def test_seeds_and_streams_differ():
    draws = {
        random_words(s, t, 4).tobytes() for s in (0, 1, 2**40) for t in (0, 1, 2**40)
    }
    assert len(draws) == 9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_draws_are_uniform(dtype):
    draws = uniform(3, 0, 100_000, dtype)
    assert draws.dtype == dtype
    assert draws.min() >= 0
    assert draws.max() < 1
    assert scipy.stats.kstest(draws.astype(np.float64), "uniform").pvalue > 0.01


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normal_draws_are_normal(dtype):
    draws = normal(4, 0, 100_000, dtype)
    assert draws.dtype == dtype
    assert scipy.stats.kstest(draws.astype(np.float64), "norm").pvalue > 0.01
    assert abs(scipy.stats.skew(draws)) < 0.02
    assert abs(scipy.stats.kurtosis(draws)) < 0.05


def test_the_quantile_is_accurate_into_the_tails():
    steps = np.floor(np.geomspace(1, 2.0**51, 2000))
    u = (np.concatenate([steps, 2.0**52 - 1 - steps]) + 0.5) * 2.0**-52
    expected = scipy.special.ndtri(u)
    computed = normal_quantile(NumpyOps, u)
    np.testing.assert_allclose(computed, expected, rtol=2e-9, atol=1e-15)


def test_bernoulli_draws():
    assert abs(bernoulli(5, 0, 100_000, 0.3).mean() - 0.3) < 0.005
    assert not bernoulli(5, 0, 1000, 0.0).any()
    assert bernoulli(5, 0, 1000, 1.0).all()
