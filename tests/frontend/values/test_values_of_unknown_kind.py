"""Functions in attributes, methods of opaque values, functions for integrators."""

import datetime
import logging
import re
from decimal import Decimal

import numpy as np
import pytest
from scipy.integrate import odeint, quad

import anadrome as ad

LOG = logging.getLogger("test")


class Layer:
    def __init__(self, act, weight):
        self.act, self.weight = act, weight

    def __call__(self, x):
        return self.act(x * self.weight)


LAYER = Layer(np.tanh, 3.0)


def of_a_global(x):
    return LAYER(x)


def of_an_argument(x, layer):
    return layer.act(x) * layer.weight


def groups(x):
    first, second = re.match(r"(\d+)-(\d+)", "12-34").groups()
    return x * x * int(first) + int(second)


def searched(x):
    found = re.search("b+", "abbb")
    if found:
        return x * x * len(found.group(0))
    return x


def rounded(x):
    LOG.debug("a line")
    return x * x * float(Decimal("1.5").quantize(Decimal("1")))


def seconds(x):
    passed = datetime.datetime(2020, 1, 2) - datetime.datetime(2020, 1, 1)
    return x * x * passed.total_seconds()


def decay(x):
    def speed(y, t):
        return -x * y

    return odeint(speed, np.array([1.0]), np.array([0.0, 1.0]))[-1, 0]


def integral(x):
    return quad(lambda v: np.exp(-x * v), 0.0, 1.0)[0]


PROGRAMS = [of_a_global, groups, searched, rounded, seconds, decay, integral]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f):
    x, h = 0.7, 1e-5
    slope = (f(x + h) - f(x - h)) / (2 * h)
    assert ad.jit(f)(x) == pytest.approx(f(x))
    assert ad.grad(f)(x) == pytest.approx(slope, rel=1e-4)
    assert ad.jit(ad.grad(f))(x) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("make", [ad.jit, lambda f: ad.jit(ad.grad(f)), ad.grad])
def test_a_program_is_made_for_each_function(make):
    g = make(of_an_argument)
    for act in (np.tanh, np.sin, np.tanh, lambda v: v * v):
        layer = Layer(act, 2.0)
        fresh = make(of_an_argument)
        assert g(0.5, layer) == fresh(0.5, layer)
    assert ad.jit(of_an_argument)(0.5, Layer(np.sin, 2.0)) == pytest.approx(
        2.0 * np.sin(0.5)
    )


def test_an_attribute_of_a_global_is_replaced():
    g = ad.grad(of_a_global)
    before = g(0.5)
    old = LAYER.act
    LAYER.act = np.sin
    try:
        assert g(0.5) == pytest.approx(3.0 * np.cos(1.5))
    finally:
        LAYER.act = old
    assert g(0.5) == before


def replaces(x, layer):
    layer.act = np.cos
    return layer.act(x)


def test_replacing_a_function_is_refused():
    with pytest.raises(ad.UnsupportedSyntax, match="replaced"):
        ad.grad(replaces)(0.5, Layer(np.sin, 2.0))


def unknown(x, functions):
    return functions["f"](x)


def test_a_derivative_through_an_unknown_function_is_refused():
    assert ad.jit(unknown)(0.5, {"f": np.sin}) == np.sin(0.5)
    with pytest.raises(ad.UnknownFunction, match="known only at run time"):
        ad.grad(unknown)(0.5, {"f": np.sin})


class Model:
    factor = 3.0

    @ad.jit
    def value(self, x):
        return self.factor * x * x


def test_gradient_of_a_bound_native_method():
    model = Model()
    assert ad.grad(model.value)(2.0) == 12.0
    assert ad.jit(ad.grad(model.value))(2.0) == 12.0
    model.factor = 5.0
    assert ad.grad(model.value)(2.0) == 20.0
