"""Reading a name that is not bound raises what Python raises, and only then."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import pytest
from frontend.values.unbound_programs import PROGRAMS

import anadrome as ad


def outcome(step: Callable[[], Any]) -> tuple[Any, ...]:
    """What a call gives: a number or the class of an exception, and what it prints."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            value = float(step())
    except Exception as error:
        kind = type(error)
        kind = kind.__bases__[1] if isinstance(error, ad.AnadromeError) else kind
        return kind.__name__, None, out.getvalue()
    return None, pytest.approx(value, rel=1e-4, abs=1e-6), out.getvalue()


def slope(function: Any, n: int) -> float:
    """A central difference, which prints what one call prints."""
    function(1.5, n)
    with contextlib.redirect_stdout(io.StringIO()):
        return (function(1.5 + 1e-6, n) - function(1.5 - 1e-6, n)) / 2e-6


MODES: dict[str, tuple[Any, Any]] = {
    "jit": (lambda f, n: ad.jit(f)(1.5, n), lambda f, n: f(1.5, n)),
    "grad": (lambda f, n: ad.grad(f)(1.5, n), slope),
    "jvp": (lambda f, n: ad.jvp(lambda x: f(x, n), (1.5,), (1.0,))[1], slope),
    "jit of grad": (lambda f, n: ad.jit(ad.grad(f))(1.5, n), slope),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_unbound_names_raise_as_in_python(function: Any, mode: str) -> None:
    ours, pythons = MODES[mode]
    for n in (0, 1, 2):
        want = outcome(lambda: pythons(function, n))  # noqa: B023
        assert outcome(lambda: ours(function, n)) == want, n  # noqa: B023
