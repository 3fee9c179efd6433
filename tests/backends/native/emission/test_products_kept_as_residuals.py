"""Products, contractions and joined arrays as residuals: computed in their place among
them, and right where somebody changes them or their shapes differ."""

from __future__ import annotations

import numpy as np
import pytest
from native_gradients import check, normal

import anadrome as ad


def products(x, w):
    kept = []
    h = x
    for _ in range(4):
        h = h @ w
        kept.append(h)
        h = np.tanh(h)
    return np.sum(np.stack(kept) ** 2)


def contractions(x, w):
    kept = []
    h = x
    for _ in range(4):
        h = np.tanh(np.einsum("ab,bc->ac", h, w))
        kept.append(np.einsum("ab,ac->abc", h, x))
        kept.append(np.einsum("ab,cb->ca", h, x)[:, :1, None] + 0 * kept[0][:1])
    return sum([np.sum(k * k) for k in kept])


def joined(x, w):
    """Parts of different widths."""
    kept = []
    h = x
    for _ in range(4):
        u = h @ w
        both = np.concatenate((np.tanh(u), u[:, :2] * 2), axis=1)
        kept.append(both)
        h = both[:, 2:]
    return np.sum(np.stack(kept) ** 3)


def changed_afterwards(x, w):
    kept = []
    h = x
    for _ in range(3):
        u = h @ w
        kept.append(u)
        u += 1.0
        u[0] = 0.0
        h = np.tanh(u)
    return np.sum(np.stack(kept) * 2) + np.sum(h)


def shrinking(x, w):
    kept = []
    h = x
    for _ in range(3):
        h = h[1:] @ w
        kept.append(h)
    return sum([np.sum(np.sin(k)) for k in kept])


def vectors(x, w):
    kept = []
    h = x[0]
    for _ in range(3):
        h = np.tanh(h @ w)
        kept.append(w @ h)
    return np.sum(np.stack(kept) ** 2)


FUNCTIONS = [products, contractions, joined, changed_afterwards, shrinking, vectors]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("rows", [4, 70])
def test_values_and_gradients(function, rows):
    check(function, normal(0, rows, 5), normal(1, 5, 5) / 2)


def test_what_is_kept_is_not_shared_with_what_follows():
    @ad.jit
    def run(x, w):
        kept = []
        h = x
        for _ in range(3):
            h = h @ w
            kept.append(h)
        last = kept[2]
        h = h + 1
        return kept, last, h

    x, w = normal(2, 6, 4), normal(3, 4, 4)
    kept, last, h = run(x, w)
    np.testing.assert_allclose(kept[0], x @ w)
    np.testing.assert_allclose(kept[2], x @ w @ w @ w)
    np.testing.assert_allclose(h, last + 1)
