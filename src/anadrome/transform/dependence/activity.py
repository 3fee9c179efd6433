"""Which values depend on what is differentiated.

Only these get derivatives. Whatever is written into an object makes everything that
may be that object depend on it.
"""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import (
    AliasClass,
    Cell,
    NeverType,
    Optional,
    Other,
    Type,
    alias_of,
    deref,
    holds_stored,
    is_differentiable,
    parts,
)
from anadrome.primitives.registry import Primitive, is_nondifferentiable

_CUTS = (ops.OBSERVE, ops.LENGTH, ops.IS, ops.NOT, ops.CONTAINS, ops.FORMAT)


_PLAIN = (slice, range, type, np.dtype)


def _is_opaque(t: Type) -> bool:
    """Whether a value may hide numbers: an iterator, or one of unknown type."""
    t = deref(t)
    if isinstance(t, NeverType):
        return True
    return isinstance(t, Other) and not issubclass(t.cls, _PLAIN)


class Facts:
    """What holds of the values of a type; `alias` is their class if they have one."""

    __slots__ = ("alias", "buffer", "flows", "shadowed", "type")

    def __init__(
        self,
        type: Type,
        alias: AliasClass | None,
        buffer: bool,
        shadowed: bool,
        flows: bool,
    ) -> None:
        self.type = type
        self.alias = alias
        self.buffer = buffer
        self.shadowed = shadowed
        self.flows = flows


