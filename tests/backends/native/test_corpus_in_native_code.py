"""The corpus in native code gives what the Python backend gives, or is refused.

A part of it is run with the other tests; all of it with `-m slow`.
"""

from __future__ import annotations

import contextlib
import copy
import io
from pathlib import Path

import numpy as np
import pytest
from corpus import registry

from anadrome.backends.native.emission.function import NoLowering
from anadrome.backends.native.speculation import NativeFunction
from anadrome.backends.python.compiled import compile_graph
from anadrome.errors import AnadromeError
from anadrome.frontend.program import read
from anadrome.ir.cloning import clone_graph
from anadrome.ir.types import is_differentiable
from anadrome.optimize.passes import FINAL, optimize
from anadrome.transform.reverse.walk import reverse

PROGRAMS = registry.load()
REFUSED = {
    line.strip()
    for line in (Path(__file__).parent / "refused.txt").read_text().splitlines()
    if not line.startswith("#")
}
# A step that has no factor in common with the number of contexts of the corpus.
SAMPLED = PROGRAMS[5::11]


def graphs_of(program):
    """The program as read and its gradient, each with its captured values."""
    args = program.arguments()
    made = read(program.function, args, {})
    captured = [capture.read() for capture in made.captures]
    given = [args[k] for k, _ in made.arguments]
    primal = optimize(made.graph)
    yield "primal", primal, [*given, *captured]
    if "jacobian" in program.tags:
        return
    sources = [
        p for k, p in made.arguments if k in program.wrt and is_differentiable(p.type)
    ]
    gradient = reverse(primal, sources, "gradient", seeded=False, value=True)
    yield "gradient", optimize(gradient), [*given, *captured]


def assert_same(found, wanted, what):
    """Assert that two values have the same structure and the same numbers."""
    if isinstance(wanted, tuple | list):
        assert type(found) is type(wanted), what
        assert len(found) == len(wanted), what
        for f, w in zip(found, wanted):
            assert_same(f, w, what)
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted), what
        for key, w in wanted.items():
            assert_same(found[key], w, what)
    elif isinstance(wanted, float | np.floating | np.ndarray):
        f, w = np.asarray(found), np.asarray(wanted)
        assert f.dtype == w.dtype, what
        assert f.shape == w.shape, what
        tolerance = 1e-5 if f.dtype == np.float32 else 1e-10
        scale = 1.0 + np.max(np.abs(w), initial=0.0)
        assert np.all((np.abs(f - w) <= tolerance * scale) | (f == w)), what
    elif hasattr(wanted, "__dict__") and not callable(wanted):
        assert_same(vars(found), vars(wanted), what)


def check(program):
    """Compare both backends on a program."""
    graphs = graphs_of(program)
    while True:
        try:
            stage, graph, given = next(graphs)
        except (StopIteration, AnadromeError):
            return
        what = f"{program.name} {stage}"
        function, _ = compile_graph(graph, stage)
        expected, received = copy.deepcopy(given), copy.deepcopy(given)
        refusal: NoLowering | None
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            try:
                wanted = function(*expected)
            except AnadromeError:
                # Only its arguments tell that it cannot be done.
                continue
            try:
                found = NativeFunction(optimize(clone_graph(graph), FINAL))(*received)
            except NoLowering as error:
                refusal = error
                found = None
            else:
                refusal = None
        assert (what in REFUSED) == (refusal is not None), what
        if refusal is not None:
            assert refusal.span is not None, what
            continue
        assert_same(found, wanted, what)
        assert_same(received, expected, what)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", SAMPLED, ids=str)
def test_some_programs(program):
    check(program)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_every_program(program):
    check(program)
