"""What is compiled anew, and what is found again."""

import types

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])

scale = 2.0


def helper(x):
    return x**2


def uses_globals(x):
    return scale * np.sum(helper(x))


def compilations(monkeypatch):
    """How often something is compiled, counted in a list."""
    import anadrome.driver.pipeline as compiling

    seen = []
    original = compiling.compile_graph

    def counted(graph, name):
        seen.append(name)
        return original(graph, name)

    monkeypatch.setattr(compiling, "compile_graph", counted)
    return seen


def test_types_are_compiled_once(monkeypatch):
    seen = compilations(monkeypatch)
    gradient = ad.grad(lambda x: np.sum(x**2))
    for size in (2, 3, 4):
        np.testing.assert_allclose(gradient(np.ones(size)), 2 * np.ones(size))
    assert len(seen) == 1
    gradient(np.ones((2, 2)))
    gradient(np.ones(3, np.float32))
    gradient(2.0)
    assert len(seen) == 4


def test_axes_of_length_one_are_told_apart():
    gradient = ad.grad(lambda x, y: np.sum(x * y), (0, 1))
    for shape in ((3,), (1,), (3,), (1, 1), (2, 1), (2, 3), (1, 3), (2, 1)):
        x = np.full(shape, 2.0)
        dx, dy = gradient(x, X)
        assert dx.shape == shape
        assert dy.shape == (3,)
        np.testing.assert_allclose(np.sum(dy), 2.0 * np.broadcast(x, X).size)


@pytest.mark.parametrize("mode", ["jvp", "vjp", "hvp", "jacobian", "hessian"])
def test_every_interface_finds_its_programs_again(monkeypatch, mode):
    def f(x):
        return np.sum(x**3)

    calls = {
        "jvp": lambda: ad.jvp(f, (X,), (X,)),
        "vjp": lambda: ad.vjp(f, X)[1](1.0),
        "hvp": (lambda g: lambda: g(X, X))(ad.hvp(f)),
        "jacobian": (lambda g: lambda: g(X))(ad.jacobian(f)),
        "hessian": (lambda g: lambda: g(X))(ad.hessian(f)),
    }
    calls[mode]()
    seen = compilations(monkeypatch)
    calls[mode]()
    assert seen == []


def test_globals_that_change(monkeypatch):
    gradient = ad.grad(uses_globals)
    np.testing.assert_allclose(gradient(X), 4 * X)
    monkeypatch.setitem(globals(), "scale", 3.0)
    np.testing.assert_allclose(gradient(X), 6 * X)
    monkeypatch.setitem(globals(), "scale", 5)
    np.testing.assert_allclose(gradient(X), 10 * X)
    monkeypatch.setitem(globals(), "scale", np.float32(2))
    np.testing.assert_allclose(gradient(X), 4 * X)
    monkeypatch.setitem(globals(), "scale", np.array([1.0, 2.0]))
    with pytest.raises(ad.NotDifferentiable):
        gradient(X)
    monkeypatch.setitem(globals(), "scale", 2.0)
    np.testing.assert_allclose(gradient(X), 4 * X)


def test_functions_that_are_defined_again(monkeypatch):
    gradient = ad.grad(uses_globals)
    np.testing.assert_allclose(gradient(X), 4 * X)
    monkeypatch.setitem(globals(), "helper", lambda x: x**3)
    np.testing.assert_allclose(gradient(X), 6 * X**2)


def test_functions_that_are_given_new_code():
    def f(x):
        return np.sum(x**2)

    def other(x):
        return np.sum(x**3)

    gradient = ad.grad(f)
    np.testing.assert_allclose(gradient(X), 2 * X)
    f.__code__ = other.__code__
    np.testing.assert_allclose(gradient(X), 3 * X**2)


def test_closures_with_different_values():
    def make(k):
        return lambda x: k * x**2

    assert ad.grad(make(2.0))(1.0) == 4.0
    assert ad.grad(make(3.0))(1.0) == 6.0
    assert ad.grad(make(3))(1.0) == 6.0


def test_a_closure_whose_variable_changes():
    k = 2.0
    gradient = ad.grad(lambda x: np.sum(k * x**2))
    assert gradient(1.0) == 4.0
    k = 5.0
    assert gradient(1.0) == 10.0
    k = 3
    assert gradient(1.0) == 6.0
    k = np.array([1.0, 2.0])
    assert gradient(1.0) == 6.0


def test_values_that_are_compiled_in_are_told_apart():
    chosen = ad.grad(lambda x, flag: x * 2.0 if flag else x * 3.0)
    assert [chosen(1.0, True), chosen(1.0, False), chosen(1.0, True)] == [2.0, 3.0, 2.0]
    named = ad.grad(lambda x, name: x * 2.0 if name == "a" else x * 3.0)
    assert [named(1.0, "a"), named(1.0, "b")] == [2.0, 3.0]
    optional = ad.grad(lambda x, k: x if k is None else x * k)
    assert [optional(1.0, None), optional(1.0, 4.0), optional(1.0, None)] == [1, 4, 1]

    z = np.arange(6.0)
    shaped = ad.grad(lambda x, shape: np.sum(np.reshape(x, shape)[0] ** 2))
    np.testing.assert_allclose(shaped(z, (2, 3)), [0, 2, 4, 0, 0, 0])
    np.testing.assert_allclose(shaped(z, (3, 2)), [0, 2, 0, 0, 0, 0])
    typed = ad.grad(lambda x, k: x * k[0] / (2 if k[0] is True else 1))
    assert typed(1.0, (1, 0)) == 1.0
    assert typed(1.0, (True, 0)) == 0.5


def test_integers_are_arguments():
    power = ad.grad(lambda x, n: x**n)
    assert [power(2.0, n) for n in (1, 2, 3)] == [1.0, 4.0, 12.0]


def test_dicts_with_other_keys():
    gradient = ad.grad(lambda p: p["a"] * p.get("b", 2.0))
    assert gradient({"a": 1.0, "b": 3.0}) == {"a": 3.0, "b": 1.0}
    assert gradient({"a": 1.0}) == {"a": 2.0}


def test_functions_as_arguments():
    gradient = ad.grad(lambda x, f: f(x) ** 2)
    assert gradient(2.0, lambda x: x) == 4.0
    assert gradient(2.0, lambda x: 3.0 * x) == 36.0
    assert gradient(0.5, np.sin) == pytest.approx(2 * np.sin(0.5) * np.cos(0.5))


def test_modules_are_looked_up_again():
    module = types.ModuleType("settings")
    module.rate = 2.0
    gradient = ad.grad(lambda x: x * module.rate)
    assert gradient(1.0) == 2.0
    module.rate = 3.0
    assert gradient(1.0) == 3.0
