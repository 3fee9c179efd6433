"""Derivatives of programs that train: gradients inside, parameters that change."""

import numpy as np
import pytest

import anadrome as ad


class Adam:
    def __init__(self, rate):
        self.rate, self.steps = rate, 0
        self.first, self.second = {}, {}

    def step(self, params, grads):
        self.steps += 1
        for k in params:
            self.first[k] = 0.9 * self.first.get(k, 0.0) + 0.1 * grads[k]
            self.second[k] = 0.99 * self.second.get(k, 0.0) + 0.01 * grads[k] ** 2
            m = self.first[k] / (1 - 0.9**self.steps)
            v = self.second[k] / (1 - 0.99**self.steps)
            params[k] = params[k] - self.rate * m / (np.sqrt(v) + 1e-8)


def loss(params, x, y):
    return np.mean((np.tanh(x @ params["w"]) + params["b"] - y) ** 2)


def trained_by_adam(params, x, y, rate):
    params, optimiser = dict(params), Adam(rate)
    for _ in range(3):
        optimiser.step(params, ad.grad(loss)(params, x, y))
    return loss(params, x, y)


def descended(params, x, y, rate):
    params = dict(params)
    for _ in range(3):
        slopes = ad.grad(loss)(params, x, y)
        for k in params:
            params[k] = params[k] - rate * slopes[k]
    return loss(params, x, y)


def descended_in_place(params, x, y, rate):
    params = {k: np.array(v) for k, v in params.items()}
    for _ in range(3):
        slopes = ad.grad(loss)(params, x, y)
        for k in params:
            params[k] -= rate * slopes[k]
    return loss(params, x, y)


PROGRAMS = [trained_by_adam, descended, descended_in_place]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_of_training(program, native):
    rs = np.random.RandomState(0)
    x, y, rate = rs.randn(5, 3), rs.randn(5), 0.05
    params = {"w": rs.randn(3), "b": np.array([0.25])}
    gradient = ad.grad(program, (0, 3))
    found, slope = (ad.jit(gradient) if native else gradient)(params, x, y, rate)

    def along(k, j, h):
        moved = {n: p.copy() for n, p in params.items()}
        moved[k][j] += h
        return program(moved, x, y, rate)

    for k, p in params.items():
        for j in range(len(p)):
            wanted = (along(k, j, 1e-6) - along(k, j, -1e-6)) / 2e-6
            assert found[k][j] == pytest.approx(wanted, rel=1e-5, abs=1e-8)
    ahead, behind = (program(params, x, y, rate + h) for h in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b


def energy(w):
    return np.mean(np.tanh(w) ** 2 * np.array([1.0, 2.0])) + np.sum(w**4)


def attributes_replaced(w, rate):
    layer = Layer(w * 1.0, w[0] * 2.0)
    for _ in range(3):
        slopes = ad.grad(lambda p: energy(p.w) * p.b)(layer)
        layer.w = layer.w - rate * slopes.w
        layer.b = layer.b - rate * slopes.b
    return energy(layer.w) * layer.b


def items_of_items(w, rate):
    params = {"a": {"w": w * 1.0}, "b": [w[0], w[1]]}
    for k in range(3):
        slopes = ad.grad(lambda p: energy(p["a"]["w"]) * p["b"][0] * p["b"][1])(params)
        params["a"]["w"] = params["a"]["w"] - rate * slopes["a"]["w"]
        params["b"][k % 2] = params["b"][k % 2] - rate * slopes["b"][k % 2]
    return energy(params["a"]["w"]) * params["b"][0]


def list_that_shrinks(w, rate):
    params, total = [w * 1.0, w * 2.0, w * 3.0], 0.0
    while len(params) > 1:
        slopes = ad.grad(lambda p: sum(energy(q) for q in p))(params)
        last = params.pop()
        params[0] = params[0] - rate * slopes[0] * last
        total += np.sum(slopes[-1])
    return total + np.sum(params[0])


def velocities(w, rate):
    params = [w.copy() for _ in range(2)]
    speeds = [np.zeros_like(q) for q in params]
    for _ in range(3):
        slopes = ad.grad(lambda p: sum(energy(q) for q in p))(params)
        for i in range(len(params)):
            speeds[i] *= 0.9
            speeds[i] -= rate * slopes[i]
            params[i] += speeds[i]
    return sum(energy(q) for q in params)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(
    "program", [attributes_replaced, items_of_items, list_that_shrinks, velocities]
)
def test_gradients_of_what_changes_after_a_gradient(program, native):
    gradient = ad.grad(program, (0, 1))
    w, rate = np.array([0.25, 0.5]), 0.5
    found, slope = (ad.jit(gradient) if native else gradient)(w, rate)
    steps = 1e-6 * np.eye(2)
    wanted = [(program(w + s, rate) - program(w - s, rate)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    ahead, behind = (program(w, rate + h) for h in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)


def array_in_two_arguments(w, rate):
    a, total = w * 1.0, 0.0
    for _ in range(2):
        both = {"u": w, "v": a}
        slopes = ad.grad(lambda p: energy(p["u"] * a) + energy(p["v"]))(both)  # noqa: B023
        a -= rate * slopes["u"]
        total += np.sum(slopes["v"])
    return total


@pytest.mark.parametrize("native", [False, True])
def test_an_array_given_to_a_gradient_twice_is_refused(native):
    gradient = ad.grad(array_in_two_arguments)
    with pytest.raises(ad.MutationError):
        (ad.jit(gradient) if native else gradient)(np.array([0.25, 0.5]), 0.5)
