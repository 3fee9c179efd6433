"""Reverse mode: a graph and, after it in the same function, its backward pass.

The forward half is the program again; objects that are changed in place get a shadow
beside them, made where they are made. The backward half walks the statements from the
last to the first. See `residuals` for what is kept in between, `adjoints` for the
single operations and `shadows` for objects that change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.frontend.values.compile_time import rule_frame
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
)
from anadrome.ir.types import (
    NeverType,
    Num,
    Object,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.analysis.memory import order_shows
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.optimize.simplify.record_parameters import hand_over_fields
from anadrome.optimize.simplify.retained_statements import settle
from anadrome.primitives.cotangents import add_cotangents
from anadrome.runtime import Saved
from anadrome.transform.dependence.absence import Copies, Writer
from anadrome.transform.dependence.activity import Activity
from anadrome.transform.dependence.zero_d_arrays import mark_zero_d_arrays
from anadrome.transform.expansion.checkpoint import (
    backward_checkpoint,
    forward_checkpoint,
    is_checkpoint,
)
from anadrome.transform.expansion.second_order import (
    backward_product,
    forward_product,
    is_product,
)
from anadrome.transform.refusals import refuse_leaks, when_reached
from anadrome.transform.reverse import adjoints, gradient_types
from anadrome.transform.reverse.branches import backward_branch, forward_branch
from anadrome.transform.reverse.buffers.accumulation import Accumulation
from anadrome.transform.reverse.buffers.shadows import Shadows
from anadrome.transform.reverse.buffers.views import give_back_number
from anadrome.transform.reverse.calls import CallPair, backward_call, forward_call
from anadrome.transform.reverse.conditions import test_at_once
from anadrome.transform.reverse.cotangents import (
    Cotangent,
    Parts,
    add,
    as_node,
    cotangent_type,
    zero,
)
from anadrome.transform.reverse.loops import backward_loop, forward_loop
from anadrome.transform.reverse.residuals import CallResiduals
from anadrome.transform.reverse.snapshots import Snapshots
from anadrome.transform.reverse.try_blocks import note
from anadrome.transform.rules import made_real


class Reverse:
    """The state of differentiating one graph in reverse mode."""

    def __init__(self, graph: Graph, sources: list[Node], name: str) -> None:
        self.old = graph
        self.activity = Activity(graph, sources, products=False)
        mark_zero_d_arrays(graph, self.activity)
        self.ordered = order_shows(graph)
        self.it = Writer(name)
        self.it.frames.append(rule_frame())
        self.new: dict[int, Node] = Copies(graph, self.it)
        self.applies: dict[int, Apply] = {}
        self.cotangents: dict[int, Cotangent] = {}
        self.known: dict[int, Node] = {}
        self.shadows: Shadows = Shadows(self)
        self.accumulation: Accumulation = Accumulation(self)
        self.snapshots = Snapshots(self)
        # Values whose whole cotangent passed through a `where`: see `adjoints._safe`.
        self.masked: set[int] = set()
        # Values that only one path of a branch reads: on the other it is zero.
        self.unread: set[int] = set()
        self.depth = 0
        # How many branches the statement at hand is in.
        self.in_branch = 0
        self.functions: dict[int, CallPair] = {}
        # What stores in `try` blocks leave a note in, by statement.
        self.watched: dict[int, list[Node]] = {}
        # The residuals of the forward functions of the user's own rules, by statement.
        self.residuals: dict[int, Node] = {}
        # What gradients that are reversed by their product were given, by statement.
        self.product_inputs: dict[int, list[Node | None]] = {}

    # Forward ------------------------------------------------------------------------

    def value(self, node: Node) -> Node:
        """The forward value of a node of the old graph."""
        if isinstance(node, Constant):
            return node
        return self.new[id(node)]

    def copy_parameters(self, old: Graph, new: Graph) -> None:
        """The parameters of a graph, in a new one."""
        for p in old.params:
            made = new.add_parameter(p.type, p.name, p.span)
            made.facts = p.facts
            self.new[id(p)] = made

    def forward(self, old: Graph) -> None:
        """Write the statements of a graph again."""
        for node in old.body:
            self._forward_statement(node)

    def _forward_statement(self, node: Apply) -> None:
        it = self.it
        it.span, it.comment = node.span, node.comment
        with when_reached(self):
            refuse_leaks(self.activity, node)
        note(self, node)
        if node.op is ops.INSERT:
            self.new[id(node)] = self.value(node.args[0])
            self.shadows.alias(node, node.args[0])
            return
        if node.op in (ops.IF, ops.TRY):
            forward_branch(self, node)
        elif node.op in (ops.FOR, ops.WHILE):
            forward_loop(self, node)
        elif is_checkpoint(node):
            forward_checkpoint(self, node)
        elif is_product(node):
            forward_product(self, node)
        elif node.op is ops.CALL and isinstance(node.args[0], Constant):
            forward_call(self, node)
        elif getattr(node.op, "custom", False) and node.op.forward_half(self, node):
            return
        else:
            if node.op in (ops.PYCALL, ops.METHOD):
                with when_reached(self):
                    adjoints.refuse_effect(self, node)
            made = Apply(
                node.op,
                tuple(self.value(a) for a in node.args),
                node.type,
                keywords={k: self.value(v) for k, v in node.keywords.items()},
                name=node.name,
                span=node.span,
            )
            made.target, made.comment = node.target, node.comment
            made.retained = node.retained
            self.shadows.before(node)
            it.graph.append(made)
            self.new[id(node)] = made
            self.applies[id(node)] = made
            for o in node.outputs:
                self.new[id(o)] = made.add_output(o.type, o.name)
            self.shadows.after(node)

    # Backward -----------------------------------------------------------------------

    def contribute(self, node: Node, d: Cotangent | None) -> None:
        """Add to the cotangent of a value."""
        if d is None or isinstance(node, Constant) or node not in self.activity:
            return
        if isinstance(d, Constant) and d.value is None:
            return
        if isinstance(d, Node) and _is_kind(node, "f") and _is_kind(d, "c"):
            # It has become complex where paths meet.
            d = made_real(self.it, d, self.value(node))
        if self.activity.buffer(node.type):
            assert isinstance(d, Node)
            self.accumulation.accumulate(node, d)
            return
        if self.activity.shadowed(node.type):
            d = self.accumulation.accumulate_shared(
                self.accumulation.place(node), node.type, d
            )
            if d is None:
                return
        like = self.value(node)
        total = add(self.it, self.cotangents.get(id(node)), d, node.type, like)
        if isinstance(total, Apply) and total.name is None and node.name is not None:
            total.name = "∂" + node.name
        self.cotangents[id(node)] = total
        self.known[id(node)] = node

    def saved(self, node: Node, at: Apply) -> Node:
        """A value as it is at a statement, for use in the backward half."""
        if isinstance(node, Constant):
            return node
        return self.snapshots.of(node, at)

    def node_of(self, d: Cotangent, node: Node) -> Node:
        """The cotangent of a value as one node."""
        return as_node(self.it, d, node.type, self.value(node))

    def take(self, node: Node) -> Cotangent | None:
        """The cotangent of a value that is complete; it is not needed again."""
        if isinstance(node, Constant):
            return None
        if self.activity.buffer(node.type):
            return self.accumulation.read(node)
        return self.cotangents.pop(id(node), None)

    def take_node(self, node: Node) -> Node | None:
        """The cotangent of a value as one node, or None if it is zero."""
        found = self.take(node)
        if found is None:
            return None
        return as_node(self.it, found, node.type, self.value(node))

    def take_whole(self, node: Node) -> Node | None:
        """All of the cotangent of what has just been made, also what shadows hold."""
        if not self.activity.shadowed(node.type):
            return self.take_node(node)
        shadow = self.shadows.of(node)
        ct = self.cotangents.pop(id(node), None)
        if ct is None:
            return shadow
        other = self.accumulation.arrived(ct, node.type, self.value(node))
        return self.it.apply(add_cotangents, (shadow, other))

    def backward(self, old: Graph) -> None:
        """Write the backward pass through the statements of a graph."""
        it = self.it
        for node in reversed(old.body):
            it.span = node.span
            it.comment = f"Grad of: {node.comment}" if node.comment else None
            if node.op in (ops.IF, ops.TRY):
                backward_branch(self, node)
            elif node.op in (ops.FOR, ops.WHILE):
                backward_loop(self, node)
            elif is_checkpoint(node):
                backward_checkpoint(self, node)
            elif is_product(node):
                backward_product(self, node)
            elif node.op is ops.CALL and isinstance(node.args[0], Constant):
                backward_call(self, node)
            elif node.op is ops.INSERT:
                self._backward_insert(node)
            else:
                with when_reached(self):
                    adjoints.adjoint(self, node)
                if id(node) in self.shadows.accumulators:
                    give_back_number(self, node)

    def _backward_insert(self, node: Apply) -> None:
        d = self.take_node(node)
        if d is None:
            d = zero(self.it, node.type, self.value(node))
        region = node.regions[0]
        self.new[id(region.params[0])] = d
        self.forward(region)
        self.contribute(node.args[0], self.value(region.results[0]))


def reverse(
    graph: Graph,
    sources: list[Node],
    name: str,
    *,
    seeded: bool,
    value: bool,
    aux: bool = False,
) -> Graph:
    """A graph that returns the cotangents of `sources`.

    `seeded`: the cotangent of the result is one more parameter, else it is 1.
    `value`: the result comes first, then the cotangents. `aux`: the graph returns a
    pair of which only the first item is differentiated.
    """
    _check_result(graph)
    test_at_once(graph)
    hand_over_fields(graph)
    r = Reverse(graph, sources, name)
    it = r.it
    root = it.root
    r.copy_parameters(graph, root)
    result = graph.results[0]
    seed: Node
    if seeded:
        seed = Parameter(root, cotangent_type(result.type), "∂result")
    else:
        seed = it.constant(one_of(result.type, aux, gradient_types.precisions(graph)))
    r.shadows.roots(graph)
    r.forward(graph)
    out = r.value(result)
    if value and r.activity.buffer(result.type):
        out = it.emit(ops.COPY, (out,), out.type)
    it.comment = None
    r.contribute(result, Parts({0: seed}) if aux else seed)
    r.backward(graph)
    gradient = _gradient(r, sources)
    if seeded:
        assert isinstance(seed, Parameter)
        root.params.append(seed)
    if value:
        kinds = Tuple((out.type, gradient.type))
        root.results = [it.emit(ops.TUPLE, (out, gradient), kinds)]
    else:
        root.results = [gradient]
    r.snapshots.splice()
    return settle(root)


def _check_result(graph: Graph) -> None:
    """Refuse a function of whose result nothing is known, not even its type."""
    result = graph.results[0]
    if isinstance(result, Apply) and isinstance(result.type, NeverType):
        raise NotDifferentiable(
            "the type of the result could not be found",
            result.span,
            "compute it from values whose types are known",
        )


def one_of(t: Type, aux: bool, computed: set[Any]) -> Any:
    """The number one in the precision of a result.

    Python's own number would do for double precision, but for programs that compute in
    others as well: it takes on the precision of what it meets.
    """
    t = deref(t)
    if aux and isinstance(t, Tuple):
        t = deref(t.items[0])
    if isinstance(t, Num) and t.dtype is not None and not t.python:
        mixed = any(d not in gradient_types.WIDEST for d in computed)
        if t.dtype.kind == "f" and (t.dtype != np.float64 or mixed):
            return t.dtype.type(1.0)
    return 1.0


def _gradient(r: Reverse, sources: list[Node]) -> Node:
    """The cotangents of the sources: one, or a tuple of them."""
    it = r.it
    it.comment, it.span = None, None
    found: list[Node] = []
    computed = gradient_types.precisions(r.old)
    for s in sources:
        if r.activity.shadowed(s.type):
            shadow = r.shadows.of(s)
            if r.activity.flows(s.type):
                ct = as_node(it, r.cotangents.get(id(s)), s.type, r.value(s))
                shadow = it.apply(add_cotangents, (shadow, ct))
            if not isinstance(deref(s.type), Num):
                like = r.shadows.given.get(id(s), r.value(s))
                shadow = gradient_types.retyped(it, shadow, s.type, like, computed)
            found.append(shadow)
            continue
        ct = as_node(it, r.cotangents.get(id(s)), s.type, r.value(s))
        found.append(gradient_types.finished(it, ct, s.type, r.value(s), computed))
    if len(found) == 1:
        return found[0]
    return it.emit(ops.TUPLE, tuple(found), Tuple(tuple(f.type for f in found)))


def reverse_pair(graph: Graph, sources: list[Node], name: str) -> tuple[Graph, Graph]:
    """Two graphs: one returns the value and a record, the other turns the record and
    the cotangent of the value into the cotangents of `sources`."""
    _check_result(graph)
    test_at_once(graph)
    hand_over_fields(graph)
    r = Reverse(graph, sources, f"{name}_forward")
    it = r.it
    front = it.root
    back = Graph(f"{name}_backward")
    r.depth = 1
    r.copy_parameters(graph, front)
    result = graph.results[0]
    r.shadows.roots(graph)
    r.forward(graph)
    record = Object(Saved)
    saved = back.add_parameter(record, "saved")
    given = back.add_parameter(cotangent_type(result.type), "∂result")
    reads: list[Apply] = []

    def read(field: str, t: Type) -> Node:
        made = Apply(ops.GETATTR, (saved, it.constant(field)), t, name=field)
        made.graph = back
        reads.append(made)
        return made

    call_residuals = CallResiduals(front, read)
    with it.region(back):
        it.comment = None
        r.contribute(result, given)
        r.backward(graph)
        back.results = [_gradient(r, sources)]
    remove_dead_region(back)
    call_residuals.close(back)
    back.body[:0] = reads
    with it.region(front):
        out = r.value(result)
        if r.activity.buffer(result.type):
            out = it.emit(ops.COPY, (out,), out.type)
        for field, n in call_residuals.fields.items():
            assert record.fields is not None
            record.fields[field] = n.type
        names = it.constant(tuple(call_residuals.fields))
        kept = it.emit(
            ops.RECORD,
            (it.constant(Saved), names, *call_residuals.fields.values()),
            record,
        )
        front.results = [it.emit(ops.TUPLE, (out, kept), Tuple((out.type, record)))]
    r.snapshots.splice()
    return settle(front), settle(back)


def _is_kind(node: Node, kind: str) -> bool:
    """Whether a value has numbers of some kind of dtype."""
    t = deref(node.type)
    return isinstance(t, Num) and t.dtype is not None and t.dtype.kind == kind


__all__ = ["Reverse", "reverse", "reverse_pair"]
