"""Every kind of attention: its equation, its mask, its gradient, one decoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key

B, S, H = 2, 4, 3
MASK = np.array([[1, 1, 1, 0], [1, 1, 0, 0.0]])

ATTENTIONS = {
    "additive": nn.make_additive_attention(key(0), H, H, 5),
    "dot": nn.DotAttention(),
    "scaled_dot": nn.ScaledDotAttention(),
    "general": nn.make_general_attention(key(1), H, H),
    "reduced_rank": nn.make_reduced_rank_attention(key(2), H, H, 2),
    "location": nn.make_location_attention(key(3), H, 6),
    "content": nn.make_content_attention(),
}
EQUATIONS = {
    "additive": lambda p, s, h, i: np.tanh(s @ p.W + h @ p.U) @ p.v,
    "dot": lambda p, s, h, i: s @ h,
    "scaled_dot": lambda p, s, h, i: s @ h / np.sqrt(H),
    "general": lambda p, s, h, i: s @ p.W.T @ h,
    "reduced_rank": lambda p, s, h, i: s @ (p.U @ p.V.T) @ h,
    "location": lambda p, s, h, i: s @ p.W[:, i],
    "content": lambda p, s, h, i: (
        p.strength[0] * s @ h / np.linalg.norm(s) / np.linalg.norm(h)
    ),
}


def double(record):
    return nn.map_arrays(lambda a: a.astype(float) * 1.3, record)


def drawn(seed=0, K=()):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, *K, H)), rng.normal(size=(B, S, H))


def decode(params, memory, mask, s):
    """Three steps of a decoder that knows nothing of the kind of its attention."""
    attention, cell = params
    prepared = attention.prepare(memory)
    total = 0.0
    for _ in range(3):
        seen, weights = nn.attend(attention.energies(s, prepared), memory, mask)
        (s,) = cell.step((s,), cell.drive(seen))
        total = total + np.sum(s * s) + np.sum(weights[:, 0])
    return total


@pytest.mark.parametrize("name", ATTENTIONS)
def test_energies_are_those_of_the_equation(name):
    p, (query, memory) = double(ATTENTIONS[name]), drawn()
    found = p.energies(query, p.prepare(memory))
    for b in range(B):
        for i in range(S):
            wanted = EQUATIONS[name](p, query[b], memory[b, i], i)
            assert found[b, i] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_several_queries_look_at_one_memory(name):
    p, (queries, memory) = double(ATTENTIONS[name]), drawn(1, (5,))
    prepared = p.prepare(memory)
    found = p.energies(queries, prepared[:, None])
    assert found.shape == (B, 5, S)
    for k in range(5):
        wanted = p.energies(queries[:, k], prepared)
        np.testing.assert_allclose(found[:, k], wanted, rtol=1e-12)


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
@pytest.mark.parametrize("name", ATTENTIONS)
def test_gradient_in_a_decoder(name, native):
    p, (s, memory) = double(ATTENTIONS[name]), drawn(2)
    params = (p, double(nn.make_elman(key(4), H, H)))
    gradient = ad.grad(decode, (0, 1))
    found = (ad.jit(gradient) if native else gradient)(params, memory, MASK, s)
    record = (params, memory)
    rng = np.random.default_rng(3)
    d = nn.map_arrays(lambda a: rng.normal(size=a.shape), record)

    def at(e):
        moved = nn.map_arrays(lambda a, b: a + e * b, record, d)
        return decode(*moved, MASK, s)

    products = nn.map_arrays(lambda a, b: np.sum(a * b), d, found)
    slope = sum(nn.arrays_of(products))
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6)
    np.testing.assert_array_equal(found[1][MASK == 0], 0)


@pytest.mark.parametrize("name", ["dot", "additive"])
def test_optimisers_take_attentions_with_and_without_weights(name):
    params = (ATTENTIONS[name], nn.make_elman(key(4), H, H))
    s, memory = (a.astype(np.float32) for a in drawn(2))
    optimizer = nn.Adam()

    def update(params, state, memory, mask, s):
        grads = ad.grad(decode)(params, memory, mask, s)
        return optimizer.update(params, grads, state, 0.01)

    mask = MASK.astype(np.float32)
    state = optimizer.start(params)
    plain, _ = update(params, state, memory, mask, s)
    compiled, _ = ad.jit(update)(params, state, memory, mask, s)
    assert type(compiled[0]) is type(params[0])
    for a, b in zip(nn.arrays_of(compiled), nn.arrays_of(plain), strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_hidden_slots_do_not_matter(name):
    p, (s, memory) = double(ATTENTIONS[name]), drawn(4)
    other = np.where(MASK[:, :, None] > 0, memory, 0.0)
    seen, weights = nn.attend(p.energies(s, p.prepare(memory)), memory, MASK)
    again, _ = nn.attend(p.energies(s, p.prepare(other)), other, MASK)
    np.testing.assert_allclose(again, seen, rtol=1e-12)
    np.testing.assert_array_equal(weights[MASK == 0], 0)
    np.testing.assert_allclose(weights.sum(axis=1), 1)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_single_precision_stays(name):
    p, (s, memory) = ATTENTIONS[name], (a.astype(np.float32) for a in drawn())
    assert p.energies(s, p.prepare(memory)).dtype == np.float32


def test_a_memory_longer_than_the_locations():
    p = nn.make_location_attention(key(3), H, 3)
    query, memory = drawn()
    with pytest.raises(ValueError, match="more slots than the attention has columns"):
        p.energies(query, p.prepare(memory))


# Several heads ------------------------------------------------------------------------


def heads_of(weights):
    """The record of PyTorch's weights of two heads, or of their gradients."""
    w = {name: np.array(value) for name, value in weights.items()}
    M, N, D = 4, 2, 2
    matrices = w["in_proj_weight"].reshape(3, M, M).transpose(0, 2, 1)
    O = w["out_proj.weight"].T.reshape(N, D, M)
    biases = w["in_proj_bias"].reshape(3, N, D)
    return nn.MultiHeadAttention(
        *matrices.reshape(3, M, N, D), O, *biases, w["out_proj.bias"]
    )


