"""Gradients of programs with lists of numbers, which stay in native memory."""

import numpy as np
import pytest

import anadrome as ad


def squares(x):
    out = []
    for v in x:
        out.append(v * v)
    return sum(out)


def products_of_ends(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * 2.0)
    total = 0.0
    for i in range(len(out)):
        total += out[i] * out[len(out) - 1 - i]
    return total


def read_often(x):
    out = [np.sin(v) for v in x]
    total = 0.0
    for i in range(3):
        for j in range(len(out)):
            if x[j] > 0.1:
                total += out[j] * out[-1] * (i + 1)
            else:
                total -= out[j - 1]
    return total


def two_lists(x):
    a = [v + 1.0 for v in x]
    b = [2.0 * v for v in a]
    return sum(p * q for p, q in zip(a, b)) + a[0] * b[-1]


def changed_in_place(x):
    q = [x[i] for i in range(len(x))]
    for i in range(1, len(q)):
        q[i] = q[i] + q[i - 1] * 0.5
    return q[-1] * q[0]


def swapped(x):
    q = [v * v for v in x]
    for i in range(len(q) // 2):
        q[i], q[-1 - i] = q[-1 - i], q[i] * x[0]
    return sum(v * (k + 1) for k, v in enumerate(q))


def while_it_lasts(x):
    seen = [v * 0.5 for v in x]
    k, total = 0, 0.0
    while k < len(seen) and total < 3.0:
        total += seen[k] ** 2 + seen[0]
        k += 1
    return total


def one_of_two(x):
    a = [v * v for v in x]
    b = [v + 1.0 for v in x]
    if x[0] > 0.0:
        c = a
    else:
        c = b
    return sum(c) * a[1] + b[1]


def list_and_array(x):
    out = [np.exp(v) for v in x]
    return np.sum(np.array(out) ** 2) + out[1]


def inside_a_function(x):
    def twice(v):
        parts = [v, v * 2.0, v * v]
        total = 0.0
        for p in parts:
            total += p * p
        return total

    return sum(twice(v) for v in x)


def lists_of_lists(x):
    rows = [[v * k for v in x] for k in range(3)]
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v
    return total


PROGRAMS = [
    *(squares, products_of_ends, read_often, two_lists, changed_in_place, swapped),
    *(while_it_lasts, one_of_two, list_and_array, inside_a_function, lists_of_lists),
]
X = np.array([0.7, -0.4, 1.3, 0.2, -0.9])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, -X, X[:2], X.astype(np.float32)], ids=str)
def test_gradients(f, x):
    tolerance = 1e-5 if x.dtype == np.float32 else 1e-12
    value, slope = ad.jit(ad.value_and_grad(f))(x)
    np.testing.assert_allclose(value, f(x), rtol=tolerance)
    np.testing.assert_allclose(slope, ad.grad(f)(x), rtol=tolerance)
    assert slope.dtype == x.dtype
    step = 1e-6
    for k in range(len(x)):
        up, down = x.astype(float), x.astype(float)
        up[k], down[k] = up[k] + step, down[k] - step
        difference = (f(up) - f(down)) / (2 * step)
        assert slope[k] == pytest.approx(difference, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    "f",
    [squares, products_of_ends, two_lists, changed_in_place],
    ids=lambda f: f.__name__,
)
def test_second_derivatives(f):
    found = ad.jit(ad.hessian(f))(X)
    np.testing.assert_allclose(found, ad.hessian(f)(X), rtol=1e-12, atol=1e-12)


def test_items_that_are_not_there():
    def beyond(x):
        out = [v * v for v in x]
        return out[0] * out[len(x)]

    def before(x):
        out = [v * v for v in x]
        out[-len(x) - 1] = x[0]
        return sum(out)

    for f in (beyond, before):
        with pytest.raises(IndexError, match="out of range"):
            ad.jit(ad.grad(f))(X)


def test_python_is_not_asked():
    native = [ad.jit(ad.grad(f)) for f in (squares, products_of_ends, changed_in_place)]
    for g in native:
        assert "PyList" not in ad.show(g, X, stage="llvm")
