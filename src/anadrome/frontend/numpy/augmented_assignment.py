"""Updates `x op= y` of values of which it is not known whether they are arrays.

Such an update is read as `x = x op y`. For a number that is what Python does; an array
would be changed in place, which is the same unless somebody else holds that array.
So everything that may have become `x` is looked at, and what else is done with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.errors import MutationError, Span
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter
from anadrome.ir.types import ANY, NONE, AnyType, Num, deref, strip_optional
from anadrome.primitives.registry import Primitive

_KEEPING = (
    ops.LIST,
    ops.TUPLE,
    ops.NAMEDTUPLE,
    ops.DICT,
    ops.SET,
    ops.RECORD,
    ops.APPEND,
    ops.SETITEM,
    ops.SETATTR,
    ops.CALL,
)


@dataclass(frozen=True, eq=False)
class Update:
    """One `x op= y`: the value before and after it, and where it stands."""

    old: Node
    new: Node
    span: Span | None
    path: tuple[Span, ...]


class SharedUpdate(MutationError):
    """An update of what may be an array that is known elsewhere, too."""


class _Uses:
    """Where each value is used, and the order of statements."""

    def __init__(self, graph: Graph) -> None:
        self.position: dict[int, int] = {}
        self.loops: dict[int, tuple[int, ...]] = {}
        self.of: dict[int, list[Apply]] = {}
        self.slots: dict[int, Apply] = {}
        self.results: dict[int, list[Output]] = {}
        self._walk(graph, ())
        self.returned = {id(n) for n in graph.results}

    def _walk(self, graph: Graph, loops: tuple[int, ...]) -> None:
        for node in graph.body:
            self.position[id(node)] = len(self.position)
            self.loops[id(node)] = loops
            for n in node.inputs:
                self.of.setdefault(id(n), []).append(node)
            inner = loops
            if node.op in (ops.FOR, ops.WHILE):
                inner = (*loops, id(node))
            for region in node.regions:
                for p in region.params:
                    self.slots[id(p)] = node
                    self.loops[id(p)] = inner
                self._walk(region, inner)
                if region is node.regions[-1] or node.op in (ops.IF, ops.TRY):
                    for n, out in zip(region.results, node.outputs):
                        self.results.setdefault(id(n), []).append(out)

    def inside(self, node: Apply) -> tuple[int, ...]:
        """The loops around the regions of a statement."""
        own = (id(node),) if node.op in (ops.FOR, ops.WHILE) else ()
        return (*self.loops[id(node)], *own)

    def wanted(self, node: Node) -> bool:
        """Whether anything reads a value."""
        return (
            bool(self.of.get(id(node)) or self.results.get(id(node)))
            or id(node) in self.returned
        )


def check_updates(graph: Graph, updates: list[Update]) -> None:
    """Refuse updates of arrays that are visible under another name as well."""
    if not updates:
        return
    uses = _Uses(graph)
    for update in updates:
        if id(update.new) not in uses.position:
            continue
        reason = _shared(update, uses, graph)
        if reason is not None:
            raise SharedUpdate(
                f"this may change an array in place that {reason}",
                update.span,
                "write x = x + y instead, or start with an array such as np.zeros(n)",
                update.path,
            )
        _check_results(update, uses)
        if _may_be_array(update.old) and isinstance(update.new, Apply):
            check = Constant(check_update, ANY)
            given = check, update.old, update.new
            made = Apply(ops.OBSERVE, given, NONE, span=update.span)
            _insert_after(update.new, made)


def _check_results(update: Update, uses: _Uses) -> None:
    """Have it checked that what a function returned is no part of what it was given."""
    found: dict[int, Node] = {}
    _collect(update.old, found, uses)
    for node in found.values():
        if not isinstance(node, Apply) or node.op not in (ops.PYCALL, ops.METHOD):
            continue
        given = [a for a in node.args if _may_be_array(a)]
        if not given or node.graph is None:
            continue
        check = Constant(check_apart, ANY)
        made = Apply(ops.OBSERVE, (check, node, *given), NONE, span=update.span)
        _insert_after(node, made)


def _insert_after(node: Apply, made: Apply) -> None:
    body = node.graph.body if node.graph is not None else []
    place = next((k for k, n in enumerate(body) if n is node), None)
    if place is not None:
        made.graph = node.graph
        body.insert(place + 1, made)


def check_update(old: Any, new: Any) -> None:
    """Raise what NumPy does where an array cannot hold what it is updated to."""
    from anadrome.frontend.syntax.assignment import check_kind

    if not isinstance(old, np.ndarray):
        return
    if not old.ndim:
        raise MutationError(
            "this changes an array without axes whose type is not known",
            None,
            "write x = x + y instead",
        )
    check_kind(old, new)
    if np.shape(new) != old.shape:
        np.add(old, new, out=np.zeros_like(old))  # it says what is wrong


def _may_be_array(node: Node) -> bool:
    t = deref(node.type)
    if isinstance(node, Constant):
        return False
    return not t.scalar if isinstance(t, Num) else isinstance(t, AnyType)


def check_apart(result: Any, *given: Any) -> None:
    """Refuse to update what a function returned if it is part of what it was given."""
    if isinstance(result, np.ndarray):
        if any(
            isinstance(g, np.ndarray) and np.may_share_memory(result, g) for g in given
        ):
            raise MutationError(
                "this changes an array in place that is known under another name, too",
                None,
                "write x = x + y instead, or start with an array such as np.zeros(n)",
            )


def _shared(update: Update, uses: _Uses, graph: Graph) -> str | None:
    """How the updated array may be known elsewhere, or None."""
    found: dict[int, Node] = {}
    _collect(update.old, found, uses)
    at = uses.position[id(update.new)]
    around = uses.loops[id(update.new)]
    for node in found.values():
        t = strip_optional(node.type)
        if isinstance(node, Constant) or (isinstance(t, Num) and t.scalar):
            continue
        if isinstance(node, Parameter) and id(node) not in uses.slots:
            return "is an argument or a captured value"
        if isinstance(node, Apply) and _is_borrowed(node):
            return "is part of another array or container"
        if id(node) in uses.returned and node is not update.new:
            return "is returned under another name"
        # Whether the update is made again and again, and the array is not.
        older = (
            node is not update.new
            and isinstance(node, Apply | Output)
            and len(uses.loops.get(id(_maker(node)), ())) < len(around)
        )
        for out in uses.results.get(id(node), []):
            if uses.wanted(out) and not _carries(out, found) and node is not update.new:
                return "is kept in another variable"
            if older and uses.inside(out.apply)[: len(around)] == around:
                return "is read under another name afterwards"
        for use in uses.of.get(id(node), []):
            if use is update.new or use.op in (ops.FOR, ops.WHILE):
                continue
            if use.op in _KEEPING and node in use.args:
                return "is also held by a container"
            if isinstance(use.op, Primitive) and use.op.view:
                return "is also seen through a view"
            later = uses.position[id(use)] > at and node is not update.new
            if later or (older and uses.loops[id(use)][: len(around)] == around):
                return "is read under another name afterwards"
    return None


def _carries(out: Output, found: dict[int, Node]) -> bool:
    """Whether an output belongs to the variable that is updated."""
    if id(out) in found:
        return True
    made = out.apply
    if made.op in (ops.FOR, ops.WHILE) and out.index < made.shape.carried:
        body = made.regions[-1]
        param = body.params[len(body.params) - made.shape.carried + out.index]
        return id(param) in found
    return False


def _maker(node: Node) -> Node:
    return node.apply if isinstance(node, Output) else node


def _is_borrowed(node: Apply) -> bool:
    if node.op in (ops.GETITEM, ops.GETATTR, ops.POP):
        return True
    return isinstance(node.op, Primitive) and not node.op.fresh


def _collect(node: Node, found: dict[int, Node], uses: _Uses) -> None:
    """Everything that may be the same object as a value."""
    if id(node) in found:
        return
    found[id(node)] = node
    if isinstance(node, Parameter):
        loop = uses.slots.get(id(node))
        if loop is not None and loop.op in (ops.FOR, ops.WHILE):
            shape, body = loop.shape, loop.regions[-1]
            for region in loop.regions:
                offset = len(region.params) - shape.carried
                if node in region.params[offset:]:
                    k = region.params.index(node) - offset
                    _collect(loop.args[len(loop.args) - shape.carried + k], found, uses)
                    _collect(body.results[k], found, uses)
    elif isinstance(node, Output):
        made = node.apply
        if made.op in (ops.IF, ops.TRY):
            for region in made.regions:
                _collect(region.results[node.index], found, uses)
        elif made.op in (ops.FOR, ops.WHILE) and node.index < made.shape.carried:
            k = node.index
            _collect(made.args[len(made.args) - made.shape.carried + k], found, uses)
            _collect(made.regions[-1].results[k], found, uses)
    elif isinstance(node, Apply) and node.op is ops.CAST:
        _collect(node.args[0], found, uses)
