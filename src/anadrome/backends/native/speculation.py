"""A graph as native code that is called with Python values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from anadrome.backends.building import BUILDING
from anadrome.errors import NotFollowed
from anadrome.ir.graph import Graph
from anadrome.ir.types import Num, Type, deref, is_stored, parts
from anadrome.optimize.analysis.first_iterations import any_changes_dtype
from anadrome.optimize.analysis.memory import changes_dtype, order_shows
from anadrome.runtime import is_plain_memory, lies_by_rows

from .compile import obtain_program, write_module
from .disk.serialise import Level
from .linking.loader import Linked, or_in_python
from .repeatable import compares_arrays, is_repeatable, may_start_over
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
        # Whether the function itself is called where the program has to start over.
        self.hands_over = False
        self._slower: NativeFunction | None = None
        self._misses = 0
        program = obtain_program(graph, self.target, self.level)
        # Where it is kept on disk, if it is.
        self.key = program.key
        deoptimise = self._deoptimise if self.level is not Level.PLAIN else None
        self.call: Callable[..., Any] = Linked(
            graph.name, program, self.target, deoptimise, self._types, self.in_python
        ).function()
        self._converts = changes_dtype(graph) or (
            not repeatable and any_changes_dtype(graph)
        )
        self.starts_over = self.level is Level.PLAIN and may_start_over(graph)
        if self.starts_over:
            self.call = or_in_python(self.call, self.in_python, lambda: self.hands_over)
        if not repeatable and (self._ordered or self._opened):
            # It cannot start over when it finds that native code does not follow.
            self.key, self._native, self.call = "", self.call, self._choose
        elif not repeatable and self._compares:
            self.key, self.call = "", self._printed

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
        if self._slower is None:
            with BUILDING:
                # Another thread may have made it in the meantime.
                self._slower = self._slower or self._make_slower()
        self._slower.hands_over = self.hands_over
        return self._slower

    def _make_slower(self) -> NativeFunction:
        if self.level is Level.JOINT:
            return NativeFunction(self.graph, self.target, Level.SHAPES, self.plain)
        if self.plain is not None:
            return NativeFunction(self.plain(), self.target)
        return NativeFunction(self.graph, self.target, Level.PLAIN)

    def _types(self) -> list[Type]:
        return [p.type for p in self.graph.params]

    def _deoptimise(self, *args: Any) -> Any:
        """The result of a call for which what this level assumes does not hold."""
        try:
            result = self.slower(*args)
        except NotFollowed:
            return self._printed(*args)
        self._misses += 1
        if self._misses >= _PATIENCE and not self._ordered:
            self.call = self.slower.call
        return result

    def _choose(self, *args: Any) -> Any:
        """The result in native code if arrays lie row by row, else in Python."""
        follows = all(is_plain_memory(args[k]) for k in self._opened)
        follows = follows and not self._compares
        if self._ordered:
            follows = follows and lies_by_rows(args) and not self._converts
        run = self._native if follows else self._printed
        return run(*args)

    @cached_property
    def _opened(self) -> list[int]:
        """Which arguments hold arrays that are changed in place, or are 0-d ones.

        Native code takes them as objects, whose memory nobody else looks at.
        """
        from .emission.templates import template
        from .emission.values import Array

        types = [deref(p.type) for p in self.graph.params]
        return [
            k
            for k, t in enumerate(types)
            if _changes_arrays(t) and not isinstance(template(t, None), Array)
        ]

    @cached_property
    def _compares(self) -> bool:
        return compares_arrays(self.graph)

    def in_python(self, *args: Any) -> Any:
        """The result of the program as it is printed."""
        return self._printed(*args)

    @cached_property
    def _ordered(self) -> bool:
        """Whether the order of arrays in memory, or their dtypes, may show."""
        return self._converts or order_shows(self.graph)

    @cached_property
    def _printed(self) -> Callable[..., Any]:
        """The program in Python, which follows the order of arrays in memory."""
        from anadrome.backends.python.compiled import compile_graph

        with BUILDING:
            graph = self.plain() if self.plain is not None else self.graph
            return compile_graph(graph, graph.name)[0]


def _changes_arrays(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    t = deref(t)
    if isinstance(t, Num):
        return (not t.scalar or t.boxed) and is_stored(t)
    if id(t) in seen:
        return False
    return any(_changes_arrays(p, seen | {id(t)}) for p in parts(t))


_PATIENCE = 3
"""So many calls may fail for what a level assumes before it is given up."""
