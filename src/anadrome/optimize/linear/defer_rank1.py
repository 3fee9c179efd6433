"""Outer products that recursive functions add to an array, many at a time."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter, called_graphs
from anadrome.ir.types import (
    BOOL,
    INT,
    NEVER,
    NONE,
    Num,
    Other,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.analysis.iterations import count_uses, is_primitive
from anadrome.optimize.rewriting import regions_within
from anadrome.primitives.registry import find_primitive

_MANY = 64
"""So many outer products are one product of matrices."""

_INTEGER = np.dtype(np.int64)


def defer_products(graph: Graph) -> Graph:
    """The graph whose recursive functions add up outer products by the dozen.

    def f(…, w):                      def f(…, w, xs, ys, count):
        add_product(w, x, y)     →        xs[count[0]], ys[count[0]] = x, y
                                          count[0] += 1
                                          if count[0] == 64:
                                              add_product(w, xs.T, ys)
                                              count[0] = 0

    The functions do nothing else with the array. A caller that is none of them adds
    what is left before it reads the array.
    """
    graphs = called_graphs(graph)
    for group in _groups(graphs):
        _Deferral(group).rewrite(graphs)
    return graph


def _groups(graphs: list[Graph]) -> list[list[Parameter]]:
    """Parameters that functions hand to each other, and nothing but add products to."""
    handed: dict[int, set[int]] = {}
    params = {id(p): p for g in graphs for p in g.params if _is_matrix(p.type)}
    spoilt: set[int] = set()
    busy: set[int] = set()
    recursive: set[int] = set()
    for g in graphs:
        additions = _additions(g)
        for region in regions_within(g):
            spoilt.update(id(r) for r in region.results)
            for node in region.body:
                callee = _callee(node)
                for k, n in enumerate(node.inputs):
                    if id(n) not in params or id(node) in additions:
                        continue
                    if callee is not None and 0 < k <= len(callee.params):
                        other = callee.params[k - 1]
                        handed.setdefault(id(n), set()).add(id(other))
                        handed.setdefault(id(other), set()).add(id(n))
                        if _calls(callee, g):
                            recursive |= {id(n), id(other)}
                    elif _is_outer_update(node) and k == 0:
                        busy.add(id(n))
                    else:
                        spoilt.add(id(n))
    found: list[list[Parameter]] = []
    seen: set[int] = set()
    for key in params:
        if key in seen or key not in busy:
            continue
        group, pending = {key}, [key]
        while pending:
            for near in handed.get(pending.pop(), ()):
                if near not in group:
                    group.add(near)
                    pending.append(near)
        seen |= group
        known = all(k in params and k not in spoilt for k in group)
        if known and group & recursive:
            found.append([params[k] for k in params if k in group])
    return found


def _additions(graph: Graph) -> set[int]:
    """The statements that add to an array in place, which may be done in any order.

    `x += y` and `x[i] += y` read the old values, and nobody else reads those.
    """
    uses = count_uses(graph)
    found: set[int] = set()
    for region in regions_within(graph):
        for store in region.body:
            if store.op is not ops.SETITEM:
                continue
            target, index, total = store.args
            steps = [store, total]
            if not is_primitive(total, "add"):
                continue
            old = total.args[0]  # type: ignore[attr-defined]
            if isinstance(old, Apply) and old.op is ops.GETITEM:
                if old.args[0] is not target or old.args[1] is not index:
                    continue
                steps.append(old)
            elif old is not target or getattr(index, "value", None) is not Ellipsis:
                continue
            if all(uses.get(id(n), 0) == 1 for n in steps[1:]):
                found.update(map(id, steps))
    return found


def _callee(node: Node) -> Graph | None:
    if isinstance(node, Apply) and node.op is ops.CALL:
        first = node.args[0]
        if isinstance(first, Constant) and isinstance(first.value, Graph):
            return first.value
    return None


def _calls(graph: Graph, other: Graph) -> bool:
    return any(g is other for g in called_graphs(graph))


def _is_matrix(t: Type) -> bool:
    t = deref(t)
    real = isinstance(t, Num) and t.dtype is not None and t.dtype.kind == "f"
    return real and t.ndim == 2 and t.alias.find().stored  # type: ignore[attr-defined]


def _is_outer_update(node: Apply) -> bool:
    if node.op is not ops.ADD_PRODUCT:
        return False
    factors = [deref(a.type) for a in node.args[1:]]
    return all(isinstance(t, Num) and t.ndim == 1 for t in factors)


class _Deferral:
    """What is added to the arrays of a group, collected in two matrices."""

    def __init__(self, group: list[Parameter]) -> None:
        kind = deref(group[0].type)
        assert isinstance(kind, Num)
        assert kind.dtype is not None
        self.dtype = kind.dtype
        self.types = [
            _stored(self.dtype, 2),
            _stored(self.dtype, 2),
            _stored(_INTEGER, 1),
        ]
        self.collected: dict[int, list[Node]] = {}
        for p in group:
            added: list[Node] = [
                p.graph.add_parameter(t, f"{p.name}_{suffix}" if p.name else None)
                for t, suffix in zip(self.types, ("rows", "columns", "count"))
            ]
            self.collected[id(p)] = added

    def rewrite(self, graphs: list[Graph]) -> None:
        """Collect products, and hand what they are collected in to every call."""
        callees = {id(n.graph) for ns in self.collected.values() for n in ns}  # type: ignore[attr-defined]
        for g in graphs:
            for region in list(regions_within(g)):
                body: list[Apply] = []
                for node in region.body:
                    callee = _callee(node)
                    w = _Statements(region, body, node)
                    if _is_outer_update(node) and id(node.args[0]) in self.collected:
                        self._collect(w, node)
                    elif callee is not None and id(callee) in callees:
                        self._call(w, node, callee)
                    else:
                        body.append(node)
                region.body = body

    def _collect(self, w: _Statements, node: Apply) -> None:
        total, x, y = node.args
        rows, columns, count = self.collected[id(total)]
        first, one = _constant(0), _constant(1)
        number = Num(_INTEGER, 0)
        k = w.add(ops.GETITEM, number, count, first)
        w.add(ops.SETITEM, NEVER, rows, k, x)
        w.add(ops.SETITEM, NEVER, columns, k, y)
        after = w.apply(operator.add, number, k, one)
        w.add(ops.SETITEM, NEVER, count, first, after)
        full = w.apply(operator.eq, BOOL, after, _constant(_MANY))
        branch = w.add(ops.IF, NEVER, full)
        then, other = Graph("then", w.region), Graph("else", w.region)
        inner = _Statements(then, then.body, node)
        transpose = inner.apply(_TRANSPOSE, rows.type, rows)
        inner.add(ops.ADD_PRODUCT, NEVER, total, transpose, columns)
        inner.add(ops.SETITEM, NEVER, count, first, first)
        branch.regions = then, other

    def _call(self, w: _Statements, node: Apply, callee: Graph) -> None:
        ends: list[tuple[Node, list[Node]]] = []
        for p in list(callee.params):
            if id(p) not in self.collected:
                continue
            given = node.args[1 + callee.params.index(p)]
            held = self.collected.get(id(given))
            if held is None:
                held = self._start(w, given)
                ends.append((given, held))
            node.args = (*node.args, *held)
        w.body.append(node)
        for given, held in ends:
            self._finish(w, given, held)

    def _start(self, w: _Statements, total: Node) -> list[Node]:
        """Room for the products that are added to an array."""
        sizes = w.apply(np.shape, Tuple((INT, INT)), total)
        made: list[Node] = []
        for axis in (0, 1):
            n = w.add(ops.GETITEM, INT, sizes, _constant(axis))
            shape = w.add(ops.TUPLE, Tuple((INT, INT)), _constant(_MANY), n)
            made.append(w.apply(np.empty, self.types[axis], shape, _type(self.dtype)))
        made.append(w.apply(np.zeros, self.types[2], _constant(1), _type(_INTEGER)))
        return made

    def _finish(self, w: _Statements, total: Node, held: list[Node]) -> None:
        """Add the products that are left."""
        rows, columns, count = held
        k = w.add(ops.GETITEM, Num(_INTEGER, 0), count, _constant(0))
        none = Constant(None, NONE)
        part = w.add(ops.SLICE, Other(slice), none, k, none)
        upper = w.add(ops.GETITEM, rows.type, rows, part)
        transpose = w.apply(_TRANSPOSE, rows.type, upper)
        lower = w.add(ops.GETITEM, columns.type, columns, part)
        w.add(ops.ADD_PRODUCT, NEVER, total, transpose, lower)


class _Statements:
    """Statements that take the place of another one."""

    def __init__(self, region: Graph, body: list[Apply], like: Apply) -> None:
        self.region, self.body, self.like = region, body, like

    def add(self, op: Any, t: Type, *args: Node) -> Apply:
        made = Apply(op, args, t, span=self.like.span)
        made.comment, made.graph = self.like.comment, self.region
        self.body.append(made)
        return made

    def apply(self, function: Any, t: Type, *args: Node) -> Apply:
        made = self.add(find_primitive(function), t, *args)
        made.target = function
        return made


_TRANSPOSE = np.transpose


def _stored(dtype: np.dtype[Any], ndim: int) -> Num:
    t = Num(dtype, ndim)
    t.alias.store()
    return t


def _constant(value: int) -> Constant:
    return Constant(value, INT)


def _type(dtype: np.dtype[Any]) -> Constant:
    return Constant(dtype, Other(type(dtype)))


__all__ = ["defer_products"]
