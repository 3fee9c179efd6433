"""Context managers written as generators, in values and derivatives."""

import contextlib

import numpy as np
import pytest

import anadrome as ad


@contextlib.contextmanager
def doubled(a):
    a = a * 2
    yield a


@contextlib.contextmanager
def logged(a, log, *, times=3):
    try:
        yield a * times
    finally:
        log.append(1.0)


@contextlib.contextmanager
def forgiving(a):
    try:
        yield a
    except ValueError as error:
        note = int(isinstance(error, ValueError))
    else:
        note = 0
    assert note < 2


@contextlib.contextmanager
def translated(log):
    log.append(1.0)
    try:
        yield
    except KeyError:
        raise IndexError("another one") from None
    log.append(2.0)


def plain(x):
    with doubled(x) as y, doubled(y) as z:
        r = y * z
    return r


def finally_runs(x):
    log = []
    with logged(x, log) as y, logged(y, log, times=2) as z:
        r = y * z
    return r + len(log)


def leaves_with_an_exception(x):
    log = []
    try:
        with logged(x, log) as y:
            if y > 0:
                raise KeyError
            x = x * 10
    except KeyError:
        return x * x + len(log)
    return x


def is_ended(x):
    with forgiving(x) as y:
        x = x * y
        if x > 1:
            raise ValueError("large")
        x = x * 100
    return x * 2


def returns_from_the_block(x):
    log = []
    for _ in range(3):
        with logged(x, log) as y:
            if y > 100:
                return y
            x = x * y
    return x + len(log)


def becomes_another(x):
    log = []
    try:
        with translated(log):
            raise KeyError
    except IndexError:
        return x * x * len(log)
    return x


@pytest.mark.parametrize("x", [0.25, 2.0])
@pytest.mark.parametrize(
    "f",
    [
        plain,
        finally_runs,
        leaves_with_an_exception,
        is_ended,
        returns_from_the_block,
        becomes_another,
    ],
)
def test_they_are_followed(f, x):
    h = 1e-6
    slope = (f(x + h) - f(x - h)) / (2 * h)
    assert repr(ad.jit(f)(x)) == repr(f(x))
    for g in (ad.value_and_grad(f), ad.jit(ad.value_and_grad(f))):
        value, found = g(x)
        assert value == f(x)
        np.testing.assert_allclose(found, slope, rtol=1e-4)


@contextlib.contextmanager
def stretched(by=2.0):
    yield by


def stretch(x):
    with stretched() as by:
        return x * by


def longer(by=2.0):
    yield by + 1.0


@pytest.mark.parametrize("transform", [ad.grad, ad.jit, lambda f: ad.jit(ad.grad(f))])
def test_code_and_defaults_that_are_replaced_are_noticed(transform, monkeypatch):
    compiled = transform(stretch)
    assert compiled(1.0) == 2.0
    monkeypatch.setattr(stretched.__wrapped__, "__defaults__", (5.0,))
    assert compiled(1.0) == 5.0
    monkeypatch.setattr(stretched.__wrapped__, "__code__", longer.__code__)
    assert compiled(1.0) == 6.0
