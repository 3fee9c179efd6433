"""Operands that have one number for each row of a fused loop."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.backends.native.compile import Level
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def native(function, *args, target):
    return NativeFunction(optimize(read(function, args, {}).graph), target, Level.JOINT)


def updated(c, x, y, flags):
    """A product of rows and columns subtracted where a flag of the row is set."""
    c = c.copy()
    c[:, :] -= np.where(flags[:, None], x[:, None] * y, 0.25)
    return c


def given(rows, n, dtype=np.float64):
    rng = np.random.default_rng(rows * n)
    c, x, y = rng.normal(size=(rows, n)), rng.normal(size=rows), rng.normal(size=n)
    return c.astype(dtype), x.astype(dtype), y.astype(dtype), rng.normal(size=rows) > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 20), (5, 16), (9, 37), (0, 4)])
def test_columns_beside_rows(target, shape, dtype):
    args = given(*shape, dtype)
    run = native(updated, *args, target=target)
    single = dtype == np.float32
    tolerance = 1e-6 if single else 1e-14
    np.testing.assert_allclose(run(*args), updated(*args), tolerance, tolerance)


def test_arrays_that_lie_otherwise(target):
    c, x, y, flags = given(7, 19)
    run = native(updated, c, x, y, flags, target=target)
    expected = updated(c, x, y, flags)
    for a in (np.asfortranarray(c), np.repeat(c, 2, axis=1)[:, ::2]):
        for b in (x, np.repeat(x, 3)[::3], x[::-1].copy()[::-1]):
            np.testing.assert_allclose(run(a, b, y, flags), expected, 1e-14, 1e-14)
    swapped = run(c, x, np.repeat(y, 2)[::2], np.repeat(flags, 2)[::2])
    np.testing.assert_allclose(swapped, expected, 1e-14, 1e-14)
