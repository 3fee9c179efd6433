"""Calls of functions that are graphs of their own, forwards and backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome.errors import NotDifferentiable
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    walk,
)
from anadrome.ir.types import (
    NEVER,
    Function,
    Object,
    Tuple,
    Type,
)
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.runtime import Saved
from anadrome.transform.reverse.cotangents import as_node, cotangent_type, zero
from anadrome.transform.reverse.residuals import CallResiduals

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


def forward_call(r: Reverse, node: Apply) -> None:
    it = r.it
    callee = node.args[0]
    assert isinstance(callee, Constant)
    if not isinstance(callee.value, Graph):
        raise NotDifferentiable("this call cannot be followed", node.span)
    pair = pair_of(r, callee.value)
    given = node.args[1:]
    args = [r.value(a) for a in given]
    # One call may pass None where another passes what is changed.
    args += [
        r.shadows.of(a)
        for p, a in zip(callee.value.params, given, strict=True)
        if r.activity.shadowed(p.type)
    ]
    constant = Constant(pair.forward, Function(pair.forward))
    made = Apply(ops.CALL, (constant, *args), NEVER, span=node.span)
    made.comment = node.comment
    it.graph.append(made)
    made.type = pair.handed
    parts = pair.handed.items
    r.new[id(node)] = _item(r, made, 0, parts[0], node.name)
    pair.saved[id(node)] = _item(r, made, 1, parts[1], "saved")
    if r.activity.shadowed(node.type):
        r.shadows.set(node, _item(r, made, 2, parts[2], None))
    r.applies[id(node)] = made


def _item(r: Reverse, made: Apply, k: int, t: Type, name: str | None) -> Node:
    node = r.it.emit(ops.GETITEM, (made, r.it.constant(k)), t)
    node.name = name
    return node


def backward_call(r: Reverse, node: Apply) -> None:
    it = r.it
    callee = node.args[0]
    assert isinstance(callee, Constant)
    pair = pair_of(r, callee.value)
    d = None
    if pair.receives and node in r.activity:
        d = r.take_node(node)
    if d is None and not pair.effects and not r.activity.shadowed(node.type):
        return
    given: tuple[Node, ...] = ()
    if pair.receives:
        if d is None:
            d = zero(it, node.type, r.value(node))
        given = (d,)
    constant = Constant(pair.backward, Function(pair.backward))
    made = it.emit(ops.CALL, (constant, pair.saved[id(node)], *given), pair.returned)
    for k, (position, t) in enumerate(pair.wanted):
        item = it.emit(ops.GETITEM, (made, it.constant(k)), t)
        r.contribute(node.args[1 + position], item)


def pair_of(r: Reverse, old: Graph) -> CallPair:
    found = r.functions.get(id(old))
    if found is None:
        found = CallPair(r, old)
        r.functions[id(old)] = found
        found.build()
    return found


class CallPair:
    """The forward and the backward half of a function that is called."""

    def __init__(self, owner: Reverse, old: Graph) -> None:
        self.owner, self.old = owner, old
        activity = owner.activity
        self.forward = Graph(f"{old.name}_forward")
        self.backward = Graph(f"{old.name}_backward")
        self.record = Object(Saved)
        self.saved: dict[int, Node] = {}
        result = old.results[0]
        # What has a shadow is handed back through that.
        self.receives = activity.flows(result.type)
        items: list[Type] = [result.type, self.record]
        if activity.shadowed(result.type):
            items.append(owner.shadows.type_of(result.type))
        self.handed = Tuple(tuple(items))
        self.wanted = [
            (k, cotangent_type(p.type))
            for k, p in enumerate(old.params)
            if p in activity and activity.flows(p.type)
        ]
        self.returned = Tuple(tuple(t for _, t in self.wanted))
        self.backward.mirrors = self.forward, tuple(k for k, _ in self.wanted)
        self.effects = any(
            activity.shadowed(n.type)
            for node in walk(old)
            for n in (*node.inputs, node)
        )

    def build(self) -> None:
        """Write both halves."""
        owner, old, it = self.owner, self.old, self.owner.it
        before = (owner.cotangents, it.comment, it.span, owner.depth)
        owner.cotangents, owner.depth = {}, 1
        activity = owner.activity
        with it.region(self.forward):
            owner.copy_parameters(old, self.forward)
            for p in old.params:
                if activity.shadowed(p.type):
                    owner.shadows.parameter(self.forward, p)
            owner.forward(old)
        result = old.results[0]
        saved = self.backward.add_parameter(self.record, "saved")
        given = None
        if self.receives:
            t = cotangent_type(result.type)
            given = self.backward.add_parameter(t, "∂result")
        reads: list[Apply] = []

        def read(name: str, t: Type) -> Node:
            made = Apply(ops.GETATTR, (saved, it.constant(name)), t, name=name)
            made.graph = self.backward
            reads.append(made)
            return made

        residuals = CallResiduals(self.forward, read)
        with it.region(self.backward):
            owner.contribute(result, given)
            owner.backward(old)
            it.comment = None
            results = [
                as_node(
                    it,
                    owner.cotangents.pop(id(old.params[k]), None),
                    old.params[k].type,
                    owner.value(old.params[k]),
                )
                for k, _ in self.wanted
            ]
            made = it.emit(ops.TUPLE, tuple(results), self.returned)
            self.backward.results = [made]
        remove_dead_region(self.backward)
        residuals.close(self.backward)
        self.backward.body[:0] = reads
        with it.region(self.forward):
            names = it.constant(tuple(residuals.fields))
            for name, n in residuals.fields.items():
                assert self.record.fields is not None
                self.record.fields[name] = n.type
            kept = it.emit(
                ops.RECORD,
                (it.constant(Saved), names, *residuals.fields.values()),
                self.record,
            )
            handed = [owner.value(result), kept]
            if activity.shadowed(result.type):
                handed.append(owner.shadows.of(result))
            self.forward.results = [it.emit(ops.TUPLE, tuple(handed), self.handed)]
        owner.cotangents, it.comment, it.span, owner.depth = before


__all__ = ["CallPair", "backward_call", "forward_call", "pair_of"]
