"""Losses: PyTorch's numbers, sums over all sequences, and native code."""

from __future__ import annotations

import itertools
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
LOSSES = {
    "nll": nn.nll,
    "hinge": nn.hinge,
    "huber": nn.huber,
    "margin_ranking": nn.margin_ranking,
    "poisson_nll": nn.poisson_nll,
    "binary_cross_entropy": nn.binary_cross_entropy,
}


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


def fixture(name):
    f = FIXTURES[name]
    return [np.array(a) for a in f["args"]], f["options"], f["loss"], np.array(f["dx"])


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
@pytest.mark.parametrize("name", LOSSES)
def test_loss_is_that_of_pytorch(name, native):
    args, options, loss, dx = fixture(name)
    function = ad.value_and_grad(LOSSES[name])
    function = ad.jit(function) if native else function
    value, gradient = function(*args, np.ones(len(args[0])), *options.values())
    close(value, loss)
    close(gradient, dx)


@pytest.mark.parametrize("name", LOSSES)
def test_masked_places_have_no_part_in_a_loss(name):
    args, options, _, _ = fixture(name)
    mask = np.array([1, 0, 1, 1, 0, 1.0])
    kept = [a[mask == 1] for a in args]
    wanted = LOSSES[name](*kept, np.ones(4), **options)
    close(LOSSES[name](*args, mask, **options), wanted)


@pytest.mark.parametrize("name", LOSSES)
def test_single_precision_stays(name):
    args, options, _, _ = fixture(name)
    args = [a.astype(np.float32) if a.dtype == float else a for a in args]
    mask = np.ones(len(args[0]), np.float32)
    value, gradient = ad.value_and_grad(LOSSES[name])(*args, mask, **options)
    assert value.dtype == gradient.dtype == np.float32


def test_hinge_with_a_negative_margin():
    scores = np.array([[1.0, 2.0, 0.5]])
    found = nn.hinge(scores, np.array([0]), np.ones(1), -0.25)
    close(found, (2 - 1 - 0.25) / 3)


# Conditional random fields ------------------------------------------------------------

T, K = 4, 3
LENGTHS = np.array([4, 1, 3])
MASK = (np.arange(T)[:, None] < LENGTHS).astype(float)


def field():
    rng = np.random.default_rng(0)
    p = nn.map_arrays(lambda a: rng.normal(size=a.shape), nn.make_crf(key(0), K))
    return p, rng.normal(size=(T, len(LENGTHS), K)), rng


def score(p, emissions, tags):
    """The score of one sequence, as it is defined."""
    total = p.first[tags[0]] + p.last[tags[-1]]
    total += sum(emissions[t, tag] for t, tag in enumerate(tags))
    return total + sum(p.transitions[a, b] for a, b in itertools.pairwise(tags))


def test_partition_is_the_sum_over_all_sequences():
    p, emissions, _ = field()
    found = nn.crf_log_partition(p, emissions, MASK)
    for row, length in enumerate(LENGTHS):
        every = itertools.product(range(K), repeat=length)
        scores = [score(p, emissions[:, row], tags) for tags in every]
        close(found[row], np.log(np.sum(np.exp(scores))))


def test_score_of_given_tags():
    p, emissions, rng = field()
    tags = rng.integers(0, K, (T, len(LENGTHS)))
    found = nn.crf_score(p, emissions, tags, MASK)
    for row, length in enumerate(LENGTHS):
        close(found[row], score(p, emissions[:, row], tags[:length, row]))


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_viterbi_finds_the_best_sequence(native):
    p, emissions, _ = field()
    decode = ad.jit(nn.viterbi) if native else nn.viterbi
    tags, scores = decode(p, emissions, MASK)
    for row, length in enumerate(LENGTHS):
        every = itertools.product(range(K), repeat=length)
        best = max(every, key=lambda tags: score(p, emissions[:, row], tags))
        assert tuple(tags[:length, row]) == best
        assert not np.any(tags[length:, row])
        close(scores[row], score(p, emissions[:, row], best))


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_gradient_of_the_partition_is_the_probability_of_tags(native):
    p, emissions, _ = field()

    def total(p, emissions, mask):
        return np.sum(nn.crf_log_partition(p, emissions, mask))

    gradient = ad.grad(total, (0, 1))
    gradient = ad.jit(gradient) if native else gradient
    dp, demissions = gradient(p, emissions, MASK)
    close(np.sum(demissions, axis=2), MASK)
    close(np.sum(dp.first), len(LENGTHS))
    close(np.sum(dp.transitions), np.sum(LENGTHS - 1))
    marginal = np.zeros((T, K))
    for tags in itertools.product(range(K), repeat=T):
        weight = np.exp(score(p, emissions[:, 0], tags))
        for t, tag in enumerate(tags):
            marginal[t, tag] += weight
    close(demissions[:, 0], marginal / marginal.sum(axis=1, keepdims=True))


