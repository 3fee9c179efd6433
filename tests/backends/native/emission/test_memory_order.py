"""Another shape of a result, changed in place: a view or a copy as NumPy has it."""

import numpy as np
import pytest

import anadrome as ad
from anadrome.errors import MutationError

ROWS = np.arange(6.0).reshape(2, 3)
COLUMNS = np.asfortranarray(ROWS)


def transposed(x):
    m = np.tanh(x.T)
    w = m.reshape(-1)
    w[[1, 3, 5]] += 1
    return m


def straight(x):
    m = np.tanh(x) * 2 + x
    w = m.ravel()
    w[1:3] = 0.0
    return m


def complex_transposed(x):
    m = np.exp(1j * x.T)
    w = m.reshape(-1)
    w[1:3] = 0.0
    return m


def like(x):
    m = np.zeros_like(x)
    w = m.ravel()
    w[1:3] = 5.0
    return m + x


def copied(x):
    v = x.copy()
    w = v.ravel()
    w[:2] *= 3
    return v


def copied_by_function(x):
    v = np.copy(x)
    w = v.ravel()
    w[:2] *= 3
    return v


def carried(x):
    m = np.tanh(x)
    for _ in range(3):
        m = m * 0.5
    w = m.ravel()
    w[1:3] += 1.0
    return m


def carried_and_transposed(x):
    m = np.tanh(x)
    for _ in range(3):
        m = m.T
    m = m * 2.0
    w = m.ravel()
    w[1:3] += 1.0
    return m


def chosen(x):
    if x[0, 1] > 0.5:
        m = x * 2.0
    else:
        m = x + 1.0
    w = m.reshape(-1)
    w[1:3] += 1.0
    return m


def summed(x):
    m = np.sum(x[None] * np.ones((2, 1, 1)), axis=0)
    w = m.ravel()
    w[1:3] += 1.0
    return m


def picked(x):
    m = x[:, [0, 2]]
    w = m.ravel()
    w[1:3] += 1.0
    return m


FOLLOWING = (copied_by_function, carried, chosen, summed)


@pytest.mark.parametrize("x", [ROWS, COLUMNS], ids=["rows", "columns"])
@pytest.mark.parametrize(
    "f",
    [transposed, straight, like, copied, picked, *FOLLOWING],
    ids=lambda f: f.__name__,
)
def test_gradients_in_python(f, x):
    weights = np.cos(np.arange(9.0)).reshape(3, 3)

    def loss(x):
        m = f(x)
        return np.sum(m * weights[: m.shape[0], : m.shape[1]])

    found, step = ad.grad(loss)(x.copy("K")), 1e-6
    for i in np.ndindex(2, 3):
        up, down = x.copy("K"), x.copy("K")
        up[i], down[i] = x[i] + step, x[i] - step
        slope = (loss(up) - loss(down)) / (2 * step)
        assert found[i] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *((f, ROWS) for f in FOLLOWING),
        *(
            (picked, ROWS),
            (transposed, COLUMNS),
            (straight, ROWS),
            (copied, ROWS),
            (copied, COLUMNS),
        ),
        *((complex_transposed, COLUMNS), (like, ROWS)),
    ],
)
def test_what_lies_row_by_row(f, x):
    assert np.array_equal(ad.jit(f)(x.copy("K")), f(x.copy("K")))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *((f, COLUMNS) for f in FOLLOWING),
        *(
            (picked, COLUMNS),
            (transposed, ROWS),
            (straight, COLUMNS),
            (complex_transposed, ROWS),
            (like, COLUMNS),
        ),
    ],
)
def test_what_does_not_is_run_in_python(f, x):
    for _ in range(4):
        assert np.array_equal(ad.jit(f)(x.copy("K")), f(x.copy("K")))


def changes_its_argument(x):
    x[0, 0] = 3.0
    m = np.tanh(x.T)
    w = m.reshape(-1)
    w[1:3] = 0.0
    return m


def test_what_cannot_start_over_is_refused():
    with pytest.raises(MutationError, match="row by row") as info:
        ad.jit(changes_its_argument)(ROWS.copy())
    assert "w = m.reshape(-1)" in str(info.value)
    found = ad.jit(changes_its_argument)(COLUMNS.copy("K"))
    assert np.array_equal(found, changes_its_argument(COLUMNS.copy("K")))
