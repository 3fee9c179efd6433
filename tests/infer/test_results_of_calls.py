"""What calls return is what Python says it is: right in both backends, or refused."""

from __future__ import annotations

import numpy as np
import pytest
import result_programs as programs

import anadrome as ad

# `np.matrix` warns that it is not recommended.
pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")


def same(a, b):
    assert type(a) is type(b)
    if isinstance(a, np.ma.MaskedArray):
        np.testing.assert_array_equal(a.mask, b.mask)
        a, b = a.compressed(), b.compressed()
    assert np.asarray(a).dtype == np.asarray(b).dtype
    np.testing.assert_allclose(a, b, rtol=1e-12)


def slope(f, x, *rest):
    h, found = 1e-6, np.zeros(np.shape(x))
    for at in np.ndindex(*np.shape(x)):
        step = np.zeros(np.shape(x))
        step[at] = h
        found[at] = (f(x + step, *rest) - f(x - step, *rest)) / (2 * h)
    return found


def derivatives_agree(f, x, *rest):
    wanted = slope(f, x, *rest)

    def pushed(x, *rest):
        return ad.jvp(lambda y: f(y, *rest), (x,), (np.ones_like(x),))[1]

    for gradient in (ad.grad(f), ad.jit(ad.grad(f))):
        found = gradient(x, *rest)
        assert not np.iscomplexobj(found)
        assert np.shape(found) == np.shape(x)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    if not rest:
        for forward in (pushed, ad.jit(pushed)):
            np.testing.assert_allclose(
                np.real(forward(x)), np.sum(wanted), rtol=1e-5, atol=1e-6
            )


@pytest.mark.parametrize(
    ("f", "x"), programs.RESULTS, ids=lambda v: getattr(v, "__name__", "")
)
def test_results_are_not_cast(f, x):
    same(ad.jit(f)(x), f(x))


@pytest.mark.parametrize(
    ("f", "option"), programs.OPTIONS, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_options_may_be_values(f, option):
    x = programs.MATRIX
    same(ad.jit(f)(x, option), f(x, option))
    derivatives_agree(f, x, option)


@pytest.mark.parametrize("f", programs.UNKNOWN)
def test_derivatives_through_values_of_unknown_type(f):
    x = np.array([0.7, 0.4, 1.9])
    same(ad.jit(f)(x), f(x))
    derivatives_agree(f, x)


@pytest.mark.parametrize("f", [programs.solved, programs.solved_at_times])
def test_solutions_of_equations(f):
    y = np.array([1.0, 2.0])
    np.testing.assert_allclose(ad.jit(f)(y), f(y))
    for gradient in (ad.grad(f), ad.jit(ad.grad(f))):
        np.testing.assert_allclose(gradient(y), slope(f, y), rtol=1e-4)


@pytest.mark.parametrize("f", [programs.masked_product, programs.matrix_product])
def test_arrays_with_rules_of_their_own_are_refused(f):
    x = np.array([0.7, 0.4, 1.9])
    same(ad.jit(f)(x), f(x))
    for gradient in (ad.grad(f), ad.jit(ad.grad(f))):
        with pytest.raises(ad.AnadromeError, match="cannot be differentiated through"):
            gradient(x)
