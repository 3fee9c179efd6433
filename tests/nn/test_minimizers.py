"""Methods of second order reach minima, and do the steps that their equations say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

import anadrome as ad
from anadrome import nn
from anadrome.nn.minimizers.derivatives import (
    covariance,
    curvature,
    from_vector,
    hessian,
    slope,
    to_vector,
)
from anadrome.nn.minimizers.line_search import Point, backtrack, search_wolfe

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = (X @ [1.0, -2.0, 0.5] + 0.8 * RNG.normal(size=30) > 0).astype(float)


@dataclass(frozen=True)
class Weights:
    w: np.ndarray  # (3,)
    b: np.ndarray  # (1,)


FIRST = Weights(np.zeros(3), np.zeros(1))


def logits(p, x):
    return x @ p.w + p.b


def examples(p, x, y):
    """The losses of logistic regression, one for each example, with a penalty."""
    z = logits(p, x)
    return np.logaddexp(0, z) - y * z + 0.005 * (p.w @ p.w)


def regression(p, x, y):
    return np.mean(examples(p, x, y))


def rosenbrock(p):
    (x,), (y,) = p["x"], p["y"]
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def best_regression():
    def value(v):
        return regression(Weights(v[:3], v[3:]), X, Y)

    return scipy_minimize(value, np.zeros(4), tol=1e-12).x


def minimizers():
    return {
        "newton": nn.Newton(),
        "saddle-free": nn.SaddleFreeNewton(damping=1e-9),
        "newton-cg": nn.NewtonCG(),
        "lbfgs": nn.LBFGS(),
    }


@pytest.mark.parametrize("name", minimizers())
def test_logistic_regression_is_solved(name):
    found = nn.minimize(minimizers()[name], regression, FIRST, X, Y, steps=40)
    np.testing.assert_allclose(to_vector(found.params), best_regression(), atol=2e-5)
    assert found.steps < 40
    assert found.value == pytest.approx(regression(found.params, X, Y), rel=1e-12)


def test_natural_gradient_reaches_the_minimum():
    method = nn.NaturalGradient(damping=0.05)
    found = nn.minimize(method, examples, FIRST, X, Y, steps=80)
    np.testing.assert_allclose(to_vector(found.params), best_regression(), atol=1e-3)


@pytest.mark.parametrize("name", ["newton-cg", "lbfgs"])
def test_the_valley_of_rosenbrock_is_followed(name):
    first = {"x": np.array([-1.2]), "y": np.array([1.0])}
    found = nn.minimize(minimizers()[name], rosenbrock, first, steps=100)
    np.testing.assert_allclose(to_vector(found.params), [1, 1], atol=1e-5)


def quadratic(v, A, b):
    return 0.5 * v @ A @ v - b @ v


def test_one_step_of_newton_solves_a_parabola():
    root = RNG.normal(size=(4, 4))
    A, b = root @ root.T + np.eye(4), RNG.normal(size=4)
    for method in (nn.Newton(), nn.SaddleFreeNewton(damping=0.0)):
        moved, _, value = method.step(quadratic, np.zeros(4), None, A, b)
        np.testing.assert_allclose(A @ moved, b, rtol=1e-9)
        assert value == 0
    half, _, _ = nn.Newton(rate=0.5, damping=2.0).step(
        quadratic, np.zeros(4), None, A, b
    )
    np.testing.assert_allclose((A + 2 * np.eye(4)) @ (2 * half), b, rtol=1e-9)


def saddle(p):
    return 0.5 * p[0] ** 2 - 0.5 * p[1] ** 2 + 0.25 * p[1] ** 4


def test_only_saddle_free_newton_leaves_a_saddle():
    first = np.array([1.0, 0.2])
    stuck = nn.minimize(nn.Newton(), saddle, first, steps=30).params
    np.testing.assert_allclose(stuck, [0, 0], atol=1e-6)
    free = nn.minimize(nn.SaddleFreeNewton(), saddle, first, steps=60).params
    np.testing.assert_allclose(free, [0, 1], atol=1e-5)
    for method in (nn.NewtonCG(), nn.LBFGS()):
        found = nn.minimize(method, saddle, first, steps=60).params
        np.testing.assert_allclose(np.abs(found), [0, 1], atol=1e-5)


def test_a_singular_hessian_asks_for_damping():
    def flat(p):
        return p[0] ** 2

    with pytest.raises(ValueError, match="help: give a damping"):
        nn.Newton().step(flat, np.ones(2), None)
    moved, _, _ = nn.Newton(damping=1e-9).step(flat, np.ones(2), None)
    np.testing.assert_allclose(moved, [0, 1], atol=1e-8)


def curve(p, t, y):
    """Residuals of a growth that levels off."""
    return p[0] / (1 + np.exp(-p[1] * (t - p[2]))) - y


def test_gauss_newton_fits_a_curve():
    t = np.linspace(-4, 4, 25)
    true = np.array([2.0, 1.3, 0.4])
    y = curve(true, t, 0.0)
    found = nn.minimize(nn.GaussNewton(), curve, np.array([1.0, 0.5, 0.0]), t, y)
    np.testing.assert_allclose(found.params, true, rtol=1e-6)
    assert found.steps < 20


def test_gauss_newton_takes_any_loss_of_the_outputs():
    def cross_entropy(z):
        return np.mean(np.logaddexp(0, z) - Y * z)

    method = nn.GaussNewton(cross_entropy, damping=1e-9)
    moved, _, value = method.step(logits, FIRST, None, X)
    assert value == pytest.approx(np.log(2))

    def plain(p):
        return cross_entropy(logits(p, X))

    # the outputs are linear, so this is Newton's own step
    wanted, _, _ = nn.Newton().step(plain, FIRST, None)
    np.testing.assert_allclose(to_vector(moved), to_vector(wanted), rtol=1e-6)


def test_natural_gradient_solves_with_the_covariance():
    p = Weights(np.array([0.3, -0.2, 0.1]), np.array([0.05]))
    one = ad.grad(lambda p, x, y: examples(p, x, y)[0])
    rows = [to_vector(one(p, X[i : i + 1], Y[i : i + 1])) for i in range(30)]
    G = np.array(rows)
    F = G.T @ G / 30
    v = np.array([1.0, 2.0, -1.0, 0.5])
    np.testing.assert_allclose(covariance(examples, p, X, Y)(v), F @ v, rtol=1e-9)
    method = nn.NaturalGradient(rate=0.7, damping=0.1, tolerance=1e-10)
    moved, _, _ = method.step(examples, p, None, X, Y)
    change = 0.7 * np.linalg.solve(F + 0.1 * np.eye(4), G.mean(axis=0))
    np.testing.assert_allclose(to_vector(p) - to_vector(moved), change, rtol=1e-7)


def test_hessians_of_records_are_matrices():
    p = Weights(np.array([0.3, -0.2, 0.1]), np.array([0.05]))
    H = hessian(regression, p, X, Y)
    product = curvature(regression, p, X, Y)
    for k, column in enumerate(np.eye(4)):
        np.testing.assert_allclose(product(column), H[:, k], rtol=1e-9)
    step = 1e-6
    for k, direction in enumerate(np.eye(4)):
        ends = [
            slope(regression, from_vector(to_vector(p) + s * direction, p), X, Y)[1]
            for s in (step, -step)
        ]
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * step), H[k], atol=1e-7)


def test_weights_keep_their_precision():
    first = Weights(np.zeros(3, np.float32), np.zeros(1, np.float32))
    for method in minimizers().values():
        moved, _, _ = method.step(regression, first, method.start(first), X, Y)
        assert {a.dtype for a in nn.arrays_of(moved)} == {np.dtype(np.float32)}


def test_a_native_loss_has_native_derivatives():
    native = ad.jit(quadratic)
    A, b = np.diag([1.0, 2.0, 3.0]), np.ones(3)
    found = nn.minimize(nn.NewtonCG(), native, np.zeros(3), A, b, steps=8)
    np.testing.assert_allclose(found.params, [1, 1 / 2, 1 / 3], rtol=1e-6)


def test_conjugate_gradients_solve_and_stop_where_a_matrix_curves_down():
    root = RNG.normal(size=(6, 6))
    A, b = root @ root.T + np.eye(6), RNG.normal(size=6)
    x = nn.conjugate_gradients(lambda v: A @ v, b, tolerance=1e-12)
    np.testing.assert_allclose(A @ x, b, rtol=1e-8)
    few = nn.conjugate_gradients(lambda v: A @ v, b, limit=2)
    assert 0 < np.linalg.norm(A @ few - b) < np.linalg.norm(b)
    np.testing.assert_array_equal(nn.conjugate_gradients(lambda v: -v, b), b)
    assert not np.any(nn.conjugate_gradients(lambda v: v, np.zeros(3)))


@pytest.mark.parametrize("size", [1e-4, 1.0, 50.0])
def test_the_conditions_of_wolfe_hold_after_a_search(size):
    def value(t):
        return (t - 1) ** 4 - 2 * t + np.sin(3 * t)

    def along(t):
        h = 4 * (t - 1) ** 3 - 2 + 3 * np.cos(3 * t)
        return Point(t, value(t), h, np.array([h]))

    found = search_wolfe(along, along(0.0), size)
    start = along(0.0)
    assert found.value <= start.value + 1e-4 * found.size * start.slope
    assert abs(found.slope) <= 0.9 * abs(start.slope)


def test_steps_that_leave_the_domain_are_shortened():
    def value(t):
        return float("nan") if t > 0.3 else -t

    assert backtrack(value, 0.0, -1.0) == 0.25
    assert backtrack(lambda t: 1.0, 0.0, -1.0) == 0.0

    def along(t):
        if t > 0.3:
            return Point(t, float("nan"), float("nan"), np.array([0.0]))
        return Point(t, (t - 0.2) ** 2, 2 * (t - 0.2), np.array([0.0]))

    found = search_wolfe(along, along(0.0))
    assert 0 < found.size <= 0.3
    assert found.value < 0.04
