"""Recurrent loops in native code: equal to the Python backend, for any threads."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import gradient, leaves

from anadrome.backends.native.runtime.threads import thread_pool
from anadrome.backends.native.speculation import NativeFunction
from anadrome.backends.python.compiled import compile_graph


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def rnn(xs, W, U, b, h):
    for t in range(len(xs)):
        h = np.tanh(xs[t] @ W + h @ U + b)
    return np.sum(h * h)


def lstm(xs, W, U, b, h, c):
    H = h.shape[1]
    for t in range(len(xs)):
        z = xs[t] @ W + h @ U + b
        i, f = sigmoid(z[:, :H]), sigmoid(z[:, H : 2 * H])
        g, o = np.tanh(z[:, 2 * H : 3 * H]), sigmoid(z[:, 3 * H :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * h)


def gru(xs, W, U, b, h):
    H = h.shape[1]
    for t in range(len(xs)):
        a, u = xs[t] @ W + b, h @ U
        r, z = sigmoid(a[:, :H] + u[:, :H]), sigmoid(a[:, H : 2 * H] + u[:, H : 2 * H])
        n = np.tanh(a[:, 2 * H :] + r * u[:, 2 * H :])
        h = (1.0 - z) * n + z * h
    return np.sum(h * h)


def gated(xs, W, U, b, h):
    """A cell that asks for its size each iteration and keeps rows where they are."""
    for t in range(len(xs)):
        H = h.shape[1]
        a, u = xs[t] @ W + b, h @ U
        gates = sigmoid(a[:, : 2 * H] + u[:, : 2 * H])
        r, z = gates[:, :H], gates[:, H:]
        n = np.tanh(a[:, 2 * H :] + r * u[:, 2 * H :])
        h = n + z * (h - n)
    return np.sum(h * h)


def growing(xs, h):
    """Slices of another length in every iteration."""
    total = 0.0
    for t in range(len(xs)):
        H = h.shape[1]
        part = xs[t][: H * t // len(xs)]
        total = total + np.sum(np.tanh(part) ** 2) * np.sum(h)
    return total


def joined(xs, W, b, h):
    for t in range(len(xs)):
        h = np.tanh(np.concatenate([xs[t], h], 1) @ W + b)
    return np.sum(h * h)


def unbatched(xs, W, U, h):
    for t in range(len(xs)):
        h = np.tanh(W @ xs[t] + U @ h)
    return np.sum(h * h)


def losses(xs, ys, W, U, h):
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(xs[t] @ W + h @ U)
        total = total + np.sum((h - ys[t]) ** 2)
    return total


def softmax(scores):
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True)


def attending(ys, memory, W, U, V, h):
    """Letters for the scores, a product of stacks for the mean, lists of states."""
    keys, states = memory @ V, []
    for t in range(len(ys)):
        weights = softmax(np.einsum("bsh,bh->bs", keys, h))
        context = (weights[:, None, :] @ memory)[:, 0, :]
        h = np.tanh(np.concatenate((ys[t], context), axis=1) @ W + h @ U)
        states.append(h)
    return np.sum(np.stack(states[::-1]) ** 2 * memory[0, 0])


def additive(ys, memory, U, v, mask, h):
    for t in range(len(ys)):
        energies = np.tanh(memory + (h @ U)[:, None, :]) @ v + mask
        h = np.tanh(ys[t] + np.einsum("bs,bsh->bh", softmax(energies), memory))
    return np.sum(h * h)


def normed(xs, W, gain, h):
    for t in range(len(xs)):
        z = xs[t] + h @ W
        centred = z - np.mean(z, axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)
        h = np.tanh(gain * centred / np.sqrt(variance + 1e-3))
    return np.sum(h * h)


def arguments(function, B, T, D, H, dtype):
    rng = np.random.default_rng(B + 10 * T + 100 * D + 1000 * H)

    def normal(*shape):
        return (rng.normal(size=shape) / np.sqrt(max(1, shape[0]))).astype(dtype)

    xs, b, h = normal(T, B, D), normal, normal(B, H)
    return {
        rnn: lambda: (xs, normal(D, H), normal(H, H), b(H), h),
        lstm: lambda: (xs, normal(D, 4 * H), normal(H, 4 * H), b(4 * H), h, b(B, H)),
        gru: lambda: (xs, normal(D, 3 * H), normal(H, 3 * H), b(3 * H), h),
        gated: lambda: (xs, normal(D, 3 * H), normal(H, 3 * H), b(3 * H), h),
        growing: lambda: (xs, h),
        joined: lambda: (xs, normal(D + H, H), b(H), h),
        unbatched: lambda: (normal(T, D), normal(H, D), normal(H, H), normal(H)),
        losses: lambda: (xs, normal(T, B, H), normal(D, H), normal(H, H), h),
        attending: lambda: (
            *(xs, normal(B, 5, H), normal(D + H, H), normal(H, H), normal(H, H), h),
        ),
        additive: lambda: (
            *(normal(T, B, H), normal(B, 5, H), normal(H, H), b(H), b(B, 5), h),
        ),
        normed: lambda: (normal(T, B, H), normal(H, H), b(H), h),
    }[function]()


CELLS = [rnn, lstm, gru, gated, growing, joined, unbatched, losses, normed, additive]
SIZES = [
    (2, 3, 4, 5),
    (1, 1, 1, 1),
    (1, 6, 3, 7),
    (17, 5, 9, 33),
    (16, 4, 64, 64),
    (8, 12, 20, 100),
    (3, 0, 2, 4),
    (0, 3, 2, 4),
    (33, 21, 40, 48),
]


@pytest.fixture(autouse=True)
def _threads_as_before():
    pool = thread_pool()
    count = pool.thread_count
    yield
    pool.resize(count)


@pytest.mark.parametrize("function", CELLS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_program_serves_all_sizes(function, dtype):
    graph = gradient(function, arguments(function, 2, 3, 4, 5, dtype))
    reference, _ = compile_graph(graph, "reference")
    native = NativeFunction(graph)
    tolerance = 1e-4 if dtype == np.float32 else 1e-11
    for sizes in SIZES:
        args = arguments(function, *sizes, dtype)
        expected = leaves(reference(*args))
        for threads in (1, 2):
            thread_pool().resize(threads)
            found = leaves(native(*args))
            for a, b in zip(found, expected, strict=True):
                assert np.shape(a) == np.shape(b)
                if np.ndim(b):
                    assert a.dtype == b.dtype
                scale = 1.0 + np.max(np.abs(b), initial=0.0)
                np.testing.assert_allclose(a / scale, b / scale, atol=tolerance)


def test_attention_with_lists_serves_all_sizes():
    graph = gradient(attending, arguments(attending, 2, 3, 4, 5, float))
    reference, _ = compile_graph(graph, "reference")
    native = NativeFunction(graph)
    for sizes in [(2, 3, 4, 5), (1, 1, 1, 1), (17, 5, 9, 33), (33, 21, 40, 48)]:
        args = arguments(attending, *sizes, float)
        for a, b in zip(leaves(native(*args)), leaves(reference(*args)), strict=True):
            assert np.shape(a) == np.shape(b)
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
    none = arguments(attending, 2, 0, 4, 5, float)
    with pytest.raises(ValueError, match="at least one array"):
        native(*none)


@pytest.mark.parametrize(
    "function", [rnn, lstm, gru, gated, joined, attending, additive, normed]
)
def test_the_number_of_threads_changes_no_bit(function):
    sizes = (13, 40, 32, 48)
    args = arguments(function, *sizes, np.float32)
    native = NativeFunction(gradient(function, args))
    results = []
    for threads in (1, 2, 3):
        thread_pool().resize(threads)
        for _ in range(3):
            results.append(leaves(native(*args)))
    for other in results[1:]:
        for a, b in zip(other, results[0], strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize(
    "function", [rnn, lstm, gru, gated, joined, losses, attending, additive, normed]
)
def test_rows_are_divided_among_threads(function):
    native = NativeFunction(gradient(function, arguments(function, 2, 3, 4, 5, float)))
    # One function of rows for the forward pass and one for the backward pass.
    assert native.text.count("parallel_for") >= 2
    assert native.text.count(".job") >= 2


def test_one_state_for_all_rows():
    *args, h = arguments(rnn, 2, 3, 4, 5, float)
    args = (*args, h[:1])
    graph = gradient(rnn, args)
    reference, _ = compile_graph(graph, "reference")
    native = NativeFunction(graph)
    for a, b in zip(leaves(native(*args)), leaves(reference(*args)), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_errors_are_those_of_the_plain_program():
    args = arguments(rnn, 2, 3, 4, 5, float)
    native = NativeFunction(gradient(rnn, args))
    wrong = (args[0][:, :, :3], *args[1:])
    with pytest.raises(ValueError, match="match"):
        native(*wrong)
    # A loop of no iterations never multiplies, so nothing is wrong.
    native(args[0][:0, :, :3], *args[1:])
