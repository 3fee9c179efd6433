"""Reductions along rows together with the elementwise code around them."""

import re

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.runtime.threads import thread_pool

SHAPES = [(3, 1), (4, 7), (2, 3, 17), (3, 1000), (7,), (1, 9), (40, 33), (2, 1, 5)]
DTYPES = [np.float64, np.float32]


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def weighed(x, y):
    return np.sum(softmax(x) * y)


def log_sum_exp(x):
    m = np.max(x, axis=-1, keepdims=True)
    return m + np.log(np.sum(np.exp(x - m), axis=-1, keepdims=True))


def normalised(x, y):
    mean = np.mean(x, axis=-1, keepdims=True)
    spread = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return np.tanh((x - mean) / np.sqrt(spread + 0.1) * y)


def normalised_sum(x, y):
    return np.sum(normalised(x, y) * y)


def used_after(x, y):
    """The numbers of rows are results too, one of them without its axis."""
    e = np.exp(0.1 * x)
    total = np.sum(e, axis=-1, keepdims=True)
    low = np.min(e * y, axis=-1)
    return e / total, total, low, np.mean(e / total * y)


def without_axis(x, y):
    """Sums that lose their axis and get it back."""
    e = np.exp(0.1 * x)
    return e / np.sum(e, axis=-1)[..., None] + np.prod(0.5 * np.sin(y), -1)[..., None]


def softmax_of_views(x, y):
    """The numbers of rows get their axis back in three ways, and are used after."""
    top = np.max(x, axis=-1)
    e = np.exp(x - top[..., None])
    total = np.sum(e, axis=x.ndim - 1)
    column = np.expand_dims(total, -1)
    return e / column * y, total, column, top.sum()


def middle(x, y):
    """Reductions along the first axis beside those along the last."""
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    p = e / np.sum(e, axis=0, keepdims=True)
    return p / np.sum(p * y * y + 1.0, axis=-1, keepdims=True)


def stored(x, y):
    """What is computed along rows goes into parts of an array."""
    out = np.zeros((2, *x.shape), x.dtype)
    out[0] = softmax(x)
    out[1] = y - np.mean(y, axis=-1, keepdims=True)
    return out


def in_a_loop(x, y):
    """Rows in a loop, with a state."""
    for k in range(3):
        x = softmax(x + y) * y + np.sum(x * x, axis=-1, keepdims=True) / (k + 30.0)
    return np.sum(x)


def weighed_of_views(x, y):
    p, total, column, _ = softmax_of_views(x, y)
    return np.sum(p) + np.sum(np.sin(column)) + np.sum(np.log(total + 1.0))


FUNCTIONS = [
    *(used_after, without_axis, middle, stored, in_a_loop, normalised, weighed),
    softmax_of_views,
]


def arrays(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape).astype(dtype) for _ in range(2))


def assert_same(found, wanted, dtype, scale=1.0):
    if isinstance(wanted, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted):
            assert_same(f, w, dtype, scale)
        return
    assert np.shape(found) == np.shape(wanted)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    tolerance = scale * (1e-12 if dtype == np.float64 else 1e-5)
    size = np.abs(np.asarray(wanted, np.float64))
    size = max(1.0, size[np.isfinite(size)].max(initial=0.0))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * size)


