"""The translation models: gradients, masks, and searching as in training."""

from __future__ import annotations

import re

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.models import (
    attention,
    deep_lstm,
    encoder_decoder,
    find_model,
    grconv,
    luong,
    models_of,
    transformer,
)
from anadrome.optimize.passes import optimize
from anadrome.options import OptionError
from anadrome.random import key
from anadrome.text import PairSizes, make_pair_batch
from anadrome.train.records import flatten

CONFIGS = {
    "attention": attention.Config(3, 4, 5, 3, 0.0, 0.0),
    "deep-lstm": deep_lstm.Config(3, 4, 2, 0.0, 0.0),
    "encoder-decoder": encoder_decoder.Config(3, 4, 3, 0.0, 0.0),
    "grconv": grconv.Config(3, 4, 3, 0.0, 0.0),
    "luong": luong.Config(3, 4, 2, 0.0, 0.0),
    "transformer": transformer.Config(4, 5, 2, 2, 0.0, 0.0),
}
# Options by which a model is another one, all that there are.
VARIANTS = {
    "attention": [
        {"reset_after": True},
        {"output": "low-rank", "initial": "gaussian"},
        {"output": "full", "early_output": True},
    ],
    "deep-lstm": [{"reverse": False}],
    "encoder-decoder": [
        {"reset_summary": True, "output": "low-rank", "initial": "gaussian"},
        {"output": "full"},
    ],
    "grconv": [
        {"activation": "tanh"},
        {"reset_summary": True, "output": "low-rank", "initial": "gaussian"},
    ],
    "luong": [
        {"energies": "concat"},
        {"energies": "dot", "feeding": False},
        {"energies": "location", "longest": 9},
        {"energies": "reduced-rank", "rank": 2},
        {"energies": "content"},
        {"window": 2},
        {"energies": "location", "longest": 9, "window": 1, "feeding": False},
    ],
    "transformer": [{"norm": "after"}, {"output": "own"}],
}
EVERY = [(name, {}) for name in CONFIGS]
EVERY += [(name, changes) for name in VARIANTS for changes in VARIANTS[name]]
V = 12


def test_every_translator_is_tested_here():
    assert set(CONFIGS) == set(VARIANTS) == set(models_of("translate"))


def sentences(rng, lengths):
    return [rng.integers(4, V, n) for n in lengths]


def example(name, **changes):
    """A model with float64 weights of ordinary size, and a batch."""
    rng = np.random.default_rng(5)
    model, config = find_model("translate", name), CONFIGS[name]
    config = type(config)(**{**config.__dict__, **changes})
    params = nn.map_arrays(
        lambda a: a + 0.3 * rng.normal(size=a.shape),
        model.make_params(config, key(1), PairSizes(V, V)),
    )
    source, target = sentences(rng, (3, 5, 2)), sentences(rng, (4, 3, 2))
    batch = make_pair_batch(source, target, np.arange(3), time_major=True)
    return model, config, params, batch, (source, target)


def inner(a, b):
    return sum(np.sum(x * y) for x, y in zip(nn.arrays_of(a), nn.arrays_of(b)))


REGULARISED = [(name, {"dropout": 0.3, "smoothing": 0.1}) for name in CONFIGS]


@pytest.mark.parametrize(("name", "changes"), EVERY + REGULARISED, ids=str)
def test_gradient_is_the_slope_of_the_loss(name, changes):
    model, config, params, batch, _ = example(name, **changes)
    value, gradient = ad.value_and_grad(model.loss)(params, batch, config, key(3))
    assert value == pytest.approx(model.loss(params, batch, config, key(3)))
    for where, array in flatten(gradient).items():
        # A softmax does not see what is added to all energies alike.
        idle = name == "transformer" and where.endswith(".k")
        assert idle or array.size == 0 or np.any(array != 0), where
    rng = np.random.default_rng(6)
    for _ in range(3):
        direction = nn.map_arrays(lambda a: rng.normal(size=a.shape), params)

        def along(e, direction=direction):
            moved = nn.map_arrays(lambda a, d: a + e * d, params, direction)
            return model.loss(moved, batch, config, key(3))

        slope = (along(1e-5) - along(-1e-5)) / 2e-5
        assert inner(gradient, direction) == pytest.approx(slope, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("name", "changes"), EVERY, ids=str)
def test_padding_changes_nothing(name, changes):
    model, config, params, batch, (source, target) = example(name, **changes)
    together = model.loss(params, batch, config, key(0))
    apart = 0.0
    for i in range(3):
        single = make_pair_batch(source, target, np.array([i]), time_major=True)
        loss = model.loss(params, single, config, key(0))
        apart += loss * single.size
    assert together == pytest.approx(apart / batch.size, rel=1e-12)


