"""Sums of products over named axes in native code, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize

CASES = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,kj->ki", (4, 3), (5, 3)),
    ("ij,ik->jk", (4, 3), (4, 5)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ii->i", (3, 3)),
    ("iij,j->i", (3, 3, 2), (2,)),
    ("i,i,i->", (3,), (3,), (3,)),
    ("i,j->ij", (2,), (3,)),
    ("ij,k->k", (2, 3), (4,)),
    ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
    ("b...,b->...", (2, 3, 4), (2,)),
    ("ij,ij->ij", (2, 1), (2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("bih,bjh->bij", (2, 3, 4), (2, 5, 4)),
    ("bsh,bh->bs", (3, 4, 5), (3, 5)),
    ("bs,bsh->bh", (3, 4), (3, 4, 5)),
    ("kij,nkj->nki", (3, 4, 4), (6, 3, 4)),
    ("bthd,bshd->bhts", (2, 3, 2, 5), (2, 4, 2, 5)),
    ("abc,bcd->da", (2, 3, 4), (3, 4, 5)),
    ("abc,cbd->ad", (2, 3, 4), (4, 3, 5)),
    ("abcd,cdef->aebf", (2, 3, 4, 5), (4, 5, 2, 3)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("aij,aj->i", (3, 2, 4), (3, 4)),
    ("zbs,bh->bsh", (3, 2, 4), (2, 5)),
    ("ij,jk->ik", (2, 0), (0, 2)),
    ("bij,bjk->bik", (0, 2, 3), (0, 3, 2)),
]


def arrays(shapes, dtype):
    rng = np.random.default_rng(len(shapes))
    return [rng.normal(size=s).astype(dtype) for s in shapes]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1:]}")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_and_gradients(case, dtype):
    subscripts, *shapes = case
    xs = arrays(shapes, dtype)

    def loss(*xs):
        return np.sum(np.sin(np.einsum(subscripts, *xs)))

    found = ad.jit(lambda *xs: np.einsum(subscripts, *xs))(*xs)
    wanted = np.einsum(subscripts, *xs)
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    assert np.shape(found) == wanted.shape
    np.testing.assert_allclose(found, wanted, tolerance, tolerance)
    gradient = ad.grad(loss, argnums=tuple(range(len(xs))))
    for a, b in zip(ad.jit(gradient)(*xs), gradient(*xs), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, tolerance, tolerance)


def strided(x):
    return np.repeat(x, 2, axis=-1)[..., ::-2]


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda a, b: a @ b, [(4, 2, 3), (4, 3, 5)]),
        (lambda a, b: a @ b, [(4, 1, 2, 3), (6, 3, 5)]),
        (lambda a, b: a @ b, [(4, 2, 3), (3,)]),
        (lambda a, b: a @ b, [(3,), (4, 3, 2)]),
        (lambda a, b: np.swapaxes(a, 1, 2) @ b, [(4, 3, 2), (4, 3, 5)]),
        (lambda a, b: np.dot(a, b), [(4, 2, 3), (5, 3, 6)]),
        (lambda a, b: np.inner(a, b), [(4, 2, 3), (5, 3)]),
        (lambda a, b: np.tensordot(a, b), [(2, 3, 4), (3, 4, 5)]),
        (lambda a, b: np.tensordot(a, b, ((0, 2), (2, 1))), [(2, 3, 4), (5, 4, 2)]),
        (lambda a, b: np.vecdot(a, b), [(4, 1, 3), (2, 3)]),
        (lambda a, b: np.matvec(a, b), [(4, 2, 3), (4, 3)]),
        (lambda a, b: np.vecmat(a, b), [(4, 3), (4, 3, 2)]),
    ],
)
def test_other_products(function, shapes):
    if not hasattr(np, "matvec") and function.__code__.co_names[-1].endswith("vec"):
        pytest.skip("this NumPy has no such product")
    xs = [strided(x) for x in arrays(shapes, float)]
    for given in (xs, [np.asfortranarray(x) for x in xs]):
        gradient = ad.value_and_grad(
            lambda a, b: np.sum(np.cos(function(a, b))), argnums=(0, 1)
        )
        value, both = ad.jit(gradient)(*given)
        expected, wanted = gradient(*given)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for a, b in zip(both, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_nothing_is_handed_to_python():
    def attention(q, k, v):
        weights = np.exp(np.einsum("bthd,bshd->bhts", q, k))
        return np.sum(np.einsum("bhts,bshd->bthd", weights, v))

    args = arrays([(2, 3, 2, 5)] * 3, float)
    gradient = ad.grad(attention, argnums=(0, 1, 2))
    graph = optimize(read(gradient, args, {}).graph)
    assert "python" not in NativeFunction(graph).text


def test_sizes_that_differ_are_refused():
    def both(a, b):
        return np.einsum("ij,jk->ik", a, b)

    with pytest.raises(ValueError, match=r"match|differ|einsum"):
        ad.jit(both)(np.ones((2, 3)), np.ones((4, 2)))
