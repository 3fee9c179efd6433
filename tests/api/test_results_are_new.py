"""A value that NumPy computes anew shares no memory with an argument."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad


def _in_branch(x):
    if x[0] > 0:
        y = x * 1
    else:
        y = x / 1.0
    return y


FUNCTIONS = {
    "times one": lambda x: 1.0 * x,
    "times ones": lambda x: np.broadcast_to(1.0, x.shape) * x,
    "over one": lambda x: x / 1.0,
    "to the first power": lambda x: x**1,
    "in a tuple": lambda x: (x * 1.0, 2.0),
    "in a dictionary": lambda x: {"a": x * 1.0},
    "in a branch": _in_branch,
}


def arrays(value):
    """The arrays in a result."""
    if isinstance(value, np.ndarray):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [a for a in items if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_native_code(name, dtype):
    x = np.arange(1, 4).astype(dtype)
    (found,) = arrays(ad.jit(FUNCTIONS[name])(x))
    np.testing.assert_array_equal(found, x)
    assert not np.shares_memory(found, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_beside_a_gradient(name):
    function = FUNCTIONS[name]

    def with_value(x):
        return (x * x).sum(), function(x)

    x = np.arange(1.0, 4.0)
    gradient, aux = ad.grad(with_value, has_aux=True)(x)
    (found,) = arrays(aux)
    assert not np.shares_memory(found, x)
    assert not np.shares_memory(found, gradient)
