"""Forward mode: every value is accompanied by its tangent.

The same walk as reverse mode without the reversal. An object that is changed in place
has a twin that holds its tangent and is changed in the same places.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero
from anadrome.frontend.values.compile_time import rule_frame
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    ANY,
    NEVER,
    AliasClass,
    AnyType,
    Cell,
    Dict,
    Function,
    List,
    NeverType,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    Union,
    VarTuple,
    classes_of,
    deref,
    unchanged,
)
from anadrome.optimize.analysis.memory import order_shows
from anadrome.optimize.simplify.retained_statements import settle
from anadrome.primitives.cotangents import zeros_of_numbers
from anadrome.primitives.numpy.creation import copy_as
from anadrome.primitives.registry import (
    find_primitive,
)
from anadrome.transform.dependence.absence import Copies, Writer
from anadrome.transform.dependence.activity import Activity
from anadrome.transform.expansion.second_order import is_product, push_product
from anadrome.transform.forward.floating_errors import quietly, raises_errors
from anadrome.transform.forward.primitives import filled
from anadrome.transform.forward.statements import push_statement
from anadrome.transform.forward.tangents import (
    constant_tangent,
    holds_stored,
    in_dtype,
)
from anadrome.transform.refusals import refuse_leaks, when_reached
from anadrome.transform.reverse.cotangents import cotangent_type, zero


class Forward:
    """The state of giving one graph tangents."""

    def __init__(
        self, graph: Graph, sources: list[Node], name: str, products: bool
    ) -> None:
        self.old = graph
        self.activity = Activity(graph, sources, products)
        self.ordered = order_shows(graph)
        self.it = Writer(name)
        self.it.frames.append(rule_frame())
        self.new: dict[int, Node] = Copies(graph, self.it)
        self.tangents: dict[int, Node] = {}
        self.functions: dict[int, Graph] = {}
        self.aliases: dict[AliasClass, AliasClass] = {}
        self.cells: dict[int, Cell] = {}
        # How many branches the statement at hand is in.
        self.in_branch = 0
        self.raising = raises_errors(graph)

    # Types ---------------------------------------------------------------------------

    def tangent_type(self, t: Type) -> Type:
        """The type of a tangent: a twin where the object itself can change."""
        t = deref(t)
        if isinstance(t, Num):
            if not self.activity.buffer(t):
                return cotangent_type(t)
            root = t.alias.find()
            if root not in self.aliases:
                made = AliasClass()
                made.store()
                self.aliases[root] = made
            # Integers that lie where floats may lie have zeros as these have.
            dtype = t.dtype if t.inexact else np.dtype(np.float64)
            return Num(dtype, t.ndim, False, self.aliases[root], t.boxed)
        if isinstance(t, Tuple):
            return Tuple(tuple(map(self.tangent_type, t.items)), t.cls)
        if isinstance(t, VarTuple):
            return VarTuple(self.tangent_type(t.item))
        if isinstance(t, Cell):
            return self._cell(t)
        if isinstance(t, Union):
            return Union(tuple(self.tangent_type(o) for o in t.options))  # type: ignore[misc]
        return t

    def _cell(self, t: Cell) -> Type:
        found = self.cells.get(id(t))
        if found is not None:
            return found
        made: Cell
        if isinstance(t, List):
            made = List()
        elif isinstance(t, Dict):
            made = Dict()
        else:
            assert isinstance(t, Object)
            made = Object(t.cls)
        self.cells[id(t)] = made
        if t.stored:
            made.alias.store()
        if t.fields is not None:
            made.fields = {k: self.tangent_type(v) for k, v in t.fields.items()}
        made.key = t.key
        made.item = self.tangent_type(t.item)
        return made

    # Values --------------------------------------------------------------------------

    def value(self, node: Node) -> Node:
        """A value in the new graph."""
        return node if isinstance(node, Constant) else self.new[id(node)]

    def tangent(self, node: Node) -> Node | None:
        """The tangent of a value, or None if it is zero."""
        if isinstance(node, Constant) or node not in self.activity:
            return None
        return self.tangents.get(id(node))

    def real_tangent(self, node: Node, t: Type | None = None) -> Node:
        """The tangent of a value, zeros included."""
        found = self.tangent(node)
        if found is not None:
            if t is not None and isinstance(deref(t), VarTuple):
                # Where tuples of any length go, zeros stand for integers.
                return filled(self, found, self.value(node))
            return found
        if isinstance(node, Constant):
            return self.it.constant(constant_tangent(node, t))
        own, place = deref(node.type), deref(t) if t is not None else None
        if isinstance(own, Num) and not own.inexact and isinstance(place, Num):
            if place.inexact:
                # An integer or a truth value in the place of a number that varies.
                return SymbolicZero(own, self.value(node)).real(self.it)
        if isinstance(own, Num) and not own.inexact and isinstance(place, AnyType):
            return self.it.constant(0.0)
        if isinstance(own, List | Tuple | VarTuple) and isinstance(place, AnyType):
            # On the other path there are tangents, and its items are asked for them.
            if not self.activity.buffer(own):
                return self.it.apply(zeros_of_numbers, (self.value(node),))
        made = self.zero(node.type, self._prototype(self.value(node)))
        if t is not None and self.activity.buffer(t) and not isinstance(made, Constant):
            made.type = self.tangent_type(t)
        return made

    def item_tangent(self, node: Node, place: Type) -> Node:
        """The tangent of an item of a container: integers have none, and get zeros.

        `place` is the type of all that may lie there.
        """
        t = deref(node.type)
        if isinstance(t, Num) and not t.inexact and self.tangent(node) is None:
            if isinstance(deref(place), Num):
                return SymbolicZero(t, self.value(node)).real(self.it)
        return self.real_tangent(node)

    def zero(self, t: Type, like: Node) -> Node:
        """A tangent of zeros; an array without axes has one that can be changed."""
        plain = deref(t)
        if isinstance(plain, Num) and self.activity.buffer(plain):
            if plain.boxed or not plain.inexact:
                return self._changing_zeros(plain, like)
        if isinstance(plain, List) and isinstance(deref(plain.item), NeverType):
            return self.it.emit(ops.LIST, (), List(NEVER))
        unknown = isinstance(plain, AnyType | Optional) and not isinstance(plain, Union)
        if (unknown or _is_table(plain)) and not self.activity.buffer(plain):
            # Integers among the others, or in the place of others, get one too.
            return self.it.apply(zeros_of_numbers, (like,))
        return zero(self.it, t, like)

    def _changing_zeros(self, t: Num, like: Node) -> Node:
        """Zeros that are changed as what they are for is changed."""
        zeros_like, kind = find_primitive(np.zeros_like), self.tangent_type(t)
        named: dict[str, Node] = {}
        if not t.inexact:
            named["dtype"] = self.it.constant(np.dtype(np.float64))
        return self.it.emit(
            zeros_like, (like,), kind, keywords=named, target=np.zeros_like
        )

    @staticmethod
    def _prototype(value: Node) -> Node:
        """A value of the same shape that nothing will change in place."""
        zeros_like = find_primitive(np.zeros_like)
        while (
            isinstance(value, Apply) and value.op is zeros_like and not value.keywords
        ):
            value = value.args[0]
        return value

    def give(self, node: Node, tangent: Node) -> None:
        """Remember the tangent of a value."""
        if isinstance(tangent, SymbolicZero):
            if not self.activity.shadowed(node.type):
                return
            tangent = self.zero(node.type, self.value(node))
        if tangent.name is None and node.name and not isinstance(tangent, Constant):
            tangent.name = "∂" + node.name
        self.tangents[id(node)] = tangent

    def own_parameter(self, p: Parameter) -> None:
        """Copies of a parameter and its tangent: the caller's objects stay as they are."""  # noqa: E501
        it, given = self.it, self.new[id(p)]

        def own(n: Node, kind: Type) -> Node:
            if isinstance(deref(kind), Num):
                return self.copy(n, given, kind)
            args = (it.constant(runtime.own), n, *([] if n is given else [given]))
            return it.emit(ops.PYCALL, args, kind, target=True)

        copied = own(given, p.type)
        copied.name = p.name
        given.type = unchanged(given.type)
        self.new[id(p)] = copied
        if not self.activity.shadowed(p.type):
            return
        t = self.tangents.get(id(p))
        kind = self.tangent_type(p.type)
        if t is not None:
            made = own(t, kind)
        elif isinstance(deref(p.type), Num):
            made = self.zero(p.type, copied)
            made.type = kind
            if self.ordered:
                made = self.copy(made, copied, kind)
        else:
            shadow = it.constant(runtime.shadow_of_arrays)
            made = it.emit(ops.PYCALL, (shadow, copied), kind, target=True)
        self.tangents[id(p)] = made
        self.activity.nodes.add(id(p))

    def copy(self, array: Node, like: Node, kind: Type) -> Node:
        """A copy of an array, or of its tangent, that can be changed in place."""
        # What is stored into it later has the dtype of the value.
        array = in_dtype(self.it, array, like)
        if self.ordered or getattr(deref(kind), "boxed", False):
            # The tangent of an array without axes may be given as a number.
            same = array, like
            return self.it.emit(copy_as, same, kind, target=runtime.copy_as)
        return self.it.emit(ops.COPY, (array,), kind)

    # The walk ------------------------------------------------------------------------

    def run(self, old: Graph) -> None:
        """Write the statements of a graph with their tangents."""
        for node in old.body:
            self._statement(node)

    def _statement(self, node: Apply) -> None:
        it = self.it
        it.span, it.comment = node.span, node.comment
        with when_reached(self):
            refuse_leaks(self.activity, node)
        if node.op is ops.INSERT:
            self.new[id(node)] = self.value(node.args[0])
            t = self.tangent(node.args[0])
            if t is not None:
                self.tangents[id(node)] = t
        elif node.op in (ops.IF, ops.TRY):
            self._branch(node)
        elif node.op in (ops.FOR, ops.WHILE):
            self._loop(node)
        elif not self.activity.products and is_product(node):
            push_product(self, node)
        elif node.op is ops.CALL and isinstance(node.args[0], Constant):
            self._call(node)
        else:
            if not (
                isinstance(node.op, ops.Op)
                and node.op.writes
                and node.op is not ops.POP
            ):
                self._copy(node)
            it.comment = f"Grad of: {node.comment}" if node.comment else None
            with when_reached(self), quietly(self):
                push_statement(self, node)
            if (
                isinstance(node.op, ops.Op)
                and node.op.writes
                and node.op is not ops.POP
            ):
                it.comment = node.comment
                self._copy(node)

    def _copy(self, node: Apply) -> None:
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
        self.it.graph.append(made)
        self.new[id(node)] = made
        for o in node.outputs:
            self.new[id(o)] = made.add_output(o.type, o.name)

    def _active(self, nodes: Any) -> list[int]:
        return [k for k, n in enumerate(nodes) if n in self.activity]

    def _branch(self, node: Apply) -> None:
        it = self.it
        made = Apply(
            node.op, tuple(self.value(a) for a in node.args), NEVER, span=node.span
        )
        made.comment, made.retained = node.comment, node.retained
        active = self._active(node.outputs)
        regions = []
        for old in node.regions:
            region = Graph(old.name, it.graph)
            self._parameters(old, region)
            with it.region(region):
                self.in_branch += node.op is ops.IF
                self.run(old)
                self.in_branch -= node.op is ops.IF
                it.comment = None
                region.results = [self.value(r) for r in old.results]
                for k in active:
                    region.results.append(
                        self.real_tangent(old.results[k], node.outputs[k].type)
                    )
            regions.append(region)
        made.regions = tuple(regions)
        it.graph.append(made)
        for o in node.outputs:
            self.new[id(o)] = made.add_output(o.type, o.name)
        for k in active:
            o = node.outputs[k]
            self.give(o, made.add_output(self.tangent_type(o.type)))

    def _parameters(self, old: Graph, new: Graph) -> None:
        for p in old.params:
            self.new[id(p)] = new.add_parameter(p.type, p.name, p.span)

    def _loop(self, node: Apply) -> None:
        it = self.it
        shape, body = node.shape, node.regions[-1]
        skip = 3 if node.op is ops.FOR else 0
        index = 1 if skip else 0
        n, s = shape.carried, shape.stacks
        first = len(node.args) - n
        offset = len(body.params) - n
        carried = self._active(node.outputs[:n])
        kept = self._active(node.outputs[n : n + shape.kept])
        stacks = [k for k in range(s) if node.args[skip + k] in self.activity]
        args = list(node.args[:skip])
        new_args = [self.value(a) for a in args]
        new_args += [self.value(a) for a in node.args[skip : skip + s]]
        new_args += [self.real_tangent(node.args[skip + k]) for k in stacks]
        new_args += [self.value(a) for a in node.args[first:]]
        new_args += [
            self.real_tangent(node.args[first + k], node.outputs[k].type)
            for k in carried
        ]
        regions = []
        for old in node.regions:
            region = Graph(old.name, it.graph)
            start = 0 if old is not body else offset
            for p in old.params[:start]:
                self.new[id(p)] = region.add_parameter(p.type, p.name, p.span)
            if old is body:
                for k in stacks:
                    p = old.params[index + k]
                    self.give(p, region.add_parameter(self.tangent_type(p.type)))
            for p in old.params[start:]:
                self.new[id(p)] = region.add_parameter(p.type, p.name, p.span)
            for k in carried:
                p = old.params[start + k]
                made = region.add_parameter(self.tangent_type(node.outputs[k].type))
                self.give(p, made)
                self.activity.nodes.add(id(p))
            with it.region(region):
                self.run(old)
                it.comment = None
                if old is not body:
                    region.results = [self.value(r) for r in old.results]
                    regions.append(region)
                    continue
                results = [self.value(r) for r in old.results]
                region.results = (
                    results[:n]
                    + [
                        self.real_tangent(old.results[k], node.outputs[k].type)
                        for k in carried
                    ]
                    + results[n : n + shape.kept]
                    + [self._kept_tangent(old, node, n + k) for k in kept]
                    + results[n + shape.kept :]
                )
            regions.append(region)
        it.comment = node.comment
        made_loop = Apply(
            node.op, tuple(new_args), NEVER, regions=tuple(regions), span=node.span
        )
        made_loop.comment = node.comment
        made_loop.shape = dataclasses.replace(
            shape,
            carried=n + len(carried),
            kept=shape.kept + len(kept),
            stacks=s + len(stacks),
        )
        it.graph.append(made_loop)
        for o in node.outputs[:n]:
            self.new[id(o)] = made_loop.add_output(o.type, o.name)
        for k in carried:
            o = node.outputs[k]
            self.give(o, made_loop.add_output(self.tangent_type(o.type)))
        for o in node.outputs[n : n + shape.kept]:
            self.new[id(o)] = made_loop.add_output(o.type, o.name)
        for k in kept:
            o = node.outputs[n + k]
            self.give(o, made_loop.add_output(self.tangent_type(o.type)))
        for o in node.outputs[n + shape.kept :]:
            self.new[id(o)] = made_loop.add_output(o.type, o.name)

    def _kept_tangent(self, body: Graph, loop: Apply, k: int) -> Node:
        """The tangent of what an iteration leaves in a list or a stack."""
        kind = deref(loop.outputs[k].type)
        place = kind.item if isinstance(kind, List) else ANY
        return self.item_tangent(body.results[k], place)

    def _call(self, node: Apply) -> None:
        it = self.it
        callee = node.args[0]
        assert isinstance(callee, Constant)
        old: Graph = callee.value
        made_graph = self._function(old)
        args = [self.value(a) for a in node.args[1:]]
        for p, a in zip(old.params, node.args[1:]):
            if p in self.activity:
                args.append(self.real_tangent(a, p.type))
        constant = Constant(made_graph, Function(made_graph))
        active = old.results[0] in self.activity
        kind: Type = node.type
        if active:
            kind = Tuple((node.type, self.tangent_type(node.type)))
        made = it.emit(ops.CALL, (constant, *args), kind)
        made.target = self._recorded(node, old)
        if not active:
            self.new[id(node)] = made
            made.name = node.name
            return
        self.new[id(node)] = value = it.emit(
            ops.GETITEM, (made, it.constant(0)), node.type
        )
        value.name = node.name
        self.give(
            node,
            it.emit(ops.GETITEM, (made, it.constant(1)), self.tangent_type(node.type)),
        )
        self.activity.nodes.add(id(node))

    def _recorded(self, node: Apply, old: Graph) -> Graph | None:
        """What the backward pass of a checkpoint runs, with tangents."""
        target = node.target
        if not isinstance(target, Graph):
            return None
        alike = all(
            (p in self.activity) == (q in self.activity)
            for p, q in zip(
                (*old.params, *old.results), (*target.params, *target.results)
            )
        )
        return self._function(target) if alike else None

    def _function(self, old: Graph) -> Graph:
        found = self.functions.get(id(old))
        if found is not None:
            return found
        it = self.it
        made = Graph(f"{old.name}_forward")
        self.functions[id(old)] = made
        before = (it.comment, it.span)
        self._parameters(old, made)
        for p in old.params:
            if p in self.activity:
                self.give(p, made.add_parameter(self.tangent_type(p.type)))
        with it.region(made):
            self.run(old)
            it.comment = None
            result = old.results[0]
            value = self.value(result)
            if result in self.activity:
                t = self.real_tangent(result)
                kinds = Tuple((value.type, t.type))
                made.results = [it.emit(ops.TUPLE, (value, t), kinds)]
            else:
                made.results = [value]
        it.comment, it.span = before
        return made


