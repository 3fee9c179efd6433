"""What a function reads of the variables around it, as they are now.

A recursive function is read once for several calls. That is right only while the
variables and objects that it captured are what they were when it was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.bindings import flag_key
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    FunctionChoice,
    Partial,
    Scope,
    Super,
    Virtual,
)
from anadrome.frontend.values.functions import Same, free_names, owner_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node


class CapturedState:
    """The values that functions depend on through what they captured."""

    def __init__(self, it: Interpreter, nodes: Iterable[Node]) -> None:
        self.it = it
        self.found: list[Any] = []
        self._seen: set[int] = set()
        for node in nodes:
            self._look(node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CapturedState) and self.found == other.found

    __hash__ = None  # type: ignore[assignment]

    def _look(self, node: Node | None) -> None:
        if node is None:
            self.found.append(None)
        elif isinstance(node, Virtual):
            self._object(node)
        elif isinstance(node, Constant):
            self._value(node.value)
        else:
            self.found.append(Same(node))
            if isinstance(node, Apply) and node.op in (ops.TUPLE, ops.NAMEDTUPLE):
                for item in node.args:
                    self._look(item)

    def _first(self, value: Any) -> bool:
        self.found.append(Same(value))
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        return True

    def _object(self, node: Virtual) -> None:
        if not self._first(node):
            return
        heap = self.it.env.get((node, "%heap"))
        if heap is not None:
            self.found.append(Same(heap))
            return
        for name, value in self.it.fields_of(node).items():
            self.found.append(name)
            self._look(value)

    def _value(self, value: Any) -> None:
        if not self._first(value):
            return
        if isinstance(value, Closure):
            for name in sorted(free_names(value.source.node)):
                self._variable(owner_of(value.scope, name), name)
            for node in (*value.defaults, *value.keyword_defaults.values()):
                self._look(node)
        elif isinstance(value, BoundMethod):
            self._look(value.instance)
            self._value(value.function)
        elif isinstance(value, Partial):
            for node in (value.function, *value.args, *value.keywords.values()):
                self._look(node)
        elif isinstance(value, FunctionChoice):
            for node in (value.selector, *value.options):
                self._look(node)
        elif isinstance(value, ArrayMethod | Super):
            self._look(value.instance)

    def _variable(self, scope: Scope | None, name: str) -> None:
        if scope is None:
            return
        self._look(self.it.cell_of(scope, name) or self.it.env.get((scope, name)))
        self._look(self.it.env.get(flag_key((scope, name))))
