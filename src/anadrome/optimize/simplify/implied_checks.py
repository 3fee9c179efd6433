"""Checks that say nothing new: another statement fails where they would.

A statement beside a check that has the same operands fails as it does, and so does one
of the backward pass, which goes over the same iterations and branches again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
    free_inputs,
    walk,
)
from anadrome.ir.types import Num, deref, is_stored
from anadrome.optimize.simplify.binding_checks import remove_known_bindings
from anadrome.optimize.simplify.dead_code import has_effect
from anadrome.primitives.checks import fit_together
from anadrome.primitives.registry import Primitive


def remove_implied_checks(graph: Graph) -> Graph:
    """The graph without checks that a statement beside them, or a backward loop, makes.

    for t in range(n):            for t in range(n):
        fit_together(h, y[t])         …
        …
    for t in reversed(range(n)):  for t in reversed(range(n)):
        d = h - y[t]                  d = h - y[t]
    """
    for g in called_graphs(graph):
        loops = [n for n in walk(g) if n.op in (ops.FOR, ops.WHILE)]
        backward = {
            id(n.shape.mirrors): n for n in loops if n.shape.mirrors is not None
        }
        _without_implied(g, None)
        for loop in loops:
            _without_implied(loop.regions[-1], _LoopPair(loop, backward.get(id(loop))))
        _without_implied_items(g, backward)
        remove_known_bindings(g)
    return graph


def _without_implied(region: Graph, pair: _LoopPair | None) -> None:
    if not any(n.op is fit_together for n in region.body):
        return
    beside = [n for n in region.body if _is_elementwise(n)]
    region.body = [
        n
        for n in region.body
        if n.op is not fit_together
        or not (
            any(_reads(m, n.args) for m in beside)
            or (pair is not None and pair.reads(n))
        )
    ]


def _is_elementwise(node: Apply) -> bool:
    return isinstance(node.op, Primitive) and node.op.broadcasts


def _reads(node: Apply, wanted: tuple[Node, ...]) -> bool:
    return all(any(a is w for a in node.args) for w in wanted)


class _LoopPair:
    """The iterations of a loop, and those of its backward loop."""

    def __init__(self, loop: Apply, backward: Apply | None) -> None:
        self.body = backward.regions[-1] if backward is not None else None
        # What stands in the loop for a value of the backward loop.
        self.there: dict[int, Node] = {}
        if backward is None or backward.op is not ops.FOR or loop.op is not ops.FOR:
            self.body = None
            return
        here, results = loop.regions[-1], loop.regions[-1].results
        params = backward.regions[-1].params
        self.there[id(params[0])] = here.params[0]
        for k in range(backward.shape.stacks):
            kept = backward.args[3 + k]
            if isinstance(kept, Output) and kept.apply is loop:
                if (
                    loop.shape.carried
                    <= kept.index
                    < loop.shape.carried + loop.shape.kept
                ):
                    self.there[id(params[1 + k])] = results[kept.index]

    def reads(self, check: Apply) -> bool:
        """Whether a statement of the backward loop has all operands of a check."""
        if self.body is None:
            return False
        return any(
            _is_elementwise(n)
            and all(any(self.same(a, w) for a in n.args) for w in check.args)
            for n in self.body.body
        )

    def same(self, a: Node, b: Node) -> bool:
        """Whether a value of the backward loop is one of an iteration."""
        if a is b or self.there.get(id(a)) is b:
            return True
        if isinstance(a, Constant) and isinstance(b, Constant):
            return type(a.value) is int and type(b.value) is int and a.value == b.value
        if not isinstance(a, Apply) or not isinstance(b, Apply) or a.regions:
            return False
        if a.op is not b.op or a.keywords or b.keywords or len(a.args) != len(b.args):
            return False
        pure = isinstance(a.op, Primitive) and a.op.pure and a.target is b.target
        if not pure and a.op not in (ops.GETITEM, ops.TUPLE):
            return False
        if any(is_stored(n.type) for n in a.args):
            return False
        return all(map(self.same, a.args, b.args))


# Items that nobody reads ------------------------------------------------------------

Same = Callable[[Node, Node], bool]


def _without_implied_items(graph: Graph, backward: dict[int, Apply]) -> None:
    """Leave out items that nobody reads where another statement names their place."""
    found = [n for n in walk(graph) if n.op is ops.GETITEM and n.retained]
    if not found:
        return
    read = {id(n) for node in graph.body for n in free_inputs(node)}
    read.update(map(id, graph.results))
    unread = {id(n) for n in found if id(n) not in read and _is_array(n.args[0])}
    if unread:
        _Items(unread, backward).region(graph, [])


def _is_array(node: Node) -> bool:
    return isinstance(deref(node.type), Num)


class _Items:
    """A walk that leaves out items by what is executed if they are."""

    def __init__(self, unread: set[int], backward: dict[int, Apply]) -> None:
        self.unread, self.backward = unread, backward

    def region(self, graph: Graph, elsewhere: list[tuple[Graph, Same]]) -> None:
        """Go through a region; what of `elsewhere` is executed later if it is."""
        kept: list[Apply] = []
        for k, node in enumerate(graph.body):
            if id(node) in self.unread and (
                self._beside(node, kept, graph.body[k + 1 :])
                or any(
                    self._names(other, node, same)
                    for there, same in elsewhere
                    for other in there.body
                )
            ):
                continue
            kept.append(node)
            if node.op is ops.IF:
                for j, region in enumerate(node.regions):
                    self.region(region, list(_branches(node, j, graph, elsewhere)))
            elif node.op in (ops.FOR, ops.WHILE):
                pair = _LoopPair(node, self.backward.get(id(node)))
                there: list[tuple[Graph, Same]] = []
                if pair.body is not None:
                    there.append((pair.body, pair.same))
                self.region(node.regions[-1], there)
        graph.body = kept

    def _beside(self, item: Apply, before: list[Apply], after: list[Apply]) -> bool:
        if any(self._names(n, item, _is_same) for n in before):
            return True
        for n in after:
            if self._names(n, item, _is_same) and id(n) not in self.unread:
                return True
            if has_effect(n):
                return False
        return False

    def _names(self, node: Apply, item: Apply, same: Same) -> bool:
        """Whether a statement fails where an item is missing."""
        if node.op not in (ops.GETITEM, ops.INDEX_ADD, ops.SETITEM) or node is item:
            return False
        base, index = item.args
        return same(node.args[1], index) and _is_like(node.args[0], base, same)


def _branches(
    node: Apply, j: int, graph: Graph, elsewhere: list[tuple[Graph, Same]]
) -> Iterator[tuple[Graph, Same]]:
    """Branches on the same test, which are taken if a branch is."""
    for there, same in [(graph, _is_same), *elsewhere]:
        for other in there.body:
            if other.op is ops.IF and other is not node:
                if same(other.args[0], node.args[0]):
                    yield other.regions[j], same


def _is_same(a: Node, b: Node) -> bool:
    if isinstance(a, Constant) and isinstance(b, Constant):
        known = type(a.value) in (int, tuple) and type(a.value) is type(b.value)
        return a is b or (known and a.value == b.value)
    if isinstance(a, Apply) and isinstance(b, Apply) and a.op is b.op is ops.TUPLE:
        return len(a.args) == len(b.args) and all(map(_is_same, a.args, b.args))
    return a is b


def _is_like(node: Node, base: Node, same: Same) -> bool:
    """Whether an array has the shape of another: it is its gradient."""
    for _ in range(50):
        if same(node, base):
            return True
        if isinstance(node, Apply):
            name = getattr(node.op, "name", "")
            if name not in ("index_add", "copy", "zeros_like", "add", "empty_like"):
                return False
            node = node.args[0]
        elif isinstance(node, Output) and node.apply.op is ops.IF:
            node = node.apply.regions[0].results[node.index]
        elif isinstance(node, Output) and node.apply.op in (ops.FOR, ops.WHILE):
            carried = node.apply.shape.carried
            if node.index >= carried:
                return False
            node = node.apply.args[len(node.apply.args) - carried + node.index]
        elif isinstance(node, Parameter) and node.graph.parent is not None:
            first = _first_of(node)
            if first is None:
                return False
            node = first
        else:
            return False
    return False


def _first_of(p: Parameter) -> Node | None:
    """What a variable of a loop is at first."""
    assert p.graph.parent is not None
    for made in p.graph.parent.body:
        if p.graph in made.regions and made.op in (ops.FOR, ops.WHILE):
            carried = made.shape.carried
            k = p.graph.params.index(p) - (len(p.graph.params) - carried)
            return made.args[len(made.args) - carried + k] if k >= 0 else None
    return None
