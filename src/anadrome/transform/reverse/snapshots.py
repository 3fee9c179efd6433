"""Copies of arrays that the backward pass reads but something overwrites before.

A copy is taken at the statement that reads the array, and only if a store that may hit
it can come later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import (
    AliasClass,
    Function,
    Num,
    Type,
    deref,
    is_stored,
    parts,
    strip_optional,
)

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


class Snapshots:
    """The copies that are needed, put into the forward pass at the end."""

    def __init__(self, reverse: Reverse) -> None:
        self.r = reverse
        self.before: dict[int, list[Apply]] = {}
        self.after: dict[int, list[Apply]] = {}
        self.made: dict[tuple[int, int], Node] = {}
        self.place: dict[int, tuple[int, Graph, tuple[int, ...]]] = {}
        self.stores: dict[AliasClass, list[Apply]] = {}
        self.recursive: set[int] = set()
        for g in called_graphs(reverse.old, recorded=True, products=False):
            if g is not reverse.old:
                self.recursive.add(id(g))
            self._number(g, g, ())
        self.calls_store: bool = any(
            isinstance(n.op, ops.Op) and n.op.writes
            for g in called_graphs(reverse.old, recorded=True, products=False)
            if g is not reverse.old
            for n in walk(g)
        )

    def _number(self, graph: Graph, function: Graph, loops: tuple[int, ...]) -> None:
        for node in graph.body:
            self.place[id(node)] = (len(self.place), function, loops)
            if isinstance(node.op, ops.Op) and node.op.writes:
                alias = self.r.activity.alias(node.args[0].type)
                if alias is not None:
                    self.stores.setdefault(alias, []).append(node)
            inner = loops
            if node.op in (ops.FOR, ops.WHILE):
                inner = (*loops, id(node))
            for region in node.regions:
                self._number(region, function, inner)

    def of(self, node: Node, at: Apply) -> Node:
        """The value that a node has at a statement."""
        value = self.r.value(node)
        t = strip_optional(node.type)
        itself = is_stored(t) and self._overwritten(node.type, at)
        if isinstance(node, Apply) and node.op in (ops.TUPLE, ops.LIST) and not itself:
            items = [
                self.of(a, at) if not isinstance(a, Constant) else a for a in node.args
            ]
            if all(p is self.r.value(a) for p, a in zip(items, node.args)):
                return value
            made = Apply(node.op, tuple(items), node.type)
            made.graph = self.r.it.graph
            return self.r.it.graph.append(made)
        inside = any(is_stored(p) and self._overwritten(p, at) for p in parts(t))
        if not itself and not inside:
            return value
        key = (id(node), id(at))
        found = self.made.get(key)
        if found is not None:
            return found
        place = self.r.applies.get(id(at))
        if place is None:
            return value
        s = deref(t)
        kind = Num(s.dtype, s.ndim) if isinstance(s, Num) else t
        if inside:
            function = Constant(runtime.copied_items, Function(runtime.copied_items))
            copied = Apply(ops.PYCALL, (function, value), t, name=node.name)
            copied.span = at.span
            copied.target = True  # it has no effects
        else:
            copied = Apply(ops.COPY, (value,), kind, name=node.name, span=at.span)
        copied.graph = place.graph
        where = self.after if node is at else self.before
        where.setdefault(id(place), []).append(copied)
        self.made[key] = copied
        return copied

    def _overwritten(self, t: Type, at: Apply) -> bool:
        alias = self.r.activity.alias(t)
        if alias is None:
            return False
        number, function, loops = self.place.get(id(at), (0, None, ()))
        for store in self.stores.get(alias, []):
            if store is at:
                continue
            when, where, around = self.place[id(store)]
            if where is not function or id(function) in self.recursive:
                return True
            if when > number or set(loops) & set(around):
                return True
        return False

    def splice(self) -> None:
        """Put the copies where they belong."""
        if not self.before and not self.after:
            return
        for g in called_graphs(self.r.it.root):
            self._splice(g)

    def _splice(self, graph: Graph) -> None:
        body: list[Apply] = []
        for node in graph.body:
            body += self.before.get(id(node), [])
            body.append(node)
            body += self.after.get(id(node), [])
            for region in node.regions:
                self._splice(region)
        graph.body = body
