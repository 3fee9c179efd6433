"""Branches and `try` blocks, forwards and in the backward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Graph,
    Node,
    Output,
    walk,
)
from anadrome.ir.types import NEVER, Num, Type, deref, same_dtype, strip_optional
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.primitives.registry import find_primitive
from anadrome.transform.reverse.cotangents import Cotangent, as_node, cotangent_type
from anadrome.transform.reverse.residuals import ABSENT, BranchResiduals, defined
from anadrome.transform.reverse.try_blocks import refuse_interruption, watch

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.transform.reverse.walk import Reverse


def forward_branch(r: Reverse, node: Apply) -> None:
    it = r.it
    made = Apply(node.op, tuple(r.value(a) for a in node.args), NEVER, span=node.span)
    made.comment, made.retained = node.comment, node.retained
    begun = watch(r, node) if node.op is ops.TRY else None
    regions = []
    for old in node.regions:
        region = Graph(old.name, it.graph)
        r.copy_parameters(old, region)
        with it.region(region):
            if begun is not None and old is node.regions[1]:
                refuse_interruption(r, begun)
            r.in_branch += node.op is ops.IF
            r.forward(old)
            r.in_branch -= node.op is ops.IF
            region.results = [
                ABSENT if n is UNDEFINED and o in r.activity else r.value(n)
                for n, o in zip(old.results, node.outputs)
            ]
            region.results += r.shadows.results(node.outputs, old.results)
        if node.op is ops.TRY:
            region.results.append(it.constant(old is node.regions[0]))
        regions.append(region)
    made.regions = tuple(regions)
    it.graph.append(made)
    r.applies[id(node)] = made
    for o in node.outputs:
        r.new[id(o)] = made.add_output(o.type, o.name)
    r.shadows.outputs(made, node.outputs)
    if node.op is ops.TRY:
        made.add_output(Num(None, 0), "completed")


def backward_branch(r: Reverse, node: Apply) -> None:
    it = r.it
    made = r.applies[id(node)]
    given = [
        (k, r.take_node(o))
        for k, o in enumerate(node.outputs)
        if o in r.activity and r.activity.flows(o.type)
    ]
    if all(d is None for _, d in given) and not touches_shadows(r, node):
        return
    test = made.outputs[-1] if node.op is ops.TRY else r.value(node.args[0])
    if node.op is ops.TRY:
        test = next(o for o in made.outputs if o.name == "completed")
    before = r.cotangents
    sides: list[tuple[Graph, dict[int, Cotangent]]] = []
    side_residuals = []
    comment = it.comment
    for k, old in enumerate(node.regions):
        region = Graph(old.name, it.graph)
        r.cotangents = dict(before)
        it.comment = comment
        with it.region(region):
            for j, d in given:
                if d is not None:
                    r.contribute(old.results[j], d)
            r.in_branch += node.op is ops.IF
            r.backward(old)
            r.in_branch -= node.op is ops.IF
        sides.append((region, r.cotangents))
        side_residuals.append(BranchResiduals(made.regions[k], made, k, r.depth > 0))
    r.cotangents = before
    made_back = Apply(ops.IF, (test,), NEVER, span=node.span)
    made_back.regions = (sides[0][0], sides[1][0])
    made_back.comment = None
    local = {id(n) for region in node.regions for n in defined(region)}
    merged: list[tuple[Node, Output]] = []
    keys = dict.fromkeys([*sides[0][1], *sides[1][1]])
    for key in keys:
        if key in local:
            continue
        a, b = sides[0][1].get(key), sides[1][1].get(key)
        if a is b:
            assert a is not None
            r.cotangents[key] = a
            continue
        old_node = r.known[key]
        if key not in before and (a is None or b is None):
            r.unread.add(key)
        for (region, _), ct in zip(sides, (a, b)):
            with it.region(region):
                like = r.value(old_node)
                found = as_node(it, ct, old_node.type, like)
                region.results.append(_in_dtype(it, found, old_node.type))
        out = made_back.add_output(
            cotangent_type(old_node.type),
            "∂" + old_node.name if old_node.name else None,
        )
        merged.append((old_node, out))
    for residuals, (region, _) in zip(side_residuals, sides):
        remove_dead_region(region)
        residuals.close(region)
    if made_back.outputs or any(region.body for region in made_back.regions):
        it.graph.append(made_back)
    for old_node, out in merged:
        r.cotangents[id(old_node)] = out


def _in_dtype(it: Interpreter, ct: Node, t: Type) -> Node:
    """A cotangent in the dtype of its array: it is what the branch says it has."""
    s, t = deref(ct.type), strip_optional(t)
    if not isinstance(t, Num) or not isinstance(s, Num) or not t.inexact:
        return ct
    if t.ndim == 0 or s.ndim == 0:
        return ct  # a number, or zero
    if t.dtype is None or s.dtype is None or same_dtype(s.dtype, t.dtype):
        return ct
    asarray = find_primitive(np.asarray)
    assert asarray is not None
    return it.apply(asarray, (ct,), {"dtype": it.constant(t.dtype)})


def touches_shadows(r: Reverse, node: Apply) -> bool:
    """Whether the backward pass through a statement changes or reads shadows."""
    for region in node.regions:
        for n in walk(region):
            inputs = (*n.inputs, n, *n.outputs)
            if any(r.activity.shadowed(i.type) for i in inputs):
                return True
            if n.op is ops.INSERT:
                return True
    return False


__all__ = ["backward_branch", "forward_branch", "touches_shadows"]
