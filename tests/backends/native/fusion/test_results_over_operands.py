"""Results along rows that take the place of operands nobody reads any more."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def log_sum_exp(z):
    shift = np.max(z, axis=-1, keepdims=True)
    e = np.exp(z - shift)
    return e, shift + np.log(np.sum(e, axis=-1, keepdims=True))


def from_a_product(x, w):
    return log_sum_exp(x @ w)


def also_given_back(x, w):
    z = x @ w
    e, total = log_sum_exp(z)
    return e, total, z


def also_read_later(x, w):
    z = x @ w
    e, total = log_sum_exp(z)
    return e @ e.T + total, np.cos(z)


def held_by_a_view(x, w):
    z = x @ w
    transposed = z.T
    e, total = log_sum_exp(z)
    return e, total, transposed @ e


def of_an_argument(x, w):
    return log_sum_exp(x), w


def with_numbers_after(x, w):
    """What is read in the last row pass is not what the last one writes."""
    z = x @ w
    mean = np.mean(z, axis=-1, keepdims=True)
    centred = z - mean
    spread = np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 0.1)
    return centred, spread, np.sum(z / spread, axis=-1)


def normalised(x, w):
    z = x @ w
    mean = np.mean(z, axis=-1, keepdims=True)
    spread = np.mean((z - mean) ** 2, axis=-1, keepdims=True)
    return (z - mean) / np.sqrt(spread + 0.1)


def softmax(x, w):
    e, total = log_sum_exp(x @ w)
    return np.exp(x @ w - total), np.sum(e)


FUNCTIONS = [
    from_a_product,
    also_given_back,
    also_read_later,
    held_by_a_view,
    of_an_argument,
    with_numbers_after,
    normalised,
    softmax,
]


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (40, 200)])
def test_values(function, shape):
    rows, columns = shape
    x, w = normal(1, rows, columns), normal(2, columns, columns)
    before = x.copy(), w.copy()
    native = ad.jit(function)
    for _ in range(2):
        for a, b in zip(flat(native(x, w)), flat(function(x, w)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(w, before[1])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(function):
    def total(x, w):
        return sum(np.sum(np.sin(v)) for v in flat(function(x, w)))

    x, w = normal(3, 4, 30), normal(4, 30, 30)
    found = ad.jit(ad.grad(total, (0, 1)))(x, w)
    for a, b in zip(found, ad.grad(total, (0, 1))(x, w)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def test_results_of_another_precision():
    def f(x, w):
        z = (x @ w).astype(np.float32)
        e, total = log_sum_exp(z)
        return e.astype(float), total, np.exp(x @ w - np.max(z, axis=-1, keepdims=True))

    x, w = normal(9, 6, 9), normal(10, 9, 9)
    for a, b in zip(ad.jit(f)(x, w), f(x, w), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_in_loops():
    def f(x, w):
        total = 0.0
        z = x
        for _ in range(3):
            e, s = log_sum_exp(z @ w)
            z = e / np.exp(s)
            total = total + np.sum(s)
        return total, z

    x, w = normal(5, 6, 9), normal(6, 9, 9)
    for a, b in zip(ad.jit(f)(x, w), f(x, w)):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def text_of(function):
    args = normal(7, 5, 6), normal(8, 6, 6)
    return NativeFunction(optimize(read(function, args, {}).graph)).text


def test_memory_is_taken_over():
    def total(x, w):
        return log_sum_exp(x @ w)[1]

    def total_and_logits(x, w):
        z = x @ w
        return log_sum_exp(z)[1], z

    def exponentials(x, w):
        return log_sum_exp(x @ w)[0]

    def exponentials_and_logits(x, w):
        z = x @ w
        return log_sum_exp(z)[0], z

    assert "%mine" in text_of(exponentials).replace('"', "")
    for function in (total, total_and_logits, exponentials_and_logits):
        assert "%mine" not in text_of(function).replace('"', "")
