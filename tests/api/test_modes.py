"""`jvp`, `vjp`, Jacobians, Hessians and their products, alone and inside each other."""

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])
Y = np.array([1.5, 0.4, -0.8])


# jvp and vjp ------------------------------------------------------------------------


def test_jvp():
    value, tangent = ad.jvp(lambda x, y: x * y, (X, Y), (Y, X))
    np.testing.assert_allclose(value, X * Y)
    np.testing.assert_allclose(tangent, X**2 + Y**2)
    assert ad.jvp(lambda x, n: x**n, (2.0, 3), (1.0, None)) == (8.0, 12.0)
    assert ad.jvp(lambda x: x**2, (2.0,), (1,)) == (4.0, 4.0)


def test_jvp_of_structures():
    value, tangent = ad.jvp(
        lambda p: {"s": p["x"] * p["y"][0], "n": p["n"]},
        ({"x": X, "y": [2.0], "n": 3},),
        ({"x": Y, "y": [1.0], "n": 0},),
    )
    np.testing.assert_allclose(value["s"], 2 * X)
    np.testing.assert_allclose(tangent["s"], 2 * Y + X)


@pytest.mark.parametrize(
    ("primals", "tangents"),
    [
        ((X,), (np.ones(2),)),
        ((X,), (1.0,)),
        ((X,), (X * 1j,)),
        ((X,), (X, X)),
        ((X,), ([1.0, 2.0, 3.0],)),
        (X, X),
        ((3,), (1.0,)),
        (({"a": X},), ({"b": X},)),
        (([X, X],), ([X],)),
    ],
)
def test_tangents_that_do_not_fit_are_refused(primals, tangents):
    with pytest.raises(ad.ArgumentError):
        ad.jvp(lambda x: x, primals, tangents)


def test_vjp():
    value, pullback = ad.vjp(lambda x, y: (x * y, {"s": x.sum()}), X, Y)
    np.testing.assert_allclose(value[0], X * Y)
    for _ in range(2):
        dx, dy = pullback((Y, {"s": 1.0}))
        np.testing.assert_allclose(dx, Y * Y + 1)
        np.testing.assert_allclose(dy, X * Y)


def test_vjp_leaves_arguments_without_numbers_out():
    pullback = ad.vjp(lambda x, n, y: x**n * y, 2.0, 3, 5.0)[1]
    assert pullback(1.0) == (60.0, None, 8.0)


def test_a_pullback_of_stores_serves_more_than_once():
    def f(x):
        z = np.zeros(3)
        z[0] = x[0] ** 2
        z[1:] = x[1:]
        z *= x
        return z

    _, pullback = ad.vjp(f, X)
    rows = [pullback(row)[0] for row in np.eye(3)]
    np.testing.assert_allclose(rows, np.diag([3 * X[0] ** 2, *(2 * X[1:])]))


def test_a_pullback_does_not_see_what_the_caller_changes():
    x = X.copy()
    value, pullback = ad.vjp(lambda x: np.exp(x) + x**2, x)
    x[:] = 0.0
    value[:] = 7.0
    np.testing.assert_allclose(pullback(np.ones(3))[0], np.exp(X) + 2 * X)


@pytest.mark.parametrize("cotangent", [1.0, np.ones(2), np.ones(3) * 1j, [1.0] * 3])
def test_cotangents_that_do_not_fit_are_refused(cotangent):
    _, pullback = ad.vjp(lambda x: x**2, X)
    with pytest.raises(ad.ArgumentError, match="the cotangent"):
        pullback(cotangent)


# Jacobians and Hessians -------------------------------------------------------------


@pytest.mark.parametrize("jacobian", [ad.jacobian, ad.jacfwd, ad.jacrev])
def test_jacobians(jacobian):
    found = jacobian(lambda x: np.array([x[0] * x[1], x[1] ** 2]))(X)
    np.testing.assert_allclose(found, [[X[1], X[0], 0], [0, 2 * X[1], 0]])
    matrix = np.arange(6.0).reshape(2, 3)
    assert jacobian(lambda a: a.T @ a)(matrix).shape == (3, 3, 2, 3)
    assert jacobian(lambda x: x**3)(2.0) == 12.0


