"""Values of the reader's own that must not be met by a program that runs."""

from __future__ import annotations

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.values.compile_time import LazyIterator
from anadrome.frontend.values.iteration import Iteration
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk


def refuse_iterators(graph: Graph) -> Graph:
    """The graph, unless an iterator is left in it that only the reader knows."""
    for g in called_graphs(graph):
        for node in walk(g):
            for value in node.inputs:
                if value.__class__ is Constant:
                    _refuse(value, node)
            for region in node.regions:
                for value in region.results:
                    _refuse(value, node)
        for value in g.results:
            _refuse(value, None)
    return graph


def _refuse(value: Node, at: Apply | None) -> None:
    held = value.value if isinstance(value, Constant) else None
    if isinstance(held, LazyIterator | Iteration):
        raise UnsupportedSyntax(
            "an iterator is used in a way that cannot be followed",
            at.span if at is not None else None,
            "run over it in a for loop, or make a list of it where it is made",
        )
