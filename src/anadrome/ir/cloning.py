"""Copies of graphs, for passes that change what they are given."""

from __future__ import annotations

import dataclasses

from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs


def clone_graph(graph: Graph) -> Graph:
    """A graph like the given one, with nodes of its own; types are shared."""
    return _Cloning().graph(graph)


def clone_functions(graphs: list[Graph]) -> dict[int, Graph]:
    """Functions like the given ones, by their ids; they call each other.

    What else they call is shared with the given ones.
    """
    cloning = _Cloning()
    wanted = {id(g) for g in graphs}
    for graph in graphs:
        for called in called_graphs(graph, recorded=True):
            if id(called) not in wanted:
                cloning.graphs[id(called)] = called
    return {id(g): cloning.graph(g) for g in graphs}


class _Cloning:
    """What has been copied so far."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.graphs: dict[int, Graph] = {}

    def graph(self, graph: Graph) -> Graph:
        found = self.graphs.get(id(graph))
        if found is not None:
            return found
        made = Graph(graph.name, self._parent(graph))
        made.span, made.derived = graph.span, graph.derived
        self.graphs[id(graph)] = made
        for p in graph.params:
            copy = made.add_parameter(p.type, p.name, p.span)
            copy.facts = p.facts
            self.nodes[id(p)] = copy
        for node in graph.body:
            made.append(self._apply(node))
        made.results = [self.node(r) for r in graph.results]
        if graph.mirrors is not None:
            forward, places = graph.mirrors
            made.mirrors = self.graph(forward), places
        return made

    def _parent(self, graph: Graph) -> Graph | None:
        if graph.parent is None:
            return None
        return self.graphs.get(id(graph.parent), graph.parent)

    def node(self, node: Node) -> Node:
        if isinstance(node, Constant):
            if not isinstance(node.value, Graph):
                return node
            found = self.nodes.get(id(node))
            if found is None:
                found = Constant(self.graph(node.value), node.type, node.name)
                self.nodes[id(node)] = found
            return found
        return self.nodes[id(node)]

    def _apply(self, node: Apply) -> Apply:
        made = Apply(
            node.op,
            tuple(self.node(a) for a in node.args),
            node.type,
            keywords={k: self.node(v) for k, v in node.keywords.items()},
            name=node.name,
            span=node.span,
        )
        made.target, made.comment = node.target, node.comment
        made.retained = node.retained
        self.nodes[id(node)] = made
        made.regions = tuple(self.graph(r) for r in node.regions)
        made.shape = node.shape
        mirrored = getattr(node.shape, "mirrors", None)
        if mirrored is not None and id(mirrored) in self.nodes:
            forward = self.nodes[id(mirrored)]
            made.shape = dataclasses.replace(node.shape, mirrors=forward)
        for o in node.outputs:
            out = Output(made, o.index, o.type, o.name)
            out.span = o.span
            made.outputs.append(out)
            self.nodes[id(o)] = out
        return made
