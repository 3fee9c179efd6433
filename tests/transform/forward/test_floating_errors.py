"""Tangents of functions that have NumPy raise floating-point errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad


def root(x: Any) -> Any:
    with np.errstate(all="raise"):
        y = np.sqrt(x)
    return y * 2


def test_only_what_the_function_computes_raises() -> None:
    before = np.geterr()
    assert ad.jvp(root, (np.float64(0),), (np.float64(1),)) == (0.0, np.inf)
    with pytest.raises(FloatingPointError):
        ad.jvp(root, (np.float64(-1),), (np.float64(1),))
    assert np.geterr() == before
