"""Lists of known length, taken apart into their items, for native code."""

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
    walk,
)
from anadrome.ir.types import INT, Num, Stack, Tuple, deref
from anadrome.optimize.analysis.iterations import is_primitive, keep
from anadrome.optimize.lists.split_to_slices import slice_joined
from anadrome.optimize.rewriting import fixed_items, holds_stored, replace

# Longer loops over items of a list stay loops.
_LONGEST = 8
# Longer rows of numbers are read from lists.
_LONGEST_ROW = 64


def take_lists_apart(graph: Graph) -> Graph:
    """The graph with lists that are written down in it replaced by their items.

    parts = [x, h]                          dx = dz[:, : x.shape[1]]
    shapes = [p.shape for p in parts]  →    dh = dz[:, x.shape[1] :]
    dx, dh = split(dz, join_points(shapes, 1), 1)

    The items of such lists become residuals of loops, each in a stack of its own.
    """
    for g in called_graphs(graph):
        _measure_lists(g)
        _keep_items(g)
        _unroll(g)
        _measure_lists(g)
        slice_joined(g)
        _join_tuples(g)
    return graph


def _is_list(node: Node) -> bool:
    return (
        isinstance(node, Apply)
        and node.op is ops.LIST
        and not holds_stored(node.type)
        and 0 < len(node.args) <= _LONGEST
    )


def _is_copy_of_array(node: Node) -> bool:
    """Whether a list is made of the items of an array, and stays as it is."""
    if not is_primitive(node, "copy_list") or holds_stored(node.type):
        return False
    assert isinstance(node, Apply)
    t = deref(node.args[0].type)
    return isinstance(t, Num) and bool(t.ndim) and not holds_stored(t)


def _measure_lists(graph: Graph) -> None:
    """len([a, b]) → 2, [a, b][1] → b, list(x)[1] → x[1]."""
    replaced: dict[int, Node] = {}
    for node in walk(graph):
        if node.op is ops.GETITEM and _is_copy_of_array(node.args[0]):
            node.args = (node.args[0].args[0], node.args[1])  # type: ignore[attr-defined]
        if node.op is ops.LENGTH and _is_list(node.args[0]):
            made = node.args[0]
            assert isinstance(made, Apply)
            replaced[id(node)] = Constant(len(made.args), INT)
        elif node.op is ops.GETITEM and _is_list(node.args[0]):
            made, index = node.args
            assert isinstance(made, Apply)
            if isinstance(index, Constant) and type(index.value) is int:
                if -len(made.args) <= index.value < len(made.args):
                    replaced[id(node)] = made.args[index.value]
    replace(graph, replaced)


# Stacks of lists ----------------------------------------------------------------------


def _keep_items(graph: Graph) -> None:
    readers: dict[int, list[Apply]] = {}
    others: set[int] = set()
    regions = [graph, *(r for n in walk(graph) for r in n.regions)]
    for region in regions:
        others.update(id(r) for r in region.results)
        for node in region.body:
            first = 3 if node.op is ops.FOR else len(node.args)
            last = first + (node.shape.stacks if node.op is ops.FOR else 0)
            for k, n in enumerate(node.inputs):
                if first <= k < last:
                    readers.setdefault(id(n), []).append(node)
                else:
                    others.add(id(n))
    replaced: dict[int, Node] = {}
    for loop in list(walk(graph)):
        if loop.op is not ops.FOR:
            continue
        body, shape = loop.regions[0], loop.shape
        for k in range(shape.carried, shape.carried + shape.kept):
            out, kept = loop.outputs[k], body.results[k]
            if id(out) in others or not isinstance(deref(out.type), Stack):
                continue
            for reader in readers.get(id(out), ()):
                p = _parameter(reader, out)
                if isinstance(kept, Constant):
                    replaced[id(p)] = kept
                elif _is_list(kept) and any(n is kept for n in body.body):
                    assert isinstance(kept, Apply)
                    replaced[id(p)] = _rebuilt(loop, reader, kept, p)
    replace(graph, replaced)


def _parameter(loop: Apply, stack: Node) -> Parameter:
    place = next(k for k, a in enumerate(loop.args[3:]) if a is stack)
    return loop.regions[0].params[1 + place]


