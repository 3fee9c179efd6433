"""`check_grads` accepts what is right and finds what is wrong."""

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])


@ad.custom_vjp
def wrong(x):
    return x**2


@wrong.vjp
def wrong_vjp(z, x, *, dz):
    return 3.0 * x * dz


@ad.custom_vjp
def right_once(x):
    return x**2


@right_once.vjp
def right_once_vjp(z, x, *, dz):
    return 2.0 * ad.stop_gradient(x) * dz


@right_once.jvp
def right_once_jvp(z, x, *, dx):
    return 2.0 * ad.stop_gradient(x) * dx


def test_right_derivatives_pass():
    def recurrent(p, k):
        h = p["w"]
        for _ in range(k):
            h = np.sin(h) * p["b"]
        return np.sum(h)

    ad.check_grads(lambda x, y: np.tanh(x * y) + np.sum(x), (X, X[::-1].copy()))
    ad.check_grads(recurrent, ({"w": X, "b": 0.5}, 3))
    ad.check_grads(lambda x: (x * x, {"a": x[0]}), (X,), modes="rev")
    ad.check_grads(lambda z: z * np.exp(1j * z), (1 + 2j,), order=1)
    ad.check_grads(lambda x: np.sum(np.sin(x) * x), (X,), order=3)


@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("fwd", "rev")])
def test_wrong_derivatives_are_found(modes):
    with pytest.raises(AssertionError, match="differences say"):
        ad.check_grads(lambda x: np.sum(wrong(x)), (X,), order=1, modes=modes)


def test_wrong_second_derivatives_are_found():
    ad.check_grads(lambda x: np.sum(right_once(x)), (X,), order=1)
    with pytest.raises(AssertionError, match="mode of"):
        ad.check_grads(lambda x: np.sum(right_once(x)), (X,), order=2)


def test_arguments_are_checked():
    with pytest.raises(ad.ArgumentError, match="'fwd' or 'rev'"):
        ad.check_grads(np.sum, (X,), modes=("sideways",))
    with pytest.raises(ad.ArgumentError, match="floating-point"):
        ad.check_grads(lambda n: n, (3,))