def loops(f, *args):
    """How many loops over elements the native code of a function has."""
    text = ad.show(ad.jit(f), *args, stage="llvm")
    return len(set(re.findall(r"call void @\"?(anadrome\.loop\.\d+)", text)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_rows_are_as_in_python(f, dtype):
    fast = ad.jit(f)
    for shape in SHAPES:
        x, y = arrays(shape, dtype)
        assert_same(fast(x, y), f(x, y), dtype, 4.0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("f", [weighed, normalised_sum, in_a_loop, weighed_of_views])
def test_gradients_are_as_in_python(f, dtype):
    slow = ad.value_and_grad(f, argnums=(0, 1))
    fast = ad.jit(slow)
    for shape in SHAPES:
        x, y = arrays(shape, dtype)
        assert_same(fast(x, y), slow(x, y), dtype, 20.0)


def test_a_softmax_and_its_gradient_are_one_loop():
    x, y = arrays((4, 6), np.float64)
    assert loops(softmax, x) == 1
    assert loops(lambda x: x / np.sum(x, axis=1)[:, None], x) == 1
    # One more adds up the sums of the rows.
    assert loops(weighed, x, y) == 2
    # Two more copy what is returned, should it be shared.
    assert loops(ad.value_and_grad(weighed), x, y) <= 4


def test_rows_of_arrays_that_are_not_contiguous():
    x, y = arrays((6, 8, 10), np.float64)
    fast = ad.jit(ad.value_and_grad(weighed, argnums=(0, 1)))
    slow = ad.value_and_grad(weighed, argnums=(0, 1))
    for a, b in (
        (x.T, y.T),
        (x[::2, :, ::-1], y[::2, :, ::-1]),
        (x.swapaxes(1, 2), np.ascontiguousarray(y.swapaxes(1, 2))),
        (np.broadcast_to(x[:, :1], x.shape), y),
    ):
        assert_same(fast(a, b), slow(a, b), np.float64, 4.0)


def test_operands_of_fewer_rows_and_columns():
    x, y = arrays((6, 9), np.float64)
    for b in (y[:1], y[:, :1], y[0], y[:1, :1]):
        assert_same(ad.jit(normalised)(x, b), normalised(x, b), np.float64)
        assert_same(
            ad.jit(normalised)(b, x[: b.shape[0]]),
            normalised(b, x[: b.shape[0]]),
            np.float64,
        )
        slow = ad.value_and_grad(normalised_sum, argnums=(0, 1))
        assert_same(ad.jit(slow)(x, b), slow(x, b), np.float64, 4.0)


def test_rows_without_elements():
    def sums(x):
        return x / np.sum(x, axis=-1, keepdims=True), np.sum(x * x, axis=-1)

    for shape in ((3, 0), (0, 3), (0, 0), (2, 0, 3), (2, 3, 0)):
        x = np.zeros(shape)
        assert_same(ad.jit(sums)(x), sums(x), np.float64)
    assert ad.jit(softmax)(np.zeros((0, 4))).shape == (0, 4)
    with pytest.raises(ValueError, match="no identity"):
        ad.jit(softmax)(np.zeros((4, 0)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_with_what_is_not_finite(dtype):
    x, _ = arrays((8, 37), dtype)
    x[0, 3] = np.nan
    x[1, -1] = np.inf
    x[2, 36] = -np.inf
    x[3] = -np.inf
    x[4, 0], x[4, 1] = np.inf, np.nan
    x[5, 0] = np.nan
    x[6, ::2] = -0.0
    x[7] = np.nan
    with np.errstate(invalid="ignore"):
        for f in (softmax, log_sum_exp):
            assert_same(ad.jit(f)(x), f(x), dtype)

    def extremes(x):
        return np.max(x, axis=-1), np.min(x, axis=-1), x - np.max(x, -1, keepdims=True)

    with np.errstate(invalid="ignore"):
        assert_same(ad.jit(extremes)(x), extremes(x), dtype)


def test_rows_of_integers_and_truth_values():
    def counted(x, y):
        top = np.max(x, axis=-1, keepdims=True)
        ties = np.sum(x == top, axis=-1, keepdims=True)
        return np.where(x == top, 1.0 / ties, 0.0) * y + np.mean(x, -1, keepdims=True)

    rng = np.random.default_rng(3)
    for dtype in (np.int64, np.int32):
        x = rng.integers(0, 4, (5, 21)).astype(dtype)
        y = rng.normal(size=(5, 21))
        assert_same(ad.jit(counted)(x, y), counted(x, y), np.float64)


def test_rows_too_long_for_the_stack():
    x, y = arrays((2, 70_000), np.float64)
    slow = ad.value_and_grad(weighed, argnums=(0, 1))
    assert_same(ad.jit(slow)(x, y), slow(x, y), np.float64, 4.0)


def test_memory_that_changes_between():
    def changed(x):
        first = np.sum(x, axis=-1, keepdims=True)
        e = np.exp(0.1 * x)
        x[0] = 5.0
        return e / np.sum(e, axis=-1, keepdims=True) * x, first

    x, _ = arrays((3, 11), np.float64)
    assert_same(ad.jit(changed)(x.copy()), changed(x.copy()), np.float64)


def test_any_number_of_threads_gives_the_same():
    x, y = arrays((64, 50, 131), np.float32)
    fast = ad.jit(ad.value_and_grad(weighed, argnums=(0, 1)))
    pool = thread_pool()
    before = pool.thread_count
    found = []
    try:
        for count in (1, 2, 3):
            pool.resize(count)
            found.append(fast(x, y))
    finally:
        pool.resize(before)
    for other in found[1:]:
        assert other[0] == found[0][0]
        for a, b in zip(other[1], found[0][1]):
            np.testing.assert_array_equal(a, b)


def test_more_statements_than_one_loop_takes():
    def step(x, y):
        e = np.exp(0.1 * x - np.max(x, axis=-1, keepdims=True))
        low = np.min(x * y, axis=-1, keepdims=True)
        return e / np.sum(e, axis=-1, keepdims=True) + 0.01 * low + y

    def many(x, y):
        x = step(step(step(x, y), y), y)
        x = step(step(step(x, y), y), y)
        return np.sum(step(step(step(x, y), y), y) * y)

    slow = ad.value_and_grad(many, argnums=(0, 1))
    x, y = arrays((5, 23), np.float64)
    assert_same(ad.jit(many)(x, y), many(x, y), np.float64, 4.0)
    assert_same(ad.jit(slow)(x, y), slow(x, y), np.float64, 20.0)