@pytest.mark.parametrize("jacobian", [ad.jacobian, ad.jacfwd, ad.jacrev])
def test_jacobians_of_structures(jacobian):
    found = jacobian(lambda x, y: {"p": x * y, "s": np.sum(x)}, (0, 1))(X, Y)
    np.testing.assert_allclose(found["p"][0], np.diag(Y))
    np.testing.assert_allclose(found["p"][1], np.diag(X))
    np.testing.assert_allclose(found["s"][0], np.ones(3))
    np.testing.assert_allclose(found["s"][1], np.zeros(3))


def test_jacobian_of_a_complex_argument_is_refused():
    with pytest.raises(ad.ArgumentError, match="complex"):
        ad.jacobian(lambda z: z**2)(1 + 1j)


def test_hessians_of_structures():
    found = ad.hessian(lambda p: np.sum(p["a"] ** 2) * p["b"])({"a": X, "b": 2.0})
    np.testing.assert_allclose(found["a"]["a"], 4 * np.eye(3))
    np.testing.assert_allclose(found["a"]["b"], 2 * X)
    np.testing.assert_allclose(found["b"]["a"], 2 * X)
    assert found["b"]["b"] == 0.0
    blocks = ad.hessian(lambda x, y: np.sum(x * y * y), (0, 1))(X, Y)
    np.testing.assert_allclose(blocks[0][0], np.zeros((3, 3)))
    np.testing.assert_allclose(blocks[0][1], np.diag(2 * Y))
    np.testing.assert_allclose(blocks[1][0], np.diag(2 * Y))
    np.testing.assert_allclose(blocks[1][1], np.diag(2 * X))


def test_hessian_vector_products():
    def f(x, y, k=1.0):
        return k * np.sum(x**2 * y)

    np.testing.assert_allclose(ad.hvp(f)(X, Y, Y), 2 * Y * Y)
    np.testing.assert_allclose(ad.hvp(f)(X, Y, Y, k=3.0), 6 * Y * Y)
    dx, dy = ad.hvp(f, (0, 1))(X, Y, (Y, X))
    np.testing.assert_allclose(dx, 2 * Y * Y + 2 * X * X)
    np.testing.assert_allclose(dy, 2 * X * Y)
    with pytest.raises(ad.ArgumentError):
        ad.hvp(f)(X, Y, np.ones(2))


def test_products_with_approximate_hessians():
    def outputs(w):
        return np.tanh(w * X)

    jacobian = ad.jacobian(outputs)(Y)
    np.testing.assert_allclose(
        ad.gauss_newton_product(outputs)(Y, X), jacobian.T @ jacobian @ X
    )
    np.testing.assert_allclose(
        ad.gauss_newton_product(outputs, lambda y: np.sum(y**4))(Y, X),
        jacobian.T @ (12 * outputs(Y) ** 2 * (jacobian @ X)),
    )
    np.testing.assert_allclose(
        ad.gradient_covariance_product(outputs)(Y, X), jacobian.T @ jacobian @ X / 3
    )


# Derivatives inside functions that are differentiated -------------------------------


def test_perturbations_are_not_confused():
    # Thesis, listing 9.2: d/dx (x · d/dy (x + y)) is 1.
    assert ad.grad(lambda x: x * ad.grad(lambda y: x + y)(1.0))(1.0) == 1.0

    def pushed(x):
        return x * ad.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert ad.jvp(pushed, (1.0,), (1.0,))[1] == 1.0
    assert ad.grad(pushed)(1.0) == 1.0


@pytest.mark.parametrize("outer", ["grad", "jvp"])
@pytest.mark.parametrize(
    "inner",
    [
        lambda x: np.sum(ad.grad(lambda z: np.sum(z**4))(x)),
        lambda x: np.sum(ad.value_and_grad(lambda z: np.sum(z**4))(x)[1]),
        lambda x: np.sum(ad.elementwise_grad(lambda z: z**4)(x)),
        lambda x: np.sum(ad.jvp(lambda z: z**4, (x,), (np.ones(3),))[1]),
        lambda x: np.sum(ad.vjp(lambda z: z**4, x)[1](np.ones(3))[0]),
        lambda x: np.sum(ad.hvp(lambda z: np.sum(z**5 / 5))(x, np.ones(3))),
    ],
    ids=["grad", "value_and_grad", "elementwise_grad", "jvp", "vjp", "hvp"],
)
def test_derivatives_nest(outer, inner):
    if outer == "grad":
        found = np.sum(ad.grad(inner)(X) * Y)
    else:
        found = ad.jvp(inner, (X,), (Y,))[1]
    assert found == pytest.approx(np.sum(12 * X**2 * Y))