def _is_table(t: Type) -> bool:
    """Whether a value is a list of inexact numbers, or of such lists."""
    t = deref(t)
    if not isinstance(t, List):
        return False
    item = deref(t.item)
    return _is_table(item) or (isinstance(item, Num) and item.inexact)


def _may_write(graph: Graph) -> bool:
    """Whether a function may change anything in place."""
    calls = (ops.PYCALL, ops.METHOD, ops.OBSERVE)
    return any(
        (isinstance(node.op, ops.Op) and node.op.writes)
        or (node.op in calls and any(holds_stored(a.type) for a in node.args))
        for g in called_graphs(graph)
        for node in walk(g)
    )


def _shares(p: Parameter, graph: Graph) -> bool:
    """Whether another parameter may hold what one of them holds."""
    own = {id(c.find()) for c in classes_of([p.type])}
    others = classes_of(q.type for q in graph.params if q is not p)
    return any(id(c.find()) in own for c in others)


def forward(
    graph: Graph, sources: list[Parameter], name: str, products: bool = True
) -> Graph:
    """A graph that also takes the tangents of `sources` and returns that of the result.

    Its result is the pair of the value and its tangent. `products`: walk also through
    gradients that reverse mode could not walk through afterwards.
    """
    f = Forward(graph, list(sources), name, products)
    it = f.it
    root = it.root
    f._parameters(graph, root)
    for p in sources:
        given = Parameter(
            root, cotangent_type(p.type), f"∂{p.name}" if p.name else None
        )
        root.params.append(given)
        f.tangents[id(p)] = given
    # A function inside another may only read what that one changes.
    changing = products or _may_write(graph)
    for p in graph.params:
        if holds_stored(p.type) and (changing or _shares(p, graph)):
            f.own_parameter(p)
    f.run(graph)
    it.comment = None
    result = graph.results[0]
    value = f.value(result)
    t = in_dtype(it, f.real_tangent(result), value)
    root.results = [it.emit(ops.TUPLE, (value, t), Tuple((value.type, t.type)))]
    return settle(root)


__all__ = ["Forward", "forward"]
