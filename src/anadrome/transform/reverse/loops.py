"""Loops, forwards and in the backward pass."""

from __future__ import annotations

import dataclasses
import operator
from typing import TYPE_CHECKING

import numpy as np

from anadrome.errors import MutationError
from anadrome.frontend.calls.recursion import substitute
from anadrome.frontend.syntax.expressions import numeric
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
)
from anadrome.ir.types import (
    INT,
    NEVER,
    List,
    Num,
    Stack,
    Type,
    deref,
)
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.transform.reverse.branches import touches_shadows
from anadrome.transform.reverse.cotangents import as_node, cotangent_type, zero
from anadrome.transform.reverse.residuals import LoopResiduals, free_values

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


def forward_loop(r: Reverse, node: Apply) -> None:
    it = r.it
    shape = node.shape
    first = len(node.args) - shape.carried
    twins = r.shadows.carried(node)
    _refuse_residual_buffers(r, node)
    regions = []
    for old in node.regions:
        region = Graph(old.name, it.graph)
        r.copy_parameters(old, region)
        offset = len(old.params) - shape.carried
        for k in twins:
            r.shadows.parameter(region, old.params[offset + k])
        with it.region(region):
            r.forward(old)
        regions.append(region)
    body, new_body = node.regions[-1], regions[-1]
    last = shape.carried + shape.kept
    held = r.shadows.kept(node)
    with it.region(new_body):
        results = [r.value(n) for n in body.results]
        extra = [r.shadows.of(body.results[k]) for k in twins]
        items = [r.shadows.slot(body.results[k]) for k in held]
    results[last:last] = items
    results[shape.carried : shape.carried] = extra
    new_body.results = results
    if node.op is ops.WHILE:
        regions[0].results = [r.value(node.regions[0].results[0])]
    # The backward pass reads every iteration's variables, also unbound ones.
    args = [it.constant(None) if a is UNDEFINED else r.value(a) for a in node.args]
    args += [r.shadows.of(node.args[first + k]) for k in twins]
    made = Apply(node.op, tuple(args), NEVER, regions=tuple(regions), span=node.span)
    made.comment = node.comment
    it.graph.append(made)
    r.applies[id(node)] = made
    for outputs, shadowed in (
        (node.outputs[: shape.carried], twins),
        (node.outputs[shape.carried : last], held),
        (node.outputs[last:], []),
    ):
        for o in outputs:
            r.new[id(o)] = made.add_output(o.type, o.name)
        for k in shadowed:
            r.shadows.output(made, node.outputs[k])
    made.shape = dataclasses.replace(
        # The backward pass of the backward pass may read these residuals too.
        shape,
        carried=shape.carried + len(twins),
        kept=shape.kept + len(held),
        frees=False,
    )
    for k in range(shape.carried, last):
        if k not in held:
            r.shadows.created(node.outputs[k])


def _refuse_residual_buffers(r: Reverse, node: Apply) -> None:
    """Refuse a loop over residuals of another loop that are changed in place.

    Only the backward pass of a program that stores in loops is such a loop.
    """
    index = 1 if node.op is ops.FOR else 0
    for p in node.regions[-1].params[index : index + node.shape.stacks]:
        if r.activity.shadowed(p.type):
            raise MutationError(
                "the backward pass of a loop that changes arrays in place cannot be "
                "differentiated in reverse mode",
                node.span,
                "use forward mode over reverse mode: ad.hvp or ad.hessian",
            )


