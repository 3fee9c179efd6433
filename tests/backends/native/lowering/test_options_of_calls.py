"""Calls with options, by name and by position: the same arrays as NumPy's."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import anadrome as ad

X = np.random.default_rng(0).normal(size=(3, 4))

# One call a line, as lowerings know some of these options and leave the others.
CALLS = [
    lambda x: np.array(x, ndmin=3),
    lambda x: np.array([x[0, 0], 1.0], ndmin=2),
    lambda x: np.ascontiguousarray(x[0, 0]),
    lambda x: np.copy(x, order="F").ravel(order="K"),
    lambda x: x.ravel(order="F"),
    lambda x: x.ravel("F"),
    lambda x: np.ravel(x, "C"),
    lambda x: x.flatten("F"),
    lambda x: x.reshape((4, 3), order="F"),
    lambda x: np.reshape(x, (2, 6), order="F"),
    lambda x: np.reshape(x, shape=(4, 3)),
    lambda x: x.reshape(4, -1),
    lambda x: np.transpose(x, axes=(1, 0)),
    lambda x: np.zeros(shape=3) + x[0, 0],
    lambda x: np.zeros((2, 3), order="F") + x[0, 0],
    lambda x: np.zeros_like(x, shape=(2,)),
    lambda x: np.ones(dtype=int, shape=(2,)),
    lambda x: np.zeros(3, int),
    lambda x: np.ones_like(x, np.float32),
    lambda x: np.full(shape=3, fill_value=x[0, 0]),
    lambda x: np.full((2, 4), x[0]),
    lambda x: np.full_like(x, x[0]),
    lambda x: np.full_like(x, 2.5, dtype=int),
    lambda x: np.full_like(x, 2.5, shape=(2,)),
    lambda x: np.arange(stop=5, start=2) * x[0, 0],
    lambda x: np.arange(2, 9, 3) * x[0, 0],
    lambda x: np.arange(9, 2, step=-2) * x[0, 0],
    lambda x: np.arange(5, dtype=np.int32),
    lambda x: np.sum(x, where=x > 0),
    lambda x: np.sum(x, axis=1, initial=5.0),
    lambda x: np.sum(x, axis=(), dtype=np.float32),
    lambda x: np.sum(x, keepdims=True),
    lambda x: np.prod(x, initial=2.0),
    lambda x: np.mean(x, where=x > 0),
    lambda x: np.mean(x, 1, np.float32),
    lambda x: np.max(x, where=x > 0, initial=-5.0),
    lambda x: np.min(x, axis=0, keepdims=True),
    lambda x: np.size(x, 0),
    lambda x: np.concatenate([x, x], axis=None),
    lambda x: np.concatenate([x, x], dtype=np.float32),
    lambda x: np.concatenate((x, x), 1),
    lambda x: np.stack([x, x], axis=-1, dtype=np.float32),
    lambda x: np.flip(x, axis=(0, 1)),
    lambda x: np.swapaxes(x, axis1=0, axis2=1),
    lambda x: np.squeeze(x[None], axis=0),
    lambda x: np.expand_dims(x, axis=(0, 2)),
    lambda x: np.broadcast_to(x, shape=(2, 3, 4)),
    lambda x: x.astype(dtype=np.float32),
    lambda x: x[True],
    lambda x: x[x[0, 0] > 0],
    lambda x: np.reciprocal(np.array([1, 2, 3])),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_call(call):
    wanted, found = call(X), ad.jit(call)(X)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.shape(found) == np.shape(wanted)
    rtol = 1e-5 if np.asarray(wanted).dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=rtol)


# Whether a call gives a view or a copy shows when one of the two is changed.
SAME_OR_NOT = [
    lambda z: np.ascontiguousarray(z.T),
    lambda z: np.ascontiguousarray(z),
    lambda z: np.ascontiguousarray(z[:, :1]),
    lambda z: np.ascontiguousarray(z[:1, ::2]),
    lambda z: np.asfortranarray(z),
    lambda z: np.asfortranarray(z.T),
    lambda z: np.asarray(z, order="F"),
    lambda z: np.asarray(z, dtype=np.float32),
    lambda z: np.array(z, copy=None),
    lambda z: z.astype(float, copy=False),
    lambda z: z.ravel(order="F"),
    lambda z: z.T.ravel(),
    lambda z: z.T.ravel(order="F"),
    lambda z: z.ravel(),
    lambda z: z.reshape((4, 3), order="F"),
    lambda z: z.T.reshape(3, 4),
    lambda z: z[:, ::2].reshape(3, 2, 1),
    lambda z: z[::2].reshape(2, 2, 2),
    lambda z: z[:, 0].reshape(-1, 1),
    lambda z: z[:, 1:3].reshape(-1),
    lambda z: z.reshape(2, 6),
    lambda z: z[None].squeeze(),
]


@pytest.mark.parametrize("call", SAME_OR_NOT, ids=range(len(SAME_OR_NOT)))
def test_a_view_or_a_copy(call):
    def program(x):
        z = x * 1.0
        y = call(z)
        y[0] *= 3.0
        z[1] += 1.0
        return np.sum(z**2) + np.sum(y**3)

    np.testing.assert_allclose(ad.jit(program)(X), program(X), rtol=1e-6)
    gradient = ad.grad(program)
    found, wanted = ad.jit(gradient)(copy.deepcopy(X)), gradient(X)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def diagonal(x):
    z = x * 1.0
    part = z[:, :3]
    np.einsum("ii->i", part)[:] = x[0, :3]
    return np.sum(z**2)


def transposed(x):
    z = x * 1.0
    np.einsum("ij->ji", z)[1] = 5.0
    return np.sum(z**3)


@pytest.mark.parametrize("program", [diagonal, transposed])
def test_views_that_einsum_gives(program):
    given = X.copy()
    np.testing.assert_allclose(ad.jit(program)(given), program(X), rtol=1e-12)
    np.testing.assert_array_equal(given, X)


def test_an_option_that_is_not_known_when_compiling_is_an_error():
    options = {"mode": "r"}

    def values(x):
        return np.linalg.qr(x, **options)

    def product(x, axes):
        return np.tensordot(x, x, axes)

    for program, args in ((values, (X,)), (product, (X, 0))):
        try:
            found = ad.jit(program)(*args)
        except (TypeError, ValueError):
            continue
        np.testing.assert_allclose(found, program(*args), rtol=1e-12)
    found = ad.jit(product, static_argnums=1)(X, 0)
    np.testing.assert_allclose(found, product(X, 0), rtol=1e-12)


def test_truth_values_added_to_in_place():
    def added(x):
        y = x > 0
        y += 2
        return y

    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        ad.jit(added)(X)


def test_an_axis_that_is_known_only_at_run_time_in_a_loop():
    # Lowerings give up half-way here, and what they had written is taken back.
    def squared_sums(x, axis):
        return np.sum(np.sum(x**2, axis=axis) ** 2)

    hessian = ad.hessian(squared_sums)
    for axis in (0, 1):
        found = ad.jit(hessian)(X, axis)
        np.testing.assert_allclose(found, hessian(X, axis), rtol=1e-12)
