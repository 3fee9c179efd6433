"""What PyTorch has no counterpart of, and properties of the pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key, split


def slope(f, x, d, e=1e-6):
    return (f(x + e * d) - f(x - e * d)) / (2 * e)


def gru_loss(cell, x, mask, seed):
    out, _ = nn.run(cell, x, mask)
    return np.sum(out * seed)


def test_gru_of_cho_is_the_equations_of_the_thesis():
    rng = np.random.default_rng(0)
    E, H = 3, 2
    W, U, V, b = (
        rng.normal(size=s) for s in ((E, 3 * H), (H, 2 * H), (H, H), (3 * H,))
    )
    cell, x, h = nn.GRU(W, U, V, b), rng.normal(size=E), rng.normal(size=H)
    sigma = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    r = sigma(x @ W[:, :H] + h @ U[:, :H] + b[:H])  # (4.5)
    z = sigma(x @ W[:, H : 2 * H] + h @ U[:, H:] + b[H : 2 * H])  # (4.6)
    candidate = np.tanh(x @ W[:, 2 * H :] + (r * h) @ V + b[2 * H :])  # (4.8)
    (found,) = cell.step((h[None],), cell.drive(x[None]))
    np.testing.assert_allclose(found[0], z * h + (1 - z) * candidate, rtol=1e-12)


def test_gradient_of_the_gru_of_cho():
    rng = np.random.default_rng(1)
    cell = nn.map_arrays(lambda a: a.astype(float), nn.make_gru(key(0), 3, 2))
    x, seed = rng.normal(size=(4, 2, 3)), rng.normal(size=(4, 2, 2))
    mask = np.array([[1, 1], [1, 1], [1, 0], [1, 0.0]])
    gradient = ad.grad(gru_loss)(cell, x, mask, seed)
    direction = nn.map_arrays(lambda a: rng.normal(size=a.shape), cell)

    def along(e):
        moved = nn.map_arrays(lambda a, d: a + e * d, cell, direction)
        return gru_loss(moved, x, mask, seed)

    found = sum(
        np.sum(g * d) for g, d in zip(nn.arrays_of(gradient), nn.arrays_of(direction))
    )
    assert found == pytest.approx((along(1e-6) - along(-1e-6)) / 2e-6, rel=1e-7)


def test_dot_attention():
    rng = np.random.default_rng(2)
    query, memory = rng.normal(size=(2, 3)), rng.normal(size=(2, 4, 3))
    wanted = np.einsum("bm,bsm->bs", query, memory)
    np.testing.assert_allclose(nn.dot_energies(query, memory), wanted)
    scaled = nn.scaled_dot_energies(query, memory)
    np.testing.assert_allclose(scaled, wanted / np.sqrt(3))
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1.0]])

    def total(q):
        return np.sum(nn.attend(nn.dot_energies(q, memory), memory, mask)[0] ** 2)

    direction = rng.normal(size=query.shape)
    found = np.sum(ad.grad(total)(query) * direction)
    assert found == pytest.approx(slope(total, query, direction), rel=1e-7)


@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_softmax_does_not_overflow(shift):
    x = np.array([[0.0, 1.0, 2.5], [-3.0, 0.25, 0.5]]) + shift
    e = np.exp(x - shift)
    np.testing.assert_allclose(nn.softmax(x), e / e.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.exp(nn.log_softmax(x)), nn.softmax(x))


def test_the_maximum_has_no_part_in_the_gradient_of_the_softmax():
    text = ad.source(ad.grad(lambda x: np.sum(nn.log_sum_exp(x))), np.ones((2, 3)))
    assert text.count("np.max(") == 1


def test_sigmoid_of_large_numbers():
    x = np.array([-1e4, -1.0, 0.0, 1.0, 1e4])
    np.testing.assert_allclose(nn.sigmoid(x)[1:4], 1 / (1 + np.exp(-x[1:4])))
    assert nn.sigmoid(x)[0] == 0
    assert nn.sigmoid(x)[4] == 1


def test_maxout_takes_the_larger_half():
    found = nn.maxout(np.array([[1.0, 5.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(found, [[2.0, 5.0]])


def test_dropout_keeps_the_mean_and_is_a_function_of_the_key():
    x = np.ones((200, 100), np.float32)
    found = nn.dropout(x, 0.25, key(4))
    assert found.dtype == np.float32
    assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
    assert found.mean() == pytest.approx(1.0, abs=0.02)
    np.testing.assert_array_equal(found, nn.dropout(x, 0.25, key(4)))
    assert np.any(found != nn.dropout(x, 0.25, key(5)))


def test_gradient_of_dropout_is_its_mask():
    def total(x, k):
        return np.sum(nn.dropout(x, 0.5, k))

    x = np.arange(12.0).reshape(3, 4)
    wanted = nn.dropout(np.ones((3, 4)), 0.5, key(9))
    np.testing.assert_array_equal(ad.grad(total)(x, key(9)), wanted)


def test_orthogonal_and_glorot_weights():
    q = nn.orthogonal(key(3), 16)
    np.testing.assert_allclose(q @ q.T, np.eye(16), atol=1e-5)
    w = nn.glorot(key(3), (30, 24), 2)
    bound = np.sqrt(6 / 54)
    assert w.shape == (30, 48)
    assert w.dtype == np.float32
    assert np.abs(w).max() <= bound
    assert w.std() == pytest.approx(bound / np.sqrt(3), rel=0.05)


def test_gradient_of_an_embedding_touches_only_the_rows_used():
    table, ids = np.ones((6, 2)), np.array([[1, 4], [1, 1]])
    found = ad.grad(lambda t: np.sum(nn.embed(t, ids)))(table)
    np.testing.assert_array_equal(found[:, 0], [0, 3, 0, 0, 1, 0])


def test_clipping_leaves_small_gradients_alone():
    record = (np.array([0.3]), {"b": np.array([0.4])})
    clipped, norm = nn.clip_by_global_norm(record, 1.0)
    assert norm == pytest.approx(0.5)
    np.testing.assert_array_equal(clipped[0], record[0])
    np.testing.assert_array_equal(clipped[1]["b"], record[1]["b"])


def test_dropout_between_layers_needs_a_key():
    cells = tuple(nn.make_lstm(k, 3, 3) for k in split(key(0), 2))
    x, mask = np.ones((4, 2, 3), np.float32), np.ones((4, 2), np.float32)
    plain = nn.run_stack(cells, x, mask, 0.5)
    np.testing.assert_array_equal(plain, nn.run_stack(cells, x, mask))
    assert np.any(plain != nn.run_stack(cells, x, mask, 0.5, key(1)))


def test_a_forget_gate_begins_open():
    cell = nn.make_lstm(key(0), 3, 2)
    np.testing.assert_array_equal(cell.b, [0, 0, 1, 1, 0, 0, 0, 0])


def test_steady_dropout_drops_the_same_elements_at_all_times():
    x = np.ones((5, 30, 40), np.float32)
    found = nn.steady_dropout(x, 0.25, key(4))
    assert found.dtype == np.float32
    assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
    assert found.mean() == pytest.approx(1.0, abs=0.04)
    np.testing.assert_array_equal(found, np.broadcast_to(found[:1], x.shape))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_cross_entropy_of_words_is_that_of_their_logits(smoothing):
    rng = np.random.default_rng(3)
    N, E, V = 7, 4, 9
    x, words, bias = (rng.normal(size=s) for s in ((N, E), (V, E), (V,)))
    targets, mask = rng.integers(0, V, N), np.array([1, 1, 0, 1, 0, 1, 1.0])

    def from_logits(x, words, bias):
        return nn.cross_entropy(x @ words.T + bias, targets, mask, smoothing)

    def from_words(x, words, bias):
        return nn.word_cross_entropy(x, words, bias, targets, mask, smoothing)

    wanted = ad.value_and_grad(from_logits, argnums=(0, 1, 2))(x, words, bias)
    found = ad.value_and_grad(from_words, argnums=(0, 1, 2))(x, words, bias)
    assert found[0] == pytest.approx(wanted[0], rel=1e-12)
    for mine, theirs in zip(found[1], wanted[1]):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)


@pytest.mark.parametrize("make", [nn.make_elman, nn.make_lstm, nn.make_gru])
def test_padding_leaves_states_as_they_are_in_both_directions(make):
    rng = np.random.default_rng(8)
    cell = make(key(2), 3, 2)
    x = rng.normal(size=(5, 1, 3)).astype(np.float32)
    padded = np.concatenate((x, rng.normal(size=(2, 1, 3)).astype(np.float32)))
    mask = np.array([[1], [1], [1], [1], [1], [0], [0]], np.float32)
    for run in (nn.run, nn.run_backwards):
        wanted, last = run(cell, x, mask[:5])
        found, state = run(cell, padded, mask)
        np.testing.assert_allclose(found[:5], wanted, rtol=1e-6)
        np.testing.assert_array_equal(found[5:], 0)
        for mine, theirs in zip(state, last):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize("package", ["nn", "models"])
def test_no_derivative_is_written_by_hand(package):
    folder = Path(ad.__file__).parent / package
    marks = ("custom_vjp", "custom_jvp", "insert_grad_of", "primitive")
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        assert not [mark for mark in marks if mark in text], path.name
