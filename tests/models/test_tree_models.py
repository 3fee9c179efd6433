"""Networks over trees: slopes of their losses, and trees that do not see each other."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.models import child_sum, find_model, models_of, recursive, rntn, tree_lstm
from anadrome.options import OptionError
from anadrome.random import key
from anadrome.text import EncodedTree, Phrase, TokenSizes, make_phrase_batch

CONFIGS = {
    "child-sum-tree-lstm": child_sum.Config(embedding=3, hidden=4),
    "rnn": recursive.Config(hidden=4),
    "rntn": rntn.Config(hidden=3),
    "tree-lstm": tree_lstm.Config(embedding=3, hidden=4),
}
WORDS, LABELS = 9, 3


def test_every_model_of_trees_is_tested_here():
    assert set(CONFIGS) == set(models_of("trees"))


def tree(rng, words):
    """A random binary tree, some of whose phrases have no label."""
    places = iter(range(words))

    def grow(n):
        if n == 1:
            return Phrase(next(places), [])
        k = int(rng.integers(1, n))
        return Phrase(-1, [grow(k), grow(n - k)])

    labels = rng.integers(-1, LABELS, 2 * words - 1)
    labels[-1] = 1
    return EncodedTree(grow(words), rng.integers(4, WORDS, words), labels)


def example(name, **changes):
    """A model with float64 weights of ordinary size, and trees."""
    rng = np.random.default_rng(5)
    model, config = find_model("trees", name), CONFIGS[name]
    config = type(config)(**{**config.__dict__, **changes})
    params = nn.map_arrays(
        lambda a: a + 0.3 * rng.normal(size=a.shape),
        model.make_params(config, key(1), TokenSizes(WORDS, 0, LABELS)),
    )
    return model, config, params, [tree(rng, n) for n in (4, 1, 7)]


def inner(a, b):
    return sum(np.sum(x * y) for x, y in zip(nn.arrays_of(a), nn.arrays_of(b)))


@pytest.mark.parametrize("name", CONFIGS)
def test_gradient_is_the_slope_of_the_loss(name):
    model, config, params, trees = example(name, word_dropout=0.2)
    batch = make_phrase_batch(trees, np.arange(3))
    derived = ad.value_and_grad(model.loss)
    value, gradient = derived(params, batch, config, key(3))
    assert value == pytest.approx(model.loss(params, batch, config, key(3)))
    rng = np.random.default_rng(6)
    for _ in range(3):
        direction = nn.map_arrays(lambda a: rng.normal(size=a.shape), params)
        ends = [
            model.loss(
                nn.map_arrays(lambda a, d, s=s: a + s * d, params, direction),
                batch,
                config,
                key(3),
            )
            for s in (1e-5, -1e-5)
        ]
        slope = (ends[0] - ends[1]) / 2e-5
        assert inner(gradient, direction) == pytest.approx(slope, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", CONFIGS)
def test_native_gradients_are_the_same(name):
    model, config, params, trees = example(name)
    derived = ad.value_and_grad(model.loss)
    native = ad.jit(derived)
    for chosen in ([0, 1, 2], [2, 0], [1]):
        batch = make_phrase_batch(trees, np.array(chosen))
        value, gradient = derived(params, batch, config, key(3))
        found, slopes = native(params, batch, config, key(3))
        assert found == pytest.approx(value, rel=1e-11)
        for a, b in zip(nn.arrays_of(slopes), nn.arrays_of(gradient), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CONFIGS)
def test_predictions_do_not_depend_on_other_trees(name):
    model, config, params, trees = example(name)
    together = model.predict(params, make_phrase_batch(trees, np.array([2, 0])), config)
    apart = [
        model.predict(params, make_phrase_batch(trees, np.array([k])), config)
        for k in (2, 0)
    ]
    np.testing.assert_allclose(together, np.concatenate(apart), rtol=1e-12)
    np.testing.assert_allclose(np.sum(np.exp(together), axis=1), 1.0)


@pytest.mark.parametrize("name", CONFIGS)
def test_phrases_without_labels_are_not_trained(name):
    model, config, params, trees = example(name)
    batch = make_phrase_batch(trees, np.arange(3))
    other = batch.labels.copy()
    other[batch.mask == 0] = 2
    changed = type(batch)(**{**batch.__dict__, "labels": other})
    assert (batch.mask == 0).any()
    expected = model.loss(params, batch, config, key(3))
    assert model.loss(params, changed, config, key(3)) == expected


def test_the_order_of_parts_matters_but_for_the_sum():
    turned = Phrase(-1, [Phrase(1, []), Phrase(0, [])])
    plain = Phrase(-1, [Phrase(0, []), Phrase(1, [])])
    words, labels = np.array([4, 5]), np.zeros(3, int)
    for name in CONFIGS:
        model, config, params, _ = example(name)
        roots = [
            model.predict(
                params,
                make_phrase_batch([EncodedTree(t, words, labels)], np.array([0])),
                config,
            )[-1]
            for t in (plain, turned)
        ]
        assert np.allclose(*roots) == (name == "child-sum-tree-lstm")


def test_the_child_sum_takes_any_number_of_parts():
    model, config, params, _ = example("child-sum-tree-lstm")
    three = Phrase(-1, [Phrase(0, []), Phrase(1, []), Phrase(2, [])])
    wide = EncodedTree(Phrase(-1, [three]), np.array([4, 5, 6]), np.zeros(5, int))
    batch = make_phrase_batch([wide], np.array([0]))
    assert model.predict(params, batch, config).shape == (5, LABELS)
    model, config, params, _ = example("tree-lstm")
    with pytest.raises(ValueError, match="unpack"):
        model.predict(params, batch, config)


def test_a_tree_lstm_computes_the_equations():
    model, config, p, _ = example("tree-lstm")
    two = EncodedTree(
        Phrase(-1, [Phrase(0, []), Phrase(1, [])]), np.array([4, 5]), None
    )
    batch = make_phrase_batch(
        [EncodedTree(two.root, two.words, np.zeros(3, int))], np.array([0])
    )
    H = config.hidden

    def gate(x):
        return 1 / (1 + np.exp(-x))

    states = []
    for word in two.words:
        i, o, u = np.split(p.words[word] @ p.leaf.W + p.leaf.b, 3)
        c = gate(i) * np.tanh(u)
        states.append((gate(o) * np.tanh(c), c))
    (h_l, c_l), (h_r, c_r) = states
    i, f_l, f_r, o, u = np.split(np.r_[h_l, h_r] @ p.node.W + p.node.b, 5)
    c = gate(i) * np.tanh(u) + gate(f_l) * c_l + gate(f_r) * c_r
    scores = (gate(o) * np.tanh(c)) @ p.output.W + p.output.b
    expected = scores - np.log(np.sum(np.exp(scores)))
    np.testing.assert_allclose(model.predict(p, batch, config)[-1], expected)
    assert p.node.W.shape == (2 * H, 5 * H)


def test_a_tensor_network_computes_the_equations():
    model, config, p, _ = example("rntn")
    root = Phrase(-1, [Phrase(0, []), Phrase(1, [])])
    batch = make_phrase_batch(
        [EncodedTree(root, np.array([4, 5]), np.zeros(3, int))], np.array([0])
    )
    H = config.hidden
    x = np.r_[p.words[4], p.words[5]]
    slices = p.tensor.reshape(2 * H, 2 * H, H)
    products = np.array([x @ slices[:, :, k] @ x for k in range(H)])
    h = np.tanh(products + x @ p.node.W + p.node.b)
    scores = h @ p.output.W + p.output.b
    expected = scores - np.log(np.sum(np.exp(scores)))
    np.testing.assert_allclose(model.predict(p, batch, config)[-1], expected)


def test_words_begin_with_the_vectors_that_are_given():
    vectors = np.full((WORDS, 3), np.nan, np.float32)
    vectors[5] = (1, 2, 3)
    sizes = TokenSizes(WORDS, 0, LABELS, vectors)
    made = tree_lstm.make_params(CONFIGS["tree-lstm"], key(0), sizes)
    np.testing.assert_array_equal(made.words[5], (1, 2, 3))
    assert np.isfinite(made.words).all()
    with pytest.raises(
        OptionError, match="3 features, and embeddings 4\nhelp: --hidden 3"
    ):
        recursive.make_params(CONFIGS["rnn"], key(0), sizes)