class Activity:
    """The active values of a graph and of everything it calls.

    What holds of a type is fixed when the program has been read: derivative rules
    that are inlined later may unify its cells with theirs, and must not change it.
    """

    def __init__(
        self, graph: Graph, sources: list[Node], products: bool = True
    ) -> None:
        self.nodes: set[int] = set()
        self.products = products
        self.classes: set[AliasClass] = set()
        self.facts: dict[int, Facts] = {}
        self.changed = True
        for s in sources:
            self._mark(s)
        self.graphs = called_graphs(graph, recorded=True, products=products)
        while self.changed:
            self.changed = False
            for g in self.graphs:
                self._region(g)
        for g in self.graphs:
            self._record_types(g)

    def __contains__(self, node: Node) -> bool:
        if id(node) in self.nodes:
            return True
        if isinstance(node, Constant):
            return False
        return bool(self.classes) and self.about(node.type).shadowed

    def buffer(self, t: Type) -> bool:
        """Whether values of a type are changed in place and hold active numbers."""
        return bool(self.classes) and self.about(t).buffer

    def shadowed(self, t: Type) -> bool:
        """Whether a value is, or contains, something with a shadow."""
        return bool(self.classes) and self.about(t).shadowed

    def flows(self, t: Type) -> bool:
        """Whether a value has numbers outside of anything with a shadow."""
        return self.about(t).flows

    def alias(self, t: Type) -> AliasClass | None:
        """The class of a value's type, as it was when the program had been read."""
        return self.about(t).alias

    def about(self, t: Type) -> Facts:
        """What holds of the values of a type."""
        found = self.facts.get(id(t))
        return found if found is not None else self._find(t)

    def _find(self, t: Type) -> Facts:
        return Facts(
            t, alias_of(t), self._is_buffer(t), self._is_shadowed(t), self._has_flow(t)
        )

    def include(self, node: Apply) -> None:
        """Take note of a statement that has been added since."""
        self._statement(node)

    def _record_types(self, graph: Graph) -> None:
        for p in graph.params:
            self._record_type(p.type)
        for node in graph.body:
            for n in (*node.inputs, node, *node.outputs):
                self._record_type(n.type)
            for region in node.regions:
                self._record_types(region)
        for r in graph.results:
            self._record_type(r.type)

    def _record_type(self, t: Type) -> None:
        if id(t) in self.facts:
            return
        self.facts[id(t)] = self._find(t)
        self._record_type(deref(t))
        for p in parts(t):
            self._record_type(p)

    def _is_buffer(self, t: Type) -> bool:
        alias = alias_of(t)
        return alias is not None and alias.stored and alias in self.classes

    def _is_shadowed(self, t: Type, seen: frozenset[int] = frozenset()) -> bool:
        t = deref(t)
        if isinstance(t, Optional):
            return self._is_shadowed(t.inner, seen)
        if id(t) in seen:
            return False
        if self._is_buffer(t):
            return True
        return any(self._is_shadowed(p, seen | {id(t)}) for p in parts(t))

    def _has_flow(self, t: Type, seen: frozenset[int] = frozenset()) -> bool:
        t = deref(t)
        if isinstance(t, Optional):
            return self._has_flow(t.inner, seen)
        if self._is_buffer(t) or id(t) in seen:
            return False
        inner = parts(t)
        if isinstance(t, Cell) or inner:
            return any(self._has_flow(p, seen | {id(t)}) for p in inner)
        return is_differentiable(t) or _is_opaque(t)

    def _mark(self, node: Node) -> None:
        if isinstance(node, Constant):
            return
        if not is_differentiable(node.type) and not _is_opaque(node.type):
            return
        if id(node) not in self.nodes:
            self.nodes.add(id(node))
            self.changed = True
        self._mark_type(node.type, frozenset())

    def _mark_type(self, t: Type, seen: frozenset[int]) -> None:
        """An active value makes everything it may share memory with active."""
        t = deref(t)
        if id(t) in seen:
            return
        alias = alias_of(t)
        if alias is not None and alias.stored and is_differentiable(t):
            if alias not in self.classes:
                self.classes.add(alias)
                self.changed = True
        for p in parts(t):
            self._mark_type(p, seen | {id(t)})

    def _region(self, graph: Graph) -> None:
        for node in graph.body:
            self._statement(node)

    def _statement(self, node: Apply) -> None:
        op = node.op
        if op is ops.IF or op is ops.TRY:
            for region in node.regions:
                self._region(region)
            for k, out in enumerate(node.outputs):
                if any(r.results[k] in self for r in node.regions):
                    self._mark(out)
            return
        if op is ops.FOR or op is ops.WHILE:
            self._loop(node)
            return
        if op is ops.CALL:
            callee = node.args[0]
            if isinstance(callee, Constant) and isinstance(callee.value, Graph):
                if callee.value.product is not None and not self.products:
                    if any(a in self for a in node.args[1:]):
                        self._mark(node)
                    return
                for p, a in zip(callee.value.params, node.args[1:]):
                    if a in self:
                        self._mark(p)
                if callee.value.results and callee.value.results[0] in self:
                    self._mark(node)
                if isinstance(node.target, Graph):
                    for p, a in zip(node.target.params, node.args[1:]):
                        if a in self:
                            self._mark(p)
                    if node.target.results and node.target.results[0] in self:
                        self._mark(node)
            return
        if op is ops.INSERT:
            self._region(node.regions[0])
        if op in _CUTS or (isinstance(op, Primitive) and op.zero):
            return
        if op is ops.PYCALL and is_nondifferentiable(
            getattr(node.args[0], "value", None)
        ):
            return
        if op in (ops.PYCALL, ops.METHOD) and node.target is not True:
            # It may write any of its arguments into those that are changed in place.
            if any(n in self for n in node.inputs):
                for n in node.inputs:
                    if holds_stored(n.type):
                        self._mark(n)
        if op.writes if isinstance(op, ops.Op) else False:
            if any(a in self for a in node.args[1:]) and op is not ops.POP:
                self._mark(node.args[0])
                self._mark_type(node.args[0].type, frozenset())
        if any(n in self for n in node.inputs):
            self._mark(node)
            for o in node.outputs:
                self._mark(o)

    def _loop(self, node: Apply) -> None:
        shape, body = node.shape, node.regions[-1]
        first = len(node.args) - shape.carried
        offset = len(body.params) - shape.carried
        skip = 3 if node.op is ops.FOR else 0
        for k in range(shape.stacks):
            if node.args[skip + k] in self:
                self._mark(body.params[(1 if skip else 0) + k])
        for k in range(shape.carried):
            if node.args[first + k] in self or body.results[k] in self:
                self._mark(body.params[offset + k])
                self._mark(node.outputs[k])
                if node.op is ops.WHILE:
                    self._mark(node.regions[0].params[k])
        self._region(body)
        for k in range(shape.kept):
            if body.results[shape.carried + k] in self:
                self._mark(node.outputs[shape.carried + k])
