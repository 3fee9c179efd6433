"""Programs read, printed back and differentiated give what Python gives."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.transform.reverse.walk import reverse

sys.path.insert(0, str(Path(__file__).parent))

import exceptions_programs
import language_programs
import values_programs

PROGRAMS = [
    *exceptions_programs.PROGRAMS,
    *language_programs.PROGRAMS,
    *values_programs.PROGRAMS,
]
POINTS = [np.array([0.7, -1.3, 0.4, 2.1]), np.array([-0.6, 0.9, 1.2, -0.35])]
Function = Callable[[np.ndarray], Any]


def names(program: Function) -> str:
    return program.__name__


@pytest.mark.parametrize("x", POINTS, ids=["first", "second"])
@pytest.mark.parametrize("program", PROGRAMS, ids=names)
def test_value_of_the_printed_program(program: Function, x: np.ndarray) -> None:
    found = read(program, (x,), {})
    remove_dead_code(found.graph)
    run, _ = compile_graph(found.graph, "primal")
    captured = [copy.deepcopy(c.read()) for c in found.captures]
    assert np.isclose(run(x.copy(), *captured), program(x.copy()), rtol=1e-12)


@pytest.mark.parametrize("x", POINTS, ids=["first", "second"])
@pytest.mark.parametrize("program", PROGRAMS, ids=names)
def test_gradient(program: Function, x: np.ndarray) -> None:
    found = read(program, (x,), {})
    remove_dead_code(found.graph)
    source = found.arguments[0][1]
    graph = reverse(found.graph, [source], "gradient", seeded=False, value=False)
    remove_dead_code(graph)
    run, _ = compile_graph(graph, "gradient")
    captured = [copy.deepcopy(c.read()) for c in found.captures]
    h = 1e-6
    differences = [
        (program(x + h * e) - program(x - h * e)) / (2 * h) for e in np.eye(len(x))
    ]
    assert np.allclose(run(x.copy(), *captured), differences, rtol=1e-5, atol=1e-6)
