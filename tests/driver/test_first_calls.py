"""Several threads call compiled functions for the first time, at the same time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import anadrome as ad
from anadrome.backends.native.speculation import NativeFunction


def test_threads_that_call_first_at_once_make_one_program():
    reads = []

    def triple(values):
        total = 0.0
        for k in range(values.shape[0]):
            total += 3.0 * values[k]
        return total

    compiled = ad.jit(triple)
    whole = compiled.build

    def build(args, keywords):
        reads.append(len(args[0]))
        return whole(args, keywords)

    compiled.build = build
    arrays = [np.full(100 + k, 1.0) for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(compiled, arrays))
    assert found == [3.0 * len(array) for array in arrays]
    assert len(reads) == 1


def test_threads_that_break_an_assumption_at_once_make_one_slower_program(monkeypatch):
    made = []
    whole = NativeFunction._make_slower

    def make_slower(self):
        made.append(self.level)
        return whole(self)

    monkeypatch.setattr(NativeFunction, "_make_slower", make_slower)

    def network(weights, x):
        for weight in weights:
            x = np.tanh(x @ weight)
        return np.sum(x)

    gradient = ad.grad(network)
    compiled = ad.jit(gradient)
    x = np.ones((2, 3))
    compiled([np.eye(3), np.eye(3)], x)
    # The fast program takes the matrices as equally large.
    weights = [np.full((3, 4), 0.1), np.full((4, 2), 0.3)]
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(compiled, weights, x) for _ in range(8)]
        found = [call.result() for call in calls]
    for pair in found:
        for mine, theirs in zip(pair, gradient(weights, x)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert made
    assert len(made) == len(set(made))
