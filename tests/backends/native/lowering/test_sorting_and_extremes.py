"""Places of extremes, truth, running sums, small sorts: all without Python."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anadrome as ad
from anadrome.backends.native.emission import codegen

RNG = np.random.default_rng(0)
ROW, TABLE, CUBE = (RNG.normal(size=s) for s in (7, (4, 5), (2, 3, 4)))
GAP = ROW.copy()
GAP[3] = np.nan
ARRAYS = {
    "row": ROW,
    "gap": GAP,
    "backwards": ROW[::-1],
    "table": TABLE,
    "transposed": TABLE.T,
    "every other": TABLE[:, ::2],
    "cube": CUBE,
    "single": ROW.astype(np.float32),
    "integer": (ROW * 10).astype(int),
    "short": (TABLE * 10).astype(np.int32),
    "truth": ROW > 0,
    "long": RNG.normal(size=(3, 300)),
    "nothing": ROW[:0],
}
FUNCTIONS = {
    "argmax": np.argmax,
    "argmin": np.argmin,
    "any": np.any,
    "all": np.all,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
}


def outcome(function, *args):
    try:
        return function(*args)
    except ValueError:
        return "an error"


def check(function, *args):
    wanted, found = outcome(function, *args), outcome(ad.jit(function), *args)
    assert type(found) is type(wanted)
    if isinstance(wanted, str):
        return
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.fixture
def _no_python(monkeypatch):
    def refuse(e, node):
        raise AssertionError(f"Python does {node.op.name}")

    monkeypatch.setattr(codegen, "perform", refuse)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("array", ARRAYS)
def test_along_axes(array, name, axis):
    function = FUNCTIONS[name]
    check(lambda x: function(x, axis=axis), ARRAYS[array])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_along_the_axis_in_the_middle(name):
    function = FUNCTIONS[name]
    check(lambda x: function(x > 0.1, axis=1), CUBE)
    check(lambda x: function(2 * x, 1), CUBE)


@pytest.mark.parametrize("axis", [0, -1, None])
@pytest.mark.parametrize("array", ARRAYS)
def test_sorted_along_axes(array, axis):
    check(lambda x: np.sort(x, axis=axis), ARRAYS[array])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("shift", [0, 1, -2, 100])
@pytest.mark.parametrize("array", ARRAYS)
def test_rolled(array, shift, axis):
    check(lambda x: np.roll(x, shift, axis=axis), ARRAYS[array])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("array", sorted(set(ARRAYS) - {"truth"}))
def test_differences(array, axis):
    check(lambda x: np.diff(x, axis=axis), ARRAYS[array])


INFINITE = np.array([1.0, np.inf, -np.inf])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize(
    "array",
    [ROW, GAP, TABLE, TABLE.T, CUBE, 1e3 * ROW, INFINITE, INFINITE[2:]],
    ids=lambda a: str(a.shape),
)
def test_sums_of_exponentials(array, axis):
    check(lambda x: logsumexp(x, axis=axis), array)
    check(lambda x: logsumexp(x, axis=axis, keepdims=True), array)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("k", [-9, -2, 0, 1, 9])
def test_diagonals_and_triangles(k):
    check(lambda x: np.diag(x, k), TABLE)
    check(lambda x: np.diag(x, k), ROW)
    check(lambda x: np.tril(x, k) + 2 * np.triu(x, k), TABLE.T)
    check(lambda x: np.trace(x, k), TABLE)
    check(lambda x: np.eye(4, 5, k) * x[0] + np.eye(4, M=5), ROW)


@pytest.mark.usefixtures("_no_python")
def test_an_identity_of_less_than_nothing():
    check(lambda n: np.eye(n), -1)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("axes", [(0, 2), (2, 0), (1, -1), ((0, 1), (2, 0))], ids=str)
def test_moved_axes(axes):
    check(lambda x: 2 * np.moveaxis(x, *axes), CUBE)


def following_the_greatest(x, n):
    total = 0.0
    x = x.copy()
    for _ in range(n):
        k = np.argmax(x)
        total += x[k] ** 2
        x[k] -= 0.7
    return total + np.sum(np.cumsum(x) * np.cumprod(x)) + np.sum(np.sort(x)[:2])


def test_gradients():
    wanted, found = (
        f(ROW, 5)
        for f in (
            ad.grad(following_the_greatest),
            ad.jit(ad.grad(following_the_greatest)),
        )
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
