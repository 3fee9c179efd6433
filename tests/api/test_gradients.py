"""`grad`, `value_and_grad` and `elementwise_grad`: what they take and return."""

import dataclasses
import functools

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])
Y = np.array([1.5, 0.4, -0.8])


@dataclasses.dataclass
class Model:
    """A small model with an array and a number."""

    weights: np.ndarray
    bias: float

    def loss(self, x):
        return np.sum(np.tanh(self.weights * x)) + self.bias

    def __call__(self, x):
        return 2.0 * self.loss(x)

    @classmethod
    def cubes(cls, x):
        return np.sum(x**3)

    @staticmethod
    def squares(x):
        return np.sum(x**2)


def slope(x, weights):
    return weights / np.cosh(weights * x) ** 2


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return 2.0 * function(*args, **keywords)

    return wrapper


@doubled
def power_sum(x, power=2):
    return np.sum(x**power)


def scaled(k, x):
    return k * np.sum(x) ** 2


def with_defaults(x, k=2.0, *, s=1.0):
    return np.sum(x * k) * s


# What can be differentiated ---------------------------------------------------------


def test_lambdas_and_numpy_functions():
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(x**2))(X), 2 * X)
    np.testing.assert_allclose(ad.grad(np.sum)(X), np.ones(3))


def test_methods_and_callable_objects():
    model = Model(X, 2.0)
    np.testing.assert_allclose(ad.grad(model.loss)(Y), slope(Y, X))
    np.testing.assert_allclose(ad.grad(model)(Y), 2 * slope(Y, X))
    np.testing.assert_allclose(ad.grad(Model.cubes)(Y), 3 * Y**2)
    np.testing.assert_allclose(ad.grad(Model.squares)(Y), 2 * Y)


def test_objects_have_gradients_of_their_class():
    found = ad.grad(Model.loss)(Model(X, 2.0), Y)
    assert type(found) is Model
    np.testing.assert_allclose(found.weights, slope(X, Y))
    assert found.bias == 1.0


def test_a_method_sees_new_attributes():
    model = Model(X, 2.0)
    gradient = ad.grad(model.loss)
    gradient(Y)
    model.weights = 2 * X
    np.testing.assert_allclose(gradient(Y), slope(Y, 2 * X))


def test_a_gradient_can_be_a_method():
    class Squares:
        total = ad.grad(lambda self, x: np.sum(x**2) * self.k, 1)

        def __init__(self, k):
            self.k = k

    np.testing.assert_allclose(Squares(3.0).total(X), 6 * X)


def test_partials_decorated_functions_and_caches():
    np.testing.assert_allclose(
        ad.grad(functools.partial(scaled, 3.0))(X), np.full(3, 6 * X.sum())
    )
    np.testing.assert_allclose(ad.grad(power_sum)(X), 4 * X)
    np.testing.assert_allclose(ad.grad(power_sum)(X, power=3), 6 * X**2)
    assert ad.grad(functools.lru_cache(lambda x: x**3))(2.0) == 12.0


def test_defaults_and_keywords():
    np.testing.assert_allclose(ad.grad(with_defaults)(X), np.full(3, 2.0))
    np.testing.assert_allclose(ad.grad(with_defaults)(X, 3.0, s=2.0), np.full(3, 6.0))
    np.testing.assert_allclose(ad.grad(with_defaults, 1)(X, 3.0, s=2.0), 2 * X.sum())


def test_structured_arguments():
    found = ad.grad(lambda p: np.sum(p[0][1] * p[1]["a"]))([[X, Y], {"a": X, "n": 3}])
    np.testing.assert_allclose(found[0][0], np.zeros(3))
    np.testing.assert_allclose(found[0][1], X)
    np.testing.assert_allclose(found[1]["a"], Y)
    pair = ad.grad(lambda p: np.sum(p[0] * p[1]))((X, Y))
    assert type(pair) is tuple
    np.testing.assert_allclose(pair[0], Y)


# What is returned -------------------------------------------------------------------


def test_argnums():
    def f(x, y):
        return x * y**2

    assert ad.grad(f, 1)(2.0, 3.0) == 12.0
    assert ad.grad(f, -1)(2.0, 3.0) == 12.0
    assert ad.grad(f, (0, 1))(2.0, 3.0) == (9.0, 12.0)
    assert ad.grad(f, (1,))(2.0, 3.0) == (12.0,)
    assert ad.grad(f, [1, 0])(2.0, 3.0) == (12.0, 9.0)
    assert ad.value_and_grad(f, (1,))(2.0, 3.0) == (18.0, (12.0,))


