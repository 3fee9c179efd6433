"""What is refused on a path is refused when the path is taken, and not before."""

import numpy as np
import pytest

import anadrome as ad


def without_rule(x, n):
    if n < 0:
        return np.polyfit(np.arange(4.0), np.ones(4) * x, 1)[0]
    return x * x


def in_a_loop(x, n):
    for k in range(2):
        if k > n:
            for _ in range(2):
                x = x + eval("x")
        x = x * 1.0
    return x * x


def in_an_expression(x, n):
    return eval("x") if n < 0 else x * x


def in_a_handler(x, n):
    try:
        y = x * x
    except ValueError:
        y = eval("x")
    if n < 0:
        y = y + eval("x")
    return y


PROGRAMS = [without_rule, in_a_loop, in_an_expression, in_a_handler]
MODES = {
    "gradient": ad.grad,
    "native gradient": lambda f: ad.jit(ad.grad(f)),
    "forward": lambda f: lambda x, n: ad.jvp(f, (x, n), (1.0, None))[1],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_refused_when_reached(f, mode):
    g = MODES[mode](f)
    assert g(3.0, 5) == 6.0
    with pytest.raises(ad.AnadromeError) as caught:
        g(3.0, -1)
    assert caught.value.span is not None
    assert caught.value.help
    assert g(3.0, 5) == 6.0


def missing_key(x, n):
    d = {"a": x}
    return d["b"] if n < 0 else d["a"] * x


def missing_attribute(x, n):
    if n < 0:
        return x.foo
    return x * x


def wrong_operands(x, n):
    return "a" + x if n < 0 else x * x


@pytest.mark.parametrize("make", [ad.jit, ad.grad, lambda f: ad.jit(ad.grad(f))])
@pytest.mark.parametrize("f", [missing_key, missing_attribute, wrong_operands])
def test_what_python_raises_is_raised(f, make):
    g = make(f)
    g(3.0, 1)
    with pytest.raises(Exception) as wanted:
        f(3.0, -1)
    with pytest.raises(wanted.type) as caught:
        g(3.0, -1)
    assert not isinstance(caught.value, ad.AnadromeError)


def always(x, n):
    if n < 0:
        return eval("x")
    return eval("x") * 2.0


def test_what_is_wrong_on_every_path_is_refused_at_once():
    with pytest.raises(ad.UnsupportedSyntax):
        ad.source(ad.grad(always), 1.0, 1)


def certain(x):
    d = {"a": x}
    return d["b"]


def test_what_reading_finds_can_be_caught_as_python_does():
    with pytest.raises(KeyError) as caught:
        ad.grad(certain)(1.0)
    assert isinstance(caught.value, ad.TypeMismatch)
