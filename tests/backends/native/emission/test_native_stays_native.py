"""Programs that stay in native code although numbers of several types meet in them."""

import warnings

import numpy as np

import anadrome as ad
from anadrome.backends.native import speculation


def count_pairs(words):
    counts = {}
    previous = -1
    for w in words:
        key = (previous, w)
        counts[key] = counts.get(key, 0) + 1
        previous = w
    best = 0
    common = (0, 0)
    for key, n in counts.items():
        if n > best:
            best, common = n, key
    return best, common


def test_keys_of_a_dictionary_are_read_natively():
    words = np.array([1, 2, 1, 2, 1])
    assert ad.jit(count_pairs)(words) == count_pairs(words)
    text = ad.show(count_pairs, words, stage="llvm")
    assert "PyObject_" not in text


def cross_entropy(w, x, target):
    logits = x @ w
    normaliser = np.sum(np.exp(logits), axis=1, keepdims=True)
    return -np.mean(np.sum(target * (logits - np.log(normaliser)), axis=1))


def test_a_gradient_in_single_precision_does_not_start_over(monkeypatch):
    missed = []
    monkeypatch.setattr(
        speculation.NativeFunction,
        "_deoptimise",
        lambda self, *args: missed.append(self) or self.slower(*args),
    )
    rng = np.random.default_rng(0)
    w, x = (rng.normal(size=s).astype(np.float32) for s in ((3, 4), (5, 3)))
    target = np.eye(4, dtype=np.float32)[rng.integers(0, 4, 5)]
    ad.jit(ad.value_and_grad(cross_entropy))(w, x, target)
    assert not missed


def small_products(n):
    found = 0
    for k in range(n):
        found += all(i * j < 2 for i in range(k) for j in range(n))
        found += 4 in (i * j for i in range(k) for j in range(n))
    return found


def test_quantifiers_over_two_loops_in_a_loop():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ad.NotCompiled)
        assert ad.jit(small_products)(4) == small_products(4)
