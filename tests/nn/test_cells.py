"""Every cell: gradients against finite differences, in Python and in native code."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.random import key

E = H = 3
T, B = 3, 2
MASK = np.array([[1, 1], [1, 1], [1, 0.0]])

CELLS = {
    "elman": nn.make_elman,
    "rectified_elman": nn.make_rectified_elman,
    "lstm": nn.make_lstm,
    "projected_lstm": partial(nn.make_projected_lstm, P=2),
    "peephole_lstm": nn.make_peephole_lstm,
    "normalized_lstm": nn.make_normalized_lstm,
    "gru": nn.make_gru,
    "reset_after_gru": nn.make_reset_after_gru,
    "normalized_gru": nn.make_normalized_gru,
    "mut1": nn.make_mut1,
    "mut2": nn.make_mut2,
    "mut3": nn.make_mut3,
}


def cell_of(name):
    """A cell in double precision, away from its first zeros and ones."""
    rng = np.random.default_rng(0)
    made = CELLS[name](key(1), E, H)
    return nn.map_arrays(lambda a: a + 0.3 * rng.normal(size=a.shape), made)


def total(cell, x, mask):
    out, last = nn.run(cell, x, mask)
    back, first = nn.run_backwards(cell, x, mask)
    loss = np.sum(out * out) + np.sum(np.sin(back))
    for a, b in zip(last, first):
        loss = loss + np.sum(a * b)
    return loss


def forward_total(cell, x, mask):
    out, last = nn.run(cell, x, mask)
    return np.sum(out * out) + np.sum(np.sin(last[-1]))


def along(loss, cell, x, *rest):
    """The slope in a random direction, by finite differences and by a gradient."""
    rng = np.random.default_rng(2)
    record = (cell, x)
    d = nn.map_arrays(lambda a: rng.normal(size=a.shape), record)

    def at(e):
        moved = nn.map_arrays(lambda a, b: a + e * b, record, d)
        return loss(*moved, *rest)

    def of(gradient):
        pairs = zip(nn.arrays_of(gradient), nn.arrays_of(d), strict=True)
        return sum(np.sum(g * b) for g, b in pairs)

    return (at(1e-6) - at(-1e-6)) / 2e-6, of


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
@pytest.mark.parametrize("name", CELLS)
def test_gradient_of_cell(name, native):
    cell, x = cell_of(name), np.random.default_rng(1).normal(size=(T, B, E))
    # Native code is made of half of it, to be quick.
    loss = forward_total if native else total
    gradient = ad.grad(loss, (0, 1))
    wanted, of = along(loss, cell, x, MASK)
    found = (ad.jit(gradient) if native else gradient)(cell, x, MASK)
    assert type(found[0]) is type(cell)
    assert of(found) == pytest.approx(wanted, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", CELLS)
def test_single_precision_stays(name):
    cell = CELLS[name](key(1), E, H)
    assert {a.dtype for a in nn.arrays_of(cell)} == {np.dtype(np.float32)}
    x = np.ones((T, B, E), np.float32)
    out, state = nn.run(cell, x, MASK.astype(np.float32))
    assert {out.dtype, *(s.dtype for s in state)} == {np.dtype(np.float32)}
    found = ad.grad(total)(cell, x, MASK.astype(np.float32))
    assert {a.dtype for a in nn.arrays_of(found)} == {np.dtype(np.float32)}


def sigma(v):
    return 1 / (1 + np.exp(-v))


def test_peepholes_see_the_memory():
    cell = cell_of("peephole_lstm")
    rng = np.random.default_rng(3)
    x, h, c = rng.normal(size=E), rng.normal(size=H), rng.normal(size=H)
    a = (x @ cell.W + h @ cell.U + cell.b).reshape(4, H)
    i, f = sigma(a[0] + cell.p[0] * c), sigma(a[1] + cell.p[1] * c)
    new = f * c + i * np.tanh(a[2])
    out = sigma(a[3] + cell.p[2] * new) * np.tanh(new)
    found = cell.step((h[None], c[None]), cell.drive(x[None]))
    np.testing.assert_allclose(found[0][0], out, rtol=1e-12)
    np.testing.assert_allclose(found[1][0], new, rtol=1e-12)


@pytest.mark.parametrize("name", ["mut1", "mut2", "mut3"])
def test_mutants_are_the_equations_of_the_paper(name):
    cell = cell_of(name)
    rng = np.random.default_rng(4)
    x, h = rng.normal(size=H), rng.normal(size=H)
    br, bz, bh = cell.b.reshape(3, H)
    if name == "mut1":
        Wr, Wz = cell.W[:, :H], cell.W[:, H:]
        z = sigma(x @ Wz + bz)
        r = sigma(x @ Wr + h @ cell.U + br)
        inner = np.tanh(x)
    elif name == "mut2":
        Wz, Wh = cell.W[:, :H], cell.W[:, H:]
        z = sigma(x @ Wz + h @ cell.U[:, H:] + bz)
        r = sigma(x + h @ cell.U[:, :H] + br)
        inner = x @ Wh
    else:
        Wr, Wz, Wh = (cell.W[:, k * H : (k + 1) * H] for k in range(3))
        z = sigma(x @ Wz + np.tanh(h) @ cell.Z + bz)
        r = sigma(x @ Wr + h @ cell.U + br)
        inner = x @ Wh
    wanted = np.tanh((r * h) @ cell.V + inner + bh) * z + h * (1 - z)
    (found,) = cell.step((h[None],), cell.drive(x[None]))
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("make", [nn.make_mut1, nn.make_mut2])
def test_inputs_without_weights_have_the_width_of_the_state(make):
    with pytest.raises(ValueError, match="need 3 features and not 4"):
        make(key(0), 4, 3)


def test_normalized_lstm_is_the_equations_of_the_paper():
    cell = cell_of("normalized_lstm")
    rng = np.random.default_rng(5)
    x, h, c = rng.normal(size=E), rng.normal(size=H), rng.normal(size=H)

    def norm(p, v):
        return p.gain * (v - v.mean()) / np.sqrt(v.var() + 1e-5) + p.bias

    a = norm(cell.inputs, x @ cell.W) + norm(cell.states, h @ cell.U)
    i, f, g, o = a.reshape(4, H)
    new = sigma(f) * c + sigma(i) * np.tanh(g)
    out = sigma(o) * np.tanh(norm(cell.memory, new))
    found = cell.step((h[None], c[None]), cell.drive(x[None]))
    np.testing.assert_allclose(found[0][0], out, rtol=1e-12)
    np.testing.assert_allclose(found[1][0], new, rtol=1e-12)


def test_a_residual_layer_adds_its_input():
    cell, x = cell_of("gru"), np.random.default_rng(6).normal(size=(T, B, E))
    out, _ = nn.run(cell, x, MASK)
    found = nn.run_stack((nn.Residual(cell),), x, MASK)
    np.testing.assert_array_equal(found, x + out)
    stack = (nn.Bidirectional(cell, cell), cell_of_width("gru", 2 * H))
    plain = nn.run_stack(stack, x, MASK)
    below = nn.run_stack(stack[:1], x, MASK)
    found = nn.run_stack((stack[0], nn.Residual(stack[1])), x, MASK)
    np.testing.assert_array_equal(found, below + plain)


def cell_of_width(name, width):
    return CELLS[name](key(3), width, width)


@pytest.mark.parametrize("native", [False, True], ids=["python", "native"])
def test_gradient_of_a_residual_stack(native):
    def loss(layers, x, mask):
        return np.sum(nn.run_stack(layers, x, mask) ** 2)

    layers = (cell_of("lstm"), nn.Residual(cell_of("elman")))
    x = np.random.default_rng(7).normal(size=(T, B, E))
    wanted, of = along(loss, layers, x, MASK)
    gradient = ad.grad(loss, (0, 1))
    found = (ad.jit(gradient) if native else gradient)(layers, x, MASK)
    assert of(found) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("name", CELLS)
def test_a_run_goes_on_where_another_ended(name):
    cell, x = cell_of(name), np.random.default_rng(8).normal(size=(4, B, E))
    mask = np.ones((4, B))
    whole, last = nn.run(cell, x, mask)
    first, state = nn.run(cell, x[:2], mask[:2])
    second, found = nn.run(cell, x[2:], mask[2:], state)
    np.testing.assert_allclose(np.concatenate((first, second)), whole, rtol=1e-12)
    for a, b in zip(found, last, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
