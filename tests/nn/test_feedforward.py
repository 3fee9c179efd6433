"""Layers without a state: equations, gradients, borders."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key

MASK = np.array([[1, 1, 1, 1, 0], [1, 0, 0, 0, 0], [1, 1, 1, 0, 0.0]])

LAYERS = {
    "linear": (nn.make_linear(key(0), 4, 3), nn.linear, (2, 5, 4)),
    "low_rank": (nn.make_low_rank_linear(key(1), 4, 3, 2), nn.low_rank_linear, (5, 4)),
    "highway": (nn.make_highway(key(2), 4), nn.highway, (3, 4)),
    "characters": (
        nn.make_character_convolution(key(3), 3, 4, 6),
        lambda p, x: nn.character_features(p, x, MASK.astype(x.dtype)),
        (3, 5, 4),
    ),
}


def case(name):
    p, layer, shape = LAYERS[name]
    rng = np.random.default_rng(0)
    double = nn.map_arrays(lambda a: a + 0.3 * rng.normal(size=a.shape), p)
    return double, layer, rng.normal(size=shape), rng


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
@pytest.mark.parametrize("name", LAYERS)
def test_gradient(name, native):
    p, layer, x, rng = case(name)

    def loss(p, x):
        return np.sum(np.sin(layer(p, x)))

    gradient = ad.grad(loss, (0, 1))
    found = (ad.jit(gradient) if native else gradient)(p, x)
    d = nn.map_arrays(lambda a: rng.normal(size=a.shape), (p, x))

    def at(e):
        return loss(*nn.map_arrays(lambda a, b: a + e * b, (p, x), d))

    pairs = zip(nn.arrays_of(found), nn.arrays_of(d), strict=True)
    slope = sum(np.sum(a * b) for a, b in pairs)
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_single_precision_stays(name):
    p, layer, shape = LAYERS[name]
    assert layer(p, np.ones(shape, np.float32)).dtype == np.float32


def test_low_rank_is_a_product_of_matrices():
    p, _, x, _ = case("low_rank")
    wanted = nn.linear(nn.Linear(p.U @ p.V, p.b), x)
    np.testing.assert_allclose(nn.low_rank_linear(p, x), wanted, rtol=1e-12)


def test_a_highway_carries_at_first():
    p = nn.make_highway(key(2), 4, carry=50.0)
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    np.testing.assert_allclose(nn.highway(p, x), x, rtol=1e-5)
    p, _, x, _ = case("highway")
    t = 1 / (1 + np.exp(-(x @ p.G + p.c)))
    wanted = t * np.maximum(0, x @ p.W + p.b) + (1 - t) * x
    np.testing.assert_allclose(nn.highway(p, x), wanted, rtol=1e-12)


def test_filters_see_every_window_of_a_word():
    p, _, x, _ = case("characters")
    found = nn.character_features(p, x, MASK)
    for word, length in enumerate([4, 1, 3]):
        padded = np.zeros((length + 4, 4))
        padded[2:-2] = x[word, :length]
        answers = [
            np.tanh(sum(padded[i + k] @ p.W[k] for k in range(3)) + p.b)
            for i in range(length + 2)
        ]
        np.testing.assert_allclose(found[word], np.max(answers, axis=0), rtol=1e-12)


def test_padding_does_not_change_a_word():
    p, _, x, _ = case("characters")
    found = nn.character_features(p, x, MASK)
    other = np.where(MASK[:, :, None] > 0, x, 99.0)
    np.testing.assert_array_equal(nn.character_features(p, other, MASK), found)
    alone = nn.character_features(p, x[1:2, :1], MASK[1:2, :1])
    np.testing.assert_allclose(alone, found[1:2], rtol=1e-12)


def test_positions():
    found = nn.sinusoidal_positions(7, 6)
    assert found.dtype == np.float32
    for t in range(7):
        for i in range(3):
            angle = t / 10000 ** (2 * i / 6)
            assert found[t, 2 * i] == pytest.approx(np.sin(angle), abs=1e-6)
            assert found[t, 2 * i + 1] == pytest.approx(np.cos(angle), abs=1e-6)