def backward_loop(r: Reverse, node: Apply) -> None:
    it = r.it
    shape, body = node.shape, node.regions[-1]
    made = r.applies[id(node)]
    skip = 3 if node.op is ops.FOR else 0
    index = 1 if skip else 0
    first = len(node.args) - shape.carried
    offset = len(body.params) - shape.carried
    slots = [
        k
        for k in range(shape.carried)
        if body.params[offset + k] in r.activity
        and r.activity.flows(body.params[offset + k].type)
    ]
    given = {k: r.take_node(node.outputs[k]) for k in slots}
    kept: dict[int, Node] = {}
    for k in range(shape.kept):
        out = node.outputs[shape.carried + k]
        d = r.take_node(out) if out in r.activity else None
        if d is not None:
            kept[k] = d
    if (
        all(d is None for d in given.values())
        and not kept
        and not touches_shadows(r, node)
    ):
        return
    free = [n for n in free_values(body) if n in r.activity]
    free = [n for n in free if r.activity.flows(n.type)]
    region = Graph("back", it.graph)
    counter = region.add_parameter(INT, body.params[0].name if skip else None)
    residuals = LoopResiduals(made, counter)
    before = r.cotangents
    inits: list[Node] = []
    params: list[Parameter] = []

    def carry(t: Type, init: Node, name: str | None) -> Parameter:
        kind = _as_wide(cotangent_type(t), init.type)
        p = Parameter(region, kind, "∂" + name if name else None)
        inits.append(init)
        params.append(p)
        return p

    seeds = {}
    for k in slots:
        old_param = body.params[offset + k]
        d = given[k]
        like = r.value(node.outputs[k])
        d = d if d is not None else zero(it, node.outputs[k].type, like)
        seeds[k] = carry(old_param.type, d, old_param.name)
    r.cotangents = {}
    held: list[tuple[Node, Parameter]] = []
    for n in free:
        current = before.get(id(n))
        init = as_node(it, current, n.type, r.value(n))
        p = carry(n.type, init, n.name)
        held.append((n, p))
        r.cotangents[id(n)] = p
        r.known[id(n)] = n
    stack_items: list[tuple[Node, Parameter]] = []
    comment = it.comment
    r.depth += 1
    with it.region(region):
        it.comment = comment
        for k in slots:
            r.contribute(body.results[k], seeds[k])
        for k, d in kept.items():
            out = node.outputs[shape.carried + k]
            item = Parameter(
                region, cotangent_type(body.results[shape.carried + k].type), None
            )
            stack_items.append((d, item))
            r.contribute(body.results[shape.carried + k], item)
        r.backward(body)
        it.comment = None
        results: list[Node] = []
        for k in slots:
            old_param = body.params[offset + k]
            d = r.take_node(old_param)
            results.append(
                d if d is not None else zero(it, old_param.type, r.value(old_param))
            )
        for n, _ in held:
            results.append(as_node(it, r.cotangents.get(id(n)), n.type, r.value(n)))
        outgoing: list[tuple[Node, Node]] = []
        for k in range(shape.stacks):
            item = body.params[index + k]
            d = r.take_node(item) if item in r.activity else None
            if d is not None:
                outgoing.append((node.args[skip + k], d))
    r.depth -= 1
    r.cotangents = before
    # A free value to which nothing was added needs no variable in the loop.
    keep = [
        k for k in range(len(params)) if k < len(slots) or results[k] is not params[k]
    ]
    moved = {id(params[k]): inits[k] for k in range(len(params)) if k not in keep}
    region.results = [results[k] for k in keep] + [d for _, d in outgoing]
    substitute(region, moved)
    remove_dead_region(region)
    residuals.close(region)
    stacks = [*stack_items, *residuals.stacks]
    region.params = [counter, *(p for _, p in stacks), *(params[k] for k in keep)]
    bounds = _bounds(r, node, made, stacks)
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
            r.cotangents[id(held[k - len(slots)][0])] = out
    for source, d in outgoing:
        out = back.add_output(cotangent_stack(source.type, d.type))
        r.contribute(source, out)
    for j, k in enumerate(keep):
        if k < len(slots):
            r.contribute(node.args[first + slots[k]], back.outputs[j])


def _as_wide(t: Type, first: Type) -> Type:
    """The type of a cotangent that may have come with more precision than its value."""
    t, first = deref(t), deref(first)
    if not isinstance(t, Num) or not isinstance(first, Num) or not t.ndim:
        return t
    if t.dtype is None or first.dtype is None or first.dtype.kind not in "fc":
        return t
    dtype = np.promote_types(t.dtype, first.dtype)
    return t if dtype == t.dtype else dataclasses.replace(t, dtype=dtype)


def _bounds(
    r: Reverse, node: Apply, made: Apply, stacks: list[tuple[Node, Parameter]]
) -> tuple[Node, Node, Node]:
    """The range of the iterations that were really run."""
    it = r.it
    if node.op is ops.FOR and not node.shape.breaks:
        start, stop, step = (r.value(a) for a in node.args[:3])
        return start, stop, step
    iterations = next((o for o in made.outputs if made.shape.counts), None)
    if not made.shape.counts:
        iterations = made.add_output(INT, "count")
        made.shape = dataclasses.replace(made.shape, counts=True)
    else:
        iterations = made.outputs[-1]
    assert iterations is not None
    if node.op is ops.WHILE:
        return it.constant(0), iterations, it.constant(1)
    start, _, step = (r.value(a) for a in node.args[:3])
    span = iterations
    if not (isinstance(step, Constant) and step.value == 1):
        span = numeric(it, operator.mul, iterations, step)  # type: ignore[assignment]
    end: Node = span
    if not (isinstance(start, Constant) and start.value == 0):
        end = numeric(it, operator.add, start, span)
    return start, end, step


def cotangent_stack(t: Type, item: Type) -> Type:
    """The type of the cotangent of a stack."""
    return Stack(item) if isinstance(deref(t), Stack) else List(item)


__all__ = ["backward_loop", "forward_loop"]