def test_auxiliary_results_come_as_in_jax():
    def f(x):
        return np.sum(x * x), {"double": 2 * x, "count": 3}

    gradient, aux = ad.grad(f, has_aux=True)(X)
    np.testing.assert_allclose(gradient, 2 * X)
    np.testing.assert_allclose(aux["double"], 2 * X)
    assert aux["count"] == 3
    (value, aux), gradient = ad.value_and_grad(f, has_aux=True)(X)
    assert value == pytest.approx(X @ X)
    np.testing.assert_allclose(gradient, 2 * X)
    assert not np.shares_memory(aux["double"], gradient)


def test_unused_arguments_have_zero_gradients():
    np.testing.assert_array_equal(ad.grad(lambda x, y: np.sum(x), 1)(X, Y), np.zeros(3))
    found = ad.grad(lambda x, y: np.sum(x), 1)(X, [Y, {"a": 1.0}])
    np.testing.assert_array_equal(found[0], np.zeros(3))
    assert found[1] == {"a": 0.0}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype):
    weights = np.ones((2, 2), dtype)

    def f(p):
        return np.sum(np.tanh(p["w"] @ p["w"])) * p["b"] + 2.0 * np.sum(p["l"][0])

    found = ad.grad(f)({"w": weights, "b": dtype(2), "l": [weights[0]]})
    assert found["w"].dtype == found["b"].dtype == found["l"][0].dtype == dtype
    assert ad.grad(lambda x: np.sum(np.sin(x) / 3))(weights).dtype == dtype
    assert ad.jvp(lambda x: np.sin(x) / 3, (weights,), (np.eye(2),))[1].dtype == dtype
    assert ad.hessian(lambda x: np.sum(x**3))(weights).dtype == dtype


def test_elementwise_grad():
    np.testing.assert_allclose(ad.elementwise_grad(np.tanh)(X), 1 / np.cosh(X) ** 2)
    second = ad.elementwise_grad(ad.elementwise_grad(lambda x: x**3))
    np.testing.assert_allclose(second(X), 6 * X)


def test_gradient_in_a_complex_argument_is_paired_without_conjugation():
    z = 1 + 2j
    gradient = ad.grad(lambda z: np.abs(z) ** 2)(z)
    direction = 0.3 - 0.7j
    change = 2 * (z.real * direction.real + z.imag * direction.imag)
    assert (gradient * direction).real == pytest.approx(change)


# Nobody else's arrays ---------------------------------------------------------------


def arrays(value):
    found = []
    if isinstance(value, np.ndarray):
        return [value]
    for v in value.values() if isinstance(value, dict) else value:
        found += arrays(v)
    return found


def swap(x, y):
    return np.sum(x * y)


def add(x, y):
    return np.sum(x + y)


def same_twice(x, y):
    both = x + y
    return np.sum(both) + np.sum(both[::-1])


def views(x, y):
    return np.sum(x.reshape(3, 1).T @ y) + np.sum(y[1:])


def branches(x, y):
    return np.sum(x if x[0] > 0 else y) + np.sum(y)


def loops(x, y):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(x) + np.sum(y)
    return total


@pytest.mark.parametrize("f", [swap, add, same_twice, views, branches, loops])
def test_gradients_are_new_arrays(f):
    x, y = X.copy(), Y.copy()
    pullback = ad.vjp(f, x, y)[1]
    for found in (ad.grad(f, (0, 1))(x, y), pullback(1.0), pullback(1.0)):
        dx, dy = found
        for d in (dx, dy):
            assert d.flags.writeable
            assert not np.shares_memory(d, x)
            assert not np.shares_memory(d, y)
        assert not np.shares_memory(dx, dy)
        dx += 1.0
        dy += 1.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, Y)


@pytest.mark.parametrize(
    "argument",
    [{"a": X, "b": X}, [X, X], (X, [X]), {"a": [X, Y], "b": (X,)}],
    ids=["dict", "list", "tuple", "nested"],
)
def test_gradients_of_structures_are_new_arrays(argument):
    if isinstance(argument, dict) and isinstance(argument["a"], np.ndarray):
        found = ad.grad(lambda p: np.sum(p["a"]) + np.sum(p["b"]))(argument)
    elif isinstance(argument, list):
        found = ad.grad(lambda p: np.sum(p[0]) + np.sum(p[1]))(argument)
    elif isinstance(argument, tuple):
        found = ad.grad(lambda p: np.sum(p[0]) + np.sum(p[1][0]))(argument)
    else:
        found = ad.grad(
            lambda p: np.sum(p["a"][0]) + np.sum(p["a"][1]) + np.sum(p["b"][0])
        )(argument)
    leaves = arrays(found)
    for k, a in enumerate(leaves):
        np.testing.assert_array_equal(a, np.ones(3))
        assert not any(np.shares_memory(a, b) for b in (X, Y, *leaves[:k]))


