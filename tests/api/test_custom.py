"""`custom_vjp`, `custom_jvp`, `stop_gradient` and primitives of the user's."""

import functools

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])
Y = np.array([1.5, 0.4, -0.8])


@ad.custom_vjp
def reversed_gradient(x):
    return x


@reversed_gradient.vjp
def reversed_gradient_vjp(z, x, *, dz):
    return -dz


@ad.custom_vjp
def clipped(x):
    return x * 1.0


@clipped.vjp
def clipped_vjp(z, x, *, dz):
    return np.clip(dz, -1.0, 1.0)


@ad.custom_vjp
def times_power(x, y, n=2):
    return x * y**n


@times_power.vjp
def times_power_vjp(z, x, y, n, *, dz):
    return dz * y**n, dz * n * x * y ** (n - 1), None


@ad.custom_jvp
def square_times(x, y):
    return x**2 * y


@square_times.jvp
def square_times_jvp(z, x, y, *, dx, dy):
    return 2 * x * y * dx + x**2 * dy


@ad.custom_vjp
def sine_times(x, y):
    return np.sin(x) * y


def sine_times_fwd(x, y):
    return np.sin(x) * y, (np.cos(x), np.sin(x), y)


def sine_times_bwd(residuals, dz):
    cosine, sine, y = residuals
    return cosine * y * dz, sine * dz


sine_times.defvjp(sine_times_fwd, sine_times_bwd)


@ad.custom_jvp
def pushed_sine_times(x, y):
    return np.sin(x) * y


@pushed_sine_times.defjvp
def pushed_sine_times_rule(primals, tangents):
    x, y = primals
    dx, dy = tangents
    return np.sin(x) * y, np.cos(x) * y * dx + np.sin(x) * dy


PLAIN = {
    times_power: lambda x, y: x * y**2,
    square_times: lambda x, y: x**2 * y,
    sine_times: lambda x, y: np.sin(x) * y,
    pushed_sine_times: lambda x, y: np.sin(x) * y,
}


@pytest.mark.parametrize("custom", PLAIN, ids=lambda f: f.__name__)
def test_true_rules_agree_with_the_body(custom):
    def f(x, y):
        return np.sum(np.exp(custom(x, y)))

    def g(x, y):
        return np.sum(np.exp(PLAIN[custom](x, y)))

    np.testing.assert_allclose(custom(X, Y), PLAIN[custom](X, Y))
    for argnum in (0, 1):
        np.testing.assert_allclose(ad.grad(f, argnum)(X, Y), ad.grad(g, argnum)(X, Y))
        np.testing.assert_allclose(
            ad.hvp(f, argnum)(X, Y, X), ad.hvp(g, argnum)(X, Y, X)
        )
    np.testing.assert_allclose(ad.jvp(f, (X, Y), (Y, X)), ad.jvp(g, (X, Y), (Y, X)))
    np.testing.assert_allclose(ad.grad(lambda x: f(x, Y))(X), ad.grad(g)(X, Y))
    ad.check_grads(f, (X, Y))


@pytest.mark.parametrize("custom", PLAIN, ids=lambda f: f.__name__)
def test_rules_in_loops_and_branches(custom):
    def run(f, x, y):
        h = x
        for t in range(4):
            h = f(h, y) if t % 2 else h + x
        return np.sum(h)

    a = ad.grad(lambda x, y: run(custom, x, y), (0, 1))(X, Y)
    b = ad.grad(lambda x, y: run(PLAIN[custom], x, y), (0, 1))(X, Y)
    np.testing.assert_allclose(a, b)


def test_rules_that_change_the_gradient():
    np.testing.assert_allclose(
        ad.grad(lambda x: np.sum(reversed_gradient(x) ** 2))(X), -2 * X
    )
    np.testing.assert_allclose(
        ad.grad(lambda x: np.sum(clipped(x) ** 2))(3 * X), np.clip(6 * X, -1, 1)
    )


def test_a_linear_reverse_rule_gives_forward_mode():
    tangent = ad.jvp(lambda x: reversed_gradient(x) ** 2, (X,), (Y,))[1]
    np.testing.assert_allclose(tangent, -2 * X * Y)


def test_a_rule_that_is_not_linear_serves_one_mode():
    with pytest.raises(ad.NotDifferentiable, match="not linear") as caught:
        ad.jvp(lambda x: clipped(x), (X,), (Y,))
    assert caught.value.span is not None


def test_the_value_may_be_changed_in_place():
    def f(x):
        y = reversed_gradient(x)
        y[0] = 5.0
        return np.sum(x**2) + np.sum(y**2)

    np.testing.assert_allclose(ad.grad(f)(X), [2 * X[0], 0.0, 0.0])


def test_arguments_that_are_not_differentiated():
    @functools.partial(ad.custom_vjp, nondiff_argnums=(0,))
    def apply(f, x):
        return f(x)

    apply.defvjp(lambda f, x: (f(x), x), lambda f, x, dz: (dz * x,))
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(apply(np.sin, x)))(X), X)


class Scaled:
    """A class with a custom method."""

    def __init__(self, k):
        self.k = k

    @ad.custom_vjp
    def apply(self, x):
        return x * self.k

    @apply.vjp
    def apply_vjp(z, self, x, *, dz):
        return None, 10.0 * dz

    def total(self, x):
        return np.sum(self.apply(x))


def test_methods():
    np.testing.assert_allclose(Scaled(2.0).apply(X), 2 * X)
    np.testing.assert_allclose(ad.grad(Scaled(2.0).total)(X), np.full(3, 10.0))


