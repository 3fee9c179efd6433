"""Views that are views only in some orders of memory, of arrays that change."""

from __future__ import annotations

import numpy as np
import pytest
from in_place import LAYOUTS, check_every_mode

import anadrome as ad
from anadrome.errors import MutationError


def ravel_before_store(x, s):
    w = x.ravel()
    x[0] -= s
    return np.sum(w * w)


def store_through_ravel(x, s):
    x.ravel()[0] = s
    return np.sum(x * x)


def store_through_columns(x, s):
    v = x.reshape(-1, order="F")
    v[1] *= s
    return np.sum(x * x)


def store_through_rows_of_a_transpose(x, s):
    v = np.reshape(x.T, -1)
    v[1] = s
    return np.sum(x * x)


def flatten_before_store(x, s):
    w = x.flatten("F")
    x[:, 0] *= s
    return np.sum(w * x.flatten())


def contiguous_or_not(x, s):
    v = np.ascontiguousarray(x)
    v[0, 0] = s
    w = np.asarray(x, order="F")
    w[1, 1] *= 2.0
    return np.sum(x * x)


def order_of_a_result(x, s):
    y = x * 2.0
    v = y.ravel()
    y[0] = s
    return np.sum(v * v)


def order_of_a_copy(x, s):
    a = np.copy(x)
    v = a.reshape(-1)
    v[1] = s
    b = x.copy(order="F")
    w = b.reshape(-1, order="F")
    w[1] = s
    return np.sum(a * a) + b[1, 0] * b[0, 1]


def order_of_a_copy_that_keeps_it(x, s):
    a = x.copy(order="K")
    v = a.T.ravel()
    v[1] *= s
    return np.sum(a * x)


def joined_in_a_loop(x, s):
    y = x
    for _ in range(2):
        z = np.zeros(y.shape, dtype=y.dtype)
        z[0] = y[0] * s
        y = z
    v = y.reshape(-1)
    v[1] = s
    return np.sum(y)


PROGRAMS = (
    ravel_before_store,
    store_through_ravel,
    store_through_columns,
    store_through_rows_of_a_transpose,
    flatten_before_store,
    contiguous_or_not,
    order_of_a_result,
    order_of_a_copy,
    order_of_a_copy_that_keeps_it,
    joined_in_a_loop,
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function, layout):
    x = np.linspace(0.5, 1.75, 6).reshape(2, 3)
    check_every_mode(function, x, 1.5, layout=layout)


@pytest.mark.parametrize("layout", ["strided", "reversed_rows", "misaligned"])
def test_of_one_axis(layout):
    check_every_mode(ravel_before_store, np.array([1.0, 2.0, 3.0]), 0.5, layout=layout)


def in_containers(w):
    v = w[0].ravel()
    w[0][0] = w[1][1] * 2.0
    return np.sum(v * v) + np.sum(w[0] * w[1])


def test_in_a_list():
    x = np.arange(1.0, 7.0).reshape(2, 3)
    w = [np.asfortranarray(x), x[:, ::-1] * 1.0]
    value = in_containers([a.copy(order="K") for a in w])
    assert ad.value_and_grad(in_containers)(w)[0] == value
    np.testing.assert_array_equal(w[0], x)
    tangents = [np.ones((2, 3)), np.ones((2, 3))]
    found, _ = ad.jvp(in_containers, (w,), (tangents,))
    assert found == value


def store(x):
    x[0, 1] = 5.0
    return np.sum(x)


@pytest.mark.parametrize("derived", [ad.grad, ad.jit])
def test_elements_that_share_memory_are_refused(derived):
    x = np.lib.stride_tricks.as_strided(np.zeros(4), (3, 2), (8, 8))
    with pytest.raises(MutationError, match="share memory"):
        derived(store)(x)


def through_view(x):
    v = x.view()
    v[0] = 5.0
    return np.sum(x)


def through_require(x):
    v = np.require(x, requirements="C")
    v[0] = 5.0
    return np.sum(x)


@pytest.mark.parametrize("function", [through_view, through_require])
def test_views_without_a_derivative_are_views(function):
    x = np.array([3.0, 1.0, 2.0])
    assert ad.jit(function)(x) == 8.0
    np.testing.assert_array_equal(x, [5.0, 1.0, 2.0])


def through_flat(x):
    f = x.flat
    f[0] = 5.0
    return np.sum(x)


def test_stores_through_an_iterator_are_refused():
    with pytest.raises(ad.errors.UnsupportedSyntax, match="flat"):
        ad.jit(through_flat)(np.ones(3))


def converted_after_store(x, s):
    x[0] = s
    v = np.asarray(x, dtype=np.float64)
    x[1] *= 2.0
    return np.sum(v * v) + np.sum(x)


def ravelled_after_store(x, s):
    y = x * 1.0
    y[0] = s
    v = y.T.ravel()
    w = y[:, ::-1].reshape(-1)
    return np.sum(v * w)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("function", [converted_after_store, ravelled_after_store])
def test_copies_are_made_of_what_was_stored(function, kind):
    x = np.linspace(0.5, 1.75, 6).reshape(2, 3).astype(kind)
    check_every_mode(function, x, 1.5, layout="rows", tolerance=1e-3)