def test_gradient_of_the_field():
    p, emissions, rng = field()
    tags = rng.integers(0, K, (T, len(LENGTHS)))
    record = (p, emissions)
    found = ad.grad(nn.crf_loss, (0, 1))(p, emissions, tags, MASK)
    d = nn.map_arrays(lambda a: rng.normal(size=a.shape), record)

    def at(e):
        moved = nn.map_arrays(lambda a, b: a + e * b, record, d)
        return nn.crf_loss(*moved, tags, MASK)

    slope = sum(np.sum(a * b) for a, b in zip(nn.arrays_of(found), nn.arrays_of(d)))
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-7)
    single = nn.map_arrays(lambda a: a.astype(np.float32), record)
    dsingle = ad.grad(nn.crf_loss, (0, 1))(*single, tags, MASK.astype(np.float32))
    assert {a.dtype for a in nn.arrays_of(dsingle)} == {np.dtype(np.float32)}


def test_sequences_of_one_tag():
    p, emissions, _ = field()
    short, tags = emissions[:1], np.array([[0, 2, 1]])
    found = nn.crf_loss(p, short, tags, np.ones((1, 3)))
    logits = short[0] + p.first + p.last
    close(found, nn.cross_entropy(logits, tags[0], np.ones(3)))


# Connectionist temporal classification ------------------------------------------------


def ctc_case():
    f = {name: np.array(value) for name, value in FIXTURES["ctc"].items()}
    places, labels = f["logits"].shape[0], f["targets"].shape[1]
    mask = (np.arange(places)[:, None] < f["lengths"]).astype(float)
    target_mask = (np.arange(labels)[:, None] < f["counts"]).astype(float)
    return f, (f["logits"], f["targets"].T, mask, target_mask)


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_ctc_is_that_of_pytorch(native):
    f, args = ctc_case()
    close(nn.ctc_losses(*args), f["losses"])
    function = ad.value_and_grad(nn.ctc_loss)
    function = ad.jit(function) if native else function
    value, gradient = function(*args)
    close(value, f["loss"])
    close(gradient, f["dlogits"])


def test_ctc_is_the_sum_over_all_paths():
    _, (logits, targets, mask, target_mask) = ctc_case()
    probabilities = nn.softmax(logits[:5, 2])
    total = 0.0
    for path in itertools.product(range(4), repeat=5):
        merged = [c for c, _ in itertools.groupby(path)]
        if [c for c in merged if c] == [2]:
            total += np.prod(probabilities[np.arange(5), path])
    close(nn.ctc_losses(logits, targets, mask, target_mask)[2], -np.log(total))


def test_ctc_of_no_labels_and_of_too_many():
    logits = np.random.default_rng(0).normal(size=(2, 2, 3))
    targets = np.array([[1, 1], [1, 1]])  # two equal labels need three places
    target_mask = np.array([[0, 1], [0, 1.0]])
    args = (logits, targets, np.ones((2, 2)), target_mask)
    found = nn.ctc_losses(*args)
    close(found[0], -np.sum(nn.log_softmax(logits[:, 0])[:, 0]))
    assert found[1] == np.inf
    gradient = ad.grad(lambda x, *rest: np.sum(nn.ctc_losses(x, *rest)))(*args)
    assert np.all(np.isfinite(gradient))
    assert not np.any(gradient[:, 1])


def test_ctc_in_single_precision():
    _, args = ctc_case()
    singles = [a.astype(np.float32) if a.dtype == float else a for a in args]
    value, gradient = ad.value_and_grad(nn.ctc_loss)(*singles)
    assert value.dtype == gradient.dtype == np.float32
    np.testing.assert_allclose(value, nn.ctc_loss(*args), rtol=1e-5)
