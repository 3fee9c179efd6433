"""Whole recurrent modules: PyTorch's names, shapes and numbers."""

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
CASES = ["whole_lstm", "whole_gru", "whole_elman", "whole_lstm_without_lengths"]


class Case:
    def __init__(self, name):
        f = FIXTURES[name]
        self.weights = {k: np.array(v) for k, v in f["weights"].items()}
        self.dweights = {k: np.array(v) for k, v in f["dweights"].items()}
        self.layers = nn.from_torch_names(self.weights, rectified=name == "whole_elman")
        self.x, self.out, self.dx = (np.array(f[k]) for k in ("x", "out", "dx"))
        self.lengths = None if f["lengths"] is None else np.array(f["lengths"])
        self.batch_first = f["options"].get("batch_first", False)
        self.first, self.states, self.dfirst, self.seeds = (
            tuple(np.array(a) for a in f[k])
            for k in ("first", "states", "dfirst", "seeds")
        )
        self.loss = f["loss"]


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


def loss(layers, x, first, lengths, batch_first, seeds):
    out, states = nn.run_layers(layers, x, lengths, first, batch_first)
    total = np.sum(out * seeds[0])
    for s, seed in zip(states, seeds[1:]):
        total = total + np.sum(s * seed)
    return total


@pytest.mark.parametrize("name", CASES)
def test_outputs_and_last_states(name):
    c = Case(name)
    out, states = nn.run_layers(c.layers, c.x, c.lengths, c.first, c.batch_first)
    close(out, c.out)
    for found, wanted in zip(states, c.states, strict=True):
        close(found, wanted)


@pytest.mark.parametrize(
    ("name", "native"), [*((name, False) for name in CASES), ("whole_gru", True)]
)
def test_gradients(name, native):
    c = Case(name)
    function = ad.value_and_grad(loss, (0, 1, 2))
    function = ad.jit(function) if native else function
    value, (dlayers, dx, dfirst) = function(
        c.layers, c.x, c.first, c.lengths, c.batch_first, c.seeds
    )
    close(value, c.loss)
    close(dx, c.dx)
    for found, wanted in zip(dfirst, c.dfirst, strict=True):
        close(found, wanted)
    named = nn.to_torch_names(dlayers)
    assert named.keys() == c.dweights.keys()
    for part, wanted in c.dweights.items():
        # Where there is one bias, its gradient is that of either of PyTorch's.
        one = "gru" not in name and part.startswith("bias_hh")
        close(named[part.replace("_hh", "_ih") if one else part], wanted)


@pytest.mark.parametrize("name", CASES)
def test_names_and_back(name):
    c = Case(name)
    named = nn.to_torch_names(c.layers, "rnn.")
    again = nn.from_torch_names(named, "rnn.", rectified=name == "whole_elman")
    assert nn.to_torch_names(again).keys() == c.weights.keys()
    for a, b in zip(nn.arrays_of(again), nn.arrays_of(c.layers), strict=True):
        np.testing.assert_array_equal(a, b)
    for part, array in c.weights.items():
        if part.startswith("weight"):
            np.testing.assert_array_equal(named["rnn." + part], array)


def test_weights_without_biases():
    weights = {"weight_ih_l0": np.ones((8, 3)), "weight_hh_l0": np.ones((8, 2))}
    (cell,) = nn.from_torch_names(weights)
    assert isinstance(cell, nn.LSTM)
    np.testing.assert_array_equal(cell.b, np.zeros(8))


def test_foreign_weights_are_refused():
    with pytest.raises(ValueError, match="no weight_ih_l0 among conv"):
        nn.from_torch_names({"conv.weight": np.ones((3, 3))})
    odd = {"weight_ih_l0": np.ones((5, 3)), "weight_hh_l0": np.ones((5, 2))}
    with pytest.raises(ValueError, match="weight_hh_l0 has the shape"):
        nn.from_torch_names(odd)
    with pytest.raises(ValueError, match="PyTorch has no GRU"):
        nn.to_torch_names((nn.make_gru(key(0), 3, 2),))


@pytest.mark.parametrize("both", [False, True])
def test_made_layers_fit_each_other(both):
    def make(k, E, H):
        return nn.make_projected_lstm(k, E, H, 2)

    layers = nn.make_layers(make, key(0), 4, 3, 3, both)
    out, (h, c) = nn.run_layers(layers, np.ones((5, 2, 4), np.float32))
    width = 2 if both else 1
    assert out.shape == (5, 2, 2 * width)
    assert h.shape == (3 * width, 2, 2)
    assert c.shape == (3 * width, 2, 3)
    assert {out.dtype, h.dtype, c.dtype} == {np.dtype(np.float32)}
    arrays = nn.arrays_of(layers)
    assert not np.array_equal(arrays[-4], arrays[-4 * 2]), "cells of their own"


def test_dropout_between_layers():
    layers = nn.make_layers(nn.make_elman, key(0), 3, 3, 2)
    x = np.ones((4, 2, 3), np.float32)
    plain, _ = nn.run_layers(layers, x, rate=0.5)
    dropped, (h,) = nn.run_layers(layers, x, rate=0.5, key=key(1))
    assert np.any(plain != dropped)
    (bottom,) = nn.run_layers(layers[:1], x)[1]
    np.testing.assert_array_equal(h[0], bottom[0])
