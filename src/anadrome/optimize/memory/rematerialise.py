"""Backward loops that rematerialise what they need instead of reading residuals.

The residuals of a loop are the parts of arrays that its iterations looked at. A part is
rematerialised from the number of the iteration and the array, if that is still the
same: then there is no residual, and the backward loop shows what it reads and writes.
So is what takes no more than a product with a number from a part of an array that never
changes: to read the part costs what it would cost to read the residual.
"""

from __future__ import annotations

import dataclasses

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
)
from anadrome.ir.types import Num, Tuple, deref, holds_stored, is_stored
from anadrome.optimize.analysis.iterations import is_primitive, keep
from anadrome.optimize.analysis.memory import is_view
from anadrome.optimize.rewriting import replace

_OTHER_AXES = (
    "expand_dims",
    "transpose_all",
    "transpose",
    "matrix_transpose",
    "swapaxes",
)
_COUNTING = ("add", "subtract", "multiply")
_SCALING = (*_COUNTING, "negative")


def rematerialise_views(graph: Graph) -> Graph:
    """The graph with parts of arrays rematerialised in the backward pass.

    for t in range(n):                       for t in range(n):
        …                                        …
        rows.append(dx[t])             →     for t in reversed(range(n)):
    for t in reversed(range(n)):                 row = dx[t]
        row = rows[t]                            row += …
        row += …
    """
    for g in called_graphs(graph):
        _Walk().region(g, set(), {})
    return graph


class _Walk:
    """A walk through a function, with what the backward loops are given."""

    def __init__(self) -> None:
        # The value of the forward pass that a value of the backward pass is.
        self.meaning: dict[int, Node] = {}

    def region(self, graph: Graph, scope: set[int], known: dict[int, Node]) -> None:
        """Go through a region; `known`: rematerialised values of the forward pass."""
        scope = scope | {id(p) for p in graph.params}
        for node in graph.body:
            forward = getattr(node.shape, "mirrors", None)
            both = isinstance(forward, Apply) and forward.op is ops.FOR
            if forward is not None and both and node.op is ops.FOR:
                self._backward_loop(node, forward, scope, known)
            else:
                for inner in node.regions:
                    self.region(inner, scope, known)
            scope.update(id(n) for n in (node, *node.outputs))

    def _backward_loop(
        self, loop: Apply, forward: Apply, scope: set[int], known: dict[int, Node]
    ) -> None:
        body, there = loop.regions[-1], forward.regions[-1]
        finding = _Rematerialisation(scope, known)
        finding.given[id(there.params[0])] = body.params[0]
        items: list[tuple[int, Node]] = []
        for k in range(loop.shape.stacks):
            item = self._item(loop.args[3 + k], forward)
            if item is not None:
                p = body.params[1 + k]
                self.meaning[id(p)] = item
                finding.given.setdefault(id(item), p)
                items.append((k, item))
        replaced: dict[int, Node] = {}
        for k, item in items:
            p = body.params[1 + k]
            found = finding.rematerialise(item)
            if found is None and loop.args[3 + k] in forward.outputs:
                found = self._with_other_axes(loop, forward, k, item, finding)
            if found is not None:
                replaced[id(p)] = found
        gone = {k for k, _ in items if id(body.params[1 + k]) in replaced}
        _drop_stacks(loop, gone)
        replace(body, replaced)
        for node in finding.made:
            node.graph = body
        body.body = [*finding.made, *body.body]
        self.region(body, scope, {**finding.given, **finding.found})

    def _item(self, stack: Node, forward: Apply) -> Node | None:
        """What a stack holds of each iteration of the loop that filled it."""
        source = self.meaning.get(id(stack), stack)
        if not isinstance(source, Output) or source.apply is not forward:
            return None
        shape = forward.shape
        if not shape.carried <= source.index < shape.carried + shape.kept:
            return None
        return forward.regions[-1].results[source.index]

    def _with_other_axes(
        self,
        loop: Apply,
        forward: Apply,
        k: int,
        item: Node,
        finding: _Rematerialisation,
    ) -> Node | None:
        """An array seen with other axes, from the array itself, which is a residual."""
        if not is_primitive(item, *_OTHER_AXES) or holds_stored(item.type):
            return None
        assert isinstance(item, Apply)
        base = item.args[0]
        body = loop.regions[-1]
        if not any(base is n for n in forward.regions[-1].body):
            return None
        if any(finding.rematerialise(a) is None for a in item.args[1:]):
            return None
        if id(base) not in finding.given:
            p = Parameter(body, base.type, base.name, base.span)
            at = 3 + loop.shape.stacks
            stack = keep(forward, base)
            loop.args = (*loop.args[:at], stack, *loop.args[at:])
            body.params.insert(1 + loop.shape.stacks, p)
            loop.shape = dataclasses.replace(loop.shape, stacks=loop.shape.stacks + 1)
            finding.given[id(base)] = p
            self.meaning[id(p)] = base
        return finding.copy(item)


