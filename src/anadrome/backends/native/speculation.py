"""A graph as native code that is called with Python values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from anadrome.backends.python.compiled import compile_graph
from anadrome.errors import UnexpectedType
from anadrome.ir.graph import Graph
from anadrome.ir.types import Type

from .compile import obtain_program, write_module
from .disk.serialise import Level
from .linking.loader import Linked
from .repeatable import is_repeatable
from .target import Target, select_target


class NativeFunction:
    """A compiled graph that is called with Python values.

    A program that may be started twice is compiled at a speculation level that is
    faster and may fail for more reasons; when that fails, it falls back to one that
    assumes less, and at last to Python, where a call returned something of another type
    than the compiler found.  `plain` gives the graph as it was before it came to
    assume something itself.
    """

    def __init__(
        self,
        graph: Graph,
        target: Target | None = None,
        level: Level = Level.JOINT,
        plain: Callable[[], Graph] | None = None,
    ) -> None:
        self.target = target or select_target()
        repeatable = is_repeatable(graph)
        if plain is not None and not repeatable:
            graph, plain = plain(), None
        self.graph, self.plain = graph, plain
        self.level = level if repeatable else Level.PLAIN
        self._slower: NativeFunction | None = None
        self._misses = 0
        program = obtain_program(graph, self.target, self.level)
        # Where it is kept on disk, if it is.
        self.key = program.key
        deoptimise = self._deoptimise if self.level is not Level.PLAIN else None
        self.call = Linked(
            graph.name, program, self.target, deoptimise, self._types
        ).function()
        if repeatable and self.level is Level.PLAIN:
            self.call = self._or_in_python(self.call)

    def _or_in_python(self, native: Callable[..., Any]) -> Callable[..., Any]:
        """A program whose types were found right, or the same one without types."""

        def call(*args: Any) -> Any:
            try:
                return native(*args)
            except UnexpectedType:
                return self._python(*args)

        return call

    @cached_property
    def _python(self) -> Callable[..., Any]:
        """The program as Python code."""
        return compile_graph(self.graph, self.graph.name)[0]

    @property
    def text(self) -> str:
        """The LLVM assembly of the program and of its kernels."""
        module = write_module(self.graph, self.target, self.level)
        return f"{module.module}\n{module.kernels.module}"

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    @property
    def slower(self) -> NativeFunction:
        """The program at a level that assumes less, made when it is needed."""
        if self._slower is None and self.level is Level.JOINT:
            self._slower = NativeFunction(
                self.graph, self.target, Level.SHAPES, self.plain
            )
        elif self._slower is None and self.plain is not None:
            self._slower = NativeFunction(self.plain(), self.target)
        elif self._slower is None:
            self._slower = NativeFunction(self.graph, self.target, Level.PLAIN)
        return self._slower

    def _types(self) -> list[Type]:
        return [p.type for p in self.graph.params]

    def _deoptimise(self, *args: Any) -> Any:
        """The result of a call for which what this level assumes does not hold."""
        result = self.slower(*args)
        self._misses += 1
        if self._misses >= _PATIENCE:
            self.call = self.slower.call
        return result


_PATIENCE = 3
"""So many calls may fail for what a level assumes before it is given up."""
