"""Results that nobody else holds: gradients never alias an argument or each other."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome import tree
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter
from anadrome.ir.types import (
    Function,
    Num,
    Other,
    Tuple,
    Type,
    deref,
    is_differentiable,
)
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.primitives.cotangents import filled_cotangent
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.reverse.buffers.ownership import BUILDERS, READ_ONLY, Uses


def own_results(
    graph: Graph, paths: tuple[tuple[int, ...], ...], *, values: bool = False
) -> Graph:
    """The graph with copies where a result may be held by somebody else.

    return dy, dy      →      return dy, dy.copy()

    `paths` says where in the result the gradients are: `()` for all of it, `(1,)` for
    the second item of a pair. For arrays without axes these are numbers; `values`: they
    are no gradients, and stay what they are.
    """
    owner = _Owner(graph, values)
    result = graph.results[0]
    if isinstance(result, Apply) and result.op is ops.TUPLE:
        for k, item in enumerate(result.args):
            if all(path and path[0] != k for path in paths):
                owner.leave(item)
    for path in paths:
        graph.results[0] = owner.at(graph.results[0], path)
    if owner.changed:
        remove_dead_region(graph)
    return graph


def fill_results(graph: Graph, paths: tuple[tuple[int, ...], ...]) -> Graph:
    """The graph whose gradients of lists and objects have memory for their zeros."""
    for path in paths:
        graph.results[0] = _filled(graph, graph.results[0], path)
    return graph


def _filled(graph: Graph, node: Node, path: tuple[int, ...]) -> Node:
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        items = list(node.args)
        for k in path[:1] or range(len(items)):
            items[k] = _filled(graph, items[k], path[1:])
        if all(a is b for a, b in zip(items, node.args)):
            return node
        return graph.append(Apply(ops.TUPLE, tuple(items), node.type, name=node.name))
    if _is_plain(node.type) or not is_differentiable(node.type):
        return node
    made = Apply(filled_cotangent, (node,), node.type, name=node.name)
    made.target = filled_cotangent.impl
    return graph.append(made)


def _is_plain(t: Type) -> bool:
    """Whether a value is an array or a tuple of nothing but arrays."""
    t = deref(t)
    if isinstance(t, Tuple):
        return all(_is_plain(i) for i in t.items)
    return isinstance(t, Num)


class _Owner:
    def __init__(self, graph: Graph, values: bool) -> None:
        self.graph = graph
        self.values = values
        self.taken: set[int] = set()
        self.changed = False
        self.uses: Uses | None = None

    def leave(self, node: Node) -> None:
        """Take note of what another part of the result holds."""
        if isinstance(node, Apply) and node.op in BUILDERS:
            for a in node.args:
                self.leave(a)
        else:
            self.taken |= origins(node) or set()

    def at(self, node: Node, path: tuple[int, ...]) -> Node:
        """The result with the part at a path made its own."""
        if not path:
            return self.own(node)
        if not (isinstance(node, Apply) and node.op is ops.TUPLE):
            return self.own(node)
        items = list(node.args)
        items[path[0]] = self.at(items[path[0]], path[1:])
        return self._rebuilt(node, tuple(items))

    def own(self, node: Node) -> Node:
        """A value that is nobody else's."""
        t = deref(node.type)
        if isinstance(node, Constant) or not is_differentiable(t):
            return node
        if isinstance(t, Other):
            return node  # such objects are never changed
        if isinstance(t, Num):
            if t.scalar:
                return node
            if t.boxed and not self.values:
                plus = find_primitive(operator.pos)
                number = self._append(plus, (node,), Num(t.dtype, 0), node.name)
                number.target = operator.pos
                return number
            found = origins(node)
            if found is None or found & self.taken:
                kind = Num(t.dtype, t.ndim, boxed=t.boxed)
                return self._append(ops.COPY, (node,), kind, node.name)
            self.taken |= found
            return node
        if isinstance(node, Apply) and node.op in BUILDERS:
            first = BUILDERS[node.op]
            head, rest = node.args[:first], node.args[first:]
            return self._rebuilt(node, (*head, *(self.own(a) for a in rest)))
        if self.uses is None:
            self.uses = Uses(self.graph)
        if self.uses.holds_alone(node):
            return self._append(filled_cotangent, (node,), node.type, node.name)
        separate = Constant(tree.separate, Function(tree.separate))
        made = self._append(ops.PYCALL, (separate, node), node.type, node.name)
        made.target = True
        return made

    def _rebuilt(self, node: Apply, args: tuple[Node, ...]) -> Node:
        if all(a is b for a, b in zip(args, node.args)):
            return node
        return self._append(node.op, args, node.type, node.name)

    def _append(
        self, op: Any, args: tuple[Node, ...], t: Any, name: str | None
    ) -> Apply:
        self.changed = True
        made = Apply(op, args, t, name=name)
        if isinstance(op, Primitive):
            made.target = op.impl
        return self.graph.append(made)


def origins(node: Node, seen: frozenset[int] = frozenset()) -> set[int] | None:
    """The statements that may have made an array, or None if it may be anybody's."""
    if id(node) in seen:
        return set()
    if isinstance(node, Output):
        return _origins_of_output(node, seen | {id(node)})
    if isinstance(node, Parameter):
        return _origins_of_parameter(node, seen | {id(node)})
    if not isinstance(node, Apply):
        return None
    if isinstance(node.op, Primitive):
        if node.op.fresh:
            return {id(node)}
        if node.op.name in READ_ONLY:
            return None
        # It is new, or it is one of the arguments or a view of one.
        found = _union([a for a in node.inputs if _may_be_array(a)], seen)
        return None if found is None else found | {id(node)}
    if node.op is ops.COPY:
        return {id(node)}
    if node.op in (ops.INDEX_ADD, ops.CAST):
        return origins(node.args[0], seen)
    return None


def _may_be_array(node: Node) -> bool:
    if isinstance(node, Constant):
        return isinstance(node.value, np.ndarray)
    t = deref(node.type)
    return is_differentiable(t) and not (isinstance(t, Num) and t.scalar)


def _union(nodes: list[Node], seen: frozenset[int]) -> set[int] | None:
    found: set[int] = set()
    for n in nodes:
        made = origins(n, seen)
        if made is None:
            return None
        found |= made
    return found


def _origins_of_output(node: Output, seen: frozenset[int]) -> set[int] | None:
    statement = node.apply
    k = node.index
    if statement.op is ops.IF:
        return _union([r.results[k] for r in statement.regions], seen)
    if statement.op in (ops.FOR, ops.WHILE) and k < statement.shape.carried:
        body = statement.regions[-1]
        first = len(statement.args) - statement.shape.carried
        return _union([statement.args[first + k], body.results[k]], seen)
    return None


def _origins_of_parameter(node: Parameter, seen: frozenset[int]) -> set[int] | None:
    """A loop's variable was made before the loop or by its last iteration."""
    region = node.graph
    if region.parent is None:
        return None
    for statement in region.parent.body:
        if region in statement.regions and statement.op in (ops.FOR, ops.WHILE):
            carried = statement.shape.carried
            k = region.params.index(node) - (len(region.params) - carried)
            if k < 0:
                return None
            first = len(statement.args) - carried
            body = statement.regions[-1]
            return _union([statement.args[first + k], body.results[k]], seen)
    return None


__all__ = ["fill_results", "origins", "own_results"]
