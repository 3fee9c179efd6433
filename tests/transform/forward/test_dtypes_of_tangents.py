"""Tangents of arrays have the dtypes of their values, also where these are wider."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad

Z = np.array([0.5, -1.25, 2.0])


def turned(z: Any) -> Any:
    w = z + 1j * np.array([0.0, 0.5, 1.0])
    w *= z[0] * 1j
    return np.sum(w.real * w.imag)


def view(z: Any) -> Any:
    w = (z + 1j)[::-1].copy()
    w[0] = 1j * z[1]
    return np.sum(w.real * w.imag)


def listed(z: Any) -> Any:
    both = [z + 1j, z * 2j]
    for w in both:
        w *= 1j * z
    return np.sum(both[0] * both[1]).real


@pytest.mark.parametrize("wrap", [lambda f: f, ad.jit], ids=["python", "native"])
@pytest.mark.parametrize("program", [turned, view, listed])
def test_a_real_tangent_of_a_complex_array_that_changes(
    wrap: Any, program: Any
) -> None:
    def push(z: Any, dz: Any) -> Any:
        return ad.jvp(program, (z,), (dz,))[1]

    wanted = np.sum(ad.grad(program)(Z) * Z[::-1])
    assert wrap(push)(Z, Z[::-1].copy()) == pytest.approx(wanted, rel=1e-12)


def test_single_precision_beside_double() -> None:
    def scaled(x: Any, s: Any) -> Any:
        y = x * np.ones(3)
        y *= s
        return np.sum(y)

    x, s = np.ones(3, np.float32), np.float64(1 / 3)
    found = ad.jvp(scaled, (x, s), (np.zeros(3, np.float32), np.float64(1 / 7)))[1]
    assert found == pytest.approx(3 / 7, rel=1e-14)


def test_integers_in_the_place_of_arrays_have_zeros() -> None:
    def replaced(parts: Any, u: Any) -> Any:
        parts["b"] = 3
        return parts["b"] * np.sum(u)

    given = {"a": np.ones(2), "b": np.ones(3)}, np.ones(2)
    assert ad.jvp(replaced, given, given) == (6.0, 6.0)
