"""Graphs of gradients, and what passes make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Graph
from anadrome.ir.printer import print_graph
from anadrome.ir.types import is_differentiable
from anadrome.ir.verify import verify
from anadrome.optimize.passes import optimize
from anadrome.transform.reverse.walk import reverse


def gradient(function: Callable[..., Any], args: tuple[Any, ...]) -> Graph:
    """The optimised graph of a function's value and all its gradients."""
    program = read(function, args, {})
    sources = [p for _, p in program.arguments if is_differentiable(p.type)]
    graph = optimize(program.graph)
    return optimize(reverse(graph, sources, "grad", seeded=False, value=True))


def leaves(value: Any) -> list[Any]:
    """The items of nested tuples."""
    if isinstance(value, tuple):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def after(graph: Graph, args: tuple[Any, ...], *passes: Callable[..., Any]) -> str:
    """The text of a graph after passes that leave its value as it is."""
    expected = leaves(compile_graph(graph, "before")[0](*args))
    graph = clone_graph(graph)
    for run in passes:
        verify(run(graph))
    text = print_graph(graph)
    found = leaves(compile_graph(graph, "after")[0](*args))
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    return text
