"""Arrays without axes among arguments: arrays, which can be changed in place."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
from in_place import check_every_mode

import anadrome as ad
from anadrome.errors import TypeMismatch


def second_name(x, c):
    v = x
    v -= 1
    return v * x * c


def store_into_all(x, c):
    x[...] = x * c
    return x * x


def in_a_function(x, c):
    def raised(a):
        a += 1.0
        return a

    raised(x)
    return x * c


def in_a_list(x, c):
    u = [x, c]
    u[0] *= 2.0
    return x + c


def by_out(x, c):
    np.add(x, c, out=x)
    return x * x


def through_views(x, c):
    y = x.reshape(1)
    y[0] *= c
    z = x[None]
    z += 1.0
    w = x[...]
    w *= 2.0
    return x * x


def number_or_array(x, c):
    v = x if c > 0 else x * 2
    v += 1.0
    return v * x


def number_after_array(x, c):
    t = x
    for _ in range(2):
        t = t + x
        t += 1.0
    return t * x


def constant_or_array(x, c):
    v = x if c > 0 else 1.0
    v += 1.0
    return v * x


PROGRAMS = (
    second_name,
    store_into_all,
    in_a_function,
    in_a_list,
    by_out,
    through_views,
    number_or_array,
    number_after_array,
    constant_or_array,
)


@pytest.mark.parametrize("c", [1.5, -1.5])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function, c):
    check_every_mode(function, np.array(3.0), c, tolerance=1e-2)


@dataclasses.dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray


def of_items(x, w):
    return 2 * x * w[0] + x * w[1]


def of_fields(x, w):
    return 2 * x * w.a + x * w.b


A, B = np.array(3.0), np.array(5.0)


@pytest.mark.parametrize(
    ("function", "w"),
    [
        (of_items, [A, B]),
        (of_items, (A, B)),
        (of_items, {0: A, 1: B}),
        (of_items, [A, 5.0]),
        (of_fields, Pair(A, B)),
    ],
)
@pytest.mark.parametrize("places", [0, (0, 1)])
def test_containers_stay_as_they_are(function, w, places):
    w, before = copy.deepcopy(w), repr(w)
    for derivative in (ad.grad(function, places), ad.jit(ad.grad(function, places))):
        for _ in range(2):
            found = derivative(1.0, w)
            assert (found if places == 0 else found[0]) == 11.0
    assert repr(w) == before
    assert function(1.0, w) == 11.0


def product(w):
    return w[0] * w[1]


@pytest.mark.parametrize("kind", [list, tuple])
def test_gradients_are_new(kind):
    w = kind([np.array(3.0), np.array(4.0)])
    for derivative in (ad.grad(product), ad.jit(ad.grad(product))):
        for d in derivative(w):
            assert not any(np.may_share_memory(d, a) for a in w)


def test_pullbacks_keep_what_they_were_given():
    x = np.array(3.0)
    _, pull = ad.vjp(lambda x: x * x, x)
    x[...] = 100.0
    assert pull(1.0)[0] == 6.0


def raise_items(w):
    v = w[0]
    v += 1.0
    u = w[1]
    u += 2.0
    return w[0] * w[1]


def test_numbers_beside_arrays():
    """A number is replaced where an array is changed."""
    derivative = ad.value_and_grad(raise_items)
    for compiled in (derivative, ad.jit(derivative)):
        value, d = compiled([np.array(3.0), 4.0])
        assert (value, float(d[0]), float(d[1])) == (16.0, 4.0, 4.0)
    w = [np.array(3.0), 4.0]
    assert ad.jit(raise_items)(w) == 16.0
    assert repr(w) == "[array(4.), 4.0]"


def raise_first(w):
    w[0] += 1.0
    return w[0]


@pytest.mark.parametrize("derived", [ad.grad, ad.jit])
def test_items_of_tuples_are_not_assigned(derived):
    with pytest.raises(TypeMismatch):
        derived(raise_first)((np.array(3.0),))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.where(x > 0, x, 0.0),
        lambda x: np.max(x),
        lambda x: np.sinc(x),
        lambda x: np.power(0.0, x),
    ],
)
@pytest.mark.parametrize("x", [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5)])
def test_gradients_of_numbers_are_numbers(function: Any, x: Any) -> None:
    for gradient in (ad.grad(function), ad.jit(ad.grad(function))):
        found = gradient(x)
        assert isinstance(found, float | np.floating)
        assert np.asarray(found).dtype == np.asarray(x).dtype


def test_values_of_vjp_stay_arrays():
    def parts(x):
        made = np.array(x[2])
        made += 1.0
        return made, np.asarray(x[0]), np.sum(x)

    x = np.array([0.5, 1.5, -2.0])
    value, pull = ad.vjp(parts, x)
    assert repr(value) == repr(parts(x))
    np.testing.assert_array_equal(pull((1.0, 2.0, 0.0))[0], [2.0, 0.0, 1.0])
