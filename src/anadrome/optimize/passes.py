"""The passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anadrome.ir.graph import Graph
from anadrome.ir.verify import verify
from anadrome.optimize.algebra import cancel_signs, replace_flags, simplify_algebra
from anadrome.optimize.broadcasts import remove_broadcasts
from anadrome.optimize.dead_code import remove_dead_code
from anadrome.optimize.fields import forward_fields, read_fields_once
from anadrome.optimize.loops import drop_constant_carries, hoist_invariants
from anadrome.optimize.sharing import share_expressions

Pass = Callable[[Graph], Graph]

PASSES: Sequence[Pass] = (
    remove_dead_code,
    read_fields_once,
    forward_fields,
    simplify_algebra,
    replace_flags,
    drop_constant_carries,
    remove_broadcasts,
    simplify_algebra,
    cancel_signs,
    hoist_invariants,
    share_expressions,
    remove_dead_code,
)

PLAIN: Sequence[Pass] = (remove_dead_code,)
"""Nothing but what makes programs readable at all."""


def optimize(
    graph: Graph, passes: Sequence[Pass] = PASSES, *, check: bool = False
) -> Graph:
    """The graph after every pass; with `check` it is verified after each."""
    if check:
        verify(graph)
    for run in passes:
        graph = run(graph)
        if check:
            verify(graph)
    return graph