def test_a_pullback_inside_is_called_with_what_varies():
    def f(x, y):
        value, pullback = ad.vjp(lambda a, b: a * b**2, x, y)
        da, db = pullback(value)  # x y⁴ and 2 x² y³
        return np.sum(da * db)

    np.testing.assert_allclose(ad.grad(f)(X, Y), 6 * X**2 * Y**7)
    np.testing.assert_allclose(ad.grad(f, 1)(X, Y), 14 * X**3 * Y**6)


def test_loops_are_reversed_twice():
    def f(w, b, k):
        for _ in range(k):
            w = np.sin(w) * b
        return np.sum(w)

    def g(w, b, k):
        dw, db = ad.grad(f, (0, 1))(w, b, k)
        return np.sum(dw * w) + db

    ad.check_grads(lambda w, b: g(w, b, 3), (X, 0.5), order=1)


def test_third_derivatives():
    third = ad.grad(ad.grad(ad.grad(lambda x: np.sin(x) * x)))
    assert third(0.7) == pytest.approx(-3 * np.sin(0.7) - 0.7 * np.cos(0.7))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.interp(x, [0.0, 1], [2.0, 5.0]).sum(),
        lambda x: np.interp(0.3, [0, 1], [x[0], x[1]]),
        lambda x: np.take([1.0, 2.0], [0, 1]) @ x + np.dot([1, 0], x),
    ],
)
def test_lists_of_constants_have_no_tangent(function):
    x, v = np.array([0.1, 0.2]), np.array([1.0, 3.0])
    _, found = ad.jvp(function, (x,), (v,))
    np.testing.assert_allclose(found, ad.grad(function)(x) @ v, rtol=1e-12)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("jacobian", [ad.jacobian, ad.jacfwd, ad.jacrev])
def test_the_jacobian_of_a_function_defined_inside(jacobian, native):
    def inner(x):
        return np.sum(jacobian(lambda v: np.sin(v) * x[0])(x) ** 2)

    x = np.array([0.5, 1.5])
    gradient = ad.jit(ad.grad(inner)) if native else ad.grad(inner)
    steps = 1e-6 * np.eye(2)
    slopes = [(inner(x + s) - inner(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(gradient(x), slopes, rtol=1e-6)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_jacobians_of_nothing(shape, native):
    run = ad.jit if native else lambda f: f
    x = np.zeros(shape)
    for jacobian in (ad.jacobian, ad.jacfwd, ad.jacrev):
        assert run(jacobian(lambda a: a * 2.0))(x).shape == shape + shape
    assert run(ad.hessian(lambda a: np.sum(a**2)))(x).shape == shape + shape
    assert run(ad.jacrev(lambda a: a[:0] * 2.0))(np.ones(2)).shape == (0, 2)


def test_builtins_are_differentiated_as_they_are():
    assert ad.grad(max)(2.0, 3.0) == 0.0
    assert ad.jit(ad.grad(min))(2.0, 3.0) == 1.0


def test_a_product_without_a_direction():
    with pytest.raises(ad.ArgumentError, match="the direction is missing"):
        ad.hvp(lambda x: x**2)()


def changed_argument(w):
    a = w * 1.0
    y, pull = ad.vjp(lambda q: np.sin(q) * q, a)
    a *= 3.0
    return np.sum(pull(y)[0] * a)


def changed_value(w):
    y, pull = ad.vjp(np.tanh, w * 1.0)
    y *= 3.0
    return np.sum(pull(w)[0] * y)


def changed_capture_in_a_loop(w):
    b = w * 2.0
    _, pull = ad.vjp(lambda q: np.sum(q**3 * b), w)
    total = 0.0
    for _ in range(3):
        total = total + np.sum(pull(1.0)[0])
        b *= 2.0
    return total


@pytest.mark.filterwarnings("ignore::anadrome.NotCompiled")
@pytest.mark.parametrize(
    "program", [changed_argument, changed_value, changed_capture_in_a_loop]
)
def test_what_changes_before_its_pullback_is_called(program):
    w = np.array([0.25, 0.5])
    assert ad.jit(program)(w) == pytest.approx(program(w))
    with pytest.raises(ad.MutationError, match="a pullback was made from"):
        ad.grad(program)(w)
