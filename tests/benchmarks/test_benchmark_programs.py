"""Every program of the suite, at a tiny size: all contenders compute the same."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from benchmarks.contenders import OURS, PYTHON, make_run
from benchmarks.families import all_programs, encoder_decoder
from benchmarks.program import Program
from benchmarks.python_backend import PROGRAMS as PYTHON_PROGRAMS
from benchmarks.summary import difference

NEEDS = {"jax": "jax", "autograd": "autograd", "numba": "numba"}


def numbers(program: Program, contender: str) -> list[np.ndarray]:
    run = make_run(program, contender, program.make_arguments(program.tiny))
    return run.numbers(run.call())


def peers() -> list[Any]:
    return [
        pytest.param(program, name, id=f"{program.name} {name}")
        for program in (*all_programs(), *PYTHON_PROGRAMS)
        for name in program.peers
        if "compile" not in name
    ]


@pytest.mark.parametrize("program", all_programs(), ids=lambda p: p.name)
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


def test_translator_computes_the_same_natively() -> None:
    args = encoder_decoder.make_arguments(np.float64)
    gradient = ad.value_and_grad(encoder_decoder.loss)
    expected, found = leaves(gradient(*args)), leaves(ad.jit(gradient)(*args))
    assert difference(found, expected) <= 1e-12


def leaves(value: Any) -> list[np.ndarray]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if not isinstance(value, tuple):
        return [np.asarray(value)]
    return [leaf for part in value for leaf in leaves(part)]
