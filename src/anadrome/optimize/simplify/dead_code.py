"""Removal of what nothing reads.

    y = x * 2          →
    z = x + 1             z = x + 1
    return z              return z

Effects stay, and so does whatever an effect may read. In the body of a `try` what may
raise is an effect: it decides how the program goes on. Of statements whose success is
relied on the check stays: see `retained_checks`.
"""

from __future__ import annotations

import dataclasses

from anadrome.frontend.syntax.may_raise import exceptions_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, called_graphs
from anadrome.optimize.simplify.retained_checks import check_of, is_relied_on
from anadrome.primitives.registry import Primitive


def remove_dead_code(graph: Graph) -> Graph:
    """The graph without statements, outputs and loop variables that nobody needs."""
    for g in called_graphs(graph):
        remove_dead_region(g)
    return graph


def remove_dead_region(region: Graph) -> None:
    """Remove what nobody needs from a region whose results are all wanted."""
    live = {id(r) for r in region.results}
    _mark(region, live, False)
    _sweep(region, live, False)


def _stays(node: Apply, guarded: bool) -> bool:
    """Whether a statement must stay; `guarded`: something catches what it raises."""
    if has_effect(node) or is_relied_on(node):
        return True
    return guarded and exceptions_of(node) not in ((), (FloatingPointError,))


def has_effect(node: Apply) -> bool:
    """Whether a statement must stay even if nobody reads its result."""
    if node.op is ops.INSERT:
        return False
    if node.regions:
        return node.op in (ops.WHILE, ops.TRY) or any(
            has_effect(n) for r in node.regions for n in r.body
        )
    if isinstance(node.op, Primitive):
        return not node.op.pure
    if node.op in (ops.PYCALL, ops.OBSERVE):
        return node.target is not True
    return not node.op.pure


def _is_wanted(node: Apply, live: set[int]) -> bool:
    """Whether somebody reads a result of a statement."""
    if id(node) in live:
        return True
    return bool(node.outputs) and any(id(o) in live for o in node.outputs)


def _mark(graph: Graph, live: set[int], guarded: bool) -> None:
    """Add to `live` everything that live values and effects depend on."""
    for node in reversed(graph.body):
        if not _is_wanted(node, live) and not _stays(node, guarded):
            continue
        if node.op in (ops.IF, ops.TRY):
            for k, region in enumerate(node.regions):
                for o, r in zip(node.outputs, region.results):
                    if id(o) in live:
                        live.add(id(r))
                _mark(region, live, guarded or (node.op is ops.TRY and k == 0))
        elif node.op in (ops.FOR, ops.WHILE):
            _mark_loop(node, live, guarded)
        elif node.op is ops.INSERT:
            live.update(id(r) for r in node.regions[0].results)
            _mark(node.regions[0], live, guarded)
        if node.op in (ops.FOR, ops.WHILE):
            skip = 3 if node.op is ops.FOR else 0
            live.update(map(id, node.args[:skip]))
        else:
            live.update(map(id, node.args))
            if node.keywords:
                live.update(map(id, node.keywords.values()))


def _mark_loop(node: Apply, live: set[int], guarded: bool) -> None:
    shape, body = node.shape, node.regions[-1]
    skip = 3 if node.op is ops.FOR else 0
    first = len(node.args) - shape.carried
    index = 1 if skip else 0
    size = -1
    while size != len(live):
        size = len(live)
        if node.op is ops.WHILE:
            live.add(id(node.regions[0].results[0]))
            _mark(node.regions[0], live, guarded)
        if shape.breaks:
            live.add(id(body.results[-1]))
        for k in range(shape.carried):
            if _carried_is_live(node, k, live):
                live.add(id(body.results[k]))
                live.add(id(node.args[first + k]))
        for k in range(shape.carried, shape.carried + shape.kept):
            if id(node.outputs[k]) in live:
                live.add(id(body.results[k]))
        _mark(body, live, guarded)
        for k in range(shape.stacks):
            if id(body.params[index + k]) in live:
                live.add(id(node.args[skip + k]))


def _carried_is_live(node: Apply, k: int, live: set[int]) -> bool:
    if id(node.outputs[k]) in live:
        return True
    carried = node.shape.carried
    return any(id(r.params[len(r.params) - carried + k]) in live for r in node.regions)


def _sweep(graph: Graph, live: set[int], guarded: bool) -> None:
    kept: list[Apply] = []
    for node in graph.body:
        if not _is_wanted(node, live):
            if not _stays(node, guarded):
                continue
            if not guarded and not node.regions and not has_effect(node):
                node = check_of(node)
        if node.op in (ops.IF, ops.TRY):
            keep = [k for k, o in enumerate(node.outputs) if id(o) in live]
            node.outputs = [node.outputs[k] for k in keep]
            for region in node.regions:
                region.results = [region.results[k] for k in keep]
        elif node.op in (ops.FOR, ops.WHILE):
            _sweep_loop(node, live)
        for j, region in enumerate(node.regions):
            _sweep(region, live, guarded or (node.op is ops.TRY and j == 0))
        for k, o in enumerate(node.outputs):
            o.index = k
        kept.append(node)
    graph.body = kept


def _sweep_loop(node: Apply, live: set[int]) -> None:
    shape, body = node.shape, node.regions[-1]
    skip = 3 if node.op is ops.FOR else 0
    index = 1 if skip else 0
    n, m = shape.carried, shape.kept
    first, offset = len(node.args) - n, len(body.params) - n
    carried = [k for k in range(n) if _carried_is_live(node, k, live)]
    kept = [k for k in range(n, n + m) if id(node.outputs[k]) in live]
    stacks = [k for k in range(shape.stacks) if id(body.params[index + k]) in live]
    flags = node.outputs[n + m :]
    if shape.counts and id(flags[-1]) not in live:
        # The number of iterations is counted only for somebody.
        flags = flags[:-1]
        shape = dataclasses.replace(shape, counts=False)
    picked = [*carried, *kept]
    body.results = [body.results[k] for k in picked] + body.results[n + m :]
    node.outputs = [node.outputs[k] for k in picked] + flags
    node.args = (
        node.args[:skip]
        + tuple(node.args[skip + k] for k in stacks)
        + tuple(node.args[first + k] for k in carried)
    )
    body.params = (
        body.params[:index]
        + [body.params[index + k] for k in stacks]
        + [body.params[offset + k] for k in carried]
    )
    if node.op is ops.WHILE:
        test = node.regions[0]
        test.params = [test.params[k] for k in carried]
    if (len(carried), len(kept), len(stacks)) != (n, m, shape.stacks):
        shape = dataclasses.replace(
            shape, carried=len(carried), kept=len(kept), stacks=len(stacks)
        )
    node.shape = shape


__all__ = ["has_effect", "remove_dead_code", "remove_dead_region"]
