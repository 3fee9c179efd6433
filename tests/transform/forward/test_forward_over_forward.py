"""Forward mode of forward mode, through arrays that are changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad

X = np.random.default_rng(0).normal(size=5)


def scaled_in_place(x: Any) -> Any:
    y = x.copy()
    y[1:3] *= x[1:3]
    return (y[1:3] * y[:2]).sum() + x[1:3].sum()


def filled(x: Any) -> Any:
    y = np.ones(5)
    for k in range(1, 5):
        y[k] = y[k - 1] * x[k]
    return (y * x).sum()


def shifted(x: Any) -> Any:
    y = x * x
    for _ in range(3):
        y[1:] += y[:-1] * x[1:]
    return y.sum()


@pytest.mark.parametrize("function", [scaled_in_place, filled, shifted])
def test_second_derivatives_along_constant_directions(function: Any) -> None:
    ad.check_grads(function, (X,), order=2, modes=("fwd",))
