"""Which values may be missing when the program runs.

A branch leaves nothing for what only the other one computes, and a loop nothing for
what only its iterations compute. Such a value has no shape, and its cotangent is None.
"""

from __future__ import annotations

from anadrome.frontend.interpreter import Interpreter
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import Object, deref
from anadrome.primitives.cotangents import (
    add_cotangents,
    conform_cotangent,
    filled_cotangent,
    zero_cotangent,
    zeros_of_numbers,
)
from anadrome.runtime import Saved

PASSING = (
    add_cotangents,
    conform_cotangent,
    filled_cotangent,
    zero_cotangent,
    zeros_of_numbers,
    ops.INSERT,
)
"""Operations whose result may be absent because an operand is."""


class Writer(Interpreter):
    """Writes a derivative; knows which values may be missing on some path."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.absent: set[int] = set()


class Copies(dict[int, Node]):
    """What stands for the values of the old graph; the missing ones stay known."""

    def __init__(self, old: Graph, writer: Writer) -> None:
        super().__init__()
        self.missing = Absence(old).nodes
        self.writer = writer

    def __setitem__(self, key: int, node: Node) -> None:
        if key in self.missing:
            self.writer.absent.add(id(node))
        super().__setitem__(key, node)


class Absence:
    """The values of a graph, and of everything it calls, that may be missing."""

    def __init__(self, graph: Graph) -> None:
        self.nodes: set[int] = set()
        graphs = called_graphs(graph, recorded=True)
        self._changed = True
        while self._changed:
            self._changed = False
            for g in graphs:
                self._region(g)

    def __contains__(self, node: Node) -> bool:
        if isinstance(node, Constant):
            return node is UNDEFINED or node.value is None
        return id(node) in self.nodes

    def _note(self, node: Node, *sources: Node) -> None:
        if id(node) not in self.nodes and any(s in self for s in sources):
            self.nodes.add(id(node))
            self._changed = True

    def _region(self, graph: Graph) -> None:
        for node in graph.body:
            for region in node.regions:
                self._region(region)
            self._statement(node)

    def _statement(self, node: Apply) -> None:
        op = node.op
        if op is ops.IF or op is ops.TRY:
            for k, out in enumerate(node.outputs):
                self._note(out, *(r.results[k] for r in node.regions))
        elif op is ops.FOR or op is ops.WHILE:
            self._loop(node)
        elif op is ops.CALL:
            callee = getattr(node.args[0], "value", None)
            for g in (callee, node.target):
                if isinstance(g, Graph):
                    for p, a in zip(g.params, node.args[1:]):
                        self._note(p, a)
                    if g.results:
                        self._note(node, g.results[0])
        elif op in PASSING:
            self._note(node, *node.args)
        elif op is ops.GETATTR:
            t = deref(node.args[0].type)
            if isinstance(t, Object) and t.cls is Saved:
                self._note(node, UNDEFINED)

    def _loop(self, node: Apply) -> None:
        shape, body = node.shape, node.regions[-1]
        skip, index = (3, 1) if node.op is ops.FOR else (0, 0)
        for k in range(shape.stacks):
            self._note(body.params[index + k], node.args[skip + k])
        n = shape.carried
        first = len(node.args) - n
        for k in range(n):
            sources = node.args[first + k], body.results[k]
            self._note(node.outputs[k], *sources)
            for region in node.regions:
                self._note(region.params[len(region.params) - n + k], *sources)
        for k in range(n, n + shape.kept):
            self._note(node.outputs[k], body.results[k])


__all__ = ["Absence", "Copies", "Writer"]
