"""`ad.jit`: what it can be given, what it composes with, what it keeps."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from anadrome.errors import ArgumentError

X = np.linspace(-1.0, 1.0, 7)


def scaled(x: np.ndarray, n: int = 3) -> Any:
    y = x
    for _ in range(n):
        y = np.tanh(y) * 1.5
    return (y * y).sum()


def test_a_function_gives_what_python_gives() -> None:
    np.testing.assert_allclose(ad.jit(scaled)(X), scaled(X), rtol=1e-12)
    np.testing.assert_allclose(ad.jit(scaled)(X, 5), scaled(X, 5), rtol=1e-12)
    np.testing.assert_allclose(ad.jit(scaled)(X, n=2), scaled(X, 2), rtol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda f: ad.jit(ad.grad(f)),
        lambda f: ad.grad(ad.jit(f)),
        lambda f: ad.jit(ad.grad(ad.jit(f))),
    ],
)
def test_jit_and_grad_compose(make: Callable[..., Any]) -> None:
    want = ad.grad(scaled)(X)
    np.testing.assert_allclose(make(scaled)(X), want, rtol=1e-12)


def test_derivatives_of_any_kind() -> None:
    native = ad.jit(scaled)
    np.testing.assert_allclose(
        ad.hessian(native)(X), ad.hessian(scaled)(X), rtol=1e-10, atol=1e-13
    )
    v = np.exp(X)
    np.testing.assert_allclose(
        ad.jit(ad.hvp(scaled))(X, v), ad.hvp(scaled)(X, v), rtol=1e-10
    )
    value, tangent = ad.jvp(native, (X,), (v,))
    want = ad.jvp(scaled, (X,), (v,))
    np.testing.assert_allclose([value, tangent], want, rtol=1e-12)
    y, pull = ad.vjp(native, X)
    np.testing.assert_allclose(y, scaled(X), rtol=1e-12)
    np.testing.assert_allclose(pull(1.0)[0], ad.grad(scaled)(X), rtol=1e-12)


def test_one_program_serves_all_lengths() -> None:
    f = ad.jit(ad.grad(scaled))
    for n in (2, 3, 8, 100):
        x = np.linspace(-1.0, 1.0, n)
        np.testing.assert_allclose(f(x), ad.grad(scaled)(x), rtol=1e-12)
    assert len(f._compiled) == 1


def test_closures_see_the_array_of_now() -> None:
    weights = np.arange(7.0)

    def f(x: np.ndarray) -> Any:
        return (weights * x).sum()

    native = ad.jit(f)
    assert native(X) == pytest.approx(f(X))
    weights = weights + 1.0
    assert native(X) == pytest.approx(f(X))
    weights[0] = 50.0
    assert native(X) == pytest.approx(f(X))


FACTOR = 2.0


def by_factor(x: float) -> float:
    return x * FACTOR


def test_globals_see_the_number_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    native = ad.jit(by_factor)
    assert native(3.0) == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert native(3.0) == 15.0


@dataclass
class Line:
    slope: np.ndarray
    offset: float

    @ad.jit
    def at(self, x: np.ndarray) -> Any:
        return self.slope @ x + self.offset


def test_methods_of_dataclasses() -> None:
    line = Line(np.arange(7.0), 2.0)
    assert line.at(X) == pytest.approx(np.arange(7.0) @ X + 2.0)


def test_gradients_of_records_come_back_as_records() -> None:
    def loss(line: Line, x: np.ndarray) -> Any:
        return (line.slope * x).sum() ** 2 + line.offset

    line = Line(np.arange(7.0), 2.0)
    got, want = ad.jit(ad.grad(loss))(line, X), ad.grad(loss)(line, X)
    assert isinstance(got, Line)
    np.testing.assert_allclose(got.slope, want.slope, rtol=1e-12)
    assert got.offset == want.offset


def power(x: float, n: int, *, word: str = "plus") -> float:
    result = 1.0
    for _ in range(n):
        result = result * x
    return result + 1.0 if word == "plus" else result - 1.0


def test_static_arguments_are_compiled_in() -> None:
    f = ad.jit(power, static_argnums=1, static_argnames="word")
    assert f(2.0, 3) == 9.0
    assert f(2.0, 4) == 17.0
    assert f(2.0, 4, word="minus") == 15.0
    assert f(2.0, n=4, word="minus") == 15.0
    assert len(f._compiled) == 4


class Shape(enum.Enum):
    SINE = "sin"
    COSINE = "cos"


def wave(x: float, shape: Shape) -> Any:
    return np.sin(x) if shape is Shape.SINE else np.cos(x)


def test_members_of_enumerations_and_words_are_compiled_in() -> None:
    run, slope = ad.jit(wave), ad.jit(ad.grad(wave))
    for _ in range(2):
        for shape in Shape:
            assert np.isclose(run(0.3, shape), wave(0.3, shape))
            assert np.isclose(slope(0.3, shape), ad.grad(wave)(0.3, shape))
    assert ad.jit(lambda word: (word[::-1], word[1:]))("abc") == ("cba", "bc")


def test_as_a_decorator_with_options() -> None:
    @ad.jit(static_argnames=("n",))
    def cube(x: float, n: int = 3) -> float:
        return x**n

    assert cube(2.0, n=3) == 8.0


def test_arguments_changed_in_place_are_seen() -> None:
    @ad.jit
    def double(x: np.ndarray) -> None:
        x *= 2.0
        x[0] = -1.0

    x = np.arange(4.0)
    assert double(x) is None
    assert x.tolist() == [-1.0, 2.0, 4.0, 6.0]


def test_float32_stays_float32() -> None:
    x = X.astype(np.float32)
    got = ad.jit(ad.grad(scaled))(x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, ad.grad(scaled)(x), rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ad.jit(3), "jit needs a function, this is a int"),
        (lambda: ad.jit(power, static_argnums=7), "static_argnums=7"),
        (lambda: ad.jit(power, static_argnames="m"), "no parameter 'm'"),
        (lambda: ad.jit(power, static_argnums=1)(2.0, [3]), "cannot be hashed"),
    ],
)
def test_what_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


def test_the_source_of_a_jitted_function_is_that_of_its_program() -> None:
    assert ad.source(ad.jit(ad.grad(scaled)), X) == ad.source(ad.grad(scaled), X)
    assert "tanh" in ad.show(ad.jit(scaled), X)


def outwards(x: np.ndarray) -> Any:
    return np.tanh(x) * x[::-1]


@pytest.mark.parametrize("make", [ad.jacobian, ad.jacfwd, ad.jacrev])
def test_jacobians_compile_whole(make: Callable[..., Any]) -> None:
    np.testing.assert_allclose(
        ad.jit(make(outwards))(X), make(outwards)(X), rtol=1e-12, atol=1e-15
    )


def test_hessians_compile_whole_and_are_differentiated() -> None:
    h = ad.hessian(scaled)
    np.testing.assert_allclose(ad.jit(h)(X), h(X), rtol=1e-10, atol=1e-13)

    def trace(x: np.ndarray) -> Any:
        return np.trace(ad.hessian(scaled)(x))

    ad.check_grads(trace, (X,), order=1)


def test_jacobians_of_structures_are_refused_inside() -> None:
    def total(pair: Any) -> Any:
        return ad.jacobian(lambda p: p[0] * p[1])(pair)[0]

    with pytest.raises(ad.UnsupportedSyntax, match="structured argument"):
        ad.jit(total)([1.0, 2.0])


def test_static_arguments_after_a_star():
    def raised(x, *rest, **options):
        return x ** rest[0] * options["scale"]

    f = ad.jit(raised, static_argnums=1, static_argnames="scale")
    assert f(2.0, 3, scale=2) == 16.0
    assert f(2.0, 2, scale=3) == 12.0
