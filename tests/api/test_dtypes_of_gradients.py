"""A gradient has the type of its argument, whatever the program computes with."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import anadrome as ad


def states_of_doubles(a, b):
    h = np.zeros(3)
    for _ in range(2):
        h = np.tanh(h * a + b)
    return np.sum(h)


def taken(a, b):
    return np.sum(np.take(a, np.arange(3)) * b)


def rows_of_doubles(a, b):
    z = np.zeros((len(a), 3))
    for i in range(len(a)):
        z[i] = b * a[i]
    return np.sum(z**2)


def plain(a, b):
    return np.sum(np.exp(a) * b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wrap", [lambda g: g, ad.jit], ids=["python", "native"])
@pytest.mark.parametrize("f", [states_of_doubles, taken, rows_of_doubles, plain])
def test_gradients_have_the_type_of_their_argument(f, wrap, dtype):
    x = np.array([0.3, -0.7, 1.2])
    expected = ad.grad(f, (0, 1))(x, x)
    found = wrap(ad.grad(f, (0, 1)))(x.astype(dtype), x.astype(dtype))
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_nothing_is_converted_in_a_program_of_one_precision():
    x = np.ones(3, np.float32)
    assert "asarray" not in ad.source(ad.grad(plain, (0, 1)), x, x)


@dataclass
class Cell:
    W: Any
    b: Any


def of_record(p):
    h = np.zeros(3)
    for _ in range(2):
        h = np.tanh(h @ p.W + p.b)
    return np.sum(h * h)


def of_items(p):
    h = np.zeros(3)
    for _ in range(2):
        h = np.tanh(h @ p[0] + p[1])
    return np.sum(h * h)


def of_names(p):
    h = np.zeros(3)
    for _ in range(2):
        h = np.tanh(h @ p["W"] + p["b"])
    return np.sum(h * h)


@pytest.mark.parametrize("wrap", [lambda g: g, ad.jit], ids=["python", "native"])
@pytest.mark.parametrize(
    ("f", "make", "parts"),
    [
        (of_record, Cell, lambda d: (d.W, d.b)),
        (of_items, lambda W, b: (W, b), tuple),
        (of_items, lambda W, b: [W, b], tuple),
        (of_names, lambda W, b: {"W": W, "b": b}, lambda d: (d["W"], d["b"])),
    ],
    ids=["record", "tuple", "list", "dict"],
)
def test_parts_of_gradients_have_the_types_of_their_parts(f, make, parts, wrap):
    W, b = np.eye(3) + 0.1, np.array([0.3, -0.7, 1.2])
    expected = parts(ad.grad(f)(make(W, b)))
    narrow = make(W.astype(np.float32), b.astype(np.float32))
    for found, wanted in zip(parts(wrap(ad.grad(f))(narrow)), expected, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-4)


def masked_mean(x, mask):
    return np.sum(x * mask) / np.sum(mask)


def picked_mean(x, mask):
    places = np.zeros(len(mask), int)
    return np.sum(x[places] * mask) / np.sum(mask)


def masked_loss(x, mask):
    losses = np.log(np.sum(np.exp(x[:, None] * np.linspace(0.1, 1, 7)), axis=1))
    return np.sum(losses * mask) / np.sum(mask), np.sum(mask)


@pytest.mark.parametrize("backend", [lambda f: f, ad.jit], ids=["python", "native"])
@pytest.mark.parametrize("function", [masked_mean, picked_mean])
def test_single_precision_beside_double_costs_no_digits(function, backend):
    x, mask = np.linspace(1, 2, 1750), np.ones(1750, np.float32)
    found = backend(ad.grad(function))(x, mask)
    expected = ad.grad(function)(x, mask.astype(float))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_single_precision_beside_a_double_that_comes_with_more():
    x, mask = np.linspace(1, 2, 1750), np.ones(1750, np.float32)
    gradient = ad.grad(masked_loss, has_aux=True)
    found, _ = gradient(x, mask)
    expected, _ = gradient(x, mask.astype(float))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