def heads_loss(p, x, memory, mask, seed):
    out, _ = nn.multi_head_attention(p, x, memory, mask)
    return np.sum(out * seed)


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_several_heads_are_those_of_pytorch(native):
    path = Path(__file__).parent / "pytorch_fixtures.json"
    f = json.loads(path.read_text("utf-8"))["multi_head"]
    x, memory, mask, seed = (np.array(f[k]) for k in ("x", "memory", "mask", "seed"))
    p, mask = heads_of(f["weights"]), mask[:, None].astype(float)
    out, weights = nn.multi_head_attention(p, x, memory, mask)
    close = {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(out, f["out"], **close)
    np.testing.assert_allclose(weights, f["seen"], **close)
    gradient = ad.grad(heads_loss, (0, 1, 2))
    found = (ad.jit(gradient) if native else gradient)(p, x, memory, mask, seed)
    np.testing.assert_allclose(found[1], f["dx"], **close)
    np.testing.assert_allclose(found[2], f["dmemory"], **close)
    wanted = heads_of(f["dweights"])
    for a, b in zip(nn.arrays_of(found[0]), nn.arrays_of(wanted), strict=True):
        np.testing.assert_allclose(a, b, **close)


def test_a_place_does_not_see_those_behind_it():
    p = nn.make_multi_head_attention(key(0), 6, 3)
    x = np.random.default_rng(0).normal(size=(2, 5, 6)).astype(np.float32)
    out, weights = nn.multi_head_attention(p, x, x, nn.causal_mask(5))
    assert out.dtype == np.float32
    assert not np.any(np.triu(weights, 1))
    changed = x.copy()
    changed[:, 3:] = 7
    again, _ = nn.multi_head_attention(p, changed, changed, nn.causal_mask(5))
    np.testing.assert_array_equal(again[:, :3], out[:, :3])


def test_heads_share_the_features():
    with pytest.raises(ValueError, match="7 features cannot be shared among 2 heads"):
        nn.make_multi_head_attention(key(0), 7, 2)


def test_local_attention_looks_around_the_place_it_predicts():
    focus = double(nn.make_local_focus(key(4), H, 5, 2))
    query, _ = drawn(3)
    rng = np.random.default_rng(4)
    mask = np.array([[1, 1, 1, 1, 1, 1, 1.0], [1, 1, 1, 1, 0, 0, 0]])
    energies = rng.normal(size=(2, 7))
    found = nn.local_weights(focus, query, energies, mask)
    for b, length in enumerate((7, 4)):
        score = np.tanh(query[b] @ focus.W) @ focus.v
        place = length / (1 + np.exp(-score))  # equation 9
        near = [s for s in range(length) if abs(s - place) <= 2]
        align = np.exp(energies[b, near]) / np.exp(energies[b, near]).sum()
        wanted = np.zeros(7)
        # equation 10, with a deviation of D / 2
        wanted[near] = align * np.exp(-((np.array(near) - place) ** 2) / 2)
        np.testing.assert_allclose(found[b], wanted, rtol=1e-9)
    with pytest.raises(ValueError, match="1 slot at least"):
        nn.make_local_focus(key(0), H, 5, 0)


def test_gradients_of_local_attention():
    focus = double(nn.make_local_focus(key(4), H, 5, 2))
    query, _ = drawn(3)
    energies = np.random.default_rng(4).normal(size=(B, S))

    def loss(v, energies):
        p = nn.LocalFocus(focus.W, v, focus.window)
        return np.sum(np.sin(nn.local_weights(p, query, energies, MASK)))

    ad.check_grads(loss, (focus.v, energies))
