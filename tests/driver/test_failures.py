"""Where a compiled program fails, it fails as its function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from anadrome.driver.program import NativeProgram
from anadrome.errors import CompilerError


@ad.custom_vjp
def scaled(x):
    return 2.0 * x


@scaled.vjp
def scaled_vjp(z, x, *, dz):
    return np.reshape(dz, (2, 3))


@ad.custom_vjp
def guarded(x):
    return 2.0 * x


@guarded.vjp
def guarded_vjp(z, x, *, dz):
    if x > 1.0:
        raise LookupError("too far")
    return 2.0 * dz


def test_a_derivative_that_fails_alone_is_a_defect_at_its_line() -> None:
    def loss(x):
        return scaled(x)

    with pytest.raises(CompilerError, match="ValueError") as caught:
        ad.grad(loss)(1.0)
    assert "return scaled(x)" in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)


def test_what_a_rule_raises_is_left_as_it_is() -> None:
    def loss(x):
        return guarded(x)

    assert ad.grad(loss)(0.5) == 2.0
    for gradient in (ad.grad(loss), ad.jit(ad.grad(loss))):
        with pytest.raises(LookupError, match="too far"):
            gradient(2.0)


def test_dividing_by_zero_says_that_there_is_no_derivative() -> None:
    def loss(x):
        return np.log(x)

    with np.errstate(divide="ignore"), pytest.raises(ZeroDivisionError):
        ad.grad(loss)(0.0)


def test_a_derivative_fails_as_its_function_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def loss(x, k):
        return x[k] * 2.0

    gradient = ad.grad(loss)
    gradient(np.ones(2), 1)
    [[program]] = gradient._compiled.values()
    monkeypatch.setattr(program, "function", _failing(TypeError))
    with pytest.raises(IndexError):
        gradient(np.ones(2), 5)


def _failing(kind: type[Exception]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        raise kind("a fault of the compiler")

    return call


def _native(monkeypatch: pytest.MonkeyPatch, function: Any, *args: Any) -> Any:
    """The function in native code that fails."""
    fast = ad.jit(function)
    fast(*args)
    [[program]] = fast._compiled.values()
    assert isinstance(program, NativeProgram)
    monkeypatch.setattr(program, "direct", False)
    monkeypatch.setattr(program, "function", _failing(TypeError))
    fast._recent = None, None
    return fast


def test_native_code_that_fails_alone_is_told_and_python_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def total(x):
        return np.sum(x) * 2.0

    fast = _native(monkeypatch, total, np.ones(2))
    with pytest.warns(ad.NotCompiled, match="native code fails here"):
        assert fast(np.ones(2)) == 4.0


def test_native_code_fails_as_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def item(x, k):
        return x[k] * 2.0

    fast = _native(monkeypatch, item, np.ones(2), 1)
    with pytest.raises(IndexError):
        fast(np.ones(2), 5)


def test_what_changes_its_arguments_is_not_run_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def change(x):
        x += 1.0
        return x[0]

    fast = _native(monkeypatch, change, np.ones(2))
    x = np.ones(2)
    with pytest.raises(TypeError):
        fast(x)
    assert x[0] == 1.0


def test_what_the_program_raises_itself_is_not_asked_about() -> None:
    calls = []

    def checked(x):
        if x < 0.0:
            raise LookupError("negative")
        return x * 2.0

    fast = ad.jit(checked)
    assert fast(1.0) == 2.0
    [[program]] = fast._compiled.values()
    program.original = calls.append
    with pytest.raises(LookupError, match="negative"):
        fast(-1.0)
    assert not calls


@pytest.mark.parametrize("kind", [MemoryError, RecursionError, RuntimeWarning])
def test_a_derivative_may_need_more_than_its_function(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def loss(x):
        return x * x

    gradient = ad.grad(loss)
    gradient(1.5)
    [[program]] = gradient._compiled.values()
    monkeypatch.setattr(program, "function", _failing(kind))
    with pytest.raises(kind):
        gradient(1.5)
