"""Every program of the suite, at a tiny size: all contenders compute the same."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from benchmarks.contenders import OURS, PYTHON, contenders_of, make_run
from benchmarks.families import all_programs, encoder_decoder
from benchmarks.program import Program
from benchmarks.python_backend import PROGRAMS as PYTHON_PROGRAMS
from benchmarks.summary import difference

NEEDS = {"jax": "jax", "autograd": "autograd"}
# What native code refuses, or gets wrong, so far.
NOT_YET = {
    "LSTM variable lengths",
    "diagonal LSTM",
    "GMM",
    "jacobi_1d",
    "jacobi_2d",
    "heat_3d",
    "fdtd_2d",
    "adi",
    "vertical advection",
    "gramschmidt",
    "durbin",
    "doitgen",
    "symm",
    "deriche",
    "nbody",
}


def numbers(program: Program, contender: str) -> list[np.ndarray]:
    run = make_run(program, contender, program.make_arguments(program.tiny))
    return run.numbers(run.call())


def peers() -> list[Any]:
    return [
        pytest.param(program, name, id=f"{program.name} {name}")
        for program in (*all_programs(), *PYTHON_PROGRAMS)
        for name, peer in contenders_of(program).items()
        if name in program.peers and "compile" not in name
    ]


def natively() -> list[Any]:
    return [
        pytest.param(
            program,
            id=program.name,
            marks=[pytest.mark.xfail()] if program.name in NOT_YET else [],
        )
        for program in all_programs()
    ]


@pytest.mark.parametrize("program", natively())
def test_native_code_computes_what_python_does(program: Program) -> None:
    apart = difference(numbers(program, OURS), numbers(program, PYTHON))
    double = program.tolerance < 1e-8
    assert apart <= (1e-12 if double else 1e-5)


@pytest.mark.parametrize(("program", "name"), peers())
def test_peers_compute_the_same(program: Program, name: str) -> None:
    module = NEEDS.get(program.peers[name].kind, "torch")
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    assert difference(numbers(program, name), numbers(program, PYTHON)) <= 1e-5


@pytest.mark.xfail
def test_translator_computes_the_same_natively() -> None:
    args = encoder_decoder.make_arguments()
    gradient = ad.value_and_grad(encoder_decoder.loss)
    expected, found = gradient(*args), ad.jit(gradient)(*args)
    assert np.isclose(found[0], expected[0], rtol=1e-5)
    for name, theirs in expected[1].items():
        ours = found[1][name]
        for a, b in zip(leaves(ours), leaves(theirs), strict=True):
            assert difference([a], [b]) <= 1e-5, name


def leaves(value: Any) -> list[np.ndarray]:
    return list(value.values()) if isinstance(value, dict) else [value]
