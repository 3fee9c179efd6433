"""Second and third derivatives of programs that change things in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import anadrome as ad


class Scaled(NamedTuple):
    array: Any
    factor: Any


def running_product(x: Any) -> Any:
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * np.sin(x[i]) + x[i]
    return np.sum(y * y)


def nested_stores(x: Any) -> Any:
    u = x.copy()
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = v[i] + 0.1 * (v[i - 1] - 2 * v[i] + v[i + 1]) ** 3
    return np.sum(u**4)


def growing_list(x: Any) -> Any:
    out = []
    for i in range(len(x)):
        out.append(x[i] ** 3)
        if i > 0:
            out[i] += out[i - 1] * x[i]
    return sum(out)


def loop_that_breaks(x: Any) -> Any:
    y = x.copy()
    for i in range(10):
        y[i % 3] *= 1.5 * np.cos(y[(i + 1) % 3])
        if y[0] > 2 or i > 6:
            break
    return np.prod(y)


def tuples_of_arrays_that_change(x: Any) -> Any:
    w = x.copy()
    pairs = [Scaled(w, x[0]), Scaled(x, x[1] * 2)]
    reversed_pairs = pairs[::-1] + pairs[:1]
    pairs.append(Scaled(w, np.sum(w)))
    w *= x[2]
    last = reversed_pairs.pop()
    rest = np.sum(reversed_pairs[1].array) * reversed_pairs[0].factor
    return rest + last.factor * last.array[2] + pairs[2].factor


PROGRAMS = [
    running_product,
    nested_stores,
    growing_list,
    loop_that_breaks,
    tuples_of_arrays_that_change,
]
X = np.array([0.3, -0.7, 1.1])
U = np.array([1.0, 0.5, -0.8])


def along(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative of a function along U, by reverse mode."""
    gradient = ad.grad(f)
    return lambda x: np.dot(gradient(x), U)


def difference(f: Callable[[Any], Any]) -> Any:
    """The gradient of a function by differences."""
    step = 1e-5
    return [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_reverse_over_reverse(f: Callable[[Any], Any]) -> None:
    hessian = ad.jacfwd(ad.grad(f))(X)
    np.testing.assert_allclose(hessian @ U, difference(along(f)), 1e-6, 1e-8)
    np.testing.assert_allclose(ad.grad(along(f))(X), hessian @ U, 1e-12, 1e-13)
    np.testing.assert_allclose(ad.jacrev(ad.grad(f))(X), hessian, 1e-12, 1e-13)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_third_derivatives(f: Callable[[Any], Any]) -> None:
    twice = along(along(f))
    found = ad.grad(twice)(X)
    np.testing.assert_allclose(found, difference(twice), 1e-6, 1e-7)
    pushed = ad.jvp(ad.grad(along(f)), (X,), (U,))[1]
    np.testing.assert_allclose(found, pushed, 1e-11, 1e-12)


def matrix_recurrence(x: Any, w: Any) -> Any:
    states = np.zeros((3, 2))
    h = np.zeros(2)
    for t in range(3):
        h = np.tanh(w @ h + x[t])
        states[t] = h
    return np.sum(states**2)


def test_value_and_gradient_inside_a_function_that_changes_them() -> None:
    def f(x: Any, w: Any) -> Any:
        value, (dx, dw) = ad.value_and_grad(matrix_recurrence, (0, 1))(x, w)
        dx[0] *= value
        return value * np.sum(dx) + np.sum(dw**2)

    rng = np.random.default_rng(0)
    x, w, u, v = (rng.normal(size=s) for s in ((3, 2), (2, 2), (3, 2), (2, 2)))
    dx, dw = ad.grad(f, (0, 1))(x, w)
    step = 1e-5
    slope = (f(x + step * u, w + step * v) - f(x - step * u, w - step * v)) / (2 * step)
    assert np.sum(dx * u) + np.sum(dw * v) == pytest.approx(slope, rel=1e-7)


def test_the_parts_of_a_checkpoint_may_change() -> None:
    @ad.checkpoint
    def parts(x: Any) -> Any:
        return np.sin(x), x.sum(), [x * 2]

    def f(x: Any) -> Any:
        a, b, rest = parts(x)
        a[0] *= 3.0
        rest.append(a)
        rest[0][1] = b
        return np.sum(a * b) + np.sum(rest[0] * rest[1])

    np.testing.assert_allclose(ad.grad(f)(X), difference(f), 1e-7)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_of_numbers_of_any_precision(kind: type) -> None:
    def cube(x, double):
        y = x * x * x
        if double:
            y = np.float64(2.0) * y
        return y

    for second in (ad.grad(ad.grad(cube)), ad.hessian(cube)):
        found = second(kind(2.0), True)
        assert type(found) is kind
        assert found == 24.0
