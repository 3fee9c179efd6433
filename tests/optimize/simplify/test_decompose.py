"""Functions that native code decomposes do what they did."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.primitives.numpy.cumulative import diff_vjp

RNG = np.random.default_rng(0)
V = RNG.normal(size=6)
M = RNG.normal(size=(4, 5))
T = RNG.normal(size=(2, 3, 4))
REDUCTIONS = {
    "var": np.var,
    "std": np.std,
    "ptp": np.ptp,
    "norm": np.linalg.norm,
    "free": lambda x, **options: np.var(x, ddof=1, **options),
}


def check(f, *given):
    for dtype, tolerance in ((np.float64, 1e-11), (np.float32, 2e-4)):
        args = [a.astype(dtype) for a in given]
        wanted, found = f(*args), ad.jit(f)(*args)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance / 10)

        def loss(*args):
            return np.sum(f(*args) ** 2)

        slope = ad.jit(ad.grad(loss))(*args)
        np.testing.assert_allclose(
            slope, ad.grad(loss)(*args), rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("f", REDUCTIONS.values(), ids=REDUCTIONS.keys())
def test_reductions(f, axis, keep):
    check(lambda x: f(x, axis=axis, keepdims=keep), M)


@pytest.mark.parametrize("order", [None, 1, 2, 3, np.inf, 0.5])
def test_norms_of_vectors(order):
    check(lambda x: np.linalg.norm(x, ord=order), V)


@pytest.mark.parametrize("order", [None, "fro", "nuc", 1, 2])
def test_norms_of_matrices(order):
    check(lambda x: np.linalg.norm(x, ord=order), M)


OTHERS = {
    "three axes": (lambda x: np.linalg.norm(x), T),
    "the last of three": (lambda x: np.linalg.norm(x, axis=-1), T),
    "clip": (lambda x: np.clip(x, -0.5, 0.5), M),
    "clip above": (lambda x: np.clip(x, None, 0.5), M),
    "clip below": (lambda x: x.clip(0), M),
    "clip by arrays": (lambda x, y: np.clip(x, y, 1), M, M[0]),
    "clip by name": (lambda x: np.clip(x, min=-0.2, max=0.3), V),
    "clip to more axes": (lambda x, y: np.clip(x[:1], y[:, :1], 2.0), V, M),
    "append": (lambda x: np.append(x, x[:2]), V),
    "append a number": (lambda x: np.append(x, 1.5), V),
    "append an element": (lambda x: np.append(x, x[0]), V),
    "append an integer": (lambda x: np.append(x, 2), V),
    "append matrices": (lambda x: np.append(x, x), M),
    "append rows": (lambda x: np.append(x, x, axis=0), M),
    "differences": (lambda x: np.diff(x), V),
    "differences in rows": (lambda x: np.diff(x, axis=1), M),
    "differences in columns": (lambda x: np.diff(x, axis=0), M),
    "differences of one": (lambda x: np.diff(x), V[:1]),
    "second differences": (lambda x: np.diff(x, 2), V),
    "dot": (lambda x: np.dot(x, x[::-1]), V),
    "dot of rows": (lambda x, y: np.dot(x, y[:5]), M, V),
    "dot of columns": (lambda x, y: np.dot(y[:4], x), M, V),
    "inner": (lambda x: np.inner(x, x * 2), V),
    "vdot": (lambda x: np.vdot(x, np.sin(x)), V),
    "cross": (lambda x: np.cross(x[:3], x[3:]), V),
    "cross of rows": (lambda x, y: np.cross(x[:, :3], y[:3]), M, V),
    "cross of many": (lambda x, y: np.cross(x[:, :1, 1:], y[:, :3]), T, M),
    "fmax": (lambda x: np.fmax(x, x[::-1] * 0.5), V),
    "fmin": (lambda x: np.fmin(x, 0.3), V),
}


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS.keys())
def test_others(case):
    check(*case)


def test_slopes_where_there_is_none():
    for f in (np.std, np.linalg.norm):
        assert np.array_equal(ad.jit(ad.grad(f))(np.zeros(3)), np.zeros(3))


def test_nan_is_kept():
    x = np.array([0.1, np.nan, 3.0])
    assert np.array_equal(
        ad.jit(lambda x: np.clip(x, -1.0, 1.0))(x), np.clip(x, -1, 1), equal_nan=True
    )


@pytest.mark.parametrize("f", [np.fmax, np.fmin])
def test_what_is_not_a_number_loses(f):
    x = np.array([1.0, np.nan, 3.0, np.nan, -np.inf])
    y = np.array([2.0, 1.0, np.nan, np.nan, np.nan])

    def both(x, y):
        return f(x, y), f(y, x)

    for found, wanted in zip(ad.jit(both)(x, y), both(x, y)):
        assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_cross_products_of_pairs_have_no_rule():
    with pytest.raises(ad.errors.NotDifferentiable, match="length 3 only"):
        ad.grad(lambda x: np.sum(np.cross(x, x * 2)))(np.ones(2))


def test_numpy_is_not_asked():
    for f in (np.var, np.std, np.ptp, np.linalg.norm, lambda x: np.clip(x, 0, 1).sum()):
        text = ad.show(ad.jit(ad.value_and_grad(f)), V, stage="llvm")
        assert "PyObject_Vectorcall" not in text


def test_the_rule_of_differences_keeps_the_size():
    dz = np.zeros(0)
    found, *_ = diff_vjp(dz, np.ones(1), 1, -1, None, None, dz=dz)
    assert found.shape == (1,)
