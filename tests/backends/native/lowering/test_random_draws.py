"""Random numbers inside compiled programs: no Python in between, and the same bits."""

import numpy as np
import pytest

import anadrome as ad
from anadrome import random, random_bits

KEY = random.key(2**63 + 11)
WAYS = {
    "uniform": lambda k, n: random.uniform(k, (n, 3)),
    "uniform single": lambda k, n: random.uniform(k, (n,), np.float32),
    "normal": lambda k, n: random.normal(k, (2, n)),
    "normal single": lambda k, n: random.normal(k, (n,), np.float32),
    "a length": lambda k, n: random.normal(k, n),
    "one number": lambda k, n: random.uniform(k) * n,
    "bernoulli": lambda k, n: random.bernoulli(k, 0.3, (n, n)),
    "bernoulli of a number": lambda k, n: random.bernoulli(k, 1.0 / (1 + n), (7,)),
    "fold_in": lambda k, n: random.fold_in(k, n),
    "fold_in of less than nothing": lambda k, n: random.fold_in(k, -n - 1),
    "split": lambda k, n: random.split(k, n),
    "a key of a key": lambda k, n: random.normal(random.split(k)[1], (n,)),
    "a captured key": lambda k, n: random.normal(random.fold_in(KEY, n), (3,)),
}


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_the_same_bits(way, n):
    wanted, found = np.asarray(way(KEY, n)), np.asarray(ad.jit(way)(KEY, n))
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()


def test_python_is_not_asked(monkeypatch):
    def f(key, x):
        for t in range(4):
            k = random.fold_in(key, t)
            x = x * random.bernoulli(k, 0.8, x.shape) + random.normal(k, x.shape)
        return np.sum(x**2)

    x = np.linspace(0.0, 1.0, 6)
    wanted = f(KEY, x), ad.grad(f, 1)(KEY, x)
    native = ad.jit(ad.value_and_grad(f, 1))
    found = native(KEY, x)

    def nobody(*args):
        raise AssertionError("Python was asked")

    monkeypatch.setattr(random_bits, "random_words", nobody)
    for given in (found, native(KEY, x)):
        for a, b in zip(given, wanted):
            np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda k: random.normal(k, (-1,)), "negative dimensions"),
        (lambda k: random.normal(k[:1], (2,)), "two words, this has 1"),
        (lambda k: random.fold_in(np.append(k, k), 1), "two words, this has 4"),
    ],
)
def test_what_is_wrong_is_said(f, message):
    for way in (f, ad.jit(f)):
        with pytest.raises(ValueError, match=message):
            way(KEY)