@pytest.mark.parametrize(("name", "changes"), EVERY, ids=str)
def test_steps_of_a_search_give_the_probabilities_of_training(name, changes):
    model, config, params, batch, _ = example(name, **changes)
    state = model.start(params, batch.source, batch.source_mask)
    total = 0.0
    for t in range(batch.target_in.shape[0]):
        state, scores = model.step(params, state, batch.target_in[t])
        log_probs = nn.log_softmax(scores)
        chosen = log_probs[np.arange(3), batch.target_out[t]]
        total -= np.sum(chosen * batch.target_mask[t])
    loss = model.loss(params, batch, config, key(0))
    assert total / batch.size == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize(("name", "changes"), EVERY, ids=str)
def test_a_step_can_leave_out_the_words_of_some_rows(name, changes):
    model, _, params, batch, _ = example(name, **changes)
    first = model.start(params, batch.source, batch.source_mask)
    words, rows = batch.target_in[0], np.array([0, 2])
    every, scores = model.step(params, first, words)
    state, some = model.step(params, first, words, rows)
    np.testing.assert_allclose(some, scores[rows], rtol=1e-12)
    for mine, theirs in zip(nn.arrays_of(state), nn.arrays_of(every)):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", ["attention", "luong", "transformer"])
def test_attention_looks_only_at_words(name):
    model, _, params, batch, _ = example(name)
    state = model.start(params, batch.source, batch.source_mask)
    state, _ = model.step(params, state, batch.target_in[0])
    weights = model.attention_weights(state)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert np.all(weights[batch.source_mask.T == 0] == 0)
    assert np.all(weights[batch.source_mask.T == 1] > 0)


@pytest.mark.parametrize("name", CONFIGS)
def test_gradients_of_embeddings_touch_only_the_rows_used(name):
    model, config, params, batch, _ = example(name)
    gradient = ad.grad(model.loss)(params, batch, config, key(0))
    used = np.zeros(V, bool)
    used[batch.source[batch.source_mask == 1]] = True
    assert np.all(gradient.source[~used] == 0)
    assert np.all(np.any(gradient.source[used] != 0, axis=1))


def test_weights_are_single_precision_and_stay_so():
    for name, config in CONFIGS.items():
        model = find_model("translate", name)
        params = model.make_params(config, key(1), PairSizes(V, V))
        _, _, _, batch, _ = example(name)
        gradient = ad.grad(model.loss)(params, batch, config, key(0))
        new, _ = nn.Adam().update(params, gradient, nn.Adam().start(params), 1e-3)
        for array in (*nn.arrays_of(gradient), *nn.arrays_of(new)):
            assert array.dtype == np.float32


def test_hypotheses_of_a_sentence_share_its_memory():
    model, _, params, batch, _ = example("attention")
    first = model.start(params, batch.source, batch.source_mask)
    # two rows for each sentence; then one sentence less; then rows in any order
    for indices in (
        np.array([0, 0, 1, 1, 2, 2]),
        np.array([1, 0, 5, 4]),
        np.array([2, 0, 1, 1, 3]),
    ):
        shared = model.reorder(first, indices)
        owners = indices // (len(first.state) // len(first.memory.mask))
        copied = type(first)(
            nn.map_arrays(lambda array, o=owners: array[o], first.memory),
            first.words,
            first.state[indices],
            first.weights[indices],
        )
        words = np.arange(len(indices)) + 4
        one, given = model.step(params, shared, words)
        other, wanted = model.step(params, copied, words)
        np.testing.assert_allclose(given, wanted, rtol=1e-12)
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)
        first = one


@pytest.mark.parametrize("name", CONFIGS)
def test_native_gradients_are_those_of_python(name):
    changes = {"dropout": 0.3, "smoothing": 0.1}
    if name == "transformer":
        changes["layers"] = 1  # a second one takes as long again to compile
    model, config, params, batch, _ = example(name, **changes)
    params = nn.map_arrays(lambda a: a.astype(np.float32), params)
    gradient = ad.value_and_grad(model.loss)
    wanted = gradient(params, batch, config, key(3))
    found = ad.jit(gradient)(params, batch, config, key(3))
    assert found[0] == pytest.approx(wanted[0], rel=1e-5)
    found, wanted = flatten(found[1]), flatten(wanted[1])
    for where, theirs in wanted.items():
        mine = found[where]
        assert mine.dtype == np.float32
        # where a gradient is nothing but rounding, so is the difference
        scale = max(np.abs(theirs).max(initial=0), 1e-3)
        np.testing.assert_allclose(mine / scale, theirs / scale, atol=2e-5)


@pytest.mark.parametrize(("name", "loops"), [("attention", 6), ("encoder-decoder", 4)])
def test_threads_divide_the_rows_of_every_loop(name, loops):
    model, config, params, batch, _ = example(name)
    args = (params, batch, config, key(3))
    graph = read(ad.value_and_grad(model.loss), args, {}).graph
    text = NativeFunction(optimize(graph)).text
    assert len(re.findall(r"define[^\n]*\.job", text)) == loops


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_differ(name):
    losses = []
    for changes in [{}, *VARIANTS[name]]:
        model, config, params, batch, _ = example(name, **changes)
        losses.append(round(float(model.loss(params, batch, config, key(0))), 9))
    assert len(set(losses)) == len(losses)


