"""Programs that fail for the sizes of their arguments have gradients that fail too.

A program is compiled for sizes that fit and then called with others: what it was
simplified by must still be checked, in Python and in native code.
"""

import numpy as np
import pytest

import anadrome as ad


def numbers(*shape):
    return np.cos(np.arange(1.0, 1 + np.prod(shape))).reshape(shape)


def vectors(a, b):
    return a @ b


def dots(a, b):
    return np.dot(a, b)


def inner(a, b):
    return np.inner(a, b)


def vecdot(a, b):
    return np.vecdot(a, b)


def tensordot(a, b):
    return np.tensordot(a, b, 1)


def einsum(a, b):
    return np.einsum("i,i->", a, b)


def product(a, b):
    return np.sum(a * b)


def running(a, b):
    return np.sum(np.cumsum(a) * b)


def reversed_factor(a, b):
    return np.sum(a[::-1] * b)


def stacked(a, b):
    return np.sum(np.stack([a, b]) ** 2)


def beside(a, b):
    return np.sum(np.stack([a, b], axis=1) ** 2)


def array_of_rows(a, b):
    return np.sum(np.array([a, b]) ** 2)


def interpolated(a, b):
    return np.interp(0.5, np.sort(a), b)


def looped(a, b):
    s = 0.0
    for t in range(3):
        s += a @ b * t
    return s


def lines(a, b):
    return np.sum(np.sum(a, 1) * b)


def each_row(a, b):
    s = 0.0
    for t in range(len(a)):
        s += a[t] @ b
    return s


def each_column(a, b):
    s = 0.0
    for t in range(len(a)):
        s += np.sum(a[:, t] * b)
    return s


def batches(a, b):
    return np.sum(a @ b)


def planes(a, b):
    return np.tensordot(a, b, 2)


VECTORS = [
    vectors,
    dots,
    inner,
    vecdot,
    tensordot,
    einsum,
    product,
    running,
    reversed_factor,
    stacked,
    beside,
    array_of_rows,
    interpolated,
    looped,
]
CASES = [(f, (3,), (3,), (3,), (7,)) for f in VECTORS]
# Where NumPy does not take an axis of length one for any length.
CASES += [
    (f, (3,), (3,), (3,), (1,)) for f in (vectors, dots, inner, vecdot, tensordot)
]
CASES += [
    (each_row, (4, 4), (4,), (4, 4), (1,)),
    (each_row, (4, 4), (4,), (4, 4), (3,)),
    (each_column, (4, 4), (4,), (4, 4), (3,)),
    (lines, (2, 3), (2,), (2, 3), (3,)),
    (batches, (2, 2, 3), (2, 3, 2), (2, 2, 3), (2, 1, 2)),
    (batches, (2, 2, 3), (3,), (2, 2, 3), (2,)),
    (planes, (2, 3), (2, 3), (2, 3), (3, 2)),
]
MODES = {
    "gradient": lambda f: ad.grad(f, (0, 1)),
    "of one": lambda f: ad.grad(f, 0),
    "compiled": ad.jit,
    "compiled gradient": lambda f: ad.jit(ad.grad(f, (0, 1))),
    "compiled of one": lambda f: ad.jit(ad.grad(f, 0)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__}-{c[4]}")
def test_what_fails_has_no_gradient(case, mode):
    f, a, b, c, d = case
    g = MODES[mode](f)
    g(numbers(*a), numbers(*b))
    with pytest.raises((ValueError, TypeError, IndexError)):
        f(numbers(*c), numbers(*d))
    with pytest.raises(ValueError):
        g(numbers(*c), numbers(*d))
    g(numbers(*a), numbers(*b))


def test_the_check_that_is_left_is_all_that_is_left():
    x = numbers(3)
    source = ad.source(ad.grad(product, (0, 1)), x, x)
    assert "fit_together(a, b)" in source
    assert "*" not in source


def test_nothing_is_checked_twice():
    def f(a, b):
        return np.sum(np.tanh(a * b))

    x = numbers(3)
    assert "fit" not in ad.source(ad.grad(f, (0, 1)), x, x)
    assert "fit" not in ad.source(ad.value_and_grad(product, (0, 1)), x, x)


def three(v):
    p, q, r = v
    return p * q * r


def ends(v):
    p, *rest, q = v
    return p * q + sum(rest)


def caught(v):
    try:
        p, q, r = v
    except ValueError:
        return np.sum(v * v)
    return p * q * r


@pytest.mark.parametrize("wrap", [ad.grad, lambda f: ad.jit(ad.grad(f))])
def test_values_to_unpack_are_counted(wrap):
    g = wrap(three)
    assert np.array_equal(g(np.array([1.0, 2.0, 3.0])), [6.0, 3.0, 2.0])
    with pytest.raises(ValueError, match="not enough values to unpack"):
        g(np.ones(2))
    with pytest.raises(ValueError, match="too many values to unpack"):
        g(np.ones(4))
    g = wrap(ends)
    assert np.array_equal(g(np.array([1.0, 2.0, 3.0])), [3.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="not enough values to unpack"):
        g(np.ones(1))
    g = wrap(caught)
    assert np.array_equal(g(np.array([1.0, 2.0, 3.0])), [6.0, 3.0, 2.0])
    assert np.array_equal(g(np.array([1.0, 2.0])), [2.0, 4.0])
    assert np.array_equal(g(np.ones(4)), np.full(4, 2.0))
