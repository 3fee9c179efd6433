"""Every optimiser that training can use: native, of any precision, downhill."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.train.recipe import optimizers
from anadrome.train.records import flatten, unflatten

OPTIMIZERS = {
    **{name: cls() for name, cls in optimizers().items()},
    "momentum": nn.SGD(momentum=0.9),
    "nesterov": nn.SGD(momentum=0.9, nesterov=True),
    "centred_rmsprop": nn.RMSProp(momentum=0.5, centred=True),
}
RATES = {"adadelta": 1.0, "sgd": 0.1, "momentum": 0.02, "nesterov": 0.02}


def test_training_can_use_all_of_first_order():
    names = {"sgd", "adagrad", "rmsprop", "adadelta", "adam", "adamw"}
    assert names == set(optimizers())


def loss(params, x, y):
    return np.mean((np.tanh(x @ params["W"]) @ params["v"] - y) ** 2)


def problem(dtype=np.float64):
    rng = np.random.default_rng(3)
    W, v = rng.normal(size=(4, 5)), rng.normal(size=5)
    x = rng.normal(size=(20, 4))
    y = np.tanh(x @ rng.normal(size=4))
    params = {"W": W.astype(dtype), "v": v.astype(dtype)}
    return params, x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_native_step_is_that_of_python(name, dtype):
    optimizer, rate = OPTIMIZERS[name], RATES.get(name, 0.01)
    gradient = ad.grad(loss)

    def step(params, state, x, y):
        return optimizer.update(params, gradient(params, x, y), state, rate)

    native = ad.jit(step)
    params, x, y = problem(dtype)
    one = other = (params, optimizer.start(params))
    for _ in range(3):
        one, other = step(*one, x, y), native(*other, x, y)
    # Some divide by the size of a gradient: the last digits of small ones are seen.
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    for mine, theirs in zip(nn.arrays_of(one), nn.arrays_of(other), strict=True):
        if isinstance(theirs, np.ndarray):
            assert theirs.dtype == dtype
        np.testing.assert_allclose(mine, theirs, rtol=2 * tolerance, atol=tolerance)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_loss_falls(name):
    optimizer, rate = OPTIMIZERS[name], RATES.get(name, 0.01)
    params, x, y = problem()
    state, gradient = optimizer.start(params), ad.value_and_grad(loss)
    first, _ = gradient(params, x, y)
    for _ in range(60):
        value, grads = gradient(params, x, y)
        params, state = optimizer.update(params, grads, state, rate)
    assert value < 0.9 * first


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_states_come_back_from_what_is_saved(name):
    optimizer = OPTIMIZERS[name]
    params, x, y = problem()
    grads = ad.grad(loss)(params, x, y)
    _, state = optimizer.update(params, grads, optimizer.start(params), 0.1)
    again = unflatten(optimizer.start(params), flatten(state))
    wanted, _ = optimizer.update(params, grads, state, 0.1)
    found, _ = optimizer.update(params, grads, again, 0.1)
    for mine, theirs in zip(nn.arrays_of(found), nn.arrays_of(wanted)):
        np.testing.assert_array_equal(mine, theirs)


def test_weights_of_adamw_shrink_without_gradients():
    params = {"w": np.array([2.0, -4.0])}
    zero = {"w": np.zeros(2)}
    optimizer = nn.AdamW(weight_decay=0.5)
    moved, _ = optimizer.update(params, zero, optimizer.start(params), 0.1)
    np.testing.assert_allclose(moved["w"], 0.95 * params["w"])