def _rebuilt(loop: Apply, reader: Apply, kept: Apply, p: Parameter) -> Apply:
    """The list at the start of an iteration of the loop that reads it."""
    body = reader.regions[0]
    items: list[Node] = []
    for item in kept.args:
        if isinstance(item, Constant):
            items.append(item)
            continue
        stack: Output = keep(loop, item)
        at = reader.shape.stacks
        own = Parameter(body, item.type, item.name, item.span)
        body.params.insert(1 + at, own)
        reader.args = (*reader.args[: 3 + at], stack, *reader.args[3 + at :])
        reader.shape = dataclasses.replace(reader.shape, stacks=at + 1)
        items.append(own)
    made = Apply(ops.LIST, tuple(items), p.type, name=p.name, span=p.span)
    made.graph = body
    body.body.insert(0, made)
    return made


# Loops over items ---------------------------------------------------------------------


def _unroll(graph: Graph) -> None:
    """Write short loops that only make a list as that list."""
    replaced: dict[int, Node] = {}
    for region in [graph, *(r for n in walk(graph) for r in n.regions)]:
        body: list[Apply] = []
        for node in region.body:
            iterations = _iterations(node)
            if iterations is None:
                body.append(node)
                continue
            items: list[Node] = []
            for k in range(iterations):
                copies = _iteration(node.regions[0], k)
                body += copies[0]
                items.append(copies[1])
            out = node.outputs[0] if node.outputs else node
            made = Apply(ops.LIST, tuple(items), out.type, span=node.span)
            replaced[id(out)] = made
            body.append(made)
        for node in body:
            node.graph = region
        region.body = body
    replace(graph, replaced)


def _iterations(node: Apply) -> int | None:
    if node.op is not ops.FOR:
        return None
    shape = node.shape
    if shape.carried or shape.stacks or shape.breaks or shape.counts:
        return None
    if shape.kept != 1 or shape.reverse or holds_stored(node.outputs[0].type):
        return None
    if isinstance(deref(node.outputs[0].type), Stack):
        return None
    bounds = [a.value if isinstance(a, Constant) else None for a in node.args[:3]]
    if bounds[0] != 0 or bounds[2] != 1 or type(bounds[1]) is not int:
        return None
    plain = all(not n.regions and not n.outputs for n in node.regions[0].body)
    return bounds[1] if plain and bounds[1] <= _LONGEST else None


def _iteration(body: Graph, k: int) -> tuple[list[Apply], Node]:
    """The statements of one iteration, and what it makes."""
    known: dict[int, Node] = {id(body.params[0]): Constant(k, INT)}
    made: list[Apply] = []
    for node in body.body:
        args = tuple(known.get(id(a), a) for a in node.args)
        named = {key: known.get(id(v), v) for key, v in node.keywords.items()}
        copy = Apply(node.op, args, node.type, keywords=named, span=node.span)
        copy.target, copy.name = node.target, node.name
        known[id(node)] = copy
        made.append(copy)
    return made, known.get(id(body.results[0]), body.results[0])


def _join_tuples(graph: Graph) -> None:
    """np.concatenate([a, b], 1) → np.concatenate((a, b), 1): a tuple is no object.

    np.array([x, y]) → np.array((x, y))
    """
    for region in [graph, *(r for n in walk(graph) for r in n.regions)]:
        body: list[Apply] = []
        for node in region.body:
            joins = is_primitive(node, "concatenate", "stack")
            if (joins and _is_list(node.args[0])) or _is_row(node):
                items = node.args[0].args  # type: ignore[attr-defined]
                kinds = Tuple(tuple(i.type for i in items))
                made = Apply(ops.TUPLE, items, kinds, span=node.span)
                made.graph = region
                node.args = (made, *node.args[1:])
                body.append(made)
            body.append(node)
        region.body = body


def _is_row(node: Apply) -> bool:
    """Whether an array is made of numbers that are written down."""
    if not is_primitive(node, "array", "asarray"):
        return False
    items, t = fixed_items(node.args[0]), deref(node.type)
    if not items or len(items) > _LONGEST_ROW or len(node.args) != 1:
        return False
    if not isinstance(t, Num) or t.ndim != 1 or t.dtype is None:
        return False
    kinds = [deref(i.type) for i in items]
    return all(
        isinstance(k, Num) and k.ndim == 0 and k.dtype is not None for k in kinds
    )
