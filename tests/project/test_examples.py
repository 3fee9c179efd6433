"""The examples run, and do what they say."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda p: p.stem)
def test_example_runs(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3


def names(stem: str) -> dict[str, Any]:
    """The functions of an example."""
    return runpy.run_path(str(EXAMPLES / f"{stem}.py"))


def test_square_root_has_the_derivative_of_the_formula() -> None:
    derivative = names("first_gradient")["derivative"]
    for a in (0.3, 2.0, 7.0):
        np.testing.assert_allclose(derivative(a), 0.5 / np.sqrt(a), rtol=1e-9)


def test_recurrent_network_learns() -> None:
    losses = names("recurrent_network")["train"](steps=120)
    assert losses[-1] < losses[0] / 50


def test_settings_get_better() -> None:
    found = names("learning_to_learn")["tune"](steps=12)
    assert found[-1][0] < found[0][0] / 2


def test_rates_of_the_equation_are_found() -> None:
    true, found, _ = names("fit_ode")["fit"]()
    np.testing.assert_allclose(found, true, rtol=0.05)


def test_start_of_the_heat_equation_is_found() -> None:
    true, measured, found = names("heat_equation")["recover"]()
    assert np.max(np.abs(found - true)) < np.max(np.abs(measured - true)) / 3


def test_tree_network_learns() -> None:
    losses = names("tree_recursion")["train"](steps=60)
    assert losses[-1] < losses[0] / 8


def test_an_open_lstm_keeps_gradients_that_a_simple_network_loses() -> None:
    found = names("vanishing_gradients")
    nn, key, E, H = (found[name] for name in ("nn", "key", "E", "H"))
    simple = found["flow"](nn.make_elman(key(0), E, H))
    lstm = found["flow"](nn.make_lstm(key(0), E, H, forget=5.0))
    assert simple[0] < 1e-6 * simple[-1]
    assert lstm[0] > 0.1 * lstm[-1]


def test_windows_learn_a_long_wave() -> None:
    errors = names("truncated_bptt")["train"](passes=5)
    assert errors[-1] < errors[0] / 8


def test_names_are_told_apart() -> None:
    found = names("names")
    w = found["train"](passes=30)
    right = [
        found["guess"](w, n) == found["LANGUAGES"][k] for n, k in found["EXAMPLES"]
    ]
    assert np.mean(right) > 0.9


def test_perceptron_finds_a_line() -> None:
    found = names("perceptron")
    x, y = found["make_examples"](seed=3)
    w, wrong = found["train"](x, y)
    assert wrong[-1] == 0
    np.testing.assert_array_equal(np.sign(x @ w), y)


def test_logistic_regression_comes_to_the_minimum_of_newton() -> None:
    found = names("logistic_regression")
    x, y = found["make_examples"](seed=1)
    p, losses = found["descend"](x, y)
    minimum = found["solve"](x, y)
    assert minimum.value == pytest.approx(losses[-1], abs=1e-9)
    np.testing.assert_allclose(p.w, minimum.params.w, atol=1e-4)
    assert minimum.steps < 10


def test_multilayer_perceptron_divides_the_spirals() -> None:
    found = names("multilayer_perceptron")
    layers, losses = found["train"](steps=150, native=False)
    x, y = found["make_examples"]()
    assert losses[-1] < losses[0] / 10
    assert np.mean((found["scores"](layers, x) > 0) == y) > 0.97
