"""Which lists and dictionaries of gradients hold arrays that nobody else holds.

A gradient of a list is a list of zeros to which the gradients of its items are added.
If each of these is new and kept nowhere else, the list can be given to the user as it
is, and no array need be copied.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter, walk
from anadrome.ir.types import Num, deref
from anadrome.primitives.cotangents import add_cotangents, zero_cotangent
from anadrome.primitives.registry import Primitive

BUILDERS = {ops.TUPLE: 0, ops.LIST: 0, ops.NAMEDTUPLE: 1, ops.DICT: 0, ops.RECORD: 2}
"""Operations that put values together, and the place of the first of them."""

READ_ONLY = frozenset(("broadcast_to", "diagonal", "linalg_diagonal"))
"""Operations whose views NumPy protects from being written to."""


class Uses:
    """What reads each value of a graph, and what keeps it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers: dict[int, list[Apply | None]] = {}
        self.loops: dict[int, Apply] = {}
        self._note_results(graph)
        for node in walk(graph):
            for n in node.inputs:
                self.readers.setdefault(id(n), []).append(node)
            for region in node.regions:
                self._note_results(region)
                self.loops[id(region)] = node

    def _note_results(self, graph: Graph) -> None:
        for r in graph.results:
            self.readers.setdefault(id(r), []).append(None)

    def keepers(self, node: Node) -> int:
        """How many places may keep a value; reading it keeps nothing."""
        return sum(self._keeps(node, r) for r in self.readers.get(id(node), ()))

    def _keeps(self, node: Node, reader: Apply | None) -> int:
        if reader is None:
            return 1
        if isinstance(reader.op, Primitive) and reader.op is not add_cotangents:
            # A function that may return its argument, or a view of it, passes it on.
            return 0 if reader.op.fresh else self.keepers(reader)
        if reader.op is ops.INDEX_ADD and reader.args[0] is not node:
            return 0 if isinstance(deref(reader.type), Num) else 1
        return 1

    def holds_alone(self, node: Node) -> bool:
        """Whether everything inside a gradient is new and held by it alone."""
        return self._alone(node, set())

    def _alone(self, node: Node, seen: set[int]) -> bool:
        if id(node) in seen:
            return True
        if self.keepers(node) != 1:
            return False
        seen.add(id(node))
        if isinstance(node, Output):
            return self._all_flows(self._flows_out(node), seen)
        if isinstance(node, Parameter):
            return self._all_flows(self._flows_in(node), seen)
        if not isinstance(node, Apply):
            return False
        if node.op is zero_cotangent:
            return not isinstance(deref(node.type), Num)
        if node.op is ops.INDEX_ADD:
            return self._alone(node.args[0], seen) and self._new(node, node.args[2])
        if node.op is add_cotangents:
            return all(self._alone(a, seen) for a in node.args)
        if node.op in BUILDERS:
            return all(self._new(node, a) for a in node.args)
        return False

    def _all_flows(self, flows: list[Node] | None, seen: set[int]) -> bool:
        return flows is not None and all(self._alone(f, seen) for f in flows)

    def _new(self, keeper: Apply, node: Node) -> bool:
        """Whether a value is made anew whenever `keeper` runs, and kept only there."""
        if isinstance(node, Constant):
            return True
        t = deref(node.type)
        if isinstance(t, Num) and t.scalar:
            return True
        if not isinstance(node, Apply) or node.graph is not keeper.graph:
            return isinstance(node, Output) and self._alone(node, set())
        if not isinstance(t, Num):
            return self._alone(node, set())
        if self.keepers(node) != 1:
            return False
        if not isinstance(node.op, Primitive):
            return node.op is ops.COPY
        if node.op.fresh:
            return True
        if node.op.name in READ_ONLY:
            return False
        arrays = [a for a in node.inputs if not isinstance(a, Constant)]
        return all(self._new(node, a) for a in arrays if isinstance(deref(a.type), Num))

    def _flows_out(self, node: Output) -> list[Node] | None:
        statement, k = node.apply, node.index
        if statement.op is ops.IF:
            return [r.results[k] for r in statement.regions]
        return self._flows_of_loop(statement, k)

    def _flows_in(self, node: Parameter) -> list[Node] | None:
        statement = self.loops.get(id(node.graph))
        if statement is None:
            return None
        region = statement.regions[-1]
        if node.graph is not region or statement.op not in (ops.FOR, ops.WHILE):
            return None
        first = len(region.params) - statement.shape.carried
        return self._flows_of_loop(statement, region.params.index(node) - first)

    def _flows_of_loop(self, statement: Apply, k: int) -> list[Node] | None:
        if statement.op not in (ops.FOR, ops.WHILE):
            return None
        if not 0 <= k < statement.shape.carried:
            return None
        first = len(statement.args) - statement.shape.carried
        return [statement.args[first + k], statement.regions[-1].results[k]]


__all__ = ["BUILDERS", "READ_ONLY", "Uses"]
