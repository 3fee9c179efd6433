"""Printed source as a callable, known to `linecache` so that debuggers see it."""

from __future__ import annotations

import functools
import itertools
import linecache
import sys
import traceback
from collections.abc import Callable
from typing import Any

from anadrome.backends.python.printer import Source, print_source
from anadrome.errors import RecursionTooDeep, Span
from anadrome.ir.graph import Graph, called_graphs

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
    if len(called_graphs(graph)) > 1:
        function = _guarded(function, source)
    return function, source


def _guarded(function: Callable[..., Any], source: Source) -> Callable[..., Any]:
    """A function that calls itself, with a clear error where it goes too deep."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        try:
            return function(*args)
        except RecursionError as error:
            span = _repeated_call(error, source)
            limit = sys.getrecursionlimit()
        raise RecursionTooDeep(
            f"the recursion is deeper than Python's limit of {limit} calls",
            span,
            "raise it with sys.setrecursionlimit, or write a loop",
        )

    return run


def _repeated_call(error: RecursionError, source: Source) -> Span | None:
    """The user's call that leads from a function back into it."""
    seen: dict[str, int] = {}
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if not code.co_filename.startswith("<anadrome "):
            continue
        if code.co_name in seen:
            first = seen[code.co_name]
            return source.spans[first - 1] if first <= len(source.spans) else None
        seen[code.co_name] = line
    return None