def test_grconv_parses_as_its_gates_choose():
    model, _, params, _, _ = example("grconv")
    sentence = np.array([4, 7, 5, 9])
    found = [model.parse(params, sentence)]
    assert (found[0].first, found[0].last) == (0, 3)
    while found:
        node = found.pop()
        if node.first == node.last:
            assert node.gates == node.children == ()
            continue
        assert sum(node.gates) == pytest.approx(1)
        first, last = node.first, node.last
        below = [(first, last - 1), (first + 1, last)]
        wanted = (below, below[:1], below[1:])[int(np.argmax(node.gates))]
        assert [(n.first, n.last) for n in node.children] == wanted
        found.extend(node.children)


def test_grconv_summarises_one_word_as_its_leaf_and_two_by_the_equations():
    model, _, params, _, _ = example("grconv")
    ids = np.array([[4, 7], [7, 0]])
    mask = np.array([[1.0, 1.0], [1.0, 0.0]])
    made = model.encode(params, params.source[ids], mask)
    one, two = params.source[4] @ params.U, params.source[7] @ params.U
    a = one @ params.left + two @ params.right
    gates = np.exp(a[4:]) / np.exp(a[4:]).sum()
    wanted = gates[0] * np.maximum(a[:4], 0) + gates[1] * one + gates[2] * two
    np.testing.assert_allclose(made, [wanted, two], rtol=1e-12)


def test_heads_that_cannot_share_the_features_are_refused():
    with pytest.raises(OptionError, match="10 features cannot be shared among 3 heads"):
        transformer.Config(embedding=10, heads=3)


def test_a_source_longer_than_its_locations_is_refused():
    model, config, params, batch, _ = example("luong", energies="location", longest=4)
    with pytest.raises(OptionError, match="more slots than the attention has columns"):
        model.loss(params, batch, config, key(0))
    with pytest.raises(OptionError, match="more slots than the attention has columns"):
        ad.grad(model.loss)(params, batch, config, key(0))


def test_first_weights_of_the_papers():
    """Section 4.4.1 of the thesis; appendix B.1 of Bahdanau et al."""
    model = find_model("translate", "encoder-decoder")
    config = encoder_decoder.Config(20, 40, 30, initial="gaussian", output="low-rank")
    p = model.make_params(config, key(0), PairSizes(50, 60))
    for W in (p.source, p.target, p.C, p.summary, p.output.words, p.encoder.W):
        assert W.std() == pytest.approx(0.01, rel=0.1)
    np.testing.assert_allclose(p.encoder.V.T @ p.encoder.V, np.eye(40), atol=1e-5)
    model = find_model("translate", "attention")
    config = attention.Config(20, 40, 30, 25, initial="gaussian", output="full")
    q = model.make_params(config, key(0), PairSizes(50, 60))
    assert q.output.words.shape == (60, 25)
    assert q.output.R is None
    assert q.attention.W.std() == pytest.approx(0.001, rel=0.1)
    assert q.attention.U.std() == pytest.approx(0.001, rel=0.1)
    assert not np.any(q.attention.v)
    assert q.C.std() == pytest.approx(0.01, rel=0.1)


def test_the_reset_gate_governs_the_summary_as_in_the_appendix():
    """h̃ = tanh(W e(y) + r ⊙ (U h + C c)): Cho et al. (2014), A.1.2."""
    model, _, p, _, _ = example("encoder-decoder", reset_summary=True)
    rng = np.random.default_rng(0)
    c, h = rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
    state, _ = model.step(p, encoder_decoder.Decoding(c, h), np.array([5]))
    a = p.target[5] @ p.decoder.W + p.decoder.b
    u = h[0] @ p.decoder.U + p.decoder.d + c[0] @ p.C
    r, z = nn.sigmoid(a[:4] + u[:4]), nn.sigmoid(a[4:8] + u[4:8])
    candidate = np.tanh(a[8:] + r * u[8:])
    np.testing.assert_allclose(state.state[0], z * h[0] + (1 - z) * candidate)


def test_words_see_the_state_before_the_step_if_that_is_wanted():
    """t̃ = U_o s + V_o E y + C_o c with the old s: Bahdanau et al. (2015), A.2.2."""
    model, _, p, batch, _ = example("attention", early_output=True, output="full")
    first = model.start(p, batch.source, batch.source_mask)
    words = batch.target_in[0]
    state, scores = model.step(p, first, words)
    memory, s = model.encode(p, p.source[batch.source], batch.source_mask)
    c = np.einsum("bs,bsm->bm", state.weights, memory.slots)
    o = p.output
    pools = s @ o.H + p.target[words] @ o.Y + c @ o.C + o.b
    wanted = np.maximum(pools[:, :3], pools[:, 3:]) @ o.words.T + o.g
    np.testing.assert_allclose(scores, wanted, rtol=1e-9)
