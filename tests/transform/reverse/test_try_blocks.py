"""`try` blocks that change something in place: completed, left before, left after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad

X = np.array([1.0, 2.0])


def scale(x: Any, y: Any) -> Any:
    for i in range(2):
        if y[i] > 1.5:
            raise ValueError("large")
        x[i] *= y[i]
    return x[1]


def scale_all(x: Any, y: Any, n: int) -> Any:
    if y[n] > 1.5:
        raise ValueError("large")
    x[n] *= y[n]
    return scale_all(x, y, n - 1) if n else x[1]


def loop(x: Any, y: Any) -> Any:
    x = x * 1.0
    try:
        x[1] = scale(x, y) * 2.0
    except ValueError:
        x = x * 3.0
    return np.sum(x * x)


def recursion(x: Any, y: Any) -> Any:
    x = x * 1.0
    try:
        x[1] = scale_all(x, y[::-1], 1) * 2.0
    except ValueError:
        x = x * 3.0
    return np.sum(x * x)


def nested(x: Any, y: Any) -> Any:
    x = x * 1.0

    def careful() -> Any:
        try:
            return scale(x, y)
        except ValueError:
            return 0.5

    try:
        x[1] = careful() * 2.0
    except Exception:
        return x[0]
    return np.sum(x * x)


@pytest.mark.parametrize("program", [loop, nested])
@pytest.mark.parametrize("y", [[0.3, 0.4], [1.6, 0.3]])
def test_blocks_that_complete_or_change_nothing(program: Any, y: Any) -> None:
    ad.check_grads(program, (X, np.array(y)))


def test_a_recursion_that_completes() -> None:
    ad.check_grads(recursion, (X, np.array([0.3, 0.4])))


@pytest.mark.parametrize("program", [loop, recursion, nested])
@pytest.mark.parametrize("wrap", [lambda g: g, ad.jit], ids=["python", "native"])
def test_blocks_left_after_a_store_are_refused(program: Any, wrap: Any) -> None:
    gradient = wrap(ad.grad(program, (0, 1)))
    with pytest.raises(ad.MutationError, match="left a try block after something"):
        gradient(X, np.array([0.4, 1.6]))


def test_forward_mode_goes_through_what_was_left() -> None:
    y = np.array([0.4, 1.6])
    _, tangent = ad.jvp(recursion, (X, y), (np.array([1.0, 0.0]), np.zeros(2)))
    step = np.array([1e-6, 0.0])
    wanted = (recursion(X + step, y) - recursion(X - step, y)) / 2e-6
    assert tangent == pytest.approx(wanted)


def cut(x: Any) -> Any:
    try:
        try:
            whole = x.astype(np.int8)
        finally:
            whole[0] += x[1]
    except Exception:
        pass
    return np.sum(whole) * x[0]


def test_no_handler_catches_what_a_derivative_refuses() -> None:
    with pytest.raises(ad.TypeMismatch, match="cut to an integer"):
        ad.grad(cut)(X)
