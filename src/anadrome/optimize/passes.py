"""The passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anadrome.ir.graph import Graph
from anadrome.optimize.dead_code import remove_dead_code

Pass = Callable[[Graph], Graph]

PASSES: Sequence[Pass] = (remove_dead_code,)


def optimize(graph: Graph, passes: Sequence[Pass] = PASSES) -> Graph:
    """The graph after every pass."""
    for run in passes:
        graph = run(graph)
    return graph