TABLE = np.array([1.0, 2.0, 3.0])
HISTORY = []


def test_arguments_and_globals_are_never_modified():
    def f(x, p, items):
        x[0] = 3.0
        p["w"] += x
        items.append(x[1] * 2.0)
        TABLE[1] = x[2]
        HISTORY.append(x[0])
        return np.sum(p["w"] * x) * items[-1] + np.sum(TABLE * x)

    x, p, items = X.copy(), {"w": Y.copy()}, [1.0]
    before = TABLE.copy()
    for call in (
        lambda: ad.grad(f, (0, 1))(x, p, items),
        lambda: ad.jvp(f, (x, p, items), (X, {"w": Y}, [1.0])),
        lambda: ad.vjp(f, x, p, items)[1](1.0),
        lambda: ad.hvp(f)(x, p, items, X),
    ):
        try:  # noqa: SIM105
            call()
        except ad.AnadromeError:
            pass
        np.testing.assert_array_equal(x, X)
        np.testing.assert_array_equal(p["w"], Y)
        assert items == [1.0]
        assert HISTORY == []
        np.testing.assert_array_equal(TABLE, before)


def test_arrays_without_axes_are_not_modified():
    def f(x):
        x += 1.0
        return x**2

    x = np.array(2.0)
    assert ad.grad(f)(x) == 6.0
    assert x == 2.0


@pytest.mark.parametrize(
    "second", [X, X[1:], X[::-1]], ids=["same", "part", "reversed"]
)
def test_arguments_that_share_memory(second):
    def reads(x, y):
        return np.sum(x**2) + np.sum(y**2)

    def writes(x, y):
        x[0] = 2.0
        return np.sum(x**2) + np.sum(y**2)

    dx, dy = ad.grad(reads, (0, 1))(X, second)
    np.testing.assert_allclose(dx, 2 * X)
    np.testing.assert_allclose(dy, 2 * second)
    with pytest.raises(ad.MutationError, match="pass a copy"):
        ad.grad(writes, (0, 1))(X, second)
    np.testing.assert_allclose(ad.grad(writes)(X, second.copy()), [0.0, -1.4, 2.4])


# Refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, True, np.arange(3), np.array([True, False]), "a"])
def test_arguments_without_derivatives_are_refused(value):
    with pytest.raises(ad.NotDifferentiable, match="floating-point"):
        ad.grad(lambda x: np.sum(X))(value)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: x * 2.0, "one number"),
        (lambda x: (x[0], x[1]), "one number"),
        (lambda x: None, "one number"),
        (lambda x: np.sum(x * 2j), "real result"),
        (lambda x: 1 if x[0] > 0 else 0, "floating-point result"),
        (lambda x: x[0] > 0, "floating-point result"),
    ],
)
def test_results_that_are_not_one_real_number_are_refused(f, said):
    with pytest.raises(ad.NotDifferentiable, match=said) as caught:
        ad.grad(f)(X)
    assert caught.value.help


def test_a_result_of_unknown_rank_is_checked_when_it_runs():
    gradient = ad.grad(lambda x, whole: x if whole else x[0])
    with pytest.raises(ad.NotDifferentiable, match="one real number"):
        gradient(X, 1)
    np.testing.assert_array_equal(gradient(X, 0), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("argnums", ["a", 1.5, True, (), (0, "b")])
def test_wrong_argnums_are_refused(argnums):
    with pytest.raises(ad.ArgumentError, match="argnums"):
        ad.grad(lambda x: x, argnums)


@pytest.mark.parametrize("argnums", [1, -2, (0, 1), (0, 0), (0, -1)])
def test_argnums_beyond_the_arguments_are_refused(argnums):
    with pytest.raises(ad.ArgumentError, match="argnums"):
        ad.grad(lambda x: x, argnums)(1.0)


def test_what_is_no_function_is_refused():
    with pytest.raises(ad.ArgumentError, match="needs a function"):
        ad.grad(3.0)


class Labelled(np.ndarray):
    """An array with rules of its own."""


@pytest.mark.parametrize(
    "value", [X.view(Labelled), np.ma.array(X, mask=False)], ids=["own", "masked"]
)
def test_subclasses_of_arrays_are_refused(value):
    with pytest.raises(ad.ArgumentError, match=r"np\.asarray"):
        ad.grad(lambda x: np.sum(x * x))(value)


def test_errors_of_the_program_point_at_its_source():
    def f(x):
        return np.sum(x @ np.ones(7))

    with pytest.raises(ValueError) as caught:
        ad.grad(f)(X)
    assert "x @ np.ones(7)" in "".join(caught.value.__notes__)
