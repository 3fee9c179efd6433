"""Dropout in time, zoneout, noise, penalties."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key

T, B, E, H = 4, 3, 2, 3
MASK = (np.arange(T)[:, None] < np.array([4, 2, 3])).astype(float)
GATED = {
    "lstm": nn.make_lstm,
    "projected_lstm": lambda k, E, H: nn.make_projected_lstm(k, E, H, 2),
    "peephole_lstm": nn.make_peephole_lstm,
    "normalized_lstm": nn.make_normalized_lstm,
    "gru": nn.make_gru,
    "reset_after_gru": nn.make_reset_after_gru,
    "normalized_gru": nn.make_normalized_gru,
}


def cell_and_inputs(make):
    rng = np.random.default_rng(0)
    cell = nn.map_arrays(
        lambda a: a + 0.2 * rng.normal(size=a.shape), make(key(0), E, H)
    )
    return cell, rng.normal(size=(T, B, E))


def check_slope(loss, record, native=False):
    gradient = ad.grad(loss)
    found = (ad.jit(gradient) if native else gradient)(record)
    rng = np.random.default_rng(1)
    d = nn.map_arrays(lambda a: rng.normal(size=a.shape), record)

    def at(e):
        return loss(nn.map_arrays(lambda a, b: a + e * b, record, d))

    pairs = zip(nn.arrays_of(found), nn.arrays_of(d), strict=True)
    slope = sum(np.sum(a * b) for a, b in pairs)
    assert slope == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("name", GATED)
def test_recurrent_dropout(name):
    cell, x = cell_and_inputs(GATED[name])
    plain, _ = nn.run(cell, x, MASK)
    none, _ = nn.run_with_recurrent_dropout(cell, x, MASK, 0.0, key(1))
    np.testing.assert_allclose(none, plain, rtol=1e-12)
    # With everything dropped there is nothing but the zero state.
    _, state = nn.run_with_recurrent_dropout(cell, x, MASK, 0.999999, key(1))
    assert not np.any(state[-1])
    some, _ = nn.run_with_recurrent_dropout(cell, x, MASK, 0.5, key(1))
    assert np.any(some != plain)

    def loss(record):
        out, _ = nn.run_with_recurrent_dropout(*record, MASK, 0.5, key(1))
        return np.sum(out * out)

    check_slope(loss, (cell, x), native=name == "gru")


def test_memory_is_not_dropped():
    cell, x = cell_and_inputs(nn.make_lstm)
    kept = np.zeros((B, H))
    h, c = np.ones((B, H)), np.ones((B, H))
    _, new = cell.step((h, c), cell.drive(x)[0], kept)
    a = cell.drive(x)[0] + h @ cell.U
    np.testing.assert_allclose(new, nn.sigmoid(a[:, H : 2 * H]) * c)


@pytest.mark.parametrize("make", [nn.make_lstm, nn.make_gru])
def test_zoneout(make):
    cell, x = cell_and_inputs(make)
    arrays = len(cell.start(B))
    rates = (0.3, 0.5)[:arrays]
    plain, _ = nn.run(cell, x, MASK)
    none, _ = nn.run_with_zoneout(cell, x, MASK, (0.0,) * arrays, key(1))
    np.testing.assert_allclose(none, plain, rtol=1e-12)
    _, state = nn.run_with_zoneout(cell, x, MASK, (1.0,) * arrays, key(1))
    assert not np.any(state[0])
    with pytest.raises(ValueError, match="a rate for each array of the state"):
        nn.run_with_zoneout(cell, x, MASK, (0.1, 0.1, 0.1), key(1))

    def loss(record):
        out, _ = nn.run_with_zoneout(*record, MASK, rates, key(1))
        return np.sum(out * out)

    check_slope(loss, (cell, x), native=make is nn.make_gru)


def test_zoneout_without_a_key_is_the_expectation():
    cell, x = cell_and_inputs(nn.make_elman)
    out, _ = nn.run_with_zoneout(cell, x[:1], MASK[:1], (0.4,))
    plain, _ = nn.run(cell, x[:1], MASK[:1])
    np.testing.assert_allclose(out, 0.6 * plain)
    drawn = [
        nn.run_with_zoneout(cell, x[:1], MASK[:1], (0.4,), key(k))[0]
        for k in range(400)
    ]
    np.testing.assert_allclose(np.mean(drawn, axis=0), out, atol=0.12)


def test_word_dropout_replaces_words():
    ids = np.arange(1000).reshape(10, 100) + 5
    found = nn.word_dropout(ids, 0.2, key(0), unknown=3)
    gone = found == 3
    assert gone.mean() == pytest.approx(0.2, abs=0.05)
    np.testing.assert_array_equal(found[~gone], ids[~gone])


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_weight_noise(native):
    params = {"a": np.zeros((40, 50), np.float32), "b": (np.zeros(2000, np.float32),)}

    def noisy(params, k):
        return nn.add_weight_noise(params, 0.5, k)

    found = (ad.jit(noisy) if native else noisy)(params, key(0))
    a, b = found["a"], found["b"][0]
    assert a.dtype == b.dtype == np.float32
    assert a.std() == pytest.approx(0.5, rel=0.1)
    assert b.std() == pytest.approx(0.5, rel=0.1)
    assert not np.array_equal(a.reshape(-1), b), "each array has noise of its own"
    again = nn.add_weight_noise(params, 0.5, key(0))
    np.testing.assert_allclose(again["a"], a, rtol=1e-5)


def test_gradient_noise_falls_with_the_steps():
    grads = [np.zeros(5000)]
    for step in (0, 9):
        (found,) = nn.add_gradient_noise(grads, step, key(0), 0.3)
        wanted = np.sqrt(0.3 / (1 + step) ** 0.55)
        assert found.std() == pytest.approx(wanted, rel=0.05)
    first, second = (nn.add_gradient_noise(grads, s, key(0))[0] for s in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def test_penalties_and_their_gradients():
    params = {"W": np.array([[1.0, -2.0], [0.5, 3.0]]), "b": np.array([-1.0])}
    assert nn.weight_decay(params, 0.1) == pytest.approx(0.05 * 15.25)
    found = ad.grad(nn.weight_decay)(params, 0.1)
    np.testing.assert_allclose(found["W"], 0.1 * params["W"])
    assert nn.l1_penalty(params, 0.1) == pytest.approx(0.75)
    found = ad.grad(nn.l1_penalty)(params, 0.1)
    np.testing.assert_allclose(found["b"], [-0.1])


def test_max_norm_limits_columns():
    params = {"W": np.array([[3.0, 0.3], [4.0, 0.4]]), "b": np.array([9.0])}
    found = nn.max_norm(params, 2.0)
    np.testing.assert_allclose(found["W"], [[1.2, 0.3], [1.6, 0.4]])
    np.testing.assert_array_equal(found["b"], [9.0])
    single = nn.map_arrays(lambda a: a.astype(np.float32), params)
    compiled = ad.jit(nn.max_norm)(single, 2.0)
    assert compiled["W"].dtype == np.float32
    np.testing.assert_allclose(compiled["W"], found["W"], rtol=1e-6)


# First values -------------------------------------------------------------------------


def test_he_weights():
    w = nn.he(key(0), (50, 40), 2)
    assert w.shape == (50, 80)
    assert w.dtype == np.float32
    assert w.std() == pytest.approx(np.sqrt(2 / 50), rel=0.05)


def test_uniform_weights():
    w = nn.uniform_weights(key(0), (50, 40), 0.3)
    assert w.dtype == np.float32
    assert np.abs(w).max() <= 0.3
    assert w.std() == pytest.approx(0.3 / np.sqrt(3), rel=0.05)


def test_spectral_radius():
    q = nn.orthogonal(key(3), 16)
    assert nn.spectral_radius(q) == pytest.approx(1, rel=1e-5)
    w = nn.with_spectral_radius(nn.gaussian(key(1), (16, 16)), 0.4)
    assert w.dtype == np.float32
    assert nn.spectral_radius(w) == pytest.approx(0.4, rel=1e-5)
    with pytest.raises(ValueError, match="all eigenvalues are 0"):
        nn.with_spectral_radius(np.zeros((2, 2)), 0.4)
