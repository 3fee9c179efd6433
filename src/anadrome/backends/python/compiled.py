"""Printed source as a callable, known to `linecache` so that debuggers see it."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

from anadrome.backends.python.printer import Source, print_source
from anadrome.ir.graph import Graph

_numbers = itertools.count(1)


def compile_graph(graph: Graph, name: str) -> tuple[Callable[..., Any], Source]:
    """A Python function that runs a graph, and its source."""
    source = print_source(graph, name)
    file = f"<anadrome {name} {next(_numbers)}>"
    lines = source.text.splitlines(keepends=True)
    linecache.cache[file] = (len(source.text), None, lines, file)
    namespace = dict(source.namespace)
    exec(compile(source.text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function, source