def test_structured_arguments():
    @ad.custom_vjp
    def f(p, xs):
        return np.sum(p["a"]) * p["b"] + xs[0]

    @f.vjp
    def f_vjp(z, p, xs, *, dz):
        return {"a": 2.0 * dz * np.ones(3), "b": 7.0 * dz}, [dz, 0.0]

    dp, dxs = ad.grad(f, (0, 1))({"a": X, "b": 2.0}, [1.0, 2.0])
    np.testing.assert_allclose(dp["a"], np.full(3, 2.0))
    assert dp["b"] == 7.0
    assert dxs == [1.0, 0.0]


def test_the_body_need_not_be_readable():
    @ad.custom_vjp
    def rounded_through_text(x):
        return float.fromhex(float(x).hex())

    @rounded_through_text.vjp
    def rounded_through_text_vjp(z, x, *, dz):
        return 3.0 * dz

    assert ad.grad(lambda x: 2.0 * rounded_through_text(x))(2.0) == 6.0


@pytest.mark.parametrize(
    ("rule", "error", "said"),
    [
        (lambda z, x, y, *, dz: dz, ad.NotDifferentiable, "1 cotangent,"),
        (lambda z, x, y, *, dz: (dz, dz, dz), ad.NotDifferentiable, "3 cotangents,"),
        (lambda z, x, y, *, dz: (np.sum(dz), dz), ad.ShapeMismatch, "shape"),
    ],
)
def test_wrong_rules_are_refused(rule, error, said):
    f = ad.custom_vjp(lambda x, y: x * y)
    f.vjp(rule)
    with pytest.raises(error, match=said) as caught:
        ad.grad(lambda x: np.sum(f(x, x)))(X)
    assert caught.value.span is not None


def test_missing_and_misnamed_rules_are_refused():
    f = ad.custom_vjp(lambda x: x * 2)
    with pytest.raises(ad.NotDifferentiable):
        ad.grad(lambda x: np.sum(f(x)))(X)
    with pytest.raises(ad.NotDifferentiable):
        ad.jvp(lambda x: f(x), (X,), (X,))
    with pytest.raises(ad.ArgumentError, match="dz"):
        f.vjp(lambda z, x, d: d)
    with pytest.raises(ad.ArgumentError, match="dx"):
        f.jvp(lambda z, x, *, dy: dy)
    with pytest.raises(ad.ArgumentError, match="nondiff_argnums"):
        ad.custom_vjp(lambda x: x, nondiff_argnums=(3,))


def test_a_function_that_changes_its_argument_is_refused():
    @ad.custom_vjp
    def f(x):
        x[0] = 1.0
        return x

    f.vjp(lambda z, x, *, dz: dz)
    with pytest.raises(ad.MutationError, match="rule of its own"):
        ad.grad(lambda x: np.sum(f(x)))(X)


# stop_gradient ----------------------------------------------------------------------


def test_stop_gradient():
    def f(x):
        return x * ad.stop_gradient(x)

    np.testing.assert_allclose(ad.grad(lambda x: np.sum(f(x)))(X), X)
    np.testing.assert_allclose(ad.jvp(f, (X,), (Y,))[1], X * Y)
    np.testing.assert_allclose(ad.stop_gradient(X), X)


def test_stop_gradient_of_structures():
    found = ad.grad(lambda p: np.sum(ad.stop_gradient(p)["w"] * p["w"]))({"w": X})
    np.testing.assert_allclose(found["w"], X)
    model = Scaled(X)
    found = ad.grad(lambda m: np.sum(m.k * ad.stop_gradient(m).k))(model)
    np.testing.assert_allclose(found.k, X)


def test_stop_gradient_is_a_copy():
    def f(x):
        y = ad.stop_gradient(x)
        y[0] = 0.0
        x[1] = 2.0 * x[0]
        return np.sum(x * y)

    np.testing.assert_allclose(ad.grad(f)(X), [2 * X[1], 0.0, X[2]])


# Primitives of the user's -----------------------------------------------------------


@ad.primitive
def squared(x):
    return x**2


@squared.vjp
def squared_vjp(z, x, *, dz):
    return 2.0 * x * dz


@ad.primitive
def multiplied(x, y):
    return x * y


@multiplied.vjp
def multiplied_vjp(z, x, y, *, dz):
    return dz * y


def test_a_primitive_needs_the_rule_of_the_mode():
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(squared(x)))(X), 2 * X)
    with pytest.raises(ad.NotDifferentiable, match="forward rule"):
        ad.jvp(lambda x: squared(x), (X,), (X,))


def test_a_primitive_with_too_few_cotangents_is_refused():
    with pytest.raises(ad.NotDifferentiable, match="one cotangent"):
        ad.grad(lambda x: np.sum(multiplied(x, x)))(X)


@pytest.mark.parametrize("declare", [ad.custom_vjp, ad.custom_jvp, ad.primitive])
def test_rules_declared_in_a_function_that_is_read_are_refused(declare):
    def inside(x):
        @declare
        def doubled(v):
            return v * 2.0

        return doubled(x)

    with pytest.raises(ad.UnsupportedSyntax, match="outside"):
        ad.grad(inside)(1.0)


def test_products_with_approximate_hessians_inside_are_refused():
    def inside(x):
        return np.sum(ad.gauss_newton_product(lambda v: v**2)(x, x))

    with pytest.raises(ad.UnsupportedSyntax, match="approximate Hessian"):
        ad.grad(inside)(np.ones(2))
