"""The state of compiling one module: what its functions share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir

from anadrome.errors import Span
from anadrome.ir.graph import Graph

from ..disk.serialise import CONSTANTS, Failure
from ..kernels.library import Kernels
from ..target import Target
from .builder import Builder
from .dsl import declare
from .values import POINTER, Value

EXPLAIN, STACK = "explain", "stack"
ROLES = (EXPLAIN, "otherwise", "locate", "again", STACK)
"""The functions of a compiled program that its constants begin with."""


class ModuleEmitter:
    """A module that is being written: its functions and its failures."""

    def __init__(self, target: Target) -> None:
        self.module = ir.Module("anadrome.program")
        self.target = target
        self.failures: list[Failure] = []
        self._codes: dict[Failure, int] = {}
        self.functions: dict[int, ir.Function] = {}
        self.results: dict[int, Value] = {}
        self.pending: list[Callable[[], None]] = []
        self.graphs: list[Graph] = []
        # Functions of vector mathematics that are called: name and element type.
        self.math: set[tuple[str, str]] = set()
        # Whether it holds or calls anything of Python, and which functions.
        self.python = False
        self.python_names: set[str] = set()
        self.constants: list[tuple[str, Any]] = [(role, None) for role in ROLES]
        self._places: dict[Any, int] = {
            (role, id(None)): k for k, role in enumerate(ROLES)
        }
        self._shared: dict[Any, Any] = {}
        self.sites: list[Span] = []
        self.recursive: set[int] = set()
        # Whether records of recursive functions stay in native memory.
        self.references = False
        self.releasers: dict[int, ir.Function] = {}
        # The types of lists that change and stay in native memory: see `native_lists`.
        self.lists: set[int] = set()
        # Those of lists that grow and of dictionaries, and of those that are returned:
        # see `native_containers`.
        self.growing: frozenset[int] = frozenset()
        self.tables: frozenset[int] = frozenset()
        self.visible: frozenset[int] = frozenset()
        self.gemms: set[str] = set()
        self.kernels = Kernels()
        # Whether failures fall back to a speculation level that assumes less.
        self.assumes = False
        # Whether that is also done if arrays computed together differ in shape.
        self.joint = False
        # Whether threads are lent memory, see `memory_lending`.
        self.lends = False
        self.builders: list[Builder] = []

    @property
    def only_directs(self) -> bool:
        """Whether all that is done many times over is done by kernels."""
        loops = any(builder.has_plain_loop for builder in self.builders)
        return not loops and not self.recursive

    def failure(self, kind: type[Exception], message: str, span: Span | None) -> int:
        """The status code of a failure."""
        if self.assumes:
            # The program falls back to another level, which tells what is wrong.
            kind, message, span = RuntimeError, "an assumption does not hold", None
        found = Failure(kind, message, span)
        code = self._codes.get(found)
        if code is None:
            self.failures.append(found)
            code = self._codes[found] = len(self.failures)
        return code

    def constant(self, value: Any, how: str = "object") -> int:
        """The place of an object, or of a block for it, among the constants."""
        found = self._places.get((how, id(value)))
        if found is None:
            found = self._places[how, id(value)] = len(self.constants)
            self.constants.append((how, value))
        return found

    def shared(self, value: Any, key: Any) -> Any:
        """One object for all that has the same key."""
        return self._shared.setdefault(key, value)

    def site(self, span: Span | None) -> int:
        """The number of a place where Python may raise; zero if it is unknown."""
        if span is None:
            return 0
        if span not in self.sites:
            self.sites.append(span)
        return self.sites.index(span) + 1

    @cached_property
    def nowhere(self) -> ir.Value:
        """A word that may be written and is never read."""
        found = ir.GlobalVariable(self.module, ir.IntType(64), "anadrome.nowhere")
        found.linkage = "internal"
        found.initializer = ir.Constant(ir.IntType(64), 0)
        return found

    def runtime(self, name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
        """A function of another library."""
        return declare(self.module, name, ir.FunctionType(result, list(arguments)))


def declare_constants(module: ir.Module) -> ir.Value:
    """The table of Python objects that a module was compiled with."""
    found = module.globals.get(CONSTANTS)
    if found is None:
        found = ir.GlobalVariable(module, POINTER, CONSTANTS)
    return found
