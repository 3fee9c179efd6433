"""The corpus holds what it promises: smooth, deterministic, finite programs."""

import copy
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpus import registry

PROGRAMS = registry.load()


def run(program: registry.Program, arguments: tuple) -> np.ndarray:
    """The program's value on a private copy of the arguments, as an array."""
    return np.asarray(program.function(*copy.deepcopy(arguments)))


def along(
    program: registry.Program, arguments: tuple, seed: int, step: float
) -> np.ndarray:
    """The program's value `step` away from the arguments in a random direction."""
    rng = np.random.default_rng(seed + 1000)

    def moved(leaf: Any) -> Any:
        return leaf + step * rng.uniform(-1.0, 1.0, np.shape(leaf))

    return run(
        program,
        tuple(
            registry.map_floats(moved, argument) if i in program.wrt else argument
            for i, argument in enumerate(arguments)
        ),
    )


def slope(
    program: registry.Program, arguments: tuple, seed: int, step: float
) -> np.ndarray:
    """The central difference in that direction."""
    ahead = along(program, arguments, seed, step)
    behind = along(program, arguments, seed, -step)
    return (ahead - behind) / (2 * step)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_program_is_finite_deterministic_and_smooth(program):
    for seed in registry.SEEDS:
        arguments = program.arguments(seed)
        value = run(program, arguments)
        assert value.dtype == np.float64
        assert value.size <= 32
        assert value.ndim == 0 or "jacobian" in program.tags
        assert np.isfinite(value).all()
        np.testing.assert_array_equal(value, run(program, arguments))

        coarse = slope(program, arguments, seed, 1e-4)
        fine = slope(program, arguments, seed, 5e-5)
        message = f"seed {seed}"
        np.testing.assert_allclose(coarse, fine, 1e-5, 1e-5, err_msg=message)
        assert np.abs(fine).max() > 1e-5, f"{message}: independent of the arguments"


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_curvature_is_finite(program):
    if not program.second_order:
        pytest.skip("the second derivative is not asked for")
    arguments = program.arguments()

    def curvature(step: float) -> np.ndarray:
        middle = run(program, arguments)
        ahead = along(program, arguments, 0, step)
        behind = along(program, arguments, 0, -step)
        return (ahead - 2 * middle + behind) / step**2

    np.testing.assert_allclose(curvature(4e-4), curvature(2e-4), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "program", [p for p in PROGRAMS if "float32" in p.tags], ids=str
)
def test_float32_stays_float32(program):
    arguments = program.arguments()
    single = registry.map_floats(np.float32, arguments)
    value = program.function(*single)
    assert value.dtype == np.float32
    np.testing.assert_allclose(value, run(program, arguments), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_writing_an_argument_is_tagged(program):
    arguments = program.arguments()
    used = copy.deepcopy(arguments)
    program.function(*used)
    before, after = [], []
    registry.map_floats(before.append, arguments)
    registry.map_floats(after.append, used)
    unchanged = len(before) == len(after) and all(
        np.array_equal(a, b) for a, b in zip(before, after)
    )
    assert unchanged == ("arguments" not in program.tags)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_source_is_found_and_short(program):
    function = program.function
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        function = type(function).__call__
    lines = inspect.getsource(function).splitlines()
    assert len(lines) <= 32


def test_names_are_unique_and_plenty():
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names)
    assert len([p for p in PROGRAMS if "composed" not in p.tags]) >= 300
