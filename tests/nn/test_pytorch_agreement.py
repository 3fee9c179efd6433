"""Outputs and gradients are those of PyTorch for the same weights.

The numbers in `pytorch_fixtures.json` were written by
`benchmarks/make_pytorch_fixtures.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.train.records import flatten

FIXTURES = json.loads(
    (Path(__file__).parent / "pytorch_fixtures.json").read_text("utf-8")
)


def case(name):
    """A fixture with its lists of numbers as arrays."""

    def arrays(value):
        if isinstance(value, dict):
            return {key: arrays(part) for key, part in value.items()}
        if isinstance(value, list):
            try:
                return np.array(value)
            except ValueError:
                return [arrays(part) for part in value]
        return value

    found = FIXTURES[name]
    return {
        key: [arrays(v) for v in value]
        if key in ("cells", "dcells", "seeds", "states", "before", "after")
        else arrays(value)
        for key, value in found.items()
    }


def mask_of(f):
    T = f["x"].shape[0]
    return (np.arange(T)[:, None] < f["lengths"]).astype(float)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


def same_record(found, wanted):
    assert type(found) is type(wanted)
    found, wanted = flatten(found), flatten(wanted)
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        close(array, wanted[name])


def run_loss(cell, x, mask, seeds):
    out, state = nn.run(cell, x, mask)
    loss = np.sum(out * seeds[0])
    for s, seed in zip(state, seeds[1:]):
        loss = loss + np.sum(s * seed)
    return loss


@pytest.mark.parametrize(
    ("name", "kind"),
    [("elman", nn.Elman), ("lstm", nn.LSTM), ("gru", nn.ResetAfterGRU)],
)
def test_cell(name, kind):
    f = case(name)
    cell, mask = kind(**f["cells"][0]), mask_of(f)
    out, state = nn.run(cell, f["x"], mask)
    close(out, f["out"])
    for found, wanted in zip(state, f["states"], strict=True):
        close(found, wanted[0])
    seeds = tuple(
        s if s.ndim == 3 and k == 0 else s[0] for k, s in enumerate(f["seeds"])
    )
    loss, (dcell, dx) = ad.value_and_grad(run_loss, (0, 1))(cell, f["x"], mask, seeds)
    close(loss, f["loss"])
    close(dx, f["dx"])
    same_record(dcell, kind(**f["dcells"][0]))


def both_ways_loss(layer, x, mask, seeds):
    out, last, first = nn.run_both_ways(layer, x, mask)
    return (
        np.sum(out * seeds[0])
        + np.sum(last[0] * seeds[1][0])
        + np.sum(first[0] * seeds[1][1])
    )


def test_bidirectional_layer():
    f = case("bidirectional_gru")
    mask = mask_of(f)
    layer = nn.Bidirectional(*(nn.ResetAfterGRU(**c) for c in f["cells"]))
    out, last, first = nn.run_both_ways(layer, f["x"], mask)
    close(out, f["out"])
    close(np.stack([last[0], first[0]]), f["states"][0])
    dlayer, dx = ad.grad(both_ways_loss, (0, 1))(layer, f["x"], mask, tuple(f["seeds"]))
    close(dx, f["dx"])
    wanted = nn.Bidirectional(*(nn.ResetAfterGRU(**c) for c in f["dcells"]))
    same_record(dlayer, wanted)


def stack_of(cells):
    made = [nn.LSTM(**c) for c in cells]
    return (nn.Bidirectional(*made[:2]), nn.Bidirectional(*made[2:]))


def stack_loss(layers, x, mask, seed):
    return np.sum(nn.run_stack(layers, x, mask) * seed)


def test_stacked_bidirectional_layers():
    f = case("stacked_bidirectional_lstm")
    mask, layers = mask_of(f), stack_of(f["cells"])
    close(nn.run_stack(layers, f["x"], mask), f["out"])
    # PyTorch's loss has the last states in it; they are compared through `run`.
    x, loss = f["x"], 0.0
    for k, layer in enumerate(layers):
        x, last, first = nn.run_both_ways(layer, x, mask)
        close(last[0], f["states"][0][2 * k])
        close(first[0], f["states"][0][2 * k + 1])
        close(last[1], f["states"][1][2 * k])
        close(first[1], f["states"][1][2 * k + 1])
        for j, state in enumerate((last, first)):
            loss += np.sum(state[0] * f["seeds"][1][2 * k + j])
            loss += np.sum(state[1] * f["seeds"][2][2 * k + j])
    close(loss + np.sum(x * f["seeds"][0]), f["loss"])


def stack_loss_with_states(layers, x, mask, seeds):
    total = 0.0
    for k, layer in enumerate(layers):
        x, last, first = nn.run_both_ways(layer, x, mask)
        total = total + np.sum(last[0] * seeds[1][2 * k])
        total = total + np.sum(last[1] * seeds[2][2 * k])
        total = total + np.sum(first[0] * seeds[1][2 * k + 1])
        total = total + np.sum(first[1] * seeds[2][2 * k + 1])
    return total + np.sum(x * seeds[0])


def test_gradient_of_stacked_bidirectional_layers():
    f = case("stacked_bidirectional_lstm")
    dlayers, dx = ad.grad(stack_loss_with_states, (0, 1))(
        stack_of(f["cells"]), f["x"], mask_of(f), tuple(f["seeds"])
    )
    close(dx, f["dx"])
    for found, wanted in zip(dlayers, stack_of(f["dcells"]), strict=True):
        same_record(found, wanted)


def attention_loss(query, memory, attention, mask, seed):
    energies = attention.energies(query, attention.prepare(memory))
    context, _ = nn.attend(energies, memory, mask)
    return np.sum(context * seed)


def test_additive_attention():
    f = case("attention")
    attention = nn.AdditiveAttention(f["W"], f["U"], f["v"])
    energies = attention.energies(f["query"], attention.prepare(f["memory"]))
    context, weights = nn.attend(energies, f["memory"], f["mask"])
    close(weights, f["weights"])
    close(context, f["context"])
    found = ad.grad(attention_loss, (0, 1, 2))(
        f["query"], f["memory"], attention, f["mask"], f["seed"]
    )
    wanted = f["gradients"]
    close(found[0], wanted["query"])
    close(found[1], wanted["memory"])
    same_record(found[2], nn.AdditiveAttention(wanted["W"], wanted["U"], wanted["v"]))


@pytest.mark.parametrize("name", ["cross_entropy", "smoothed_cross_entropy"])
def test_cross_entropy(name):
    f = case(name)
    loss, dlogits = ad.value_and_grad(nn.cross_entropy)(
        f["logits"], f["targets"], f["mask"], f["smoothing"]
    )
    close(loss, f["loss"])
    close(dlogits, f["dlogits"])


def layer_norm_loss(p, x, seed):
    return np.sum(nn.layer_norm(p, x) * seed)


def test_layer_norm():
    f = case("layer_norm")
    p = nn.LayerNorm(f["gain"], f["bias"])
    close(nn.layer_norm(p, f["x"]), f["out"])
    dp, dx = ad.grad(layer_norm_loss, (0, 1))(p, f["x"], f["seed"])
    close(dx, f["dx"])
    same_record(dp, nn.LayerNorm(f["dgain"], f["dbias"]))


@pytest.mark.parametrize(
    ("name", "optimizer"),
    [
        ("plain_sgd", nn.SGD()),
        ("sgd", nn.SGD(momentum=0.9)),
        ("nesterov", nn.SGD(momentum=0.9, nesterov=True)),
        ("adagrad", nn.AdaGrad()),
        ("rmsprop", nn.RMSProp()),
        ("centred_rmsprop", nn.RMSProp(rho=0.9, momentum=0.8, centred=True)),
        ("adam", nn.Adam()),
        ("adamw", nn.AdamW(weight_decay=0.1)),
        ("adadelta", nn.Adadelta(rho=0.95, epsilon=1e-6)),
    ],
)
def test_optimizer(name, optimizer):
    f = case(name)
    params = {"w": f["first"]}
    state = optimizer.start(params)
    for gradient, after in zip(f["gradients"], f["after"], strict=True):
        rate = f["options"]["lr"]
        params, state = optimizer.update(params, {"w": gradient}, state, rate)
        close(params["w"], after)


def test_clipping():
    f = case("clipping")
    clipped, norm = nn.clip_by_global_norm(f["before"], 0.5)
    close(norm, f["norm"])
    for found, wanted in zip(clipped, f["after"], strict=True):
        # PyTorch divides by the norm plus 1e-6.
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_clipping_by_value():
    f = FIXTURES["value_clipping"]
    (found,) = nn.clip_by_value([np.array(f["before"])], 0.5)
    close(found, f["after"])


@pytest.mark.parametrize(
    ("name", "schedule", "first"),
    [
        ("exponential", nn.Exponential(0.8, 0.9), 0),
        ("step", nn.StepDecay(0.8, 0.5, 4), 1),
        ("cosine", nn.Cosine(0.8, 11, 0.1), 0),
        ("linear", nn.LinearDecay(0.8, 11, 0.1), 0),
    ],
)
def test_schedule(name, schedule, first):
    rates = FIXTURES["schedules"][name]
    close([schedule.rate_at(first + k) for k in range(len(rates))], rates)


def test_plateau():
    state, found = nn.Plateau(0.5, patience=1), []
    for score in [1.0, 2, 1, 3, 3, 2, 2, 2, 4, 4, 4, 4]:
        found.append(0.8 * state.share)
        state = state.note(score)
    close(found, FIXTURES["schedules"]["plateau"])
