"""Gradients in native code, compared with those of the Python backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anadrome as ad


def normal(seed: int, *shape: int) -> np.ndarray:
    """Normal numbers of a seed."""
    return np.random.default_rng(seed).normal(size=shape)


def check(function: Callable[..., Any], *args: Any) -> None:
    """Compare the value and the gradients by all arrays among the arguments."""
    numbers = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    derivative = ad.value_and_grad(function, numbers)
    native = ad.jit(derivative)
    # Twice: what a call leaves behind must not matter to the next.
    for _ in range(2):
        value, found = native(*args)
        expected_value, expected = derivative(*args)
        np.testing.assert_allclose(value, expected_value, rtol=1e-12)
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)
