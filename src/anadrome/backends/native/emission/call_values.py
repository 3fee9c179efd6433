"""What functions with a graph of their own, recursive ones, are given and give back.

Facts of a number go on through a call: a parameter is one of what the calls pass, a
call gives what the function returns. What is found out about a number can be handed
over beside it, as one more argument or as one more result.
"""

from __future__ import annotations

from collections.abc import Callable

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import INT, Tuple, Type


class Calls:
    """The calls of the functions of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graphs = called_graphs(graph)
        self._calls: dict[int, list[Apply]] = {}
        self._places: dict[int, tuple[Graph, int]] = {}
        self._callees: dict[int, Graph] = {}
        self._results: dict[int, Node] = {}
        # Where a call gives more than it did: the statement that calls now, and what
        # the function returns.
        self._now: dict[int, Apply] = {}
        self._packs: dict[int, Apply] = {}
        unknown: set[int] = set()
        for g in self.graphs:
            for node in walk(g):
                called = callee(node)
                if called is not None:
                    self._calls.setdefault(id(called), []).append(node)
                for n in node.inputs[called is not None :]:
                    if isinstance(n, Constant) and isinstance(n.value, Graph):
                        unknown.add(id(n.value))
        for g in self.graphs[1:]:
            # A derivative that is called once is written there.
            derived = g.derived and len(self._calls.get(id(g), ())) != 1
            if id(g) in unknown or derived or len(g.results) != 1:
                self._calls.pop(id(g), None)
                continue
            self._results[id(g)] = g.results[0]
            for k, p in enumerate(g.params):
                self._places[id(p)] = g, k
            for node in self._calls[id(g)]:
                self._callees[id(node)] = g

    def sources(self, node: Node) -> list[Node] | None:
        """What a parameter or the result of a call is one of."""
        if isinstance(node, Parameter) and id(node) in self._places:
            graph, k = self._places[id(node)]
            return [self._call(n).args[1 + k] for n in self._calls[id(graph)]]
        found = self._callees.get(id(node))
        return None if found is None else [self._results[id(found)]]

    def _call(self, node: Apply) -> Apply:
        return self._now.get(id(node), node)

    def hand_in(
        self, p: Parameter, t: Type
    ) -> tuple[Parameter, Callable[[list[Node]], None]]:
        """One more parameter beside another, and who is to be told what calls pass."""
        graph, _ = self._places[id(p)]
        made, calls = graph.add_parameter(t), self._calls[id(graph)]
        k = len(graph.params)
        for n in calls:
            call = self._call(n)
            call.args = (*call.args, UNDEFINED)

        def give(values: list[Node]) -> None:
            for call, value in zip(map(self._call, calls), values):
                call.args = (*call.args[:k], value, *call.args[k + 1 :])

        return made, give

    def hand_out(
        self, node: Node, t: Type
    ) -> tuple[Node, dict[int, Node], Callable[[Node], None]]:
        """One more result of the function that a statement calls.

        What the function has returned so far, what each of its calls gets beside that,
        and who is to be told the value.
        """
        graph = self._callees[id(node)]
        pack = self._packs.get(id(graph)) or self._pack(graph)
        kinds = Tuple((*pack.type.items, t))  # type: ignore[attr-defined]
        k = len(pack.args)
        pack.args, pack.type = (*pack.args, UNDEFINED), kinds
        parts: dict[int, Node] = {}
        for n in self._calls[id(graph)]:
            call = self._call(n)
            call.type = kinds
            parts[id(n)] = _before(n, _part(call, k, t))

        def give(value: Node) -> None:
            pack.args = (*pack.args[:k], value, *pack.args[k + 1 :])

        return self._results[id(graph)], parts, give

    def _pack(self, graph: Graph) -> Apply:
        """Let a function return a tuple, which its calls take apart."""
        result = self._results[id(graph)]
        kinds = Tuple((result.type,))
        made = graph.append(Apply(ops.TUPLE, (result,), kinds))
        graph.results, self._packs[id(graph)] = [made], made
        for n in self._calls[id(graph)]:
            call = Apply(ops.CALL, n.args, kinds, span=n.span)
            call.comment, call.retained = n.comment, n.retained
            self._now[id(n)] = call
            _before(n, call)
            # Everybody who reads the call goes on reading what it gave before.
            n.op, n.args = ops.CAST, (_before(n, _part(call, 0, n.type)),)
        return made


def _part(call: Apply, k: int, t: Type) -> Apply:
    return Apply(ops.GETITEM, (call, Constant(k, INT)), t)


def _before(node: Apply, made: Apply) -> Apply:
    """Put a statement in front of another one."""
    graph = node.graph
    assert graph is not None
    at = next(k for k, n in enumerate(graph.body) if n is node)
    graph.body.insert(at, made)
    made.graph = graph
    return made


def callee(node: Apply) -> Graph | None:
    """The function that a statement calls and takes the result of."""
    if node.op is not ops.CALL or node.outputs or node.target is not None:
        return None
    called = node.args[0]
    if isinstance(called, Constant) and isinstance(called.value, Graph):
        return called.value
    return None
