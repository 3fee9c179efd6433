"""Fused loops give NumPy's results: all shapes, strides, types and special values."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.compile import Level
from anadrome.backends.native.runtime.threads import thread_pool
from anadrome.backends.native.speculation import NativeFunction
from anadrome.backends.native.target import available_levels, select_target
from anadrome.frontend.program import read
from anadrome.ir.types import is_differentiable
from anadrome.optimize.passes import optimize
from anadrome.transform.reverse.walk import reverse

SHAPES = [(1, 1), (3, 5), (16, 16), (7, 33), (0, 4), (4, 0), (2, 300), (17, 1), (1, 17)]
NUMBERS = [np.float32, np.float64, np.int32, np.int64]
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, 1e308, 3.0, 0.1]
)


def native(function, *args, target=None, level=Level.JOINT):
    graph = optimize(read(function, args, {}).graph)
    return NativeFunction(graph, target, level)


def layouts(array):
    """The same numbers with all kinds of strides."""
    yield array
    yield array[..., ::-1]
    yield array[::-1]
    yield np.asfortranarray(array)
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype)
    wide[..., 1::2] = array
    yield wide[..., 1::2]


def sample(shape, dtype, seed=0):
    return (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)


def tolerance(dtype):
    single = np.dtype(dtype) == np.float32
    return {"rtol": 1e-5, "atol": 1e-5} if single else {"rtol": 1e-12, "atol": 1e-12}


def mixed(x, y):
    return np.where(x > y, x * y + x, 2 * y - x)


def transcendental(x, y):
    return np.tanh(x) * np.exp(-y * y) + x / (1 + np.abs(y)) - np.sqrt(y * y)


@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_any_shape_and_strides(level, dtype):
    function = mixed if np.dtype(dtype).kind == "i" else transcendental
    one = np.ones((2, 2), dtype)
    compiled = native(function, one, one, target=select_target(level))
    for shape in SHAPES:
        for other in {shape, (1, shape[1]), (shape[0], 1)}:
            for x in layouts(sample(shape, dtype)):
                for y in layouts(sample(other, dtype, 1)):
                    found, expected = compiled(x, y), function(x, y)
                    assert found.dtype == expected.dtype
                    assert found.shape == expected.shape
                    np.testing.assert_allclose(found, expected, **tolerance(dtype))


REDUCTIONS = [
    lambda x: np.sum(x * 2),
    lambda x: np.sum(x * x, axis=0),
    lambda x: np.sum(x, axis=-1, keepdims=True),
    lambda x: np.prod(x + 1, axis=1),
    lambda x: np.max(x, axis=1),
    lambda x: np.min(x + x, axis=0),
    lambda x: np.mean(x, axis=(0, 1)),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("number", range(len(REDUCTIONS)))
def test_reductions_over_any_axis(dtype, number):
    function = REDUCTIONS[number]
    compiled = native(function, np.ones((2, 2), dtype))
    for shape in [*SHAPES, (3, 9000), (9000, 3)]:
        if 0 in shape and number >= 4:
            continue
        if number == 3 and shape[1] > 100:
            continue
        for x in layouts(sample(shape, dtype)):
            found, expected = compiled(x), function(x)
            assert np.asarray(found).dtype == expected.dtype
            exact = function(x.astype(float)) if x.dtype.kind == "f" else expected
            scale = max(1.0, float(np.abs(x).sum()) if x.size else 1.0)
            error = tolerance(dtype)["rtol"] * scale
            np.testing.assert_allclose(found, exact, rtol=1e-5, atol=error)


def test_a_long_sum_of_singles_is_accurate():
    x = np.random.default_rng(0).random(1 << 22).astype(np.float32)
    found = native(lambda x: np.sum(x), x)(x)
    assert abs(float(found) / float(np.sum(x, dtype=float)) - 1) < 1e-6


def test_extremes_of_nothing_are_refused():
    compiled = native(lambda x: np.max(x, axis=1), np.ones((2, 2)))
    with pytest.raises(ValueError, match="zero-size array"):
        compiled(np.ones((2, 0)))
    assert compiled(np.ones((0, 0))).shape == (0,)


BINARY = [
    lambda x, y: np.maximum(x, y),
    lambda x, y: np.minimum(x, y),
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x / y,
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x <= y,
    lambda x, y: np.where(x < y, x, y),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("number", range(len(BINARY)))
def test_special_numbers(dtype, number):
    with np.errstate(all="ignore"):
        x = np.repeat(SPECIAL, len(SPECIAL)).astype(dtype)
        y = np.tile(SPECIAL, len(SPECIAL)).astype(dtype)
        expected = BINARY[number](x, y)
    found = native(BINARY[number], x, y)(x, y)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f":
        certain = ~np.isnan(expected)
        if number in (2, 3, 4):
            same = np.signbit(found) == np.signbit(expected)
            assert same[certain].all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_division_never_traps(dtype):
    least = np.iinfo(dtype).min
    x = np.array([7, -7, 7, -7, 5, 0, least, least], dtype)
    y = np.array([2, 2, -2, -2, 0, 3, -1, 1], dtype)
    for function in (lambda x, y: x // y, lambda x, y: x % y):
        np.testing.assert_array_equal(native(function, x, y)(x, y), function(x, y))


def test_booleans_are_added_and_compared_as_numpy_does():
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    for function in (
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: np.maximum(x, y),
        lambda x, y: np.minimum(x, y),
        lambda x, y: (x & ~y) | (x ^ y),
    ):
        found = native(function, x, y)(x, y)
        assert found.dtype == bool
        np.testing.assert_array_equal(found, function(x, y))


def gates(z, c):
    H = c.shape[1]
    i = 1 / (1 + np.exp(-z[:, :H]))
    f = 1 / (1 + np.exp(-z[:, H : 2 * H]))
    g = np.tanh(z[:, 2 * H :])
    c = f * c + i * g
    return c, np.tanh(c), i


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_results_of_one_loop(level, dtype):
    compiled = native(
        gates, np.ones((2, 3), dtype), np.ones((2, 1), dtype), level=level
    )
    for rows, width in ((1, 1), (3, 5), (16, 64), (5, 0), (0, 5)):
        z, c = sample((rows, 3 * width), dtype), sample((rows, width), dtype, 1)
        for x in layouts(z):
            for a, b in zip(compiled(x, c), gates(x, c)):
                np.testing.assert_allclose(a, b, **tolerance(dtype))


def uneven(x, y):
    small = np.tanh(x)
    big = small + y
    return small, big, big * small


@pytest.mark.parametrize("level", Level)
def test_results_of_one_loop_may_differ_in_shape(level):
    compiled = native(uneven, np.ones((2, 2)), np.ones((2, 2)), level=level)
    for shape in ((3, 5), (1, 5), (3, 1), (1, 1)):
        for _ in range(5):
            x, y = sample(shape, float), sample((3, 5), float, 1)
            for a, b in zip(compiled(x, y), uneven(x, y)):
                assert a.shape == b.shape
                np.testing.assert_allclose(a, b, rtol=1e-13)


def test_shapes_that_do_not_fit_are_an_exception_at_every_level():
    for level in Level:
        compiled = native(uneven, np.ones((2, 2)), np.ones((2, 2)), level=level)
        with pytest.raises(ValueError, match="broadcast"):
            compiled(np.ones((2, 3)), np.ones((2, 4)))


def stencil(x):
    y = 0.5 * (x[2:] + x[:-2]) * x[1:-1]
    return np.sum(y * np.tanh(y))


@pytest.mark.parametrize("level", Level)
def test_gradients_of_overlapping_slices(level):
    x = sample(40, float)
    program = read(stencil, (x,), {})
    graph = optimize(program.graph)
    sources = [p for _, p in program.arguments if is_differentiable(p.type)]
    graph = optimize(reverse(graph, sources, "grad", seeded=False, value=True))
    compiled = NativeFunction(graph, level=level)
    for n in (3, 4, 17, 40, 300):
        x = sample(n, float)
        _, gradient = compiled(x)
        for k in (0, n // 2, n - 1):
            step = np.zeros(n)
            step[k] = 1e-6
            slope = (stencil(x + step) - stencil(x - step)) / 2e-6
            np.testing.assert_allclose(np.ravel(gradient)[k], slope, atol=1e-6)


def smoothed(x):
    y = np.sin(x[:, 2:-1]) + x[:, :-3] * x[:, 3:] - 2 * x[:, 1:-2]
    z = y[1:, 9:] + 0.5 * y[:-1, :-9]
    return np.sum(z * z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("level", available_levels())
def test_all_that_is_added_to_a_row(level, dtype):
    x = sample((3, 40), dtype)
    graph = optimize(read(smoothed, (x,), {}).graph)
    graph = optimize(reverse(graph, graph.params, "grad", seeded=False, value=False))
    compiled = NativeFunction(graph, select_target(level), Level.JOINT)
    for shape in [(2, 13), (3, 16), (2, 17), (3, 32), (2, 45), (4, 300), (2, 12)]:
        x = sample(shape, dtype)
        y = np.sin(x[:, 2:-1]) + x[:, :-3] * x[:, 3:] - 2 * x[:, 1:-2]
        z = y[1:, 9:] + 0.5 * y[:-1, :-9]
        dy = np.zeros_like(y)
        dy[1:, 9:] += 2 * z
        dy[:-1, :-9] += z
        dx = np.zeros_like(x)
        dx[:, 2:-1] += dy * np.cos(x[:, 2:-1])
        dx[:, :-3] += dy * x[:, 3:]
        dx[:, 3:] += dy * x[:, :-3]
        dx[:, 1:-2] -= 2 * dy
        found = np.reshape(compiled(x), shape)
        np.testing.assert_allclose(found, dx, **tolerance(dtype))


def test_threads_do_not_change_results():
    x = sample((300, 5000), np.float32)
    compiled = native(transcendental, x, x)
    pool = thread_pool()
    before = pool.thread_count
    try:
        found = []
        for count in (1, 2, 3):
            pool.resize(count)
            found.append(compiled(x, x[::-1]))
    finally:
        pool.resize(before)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    np.testing.assert_allclose(found[0], transcendental(x, x[::-1]), 1e-5, 1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 2), (1, 2), None])
def test_threads_do_not_change_reductions(axis):
    x = sample((40, 70, 130), np.float32)
    pool = thread_pool()
    before = pool.thread_count

    def sums(x):
        return np.sum(np.exp(x), axis=axis)

    def highest(x):
        return np.max(x, axis=axis)

    for reduction in (sums, highest):
        compiled = native(reduction, x)
        try:
            found = []
            for count in (1, 2, 3):
                pool.resize(count)
                found.append(compiled(x))
        finally:
            pool.resize(before)
        for other in found[1:]:
            np.testing.assert_array_equal(found[0], other)
        np.testing.assert_allclose(found[0], reduction(x.astype(float)), 1e-5, 1e-5)


STORES = {
    "left": lambda x: x[:-1],
    "right": lambda x: x[1:],
    "reversed": lambda x: x[::-1],
    "itself": lambda x: x,
    "repeated": lambda x: x[:1],
}


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("shape", [(2,), (19,), (700,), (9, 40)])
def test_stores_that_read_what_they_write(name, shape):
    take = STORES[name]

    def program(x):
        y = x * 1.0
        size = take(y).shape[0]
        y[-size:] = take(y) * 2.0 + 1.0
        y[...] = take(y) - y[-size:] if size == len(y) else y * 0.5
        return y

    x = sample(shape, float)
    np.testing.assert_allclose(native(program, x)(x), program(x), rtol=1e-14)


def test_stores_into_arguments_that_overlap():
    def program(x, y):
        y[:] = x + 1.0
        return np.sum(y)

    memory = sample(50, float)
    compiled = native(program, memory[:20].copy(), memory[20:40].copy())
    for shift in (0, 1, 5, 20):
        mine, theirs = memory.copy(), memory.copy()
        compiled(mine[:20], mine[shift : shift + 20])
        program(theirs[:20], theirs[shift : shift + 20])
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)


def test_a_store_of_the_wrong_shape_changes_nothing():
    def program(x, y):
        x[1:] = y + 1.0
        return x

    x = np.arange(5.0)
    compiled = native(program, x.copy(), np.ones(4))
    with pytest.raises(ValueError, match="broadcast"):
        compiled(x, np.ones(3))
    np.testing.assert_array_equal(x, np.arange(5.0))


def thirds(x):
    return x / 3, x / -7.0, x / 49, x / 0.1, x / 1e-40, x / 4


@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_by_constants_are_rounded_as_quotients(level, dtype):
    x = np.concatenate(
        [np.arange(-3000, 3000), sample(4000, dtype, 1) * 1e9, SPECIAL[:7]]
    ).astype(dtype)
    run = native(thirds, x, target=select_target(level))
    with np.errstate(all="ignore"):
        for found, expected in zip(run(x), thirds(x), strict=True):
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def small_powers(x):
    return x**-2, x**4, x**1.5, x**-1.5, x**-0.5, x**3.5, x**-3, x**0.5


@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_powers(level, dtype):
    x = np.concatenate([sample(500, dtype, 2), SPECIAL[:7]]).astype(dtype)
    run = native(small_powers, x, target=select_target(level))
    with np.errstate(all="ignore"):
        for found, expected in zip(run(x), small_powers(x), strict=True):
            np.testing.assert_allclose(
                found, expected, rtol=1e-6 if dtype == np.float32 else 2e-15
            )


def repeated(x, n):
    ones = np.broadcast_to(2.0, (n, 3))
    return ones * x, ones, np.sum(ones)


def test_numbers_that_are_repeated():
    x = sample((3,), np.float64)
    run = native(repeated, x, 4)
    for n in (0, 1, 4, 40):
        for found, expected in zip(run(x, n), repeated(x, n), strict=True):
            np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="negative"):
        run(x, -1)


def test_numbers_of_several_types_stored_as_one():
    def filled(x, n, y):
        return np.full_like(x, n), np.full_like(x, y)

    def stored(x, n, y):
        first, second = np.zeros(3), np.zeros(3)
        first[:] = n
        second[:] = y
        return first, second

    x = np.arange(6.0).reshape(2, 3)
    for function in (filled, stored):
        for found, wanted in zip(
            ad.jit(function)(x, 3, 2.5), function(x, 3, 2.5), strict=True
        ):
            np.testing.assert_array_equal(found, wanted)


def test_a_loop_of_one_type_is_not_that_of_another():
    def first_sums(x, axis):
        found = []
        for _ in range(2):
            sums = np.apply_along_axis(np.sum, axis, x)
            found.append((np.full_like(x, axis), sums))
        return np.sum(found[0][1] * 2.0)

    x = np.arange(6.0).reshape(2, 3)
    found = ad.jit(ad.grad(first_sums))(x, 1)
    np.testing.assert_array_equal(found, np.full((2, 3), 2.0))


class Gates:
    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias


def cell(gates, x, state):
    h, c = state
    z = np.concatenate([x, h]) @ gates.weights + gates.bias
    i, f, o, g = np.split(z, 4)
    i, f, o = (1 / (1 + np.exp(-v)) for v in (i, f, o))
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


def outputs(gates, xs):
    state = np.zeros(3), np.zeros(3)
    seen = []
    for x in xs:
        state = cell(gates, x, state)
        seen.append(state[0])
    return np.sum(np.array(seen) ** 2)


@pytest.mark.filterwarnings("error")
def test_additions_of_what_another_loop_made():
    # More statements hang together than one loop takes.
    rs = np.random.RandomState(0)
    point = Gates(rs.randn(5, 12), rs.randn(12)), rs.randn(4, 2)
    direction = Gates(rs.randn(5, 12), rs.randn(12)), rs.randn(4, 2)
    product = ad.hvp(outputs, (0, 1))
    found, wanted = (f(*point, direction) for f in (ad.jit(product), product))
    np.testing.assert_allclose(found[0].weights, wanted[0].weights, rtol=1e-10)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-10)
