"""Calls that are recomputed in the backward pass instead of being kept.

Such a call is a `CALL` with a graph as its target. Forwards the callee runs as it is;
backwards the target, which computes the same, is run once more with all residuals
kept, and then reversed. Only the arguments are held in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome.errors import MutationError, NotDifferentiable
from anadrome.frontend.calls.recursion import substitute
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    walk,
)
from anadrome.ir.types import (
    AliasClass,
    Function,
    Num,
    Tuple,
    alias_of,
    classes_of,
    deref,
    is_stored,
)
from anadrome.transform.dependence.draws import draws_anew
from anadrome.transform.reverse.calls import pair_of

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


def is_checkpoint(node: Apply) -> bool:
    """Whether a call is recomputed in the backward pass."""
    return node.op is ops.CALL and isinstance(node.target, Graph)


def forward_checkpoint(r: Reverse, node: Apply) -> None:
    """The call itself, of which nothing but the value is wanted."""
    args = tuple(r.value(a) for a in node.args[1:])
    made = Apply(
        ops.CALL, (node.args[0], *args), node.type, name=node.name, span=node.span
    )
    made.target, made.comment = node.target, node.comment
    r.it.graph.append(made)
    r.new[id(node)] = made
    r.applies[id(node)] = made
    r.shadows.created(node)


def backward_checkpoint(r: Reverse, node: Apply) -> None:
    """The backward pass: run the target with all residuals kept, then reverse it."""
    it = r.it
    target = node.target
    assert isinstance(target, Graph)
    d = r.take_whole(node) if node in r.activity else None
    if d is None:
        return
    _refuse_draws(target)
    pair = pair_of(r, target)
    given = [r.saved(a, node) for a in node.args[1:]]
    shadows = [
        r.shadows.of(a)
        for p, a in zip(target.params, node.args[1:])
        if r.activity.shadowed(p.type)
    ]
    recompute = Constant(pair.forward, Function(pair.forward))
    back = Constant(pair.backward, Function(pair.backward))
    if shadows:
        handed = it.emit(ops.CALL, (recompute, *given, *shadows), pair.handed)
        saved = it.emit(ops.GETITEM, (handed, it.constant(1)), pair.handed.items[1])
        made = it.emit(ops.CALL, (back, saved, d), pair.returned)
    else:
        graph = Graph(f"{target.name}_again")
        own = [graph.add_parameter(p.type, p.name) for p in target.params]
        seed = graph.add_parameter(d.type, "∂result")
        with it.region(graph):
            handed = it.emit(ops.CALL, (recompute, *own), pair.handed)
            saved = it.emit(ops.GETITEM, (handed, it.constant(1)), pair.handed.items[1])
            graph.results = [it.emit(ops.CALL, (back, saved, seed), pair.returned)]
        callee = Constant(graph, Function(graph))
        # The backward pass of the backward pass recomputes, too.
        made = it.emit(ops.CALL, (callee, *given, d), pair.returned, target=graph)
    for k, (position, t) in enumerate(pair.wanted):
        item = it.emit(ops.GETITEM, (made, it.constant(k)), t)
        r.contribute(node.args[1 + position], item)


def _refuse_draws(target: Graph) -> None:
    """Refuse to run something again that would draw other random numbers."""
    drawn = draws_anew(target)
    if drawn is not None:
        raise NotDifferentiable(
            "random numbers are drawn in a checkpointed function: it runs again in the "
            "backward pass, and would draw others",
            drawn.span,
            "draw them before the call, or make the generator from a seed inside",
        )


# Making them ------------------------------------------------------------------------


def fresh_result(it: Interpreter, node: Node, outside: list[AliasClass]) -> Node:
    """A result that is a new object and that nothing has changed in place."""
    node = it.concrete(node)
    t = deref(node.type)
    own = classes_of([t])
    clean = not any(c.find().stored for c in own)
    apart = not {id(c.find()) for c in own} & {id(c.find()) for c in outside}
    if clean and apart:
        return node
    if isinstance(t, Num):
        return it.emit(ops.COPY, (node,), Num(t.dtype, t.ndim))
    if isinstance(t, Tuple):
        items = [
            fresh_result(it, take(it, node, k), outside) for k in range(len(t.items))
        ]
        return make_tuple(it, items, t.cls)
    if not is_stored(t) and clean:
        return node
    raise it.fail(
        MutationError,
        "the result of a checkpointed function is a container that is changed in place",
        "return arrays or tuples of them",
    )


def refuse_changes(
    it: Interpreter, graphs: list[Graph], outside: list[AliasClass]
) -> None:
    """Refuse a checkpointed function that changes what it is given.

    It runs twice, and the second time it would find something else.
    """
    given = {id(c.find()) for c in outside}
    for graph in graphs:
        for node in walk(graph):
            if not (isinstance(node.op, ops.Op) and node.op.writes):
                continue
            alias = alias_of(node.args[0].type)
            if alias is not None and id(alias.find()) in given:
                raise it.fail(
                    MutationError,
                    "a checkpointed function changes an argument or a captured value "
                    "in place",
                    "change a copy, or return the new value",
                    node.span,
                )


def close_together(graphs: list[Graph], count: int) -> list[Node]:
    """Give graphs the same further parameters: the outer values that any of them reads.

    `count` is the number of parameters they have already. Returns those values.
    """
    free: dict[int, Node] = {}
    for graph in graphs:
        own: set[int] = {id(p) for p in graph.params}
        for node in walk(graph):
            own.add(id(node))
            own.update(id(o) for o in node.outputs)
            for region in node.regions:
                own.update(id(p) for p in region.params)
        for n in _reads(graph):
            if isinstance(n, Apply | Output | Parameter) and id(n) not in own:
                free.setdefault(id(n), n)
    for graph in graphs:
        extra = {k: graph.add_parameter(n.type, n.name) for k, n in free.items()}
        substitute(graph, dict(extra))
        for node in walk(graph):
            if is_checkpoint(node) and node.target in graphs:
                node.args = (*node.args[: 1 + count], *extra.values())
    return list(free.values())


def _reads(graph: Graph) -> list[Node]:
    found: list[Node] = list(graph.results)
    for node in walk(graph):
        found += node.inputs
        for region in node.regions:
            found += region.results
    return found


__all__ = [
    "backward_checkpoint",
    "close_together",
    "forward_checkpoint",
    "fresh_result",
    "is_checkpoint",
    "refuse_changes",
]
