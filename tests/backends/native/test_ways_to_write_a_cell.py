"""One LSTM as different people write it: each as fast as can be, all the same."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.compile import Level
from anadrome.driver.pipeline import build_native


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(i, f, g, o, c):
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def split(x, W, U, b):
    h = c = np.zeros((x.shape[1], U.shape[0]))
    for t in range(len(x)):
        i, f, g, o = np.split(x[t] @ W + h @ U + b, 4, axis=1)
        h, c = step(i, f, g, o, c)
    return np.sum(h * h)


def split_at_points(x, W, U, b):
    H = U.shape[0]
    h = c = np.zeros((x.shape[1], H))
    for t in range(len(x)):
        z = x[t] @ W + h @ U + b
        i, f, g, o = np.split(z, [H, 2 * H, 3 * H], axis=-1)
        h, c = step(i, f, g, o, c)
    return np.sum(h * h)


def split_sideways(x, W, U, b):
    h = c = np.zeros((x.shape[1], U.shape[0]))
    for t in range(len(x)):
        parts = np.hsplit(x[t] @ W + h @ U + b, 4)
        h, c = step(parts[0], parts[1], parts[2], parts[-1], c)
    return np.sum(h * h)


def joined_inputs(x, W, U, b):
    both = np.concatenate([W, U])
    h = c = np.zeros((x.shape[1], U.shape[0]))
    for t in range(len(x)):
        z = np.concatenate([x[t], h], axis=1) @ both + b
        i, f, g, o = np.split(z, 4, axis=1)
        h, c = step(i, f, g, o, c)
    return np.sum(h * h)


def states_in_a_buffer(x, W, U, b):
    T, B, H = len(x), x.shape[1], U.shape[0]
    hs = np.zeros((T + 1, B, H))
    c = np.zeros((B, H))
    for t in range(T):
        z = x[t] @ W + hs[t] @ U + b
        hs[t + 1], c = step(
            z[:, :H], z[:, H : 2 * H], z[:, 2 * H : 3 * H], z[:, 3 * H :], c
        )
    return np.sum(hs[T] ** 2)


def columns(x, W, U, b):
    W, U, H = W.T, U.T, U.shape[0]
    x = x.transpose(0, 2, 1)
    h = c = np.zeros((H, x.shape[2]))
    for t in range(len(x)):
        z = W @ x[t] + U @ h + b[:, None]
        h, c = step(z[:H], z[H : 2 * H], z[2 * H : 3 * H], z[3 * H :], c)
    return np.sum(h * h)


def gates_in_a_list(x, W, U, b):
    H = U.shape[0]
    h = c = np.zeros((x.shape[1], H))
    parts = [slice(k * H, (k + 1) * H) for k in range(4)]
    for t in range(len(x)):
        i, f, g, o = [x[t] @ W[:, p] + h @ U[:, p] + b[p] for p in parts]
        h, c = step(i, f, g, o, c)
    return np.sum(h * h)


rng = np.random.default_rng(0)
T, B, D, H = 5, 3, 2, 4
ARGUMENTS = (
    rng.normal(size=(T, B, D)),
    rng.normal(size=(D, 4 * H)),
    rng.normal(size=(H, 4 * H)),
    rng.normal(size=4 * H),
)


@pytest.mark.parametrize(
    "way",
    [
        split,
        split_at_points,
        split_sideways,
        joined_inputs,
        states_in_a_buffer,
        columns,
        gates_in_a_list,
    ],
    ids=lambda f: f.__name__,
)
def test_every_way_gives_the_same(way):
    everything = ad.value_and_grad(way, (0, 1, 2, 3))
    made = build_native(ad.jit(everything), ARGUMENTS, {})
    assert made.function.level is Level.JOINT
    value, gradients = made.run(ARGUMENTS, {}, ())
    wanted, others = ad.value_and_grad(split, (0, 1, 2, 3))(*ARGUMENTS)
    assert made.function._slower is None, "what was assumed does not hold"
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    for found, other in zip(gradients, others, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-10, atol=1e-13)


def test_parts_that_are_not_equal_raise_what_numpy_raises():
    def uneven(z):
        a, b, c = np.split(z, 3)
        return np.sum(a * b * c)

    fast = ad.jit(ad.grad(uneven))
    z = np.arange(6.0)
    np.testing.assert_allclose(fast(z), ad.grad(uneven)(z))
    with pytest.raises(ValueError, match="equal division"):
        fast(np.arange(7.0))
    with pytest.raises(ValueError, match="equal division"):
        ad.jit(uneven)(np.arange(7.0))
    np.testing.assert_allclose(fast(z), ad.grad(uneven)(z))


def test_counts_that_differ_raise_what_python_raises():
    def parts(z):
        a, b, c = np.split(z, 2)
        return np.sum(a * b * c)

    with pytest.raises(ValueError, match="not enough values to unpack"):
        ad.jit(parts)(np.arange(6.0))
