"""What calls look at before a program is used again, and what they say if it fails."""

from dataclasses import dataclass

import numpy as np
import pytest

import anadrome as ad
from anadrome.driver import recall
from anadrome.driver.specialise import key_of
from anadrome.primitives import registry

X = np.array([0.3, -0.7, 1.2])


def helper(x):
    return x * x


def often(x):
    return np.sum(helper(x) + helper(2.0 * x) + helper(helper(x)))


def matrix(a, b):
    return a @ b


def through_helper(a, b):
    return np.sum(matrix(a, b))


def alone(a, b):
    return np.sum(a @ b)


def program_of(function):
    return next(iter(function._compiled.values()))[0]


@pytest.mark.parametrize("transform", [ad.grad, ad.jit])
def test_a_function_that_is_called_often_is_looked_at_once(transform):
    function = transform(often)
    function(X)
    # The variable, and with it the code of the function that it holds.
    assert len(program_of(function).checks) == 1


def test_a_recalled_program_looks_once_too(monkeypatch, tmp_path):
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(registry, "_foreign", [])
    ad.jit(often)(X)
    function = ad.jit(often)
    np.testing.assert_allclose(function(X), often(X))
    assert isinstance(program_of(function), recall.Recalled)
    assert len(program_of(function).checks) == 1
    monkeypatch.setitem(globals(), "helper", lambda x: x**3)
    np.testing.assert_allclose(function(X), often(X))


@pytest.mark.parametrize("transform", [ad.grad, ad.jit])
def test_new_code_of_a_function_that_is_called_often(transform, monkeypatch):
    def other(x):
        return x**3

    function = transform(often)
    before = function(X)
    monkeypatch.setattr(helper, "__code__", other.__code__)
    np.testing.assert_allclose(function(X), transform(often)(X))
    assert not np.allclose(function(X), before)


@pytest.mark.parametrize("function", [through_helper, alone])
@pytest.mark.parametrize(
    "transform",
    [ad.jit, lambda f: ad.jit(ad.grad(f)), lambda f: ad.grad(ad.jit(f))],
    ids=["jit", "jit of grad", "grad of jit"],
)
def test_sizes_that_do_not_fit_are_named(function, transform):
    called = transform(function)
    called(np.ones((3, 4)), np.ones((4, 5)))
    with pytest.raises(ad.ShapeMismatch, match="6 is axis 0 of 'b'"):
        called(np.ones((3, 4)), np.ones((6, 5)))


@dataclass
class Chain:
    weight: object
    rest: object = None
    other: object = None


def test_records_are_told_apart_by_what_they_hold():
    x = np.ones(3)
    values = [
        Chain(1),
        Chain(1.0),
        Chain(x),
        Chain(x.astype(np.float32)),
        Chain(np.ones(1)),
        Chain(x, Chain(x)),
        Chain(x, None, Chain(x)),
        Chain(x, (Chain(x),)),
        Chain(x, 1.0),
    ]
    assert len({key_of(v) for v in values}) == len(values)
    assert key_of(Chain(x, Chain(x))) == key_of(Chain(x + 1, Chain(x, Chain(x))))
    more = Chain(x)
    more.extra = 1.0
    renamed = Chain(x)
    renamed.another = 1.0
    assert len({key_of(v) for v in (Chain(x), more, renamed)}) == 3
