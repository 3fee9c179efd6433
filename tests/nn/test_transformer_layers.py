"""Layers of a Transformer are PyTorch's, for all times or one after the other."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key

FIXTURES = json.loads(
    (Path(__file__).parent / "pytorch_fixtures.json").read_text("utf-8")
)
# The fixtures have twelve digits, and gradients of large weights.
CLOSE = {"rtol": 1e-8, "atol": 1e-8}


def heads_of(weights, name):
    """The record of the weights of PyTorch's module, for two heads of two features."""
    W = np.array(weights[f"{name}.in_proj_weight"]).T  # (M, 3M)
    b = np.array(weights[f"{name}.in_proj_bias"])
    parts = [part.reshape(4, 2, 2) for part in np.split(W, 3, axis=1)]
    biases = [part.reshape(2, 2) for part in np.split(b, 3)]
    O = np.array(weights[f"{name}.out_proj.weight"]).T.reshape(2, 2, 4)
    return nn.MultiHeadAttention(
        *parts, O, *biases, np.array(weights[f"{name}.out_proj.bias"])
    )


def parts_of(weights, norms):
    first, second = (
        nn.Linear(
            np.array(weights[f"linear{n}.weight"]).T,
            np.array(weights[f"linear{n}.bias"]),
        )
        for n in (1, 2)
    )
    made = tuple(
        nn.LayerNorm(
            np.array(weights[f"norm{n}.weight"]), np.array(weights[f"norm{n}.bias"])
        )
        for n in range(1, norms + 1)
    )
    return nn.FeedForward(first, second), made


def layers_of(encoder, decoder):
    return (
        nn.EncoderLayer(heads_of(encoder, "self_attn"), *parts_of(encoder, 2)),
        nn.DecoderLayer(
            heads_of(decoder, "self_attn"),
            heads_of(decoder, "multihead_attn"),
            *parts_of(decoder, 3),
        ),
    )


def run(layers, x, y, mask, adding):
    memory = nn.encoder_layer(layers[0], x, mask, adding)
    seen = nn.project_memory(layers[1].source, memory)
    ahead = nn.causal_mask(y.shape[1])
    out, _, _ = nn.decoder_layer(layers[1], y, None, ahead, seen, mask, adding)
    return memory, out


def loss(layers, x, y, mask, adding, seed):
    return np.sum(run(layers, x, y, mask, adding)[1] * seed)


@pytest.mark.parametrize("where", ["before", "after"])
def test_layers_are_those_of_pytorch(where):
    f = FIXTURES[f"transformer_{where}"]
    x, y, seed = (np.array(f[k]) for k in ("x", "y", "seed"))
    mask = np.array(f["mask"], float)[:, None]
    layers = layers_of(f["encoder"], f["decoder"])
    adding = nn.Residuals(where == "before")
    memory, out = run(layers, x, y, mask, adding)
    np.testing.assert_allclose(memory, f["memory"], **CLOSE)
    np.testing.assert_allclose(out, f["out"], **CLOSE)
    dlayers, dx, dy = ad.grad(loss, (0, 1, 2))(layers, x, y, mask, adding, seed)
    np.testing.assert_allclose(dx, f["dx"], **CLOSE)
    np.testing.assert_allclose(dy, f["dy"], **CLOSE)
    wanted = layers_of(f["dencoder"], f["ddecoder"])
    for mine, theirs in zip(nn.arrays_of(dlayers), nn.arrays_of(wanted), strict=True):
        np.testing.assert_allclose(mine, theirs, **CLOSE)


@pytest.mark.parametrize("before", [True, False])
def test_steps_of_several_hypotheses_are_those_of_all_times(before):
    """Two hypotheses for each of two sentences, one word after the other."""
    rng = np.random.default_rng(0)
    layer = nn.map_arrays(
        lambda a: a + 0.2 * rng.normal(size=a.shape),
        nn.make_decoder_layer(key(0), 6, 3, 8),
    )
    y, memory = rng.normal(size=(4, 5, 6)), rng.normal(size=(2, 3, 6))
    mask = np.array([[[1, 1, 1]], [[1, 1, 0.0]]])
    adding = nn.Residuals(before)
    seen = nn.project_memory(layer.source, memory)
    twice = nn.map_arrays(lambda a: np.repeat(a, 2, axis=0), seen)
    wanted, _, looked = nn.decoder_layer(
        layer, y, None, nn.causal_mask(5), twice, np.repeat(mask, 2, axis=0), adding
    )
    past = nn.map_arrays(lambda a: a[:, :, :0], twice)
    for t in range(5):
        ones = np.ones((1, t + 1))
        found, past, weights = nn.decoder_layer(
            layer, y[:, t : t + 1], past, ones, seen, mask, adding
        )
        np.testing.assert_allclose(found[:, 0], wanted[:, t], rtol=1e-9)
        # (B, N, K, S) beside (B K, N, S)
        together = np.swapaxes(weights, 1, 2).reshape(4, 3, 3)
        np.testing.assert_allclose(together, looked[:, :, t], rtol=1e-9)


def test_dropout_is_in_every_part():
    layer = nn.make_encoder_layer(key(0), 4, 2, 5)
    x, mask = np.ones((1, 3, 4)), np.ones((1, 1, 3))
    plain = nn.encoder_layer(layer, x, mask, nn.Residuals(True))
    none = nn.encoder_layer(layer, x, mask, nn.Residuals(True, 0.0, key(1)))
    np.testing.assert_allclose(none, plain, rtol=1e-6)
    # With everything dropped there is nothing but what is passed by.
    all_ = nn.encoder_layer(layer, x, mask, nn.Residuals(True, 0.999999, key(1)))
    np.testing.assert_array_equal(all_, x)


def test_positions_go_on_where_they_were():
    whole = nn.sinusoidal_positions(7, 6)
    np.testing.assert_array_equal(nn.sinusoidal_positions(3, 6, first=4), whole[4:])
