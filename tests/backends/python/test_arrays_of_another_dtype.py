"""Arrays that begin a loop with another dtype, in derivatives as Python source."""

from __future__ import annotations

from typing import Any

import numpy as np

import anadrome as ad


def test_integers_that_become_floats_are_not_updated_in_place() -> None:
    def scaled(w: Any) -> Any:
        n = np.arange(len(w))
        for _ in range(2):
            n = n * 1.5
        n[0] = 1
        return np.sum(n * w)

    np.testing.assert_allclose(ad.grad(scaled)(np.ones(3)), [1.0, 2.25, 4.5])
