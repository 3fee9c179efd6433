"""A hash of a graph: equal for graphs that are compiled to the same code.

It covers operations, their order and operands, types, constants and the lines of the
user's source, which failures point at; not names.  A graph that holds something whose
meaning cannot be hashed has none.
"""

from __future__ import annotations

import hashlib
from types import ModuleType
from typing import Any

import numpy as np

from anadrome.errors import Span
from anadrome.ir.graph import Apply, Constant, Graph, Node, Undefined, called_graphs
from anadrome.ir.operations import LoopShape, Op
from anadrome.ir.types import (
    Cell,
    Dict,
    Function,
    Num,
    Object,
    Optional,
    Stack,
    Tuple,
    Type,
    VarTuple,
    deref,
)
from anadrome.primitives.registry import Primitive

from .qualified_names import Unknown, qualified_name


def graph_fingerprint(graph: Graph) -> str | None:
    """The hash of a graph and of all that it calls, or None."""
    writer = _Writer(graph)
    try:
        writer.write()
    except Unknown:
        return None
    return hashlib.sha256("\n".join(writer.lines).encode()).hexdigest()


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graphs = called_graphs(graph)
        self.graph_numbers = {id(g): k for k, g in enumerate(self.graphs)}
        self.numbers: dict[int, int] = {}
        self.spans: dict[int, int] = {}
        self.cells: dict[int, int] = {}
        self.lines: list[str] = []

    def write(self) -> None:
        for graph in self.graphs:
            self.lines.append(f"graph {self._span(graph.span)}")
            self._region(graph)

    def _region(self, graph: Graph) -> None:
        for p in graph.params:
            facts = f" {p.facts}" if p.facts else ""
            self.lines.append(f"{self._number(p)}:{self._type(p.type)}{facts}")
        for node in graph.body:
            self._statement(node)
        self.lines.append("yield " + ",".join(map(self._operand, graph.results)))

    def _statement(self, node: Apply) -> None:
        op = node.op
        if not isinstance(op, Op | Primitive):
            raise Unknown
        parts = [
            f"{self._number(node)}:{self._type(node.type)}={op.name}",
            ",".join(map(self._operand, node.args)),
            ",".join(f"{k}={self._operand(v)}" for k, v in node.keywords.items()),
            self._target(node),
            self._span(node.span),
        ]
        if node.shape is not None:
            parts.append(self._shape(node.shape))
        for out in node.outputs:
            parts.append(f"{self._number(out)}:{self._type(out.type)}")
        self.lines.append(";".join(parts))
        for region in node.regions:
            self.lines.append("{")
            self._region(region)
            self.lines.append("}")

    def _target(self, node: Apply) -> str:
        if isinstance(node.op, Primitive):
            for k, target in enumerate(node.op.targets):
                if node.target is target:
                    return f"target {k} {_origin(target)}"
        return self._value(node.target)

    def _shape(self, shape: LoopShape) -> str:
        mirrored = self.numbers.get(id(shape.mirrors), -1)
        flags = (shape.breaks, shape.counts, shape.reverse, shape.frees)
        return repr((shape.stacks, shape.carried, shape.kept, flags, mirrored))

    def _number(self, node: Node) -> int:
        return self.numbers.setdefault(id(node), len(self.numbers))

    def _operand(self, node: Node) -> str:
        if isinstance(node, Constant):
            return f"<{self._value(node.value)}:{self._type(node.type)}>"
        return str(self._number(node))

    def _span(self, span: Span | None) -> str:
        if span is None:
            return "-"
        known = self.spans.get(id(span))
        if known is None:
            known = self.spans[id(span)] = len(self.spans)
            where = (span.file, span.line, span.column, span.end_line, span.end_column)
            path = [self._span(s) for s in span.path]
            self.lines.append(f"span {known} {where!r} {span.function} {path}")
        return f"s{known}"

    def _value(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int | float | complex | str):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, bytes) or value is Ellipsis:
            return repr(value)
        if isinstance(value, np.generic):
            return f"{value.dtype.str} {value.tobytes().hex()}"
        if type(value) is np.ndarray and value.dtype != object:
            digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            return f"array {value.dtype.str} {value.shape} {value.strides} {digest}"
        if isinstance(value, np.dtype):
            return f"dtype {value.str}"
        if type(value) in (tuple, list):
            return f"{type(value).__name__}({','.join(map(self._value, value))})"
        if type(value) is dict:
            items = (f"{self._value(k)}:{self._value(v)}" for k, v in value.items())
            return f"dict({','.join(items)})"
        if isinstance(value, slice):
            return f"slice{self._value((value.start, value.stop, value.step))}"
        if isinstance(value, Graph):
            if id(value) not in self.graph_numbers:
                raise Unknown
            return f"graph {self.graph_numbers[id(value)]}"
        if isinstance(value, Undefined):
            return "undefined"
        if isinstance(value, Primitive):
            return f"primitive {value.name} {_origin(value.impl)}"
        return qualified_name(value)

    def _type(self, given: Type) -> str:
        t = deref(given)
        if isinstance(t, Num):
            dtype = t.dtype.str if t.dtype is not None else "?"
            stored = t.alias.find().stored
            kinds = ",".join(sorted(k.__name__ for k in t.kinds))
            return f"{dtype}/{t.ndim}/{t.python:d}{t.boxed:d}{stored:d}{kinds}"
        if isinstance(t, Tuple):
            return f"{t.cls.__qualname__}({','.join(map(self._type, t.items))})"
        if isinstance(t, VarTuple | Stack):
            return f"{type(t).__name__}({self._type(t.item)})"
        if isinstance(t, Optional):
            return f"{self._type(t.inner)}?"
        if isinstance(t, Cell):
            return self._cell(t)
        if isinstance(t, Function):
            return "function"
        return repr(t)

    def _cell(self, t: Any) -> str:
        known = self.cells.get(id(t))
        if known is not None:
            return f"cell {known}"
        self.cells[id(t)] = known = len(self.cells)
        parts = [type(t).__name__, str(known), f"{t.stored:d}{t.told_apart:d}"]
        if isinstance(t, Object):
            parts.append(qualified_name(t.cls))
        if isinstance(t, Object | Dict) and t.fields is not None:
            for name, field in t.fields.items():
                parts.append(f"{name!r}:{self._type(field)}")
        if not isinstance(t, Object):
            parts += [self._type(t.key), self._type(t.item)]
        return f"({' '.join(parts)})"


def _origin(target: Any) -> str:
    """Where a function comes from: primitives of two packages may have one name."""
    owner = getattr(target, "__self__", None)
    owner = None if isinstance(owner, ModuleType) else type(owner).__qualname__
    module = getattr(target, "__module__", None)
    return f"{module}.{owner}.{getattr(target, '__qualname__', None)}"
