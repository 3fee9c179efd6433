"""`with ad.insert_grad_of(x) as dx`: code of the user's in the backward pass."""

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])


def test_clipping_and_printing(capsys):
    # Thesis, listing 13.4.
    def f(x):
        with ad.insert_grad_of(x) as dx:
            if dx > 10:
                print("Clipping", dx)
                dx = 10
        return x * x

    assert ad.grad(f)(7.0) == 10
    assert capsys.readouterr().out == "Clipping 14.0\n"
    assert ad.grad(f)(2.0) == 4.0
    assert capsys.readouterr().out == ""


def test_in_a_loop():
    def f(x):
        h = x
        for _ in range(3):
            h = h * 2.0
            with ad.insert_grad_of(h) as dh:
                dh = np.clip(dh, -1.5, 1.5)
        return np.sum(h * h)

    d = np.clip(16 * X, -1.5, 1.5)
    for _ in range(2):
        d = np.clip(2 * d, -1.5, 1.5)
    np.testing.assert_allclose(ad.grad(f)(X), 2 * d)


def test_truncation_in_a_branch():
    def f(x, n):
        h = x
        for k in range(n):
            if k == 2:
                with ad.insert_grad_of(h) as dh:
                    dh = np.zeros_like(dh)
            h = np.tanh(h) + x
        return np.sum(h)

    def g(x, n):
        h = x
        for k in range(n):
            h = np.tanh(ad.stop_gradient(h) if k == 2 else h) + x
        return np.sum(h)

    np.testing.assert_allclose(ad.grad(f)(X, 5), ad.grad(g)(X, 5))


def test_the_block_sees_values_of_the_function(capsys):
    def f(x):
        y = np.sum(x**2)
        with ad.insert_grad_of(y) as dy:
            print("y is", round(float(y), 2), "its gradient", dy)
            dy = dy * y
        return 3.0 * y

    np.testing.assert_allclose(ad.grad(f)(X), 6.0 * np.sum(X**2) * X)
    assert capsys.readouterr().out == "y is 2.02 its gradient 3.0\n"


def test_it_changes_no_value():
    def f(x):
        with ad.insert_grad_of(x) as dx:
            dx = dx * 0.0
        return np.sum(x**3)

    value, gradient = ad.value_and_grad(f)(X)
    assert value == pytest.approx(np.sum(X**3))
    np.testing.assert_array_equal(gradient, np.zeros(3))


def test_forward_mode_has_no_gradient_to_insert_into():
    def f(x):
        with ad.insert_grad_of(x) as dx:
            dx = dx * 0.0
        return np.sum(x**3)

    assert ad.jvp(f, (X,), (X,))[1] == pytest.approx(np.sum(3 * X**3))


def test_outside_of_derivatives_it_is_an_error():
    def f(x):
        with ad.insert_grad_of(x) as dx:
            dx = 0.0
        return x, dx

    with pytest.raises(ad.UnsupportedSyntax, match="being differentiated"):
        f(1.0)