class _Rematerialisation:
    """What of an iteration can be rematerialised in the backward loop."""

    def __init__(self, scope: set[int], known: dict[int, Node]) -> None:
        self.scope, self.given = scope, dict(known)
        self.found: dict[int, Node] = {}
        self.made: list[Apply] = []

    def rematerialise(self, node: Node) -> Node | None:
        """A value without a residual of its own, or None."""
        if isinstance(node, Constant) or id(node) in self.scope:
            return node
        found = self.found.get(id(node))
        if found is not None:
            return found
        if not isinstance(node, Apply):
            return None
        cheap = _is_cheap(node)
        if not cheap and not _is_scaled(node):
            return None
        look = self._at_hand if cheap else self.rematerialise
        if any(look(n) is None for n in node.inputs):
            return None
        return self.copy(node)

    def _at_hand(self, node: Node) -> Node | None:
        found = self.rematerialise(node)
        return found if found is not None else self.given.get(id(node))

    def copy(self, node: Apply) -> Apply:
        """A statement of the forward pass once more."""
        made = Apply(
            node.op,
            tuple(self._at_hand(a) for a in node.args),  # type: ignore[misc]
            node.type,
            keywords={k: self._at_hand(v) for k, v in node.keywords.items()},  # type: ignore[misc]
            name=node.name,
            span=node.span,
        )
        made.target, made.comment = node.target, node.comment
        self.found[id(node)] = made
        self.made.append(made)
        return made


def _is_cheap(node: Apply) -> bool:
    """Whether a statement only looks at arrays, or counts."""
    if node.op in (ops.TUPLE, ops.SLICE):
        return not holds_stored(node.type)
    if node.op is ops.LENGTH or is_primitive(node, "shape", *_OTHER_AXES):
        return isinstance(deref(node.args[0].type), Num)
    if node.op is ops.GETITEM and isinstance(deref(node.args[0].type), Tuple):
        return isinstance(node.args[1], Constant) and _is_count(node)
    if node.op is ops.GETITEM:
        return is_view(node)
    if is_primitive(node, *_COUNTING) and not node.keywords:
        return all(_is_count(n) for n in (node, *node.args))
    return False


def _is_scaled(node: Apply) -> bool:
    """Whether a statement computes from numbers and at most one array, which nobody
    changes."""
    if not is_primitive(node, *_SCALING) or node.keywords:
        return False
    kinds = [deref(n.type) for n in (node, *node.args)]
    for n, t in zip((node, *node.args), kinds):
        if not isinstance(t, Num) or t.ndim is None or t.boxed or is_stored(n.type):
            return False
    return sum(bool(t.ndim) for t in kinds[1:]) <= 1  # type: ignore[attr-defined]


def _is_count(node: Node) -> bool:
    t = deref(node.type)
    if not isinstance(t, Num) or t.dtype is None or not t.scalar:
        return False
    return t.python and t.dtype.kind == "i"


def _drop_stacks(loop: Apply, places: set[int]) -> None:
    """Take stacks that nothing reads any more from a loop."""
    body = loop.regions[-1]
    loop.args = tuple(a for j, a in enumerate(loop.args) if j - 3 not in places)
    body.params = [p for j, p in enumerate(body.params) if j - 1 not in places]
    loop.shape = dataclasses.replace(loop.shape, stacks=loop.shape.stacks - len(places))
