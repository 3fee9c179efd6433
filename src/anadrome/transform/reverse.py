"""Reverse mode: a graph and, after it in the same function, its way back.

The forward half is the program again; objects that are changed in place get a shadow
beside them, made where they are made. The backward half walks the statements from the
last to the first. See `frames` for what is kept in between, `adjoints` for the single
operations and `shadows` for objects that change.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from anadrome.errors import MutationError, NotDifferentiable
from anadrome.frontend.recursion import substitute
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    walk,
)
from anadrome.ir.types import (
    INT,
    NEVER,
    Function,
    NeverType,
    Num,
    Object,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.dead_code import remove_dead_region
from anadrome.primitives.cotangents import add_cotangents
from anadrome.runtime import Saved
from anadrome.transform import adjoints
from anadrome.transform.absence import Copies, Writer
from anadrome.transform.activity import Activity
from anadrome.transform.boxes import mark_boxes
from anadrome.transform.checkpoint import (
    backward_checkpoint,
    forward_checkpoint,
    is_checkpoint,
)
from anadrome.transform.cotangents import (
    Cotangent,
    Parts,
    add,
    as_node,
    cotangent_type,
    zero,
)
from anadrome.transform.frames import ABSENT, BranchFrame, CallFrame, LoopFrame
from anadrome.transform.products import (
    backward_product,
    forward_product,
    is_product,
)
from anadrome.transform.refusals import refuse_leaks
from anadrome.transform.rules import rule_frame
from anadrome.transform.shadows import Shadows
from anadrome.transform.snapshots import Snapshots


class Reverse:
    """The state of turning one graph around."""

    def __init__(self, graph: Graph, sources: list[Node], name: str) -> None:
        self.old = graph
        self.activity = Activity(graph, sources, products=False)
        mark_boxes(graph, self.activity)
        self.it = Writer(name)
        self.it.frames.append(rule_frame(self.it))
        self.new: dict[int, Node] = Copies(graph, self.it)
        self.applies: dict[int, Apply] = {}
        self.cotangents: dict[int, Cotangent] = {}
        self.known: dict[int, Node] = {}
        self.shadows: Shadows = Shadows(self)
        self.snapshots = Snapshots(self)
        # Values whose whole cotangent passed through a `where`: see `adjoints._safe`.
        self.masked: set[int] = set()
        self.depth = 0
        self.functions: dict[int, CallPair] = {}
        # What the forward functions of the user's own rules keep, by statement.
        self.residuals: dict[int, Node] = {}

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
        refuse_leaks(self.activity, node)
        if node.op is ops.INSERT:
            self.new[id(node)] = self.value(node.args[0])
            self.shadows.alias(node, node.args[0])
            return
        if node.op in (ops.IF, ops.TRY):
            self._forward_branch(node)
        elif node.op in (ops.FOR, ops.WHILE):
            self._forward_loop(node)
        elif is_checkpoint(node):
            forward_checkpoint(self, node)
        elif is_product(node):
            forward_product(self, node)
        elif node.op is ops.CALL and isinstance(node.args[0], Constant):
            self._forward_call(node)
        elif getattr(node.op, "custom", False) and node.op.forward_half(self, node):
            return
        else:
            if node.op in (ops.PYCALL, ops.METHOD):
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
            self.shadows.before(node)
            it.graph.append(made)
            self.new[id(node)] = made
            self.applies[id(node)] = made
            for o in node.outputs:
                self.new[id(o)] = made.add_output(o.type, o.name)
            self.shadows.after(node)

    def _forward_branch(self, node: Apply) -> None:
        it = self.it
        made = Apply(
            node.op, tuple(self.value(a) for a in node.args), NEVER, span=node.span
        )
        made.comment = node.comment
        if node.op is ops.TRY and not _raises_again(node.regions[1]):
            self._refuse_stores(node.regions[0])
        regions = []
        for old in node.regions:
            region = Graph(old.name, it.graph)
            self.copy_parameters(old, region)
            with it.region(region):
                self.forward(old)
                region.results = [
                    ABSENT if r is UNDEFINED and o in self.activity else self.value(r)
                    for r, o in zip(old.results, node.outputs)
                ]
                region.results += self.shadows.results(node.outputs, old.results)
            if node.op is ops.TRY:
                region.results.append(it.constant(old is node.regions[0]))
            regions.append(region)
        made.regions = tuple(regions)
        it.graph.append(made)
        self.applies[id(node)] = made
        for o in node.outputs:
            self.new[id(o)] = made.add_output(o.type, o.name)
        self.shadows.outputs(made, node.outputs)
        if node.op is ops.TRY:
            made.add_output(Num(None, 0), "completed")

    def _refuse_stores(self, body: Graph) -> None:
        """A store in a try block must be the last thing in it that can fail.

        Then the block has completed if, and only if, the store has happened.
        """
        inner = list(body.body)
        while inner and _cannot_fail(inner[-1]):
            inner.pop()
        if inner and not inner[-1].regions:
            inner.pop()
        for node in (n for top in inner for n in (top, *_inside(top))):
            if isinstance(node.op, ops.Op) and node.op.writes:
                if self.activity.buffer(node.args[0].type):
                    raise MutationError(
                        "something is changed in place inside a try block",
                        node.span,
                        "compute the value in the try block and store it after",
                    )

    def _forward_loop(self, node: Apply) -> None:
        it = self.it
        shape = node.shape
        first = len(node.args) - shape.carried
        twins = self.shadows.carried(node)
        self._refuse_kept_buffers(node)
        regions = []
        for old in node.regions:
            region = Graph(old.name, it.graph)
            self.copy_parameters(old, region)
            offset = len(old.params) - shape.carried
            for k in twins:
                self.shadows.parameter(region, old.params[offset + k])
            with it.region(region):
                self.forward(old)
            regions.append(region)
        body, new_body = node.regions[-1], regions[-1]
        last = shape.carried + shape.kept
        held = self.shadows.kept(node)
        with it.region(new_body):
            results = [self.value(r) for r in body.results]
            extra = [self.shadows.of(body.results[k]) for k in twins]
            items = [self.shadows.slot(body.results[k]) for k in held]
        results[last:last] = items
        results[shape.carried : shape.carried] = extra
        new_body.results = results
        if node.op is ops.WHILE:
            regions[0].results = [self.value(node.regions[0].results[0])]
        # The way back keeps every turn's variables, also one that is not bound yet.
        args = [
            it.constant(None) if a is UNDEFINED else self.value(a) for a in node.args
        ]
        args += [self.shadows.of(node.args[first + k]) for k in twins]
        made = Apply(
            node.op, tuple(args), NEVER, regions=tuple(regions), span=node.span
        )
        made.comment = node.comment
        it.graph.append(made)
        self.applies[id(node)] = made
        for outputs, shadowed in (
            (node.outputs[: shape.carried], twins),
            (node.outputs[shape.carried : last], held),
            (node.outputs[last:], []),
        ):
            for o in outputs:
                self.new[id(o)] = made.add_output(o.type, o.name)
            for k in shadowed:
                self.shadows.output(made, node.outputs[k])
        made.shape = dataclasses.replace(
            # What is kept here may be wanted again by the way back of the way back.
            shape,
            carried=shape.carried + len(twins),
            kept=shape.kept + len(held),
            frees=False,
        )
        for k in range(shape.carried, last):
            if k not in held:
                self.shadows.created(node.outputs[k])

    def _refuse_kept_buffers(self, node: Apply) -> None:
        """Refuse a loop over what another loop kept if that is changed in place.

        Only the way back of a program that stores in loops is such a loop.
        """
        index = 1 if node.op is ops.FOR else 0
        for p in node.regions[-1].params[index : index + node.shape.stacks]:
            if self.activity.shadowed(p.type):
                raise MutationError(
                    "the way back of a loop that changes arrays in place cannot be "
                    "turned around again",
                    node.span,
                    "use forward mode over reverse mode: ad.hvp or ad.hessian",
                )

    # Backward -----------------------------------------------------------------------

    def contribute(self, node: Node, d: Cotangent | None) -> None:
        """Add to the cotangent of a value."""
        if d is None or isinstance(node, Constant) or node not in self.activity:
            return
        if isinstance(d, Constant) and d.value is None:
            return
        if self.activity.buffer(node.type):
            assert isinstance(d, Node)
            self.shadows.accumulate(node, d)
            return
        if self.activity.shadowed(node.type):
            d = self.shadows.settle(self.shadows.place(node), node.type, d)
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
            return self.shadows.read(node)
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
        other = self.shadows.arrived(ct, node.type, self.value(node))
        return self.it.apply(add_cotangents, (shadow, other))

    def backward(self, old: Graph) -> None:
        """Write the way back through the statements of a graph."""
        it = self.it
        for node in reversed(old.body):
            it.span = node.span
            it.comment = f"Grad of: {node.comment}" if node.comment else None
            if node.op in (ops.IF, ops.TRY):
                self._backward_branch(node)
            elif node.op in (ops.FOR, ops.WHILE):
                self._backward_loop(node)
            elif is_checkpoint(node):
                backward_checkpoint(self, node)
            elif is_product(node):
                backward_product(self, node)
            elif node.op is ops.CALL and isinstance(node.args[0], Constant):
                self._backward_call(node)
            elif node.op is ops.INSERT:
                self._backward_insert(node)
            else:
                adjoints.adjoint(self, node)

    def _backward_insert(self, node: Apply) -> None:
        d = self.take_node(node)
        if d is None:
            d = zero(self.it, node.type, self.value(node))
        region = node.regions[0]
        self.new[id(region.params[0])] = d
        self.forward(region)
        self.contribute(node.args[0], self.value(region.results[0]))

    def _backward_branch(self, node: Apply) -> None:
        it = self.it
        made = self.applies[id(node)]
        given = [
            (k, self.take_node(o))
            for k, o in enumerate(node.outputs)
            if o in self.activity and self.activity.flows(o.type)
        ]
        if all(d is None for _, d in given) and not self._touches_shadows(node):
            return
        test = made.outputs[-1] if node.op is ops.TRY else self.value(node.args[0])
        if node.op is ops.TRY:
            test = next(o for o in made.outputs if o.name == "completed")
        before = self.cotangents
        sides: list[tuple[Graph, dict[int, Cotangent]]] = []
        frames = []
        comment = it.comment
        for k, old in enumerate(node.regions):
            region = Graph(old.name, it.graph)
            self.cotangents = dict(before)
            it.comment = comment
            with it.region(region):
                for j, d in given:
                    if d is not None:
                        self.contribute(old.results[j], d)
                self.backward(old)
            sides.append((region, self.cotangents))
            frames.append(BranchFrame(made.regions[k], made, k, self.depth > 0))
        self.cotangents = before
        made_back = Apply(ops.IF, (test,), NEVER, span=node.span)
        made_back.regions = (sides[0][0], sides[1][0])
        made_back.comment = None
        local = {id(n) for r in node.regions for n in _defined(r)}
        merged: list[tuple[Node, Output]] = []
        keys = dict.fromkeys([*sides[0][1], *sides[1][1]])
        for key in keys:
            if key in local:
                continue
            a, b = sides[0][1].get(key), sides[1][1].get(key)
            if a is b:
                assert a is not None
                self.cotangents[key] = a
                continue
            old_node = self.known[key]
            for (region, _), ct in zip(sides, (a, b)):
                with it.region(region):
                    like = self.value(old_node)
                    region.results.append(as_node(it, ct, old_node.type, like))
            out = made_back.add_output(
                cotangent_type(old_node.type),
                "∂" + old_node.name if old_node.name else None,
            )
            merged.append((old_node, out))
        for frame, (region, _) in zip(frames, sides):
            remove_dead_region(region)
            frame.close(region)
        if made_back.outputs or any(r.body for r in made_back.regions):
            it.graph.append(made_back)
        for old_node, out in merged:
            self.cotangents[id(old_node)] = out

    def _touches_shadows(self, node: Apply) -> bool:
        """Whether the way back through a statement changes or reads shadows."""
        for region in node.regions:
            for n in walk(region):
                inputs = (*n.inputs, n, *n.outputs)
                if any(self.activity.shadowed(i.type) for i in inputs):
                    return True
                if n.op is ops.INSERT:
                    return True
        return False

    def _backward_loop(self, node: Apply) -> None:
        it = self.it
        shape, body = node.shape, node.regions[-1]
        made = self.applies[id(node)]
        skip = 3 if node.op is ops.FOR else 0
        index = 1 if skip else 0
        first = len(node.args) - shape.carried
        offset = len(body.params) - shape.carried
        slots = [
            k
            for k in range(shape.carried)
            if body.params[offset + k] in self.activity
            and self.activity.flows(body.params[offset + k].type)
        ]
        given = {k: self.take_node(node.outputs[k]) for k in slots}
        kept: dict[int, Node] = {}
        for k in range(shape.kept):
            out = node.outputs[shape.carried + k]
            d = self.take_node(out) if out in self.activity else None
            if d is not None:
                kept[k] = d
        if (
            all(d is None for d in given.values())
            and not kept
            and not self._touches_shadows(node)
        ):
            return
        free = [n for n in free_values(body) if n in self.activity]
        free = [n for n in free if self.activity.flows(n.type)]
        region = Graph("back", it.graph)
        counter = region.add_parameter(INT, body.params[0].name if skip else None)
        frame = LoopFrame(made, counter)
        before = self.cotangents
        inits: list[Node] = []
        params: list[Parameter] = []

        def carry(t: Type, init: Node, name: str | None) -> Parameter:
            p = Parameter(region, cotangent_type(t), "∂" + name if name else None)
            inits.append(init)
            params.append(p)
            return p

        seeds = {}
        for k in slots:
            old_param = body.params[offset + k]
            d = given[k]
            like = self.value(node.outputs[k])
            d = d if d is not None else zero(it, node.outputs[k].type, like)
            seeds[k] = carry(old_param.type, d, old_param.name)
        self.cotangents = {}
        held: list[tuple[Node, Parameter]] = []
        for n in free:
            current = before.get(id(n))
            init = as_node(it, current, n.type, self.value(n))
            p = carry(n.type, init, n.name)
            held.append((n, p))
            self.cotangents[id(n)] = p
            self.known[id(n)] = n
        stack_items: list[tuple[Node, Parameter]] = []
        comment = it.comment
        self.depth += 1
        with it.region(region):
            it.comment = comment
            for k in slots:
                self.contribute(body.results[k], seeds[k])
            for k, d in kept.items():
                out = node.outputs[shape.carried + k]
                item = Parameter(
                    region, cotangent_type(body.results[shape.carried + k].type), None
                )
                stack_items.append((d, item))
                self.contribute(body.results[shape.carried + k], item)
            self.backward(body)
            it.comment = None
            results: list[Node] = []
            for k in slots:
                old_param = body.params[offset + k]
                d = self.take_node(old_param)
                results.append(
                    d
                    if d is not None
                    else zero(it, old_param.type, self.value(old_param))
                )
            for n, _ in held:
                results.append(
                    as_node(it, self.cotangents.get(id(n)), n.type, self.value(n))
                )
            outgoing: list[tuple[Node, Node]] = []
            for k in range(shape.stacks):
                item = body.params[index + k]
                d = self.take_node(item) if item in self.activity else None
                if d is not None:
                    outgoing.append((node.args[skip + k], d))
        self.depth -= 1
        self.cotangents = before
        # A free value to which nothing was added needs no variable in the loop.
        keep = [
            k
            for k in range(len(params))
            if k < len(slots) or results[k] is not params[k]
        ]
        moved = {id(params[k]): inits[k] for k in range(len(params)) if k not in keep}
        region.results = [results[k] for k in keep] + [d for _, d in outgoing]
        substitute(region, moved)
        remove_dead_region(region)
        frame.close(region)
        stacks = [*stack_items, *frame.stacks]
        region.params = [counter, *(p for _, p in stacks), *(params[k] for k in keep)]
        bounds = self._bounds(node, made, stacks)
        back = Apply(
            ops.FOR,
            (*bounds, *(s for s, _ in stacks), *(inits[k] for k in keep)),
            NEVER,
            regions=(region,),
            span=node.span,
        )
        back.shape = ops.LoopShape(
            stacks=len(stacks),
            carried=len(keep),
            kept=len(outgoing),
            reverse=not node.shape.reverse,
            frees=node.shape.frees and not node.shape.reverse,
            mirrors=made,
        )
        it.graph.append(back)
        for k in keep:
            out = back.add_output(params[k].type, params[k].name)
            if k >= len(slots):
                self.cotangents[id(held[k - len(slots)][0])] = out
        for source, d in outgoing:
            out = back.add_output(cotangent_stack(source.type, d.type))
            self.contribute(source, out)
        for j, k in enumerate(keep):
            if k < len(slots):
                self.contribute(node.args[first + slots[k]], back.outputs[j])

    def _bounds(
        self, node: Apply, made: Apply, stacks: list[tuple[Node, Parameter]]
    ) -> tuple[Node, Node, Node]:
        """The range of the turns that were really taken."""
        it = self.it
        if node.op is ops.FOR and not node.shape.breaks:
            start, stop, step = (self.value(a) for a in node.args[:3])
            return start, stop, step
        turns = next((o for o in made.outputs if made.shape.counts), None)
        if not made.shape.counts:
            turns = made.add_output(INT, "turns")
            made.shape = dataclasses.replace(made.shape, counts=True)
        else:
            turns = made.outputs[-1]
        assert turns is not None
        if node.op is ops.WHILE:
            return it.constant(0), turns, it.constant(1)
        import operator

        from anadrome.frontend.expressions import numeric

        start, _, step = (self.value(a) for a in node.args[:3])
        span = turns
        if not (isinstance(step, Constant) and step.value == 1):
            span = numeric(it, operator.mul, turns, step)  # type: ignore[assignment]
        end: Node = span
        if not (isinstance(start, Constant) and start.value == 0):
            end = numeric(it, operator.add, start, span)
        return start, end, step

    # Functions of their own -----------------------------------------------------------

    def _forward_call(self, node: Apply) -> None:
        it = self.it
        callee = node.args[0]
        assert isinstance(callee, Constant)
        if not isinstance(callee.value, Graph):
            raise NotDifferentiable("this call cannot be followed", node.span)
        pair = self._pair(callee.value)
        args = [self.value(a) for a in node.args[1:]]
        args += [
            self.shadows.of(a) for a in node.args[1:] if self.activity.shadowed(a.type)
        ]
        constant = Constant(pair.forward, Function(pair.forward))
        made = Apply(ops.CALL, (constant, *args), NEVER, span=node.span)
        made.comment = node.comment
        it.graph.append(made)
        made.type = pair.handed
        parts = pair.handed.items
        self.new[id(node)] = self._item(made, 0, parts[0], node.name)
        pair.saved[id(node)] = self._item(made, 1, parts[1], "saved")
        if self.activity.shadowed(node.type):
            self.shadows.set(node, self._item(made, 2, parts[2], None))
        self.applies[id(node)] = made

    def _item(self, made: Apply, k: int, t: Type, name: str | None) -> Node:
        node = self.it.emit(ops.GETITEM, (made, self.it.constant(k)), t)
        node.name = name
        return node

    def _backward_call(self, node: Apply) -> None:
        it = self.it
        callee = node.args[0]
        assert isinstance(callee, Constant)
        pair = self._pair(callee.value)
        d = None
        if pair.receives and node in self.activity:
            d = self.take_node(node)
        if d is None and not pair.effects and not self.activity.shadowed(node.type):
            return
        given: tuple[Node, ...] = ()
        if pair.receives:
            if d is None:
                d = zero(it, node.type, self.value(node))
            given = (d,)
        constant = Constant(pair.backward, Function(pair.backward))
        made = it.emit(
            ops.CALL, (constant, pair.saved[id(node)], *given), pair.returned
        )
        for k, (position, t) in enumerate(pair.wanted):
            item = it.emit(ops.GETITEM, (made, it.constant(k)), t)
            self.contribute(node.args[1 + position], item)

    def _pair(self, old: Graph) -> CallPair:
        found = self.functions.get(id(old))
        if found is None:
            found = CallPair(self, old)
            self.functions[id(old)] = found
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

        frame = CallFrame(self.forward, read)
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
        frame.close(self.backward)
        self.backward.body[:0] = reads
        with it.region(self.forward):
            names = it.constant(tuple(frame.fields))
            for name, n in frame.fields.items():
                assert self.record.fields is not None
                self.record.fields[name] = n.type
            kept = it.emit(
                ops.RECORD,
                (it.constant(Saved), names, *frame.fields.values()),
                self.record,
            )
            handed = [owner.value(result), kept]
            if activity.shadowed(result.type):
                handed.append(owner.shadows.of(result))
            self.forward.results = [it.emit(ops.TUPLE, tuple(handed), self.handed)]
        owner.cotangents, it.comment, it.span, owner.depth = before


def _raises_again(handler: Graph) -> bool:
    """Whether there is no way on, and so no way back, from a handler."""
    return any(n.op is ops.RAISE for n in handler.body)


def _inside(node: Apply) -> list[Apply]:
    return [n for region in node.regions for n in walk(region)]


def _cannot_fail(node: Apply) -> bool:
    return isinstance(node.op, ops.Op) and node.op.total and not node.regions


def cotangent_stack(t: Type, item: Type) -> Type:
    """The type of the cotangent of a stack."""
    from anadrome.ir.types import List, Stack

    return Stack(item) if isinstance(deref(t), Stack) else List(item)


def free_values(region: Graph) -> list[Node]:
    """The values from outside that a region reads, each once."""
    own = {id(n) for n in _defined_within(region)}
    found: dict[int, Node] = {}
    from anadrome.transform.frames import references

    for n in references(region):
        if not isinstance(n, Constant) and id(n) not in own:
            found.setdefault(id(n), n)
    return list(found.values())


def _defined(region: Graph) -> list[Node]:
    found: list[Node] = list(region.params)
    for node in region.body:
        found.append(node)
        found += node.outputs
    return found


def _defined_within(region: Graph) -> list[Node]:
    found = _defined(region)
    for node in region.body:
        for inner in node.regions:
            found += _defined_within(inner)
    return found


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
    r = Reverse(graph, sources, name)
    it = r.it
    root = it.root
    r.copy_parameters(graph, root)
    result = graph.results[0]
    seed: Node
    if seeded:
        seed = Parameter(root, cotangent_type(result.type), "∂result")
    else:
        seed = it.constant(one_of(result.type, aux))
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
    return root


def _check_result(graph: Graph) -> None:
    """Refuse a function of whose result nothing is known, not even its type."""
    result = graph.results[0]
    if isinstance(result, Apply) and isinstance(result.type, NeverType):
        raise NotDifferentiable(
            "the type of the result could not be found",
            result.span,
            "compute it from values whose types are known",
        )


def one_of(t: Type, aux: bool) -> Any:
    """The number one in the precision of a result."""
    t = deref(t)
    if aux and isinstance(t, Tuple):
        t = deref(t.items[0])
    if isinstance(t, Num) and t.dtype is not None and not t.python:
        if t.dtype.kind == "f" and t.dtype != np.float64:
            return t.dtype.type(1.0)
    return 1.0


def _gradient(r: Reverse, sources: list[Node]) -> Node:
    """The cotangents of the sources: one, or a tuple of them."""
    it = r.it
    it.comment, it.span = None, None
    found: list[Node] = []
    for s in sources:
        if r.activity.shadowed(s.type):
            shadow = r.shadows.of(s)
            if r.activity.flows(s.type):
                ct = as_node(it, r.cotangents.get(id(s)), s.type, r.value(s))
                shadow = it.apply(add_cotangents, (shadow, ct))
            found.append(shadow)
            continue
        ct = as_node(it, r.cotangents.get(id(s)), s.type, r.value(s))
        found.append(adjoints.finished(it, ct, s))
    if len(found) == 1:
        return found[0]
    return it.emit(ops.TUPLE, tuple(found), Tuple(tuple(f.type for f in found)))


def reverse_pair(graph: Graph, sources: list[Node], name: str) -> tuple[Graph, Graph]:
    """Two graphs: one returns the value and a record, the other turns the record and
    the cotangent of the value into the cotangents of `sources`."""
    _check_result(graph)
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

    frame = CallFrame(front, read)
    with it.region(back):
        it.comment = None
        r.contribute(result, given)
        r.backward(graph)
        back.results = [_gradient(r, sources)]
    remove_dead_region(back)
    frame.close(back)
    back.body[:0] = reads
    with it.region(front):
        out = r.value(result)
        if r.activity.buffer(result.type):
            out = it.emit(ops.COPY, (out,), out.type)
        for field, n in frame.fields.items():
            assert record.fields is not None
            record.fields[field] = n.type
        names = it.constant(tuple(frame.fields))
        kept = it.emit(
            ops.RECORD, (it.constant(Saved), names, *frame.fields.values()), record
        )
        front.results = [it.emit(ops.TUPLE, (out, kept), Tuple((out.type, record)))]
    r.snapshots.splice()
    return front, back


__all__ = ["Reverse", "reverse", "reverse_pair"]
