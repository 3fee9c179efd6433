"""Linear algebra by LAPACK, called from native code."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

import anadrome as ad
from anadrome.backends.native.emission import codegen

FUNCTIONS = {
    "inv": lambda a: np.linalg.inv(a),
    "det": lambda a: np.linalg.det(a),
    "slogdet": lambda a: np.linalg.slogdet(a),
    "slogdet of the opposite": lambda a: np.linalg.slogdet(-a),
    "cholesky": lambda a: np.linalg.cholesky(a),
    "upper cholesky": lambda a: np.linalg.cholesky(a, upper=True),
    "solve": lambda a: np.linalg.solve(a, a[0]),
    "solve for rows": lambda a: np.linalg.solve(a, a[:, :2]),
    "solve for columns": lambda a: np.linalg.solve(a.T, a[:2].T),
}
BAD = {
    "zeros": np.zeros((3, 3)),
    "not a square": np.ones((2, 3)),
    "not definite": -np.eye(3),
    "not numbers": np.full((3, 3), np.nan),
}


@pytest.fixture
def _no_python(monkeypatch):
    def refuse(e, node):
        raise AssertionError(f"Python does {node.op.name}")

    monkeypatch.setattr(codegen, "perform", refuse)


def positive(n, dtype):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n))
    return (a @ a.T / n + np.eye(n) + 0.1).astype(dtype)


def outcome(function, *args):
    try:
        with np.errstate(all="ignore"):
            found = function(*args)
    except (ValueError, np.linalg.LinAlgError) as error:
        return type(error)
    return tuple(found) if isinstance(found, tuple) else (found,)


def check(function, *args, rtol=1e-10):
    wanted, found = outcome(function, *args), outcome(ad.jit(function), *args)
    if isinstance(wanted, type):
        assert found is wanted
        return
    for f, w in zip(found, wanted, strict=True):
        assert np.asarray(f).dtype == np.asarray(w).dtype
        assert np.shape(f) == np.shape(w)
        np.testing.assert_allclose(f, w, rtol=rtol, atol=rtol)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_all_sizes(name, n, dtype):
    a = positive(n, dtype)
    rtol = 1e-10 if dtype is np.float64 else 1e-3
    for matrix in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2]):
        check(FUNCTIONS[name], matrix, rtol=rtol)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("matrix", BAD)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_what_does_not_do(name, matrix):
    check(FUNCTIONS[name], BAD[matrix])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky"])
def test_of_nothing(name):
    check(FUNCTIONS[name], np.ones((0, 0)))


def test_right_sides_of_another_length():
    check(lambda a, b: np.linalg.solve(a, b), np.eye(3), np.ones(4))


def test_several_matrices():
    check(FUNCTIONS["inv"], np.stack([positive(3, float), positive(3, float)]))


@pytest.mark.parametrize(
    "function",
    [scipy.linalg.solve, scipy.linalg.inv, scipy.linalg.det, scipy.linalg.cholesky],
    ids=lambda f: f.__name__,
)
def test_functions_of_scipy_stay_themselves(function):
    rest = (np.ones(3),) if function is scipy.linalg.solve else ()

    def program(a):
        return function(a, *rest) * 1.0

    check(program, positive(3, float))
    check(program, np.array([[4.0, 1.0, 0.5], [9.0, 3.0, 0.2], [9.0, 9.0, 5.0]]))
    check(program, np.full((3, 3), np.nan))


def test_a_failure_names_the_line():
    def solved(a):
        return np.linalg.solve(a, np.ones(2))

    with pytest.raises(np.linalg.LinAlgError, match="Singular") as caught:
        ad.jit(solved)(np.zeros((2, 2)))
    notes = "".join(getattr(caught.value, "__notes__", []))
    assert "np.linalg.solve(a, np.ones(2))" in notes


def kalman(F, H, Q, R, x, P, zs):
    total = 0.0
    for z in zs:
        x, P = F @ x, F @ P @ F.T + Q
        S = H @ P @ H.T + R
        gain = np.linalg.solve(S, H @ P).T
        left = z - H @ x
        total += left @ np.linalg.solve(S, left) + np.linalg.slogdet(S)[1]
        x, P = x + gain @ left, P - gain @ H @ P
    return total + np.linalg.det(P) + np.sum(np.linalg.cholesky(P))


def test_gradient_of_a_filter():
    rng = np.random.default_rng(1)
    F, H = np.eye(3) + 0.1 * rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    args = F, H, np.eye(3), np.eye(2), np.zeros(3), np.eye(3), rng.normal(size=(6, 2))
    wanted, found = (
        f(*args)
        for f in (ad.grad(kalman, (0, 1, 3)), ad.jit(ad.grad(kalman, (0, 1, 3))))
    )
    for f, w in zip(found, wanted):
        np.testing.assert_allclose(f, w, rtol=1e-9, atol=1e-12)


def test_lapack_is_found_without_the_rest_of_scipy():
    program = (
        "import sys\n"
        "from anadrome.backends.native.linking.lapack import lapack_symbols\n"
        "assert all(lapack_symbols().values())\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "import scipy.linalg; print(scipy.linalg.solve([[2.0]], [1.0])[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0.5"
