"""Programs whose calls return other types than an example of ones would show."""

import inspect
from typing import Any

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.sparse

# Returns its argument, and the compiler cannot look into it.
opaque = inspect.unwrap

VECTOR = np.array([0.5, 1.3, 2.1])
MATRIX = np.array([[1.0, 2.0, 0.5], [3.0, 4.0, 1.0], [0.0, 1.0, 2.0]])
SPARSE = scipy.sparse.csr_matrix(MATRIX)


def roots(x: Any) -> Any:
    return np.roots(x)


def sqrt_of_negative(x: Any) -> Any:
    return np.emath.sqrt(-x)


def logarithm_of_matrix(x: Any) -> Any:
    return scipy.linalg.logm(-x[:2, :2] @ x[:2, :2].T)


def power_of_matrix(x: Any) -> Any:
    return scipy.linalg.fractional_matrix_power(-x, 0.5)


def masked(x: Any) -> Any:
    return np.ma.masked_array(x, x > 1.0) * 2.0


def sum_of_masked(x: Any) -> Any:
    return np.ma.masked_array(x, x > 1.0).sum()


def product_of_matrices(x: Any) -> Any:
    return np.asarray(np.matrix(x) * np.matrix(x))


def dense_of_sparse(x: Any) -> Any:
    return opaque(SPARSE).toarray() @ x


def zeros_like_a_tuple(x: Any) -> Any:
    return np.zeros_like((1.0, 2.0)) + x[0]


def ones_like_a_list(x: Any) -> Any:
    return np.ones_like([(1.0, 2.0), (3.0, 4.0)]) + x[0]


def full_like_a_tuple(x: Any) -> Any:
    return np.full_like((1.0, 2.0), x[0])


RESULTS = [
    (roots, VECTOR),
    (roots, np.array([1.0, -3.0, 2.0])),
    (sqrt_of_negative, VECTOR),
    (sqrt_of_negative, 2.0),
    (sqrt_of_negative, -2.0),
    (logarithm_of_matrix, MATRIX),
    (power_of_matrix, MATRIX),
    (masked, VECTOR),
    (sum_of_masked, VECTOR),
    (product_of_matrices, MATRIX),
    (dense_of_sparse, VECTOR),
    (zeros_like_a_tuple, VECTOR),
    (ones_like_a_list, VECTOR),
    (full_like_a_tuple, VECTOR),
]


# Options as values --------------------------------------------------------------------


def maximum(x: Any, options: Any) -> Any:
    return np.sum(np.sin(np.max(x, **options)))


def total(x: Any, axis: Any) -> Any:
    return np.sum(np.sin(np.sum(x, axis)))


def kept(x: Any, keep: Any) -> Any:
    return np.sum(np.sum(x, 0, keepdims=keep) * x)


def contracted(x: Any, axes: Any) -> Any:
    return np.sum(np.sin(np.tensordot(x, x.T, axes)))


def at_least(x: Any, ndmin: Any) -> Any:
    return np.sum(np.sin(np.array(x, ndmin=ndmin)))


def power(x: Any, n: Any) -> Any:
    return np.sum(np.sin(np.linalg.matrix_power(x, n)))


OPTIONS = [
    (maximum, {"axis": 0}),
    (maximum, {"axis": None}),
    (maximum, {"axis": (0, 1), "keepdims": True}),
    (maximum, {"keepdims": False}),
    (maximum, {}),
    (total, None),
    (total, -1),
    (total, (0, 1)),
    (kept, True),
    (kept, False),
    (contracted, 0),
    (contracted, 1),
    (contracted, 2),
    (contracted, ([1], [0])),
    (at_least, 0),
    (at_least, 3),
    (power, 2),
    (power, -1),
    (power, 0),
]


# Values of unknown type ---------------------------------------------------------------


def added(x: Any) -> Any:
    return np.sum((x + opaque(MATRIX)) ** 2)


def modulus(x: Any) -> Any:
    return np.sum(np.abs(x * opaque(VECTOR) + 1j))


def real_part(x: Any) -> Any:
    z = opaque(1j) * x * (opaque(2.0) + opaque(1j))
    return np.sum(np.real(z) * opaque(VECTOR))


def drawn(x: Any) -> Any:
    draws = np.random.RandomState(3)
    weights, mask = draws.randn(3, 3), draws.rand(3) > 0.5
    h = np.tanh(weights @ x + draws.normal(size=3))
    return np.sum(h * mask) + np.sum(x * mask) + draws.rand() * x[0]


def drawn_complex(x: Any) -> Any:
    draws = np.random.RandomState(3)
    return np.sum(np.abs(draws.randn(3) + x + 1j))


def chosen(x: Any) -> Any:
    draws = np.random.default_rng(0)
    picked = x[draws.integers(3)] + np.sum(x[draws.choice(3, 2)])
    return picked + np.sum(x[draws.permutation(3)][:2] ** 2)


def changed_draw(x: Any) -> Any:
    noise = np.random.RandomState(0).randn(3)
    moved = noise * x
    noise[0] = 5.0
    return np.sum(noise * moved)


def contraction(x: Any) -> Any:
    return np.einsum("i,ij,j->", x, opaque(MATRIX), x)


def length(x: Any) -> Any:
    return np.linalg.norm(x - 2.0 * opaque(VECTOR))


def parts(x: Any) -> Any:
    found = 0.0
    for part in np.array_split(x * opaque(1.0), 2):
        found = found + np.sum(part**2) * np.sum(part)
    return found


def least_squares(x: Any) -> Any:
    found = np.linalg.lstsq(MATRIX + np.diag(x), opaque(VECTOR), None)
    return np.sum(found[0] ** 2)


def product_with_sparse(x: Any) -> Any:
    return np.sum((opaque(SPARSE).toarray() @ x) ** 2)


UNKNOWN = [
    added,
    modulus,
    real_part,
    drawn,
    drawn_complex,
    chosen,
    changed_draw,
    contraction,
    length,
    parts,
    least_squares,
    product_with_sparse,
]


def decay(t: Any, y: Any) -> Any:
    return -y


def solved(y: Any) -> Any:
    found = scipy.integrate.solve_ivp(decay, (0.0, 1.0), y, rtol=1e-9, atol=1e-9)
    return found.y[0, -1] * found.y[1, -1]


def solved_at_times(y: Any) -> Any:
    times = np.array([0.25, 1.0])
    found = scipy.integrate.solve_ivp(
        decay, (0.0, 1.0), y, t_eval=times, rtol=1e-9, atol=1e-9
    )
    return np.sum(found.y**2)


def masked_product(x: Any) -> Any:
    return np.sum(np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]) * x)


def matrix_product(x: Any) -> Any:
    return np.sum(opaque(SPARSE).todense() * x[:, None])
