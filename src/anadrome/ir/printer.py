"""The graph as text: typed, let-bound, indented by region."""

from __future__ import annotations

from typing import Any

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs


class Names:
    """A name for every value of a graph, the user's where there is one."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()

    def of(self, node: Node) -> str:
        """The name of a value; a constant stands for itself."""
        if isinstance(node, Constant):
            return _constant(node.value)
        found = self.names.get(id(node))
        if found is None:
            base = node.name or "t"
            found, k = base, 1
            while found in self.taken or (node.name is None and k == 1):
                found = f"{base}{k}" if node.name is None else f"{base}_{k}"
                k += 1
            self.names[id(node)] = found
            self.taken.add(found)
        return found


def _constant(value: Any) -> str:
    if isinstance(value, Graph):
        return f"@{value.name}"
    if isinstance(value, type) or callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return repr(value)


def print_graph(graph: Graph) -> str:
    """A graph and the graphs it calls, as text."""
    return "\n\n".join(_print_one(g) for g in called_graphs(graph))


def _print_one(graph: Graph) -> str:
    names = Names()
    params = ", ".join(f"{names.of(p)}: {p.type!r}" for p in graph.params)
    lines = [f"graph {graph.name}({params}):"]
    _print_region(graph, names, lines, 1)
    return "\n".join(lines)


def _print_region(graph: Graph, names: Names, lines: list[str], depth: int) -> None:
    pad = "  " * depth
    for node in graph.body:
        lines.append(pad + _statement(node, names))
        for region in node.regions:
            given = ", ".join(f"{names.of(p)}: {p.type!r}" for p in region.params)
            lines.append(f"{pad}  {region.name}({given}):")
            _print_region(region, names, lines, depth + 2)
    results = ", ".join(names.of(r) for r in graph.results)
    lines.append(f"{pad}return {results}" if depth == 1 else f"{pad}yield {results}")


def _statement(node: Apply, names: Names) -> str:
    args = [names.of(a) for a in node.args]
    args += [f"{k}={names.of(v)}" for k, v in node.keywords.items()]
    call = f"{getattr(node.op, 'name', node.op)}({', '.join(args)})"
    if node.outputs:
        left = ", ".join(f"{names.of(o)}: {o.type!r}" for o in node.outputs)
        return f"{left} = {call}"
    if isinstance(node.op, ops.Op) and node.op.writes and node.op is not ops.POP:
        return call
    return f"{names.of(node)}: {node.type!r} = {call}"
