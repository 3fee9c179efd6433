"""`ad.show(f, stage=…)`: a program at every step from reading to native code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anadrome as ad
from anadrome.errors import ArgumentError

X = np.arange(3.0)


def repeated(x: Any) -> Any:
    y = x
    for _ in range(4):
        y = np.tanh(y * x.shape[0])
    return y.sum()


def test_reading_comes_before_differentiating() -> None:
    read = ad.show(ad.grad(repeated), X, stage="read")
    derivative = ad.show(ad.grad(repeated), X, stage="derivative")
    assert read.count("tanh") == 1
    assert "grad_repeated" not in read
    assert "grad_repeated" in derivative


def test_the_last_stage_in_python_is_what_is_printed() -> None:
    g = ad.grad(repeated)
    assert ad.show(g, X) == ad.show(g, X, stage="optimized")
    assert ad.show(g, X) != ad.show(g, X, stage="derivative")


def test_the_name_of_a_pass_gives_the_graph_after_it() -> None:
    before = ad.show(repeated, X, stage="read")
    after = ad.show(repeated, X, stage="hoist_invariants")
    inside = before.index("for")
    assert before.index("shape") > inside
    assert after.index("shape") < after.index("for")


def test_native_stages() -> None:
    assert "tanh" in ad.show(repeated, X, stage="native")
    assert "define" in ad.show(ad.jit(repeated), X, stage="llvm")


def test_an_unknown_stage_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ArgumentError, match="no stage 'fast'") as caught:
        ad.show(repeated, X, stage="fast")
    assert "optimized" in str(caught.value)


def test_a_stage_as_a_picture() -> None:
    page = str(ad.show(repeated, X, stage="read", format="html"))
    assert "<svg" in page


def sums_of_windows(x, w):
    out = np.zeros(len(x) - 2)
    for i in range(len(x) - 2):
        out[i] = np.sum(x[i : i + 3] * w)
    return np.sum(out**2)


def test_what_native_code_is_made_from_is_shown():
    gradient, given = ad.grad(sums_of_windows), (np.arange(8.0), np.ones(3))
    assert "for(" in ad.show(gradient, *given, stage="native")
    assert "for(" not in ad.show(ad.jit(gradient), *given, stage="vectorised")
    assert "for(" not in ad.show(ad.jit(gradient), *given, stage="native")
