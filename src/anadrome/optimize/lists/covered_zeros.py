"""Sums into zeros that one part covers, as that part.

The gradient of `x[::-1]`, or of an array that a loop took item by item, is added to
zeros all of whose elements it fills.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import Num, deref, same_form
from anadrome.optimize.analysis.iterations import checks_of_lengths, is_primitive
from anadrome.optimize.analysis.shapes import Dim
from anadrome.optimize.rewriting import holds_stored, regions_within, replace
from anadrome.optimize.simplify.broadcasts import ShapeWalk

_NOT_COVERED = "a part that was taken to fill an array does not"


def elide_covered_zeros(graph: Graph) -> Graph:
    """The graph with parts in the place of zeros that they are added to all over.

    dx = np.zeros_like(x)      →      dx = d[::-1]
    dx[::-1] += d

    That a part is as large as what it is added to is taken for granted, and checked.
    """
    for g in called_graphs(graph):
        if not any(_adds_to_zeros(n) for r in regions_within(g) for n in r.body):
            continue
        walk = _Walk(g)
        for region in list(regions_within(g)):
            region.body = [m for n in region.body for m in walk.instead(n)]
            for node in region.body:
                node.graph = region
        replace(g, walk.covering)
    return graph


def _adds_to_zeros(node: Apply) -> bool:
    if node.op is not ops.INDEX_ADD or not is_primitive(
        node.args[0], "zeros", "zeros_like"
    ):
        return False
    t, s = deref(node.type), deref(node.args[2].type)
    if not isinstance(t, Num) or not isinstance(s, Num) or not t.ndim:
        return False
    stored = holds_stored(t) or holds_stored(s)
    return not stored and same_form(t, s)


class _Walk(ShapeWalk):
    """A walk that finds such sums, and the axes whose lengths are to be compared."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.covering: dict[int, Node] = {}
        self._doubtful: dict[int, list[int]] = {}
        for p in graph.params:
            self.shapes.give(p)
        self.region(graph)

    def rewrite(self, node: Apply) -> None:
        """Note whether a sum covers everything."""
        if self.looking or not _adds_to_zeros(node):
            return
        zeros, index, part = node.args
        whole, given = self.shapes.of(zeros), self.shapes.of(part)
        if whole is None:
            return
        slices = _slices(index)
        if len(slices) > len(whole) or not all(map(self._covers, slices, whole)):
            return
        if given is None:
            self._doubtful[id(node)] = list(range(len(whole)))
            return
        pairs = [(a.find(), b.find()) for a, b in zip(whole, given)]
        differing = [k for k, (a, b) in enumerate(pairs) if a is not b]
        # What is of one element is rather repeated.
        if not any(d.size is not None for k in differing for d in pairs[k]):
            self._doubtful[id(node)] = differing

    def _covers(self, part: Node, dim: Dim) -> bool:
        """Whether a slice takes all of an axis."""
        if not isinstance(part, Apply) or part.op is not ops.SLICE:
            return False
        start, stop, step = part.args
        if not isinstance(start, Constant) or not isinstance(step, Constant):
            return False
        if isinstance(stop, Constant) and stop.value is None:
            ends = (start.value, step.value)
            return ends in ((None, None), (0, None), (None, 1), (0, 1), (None, -1))
        length = self.shapes.lengths.get(id(stop))
        whole = length is not None and length.find() is dim.find()
        return whole and start.value in (None, 0) and step.value is None

    def instead(self, node: Apply) -> list[Apply]:
        """What is computed in the place of a statement."""
        axes = self._doubtful.get(id(node))
        if axes is None:
            return [node]
        zeros, index, part = node.args
        t = deref(node.type)
        assert isinstance(t, Num)
        made: list[Apply] = []

        def add(new: Apply) -> Apply:
            new.span = node.span
            made.append(new)
            return new

        # What the zeros were made like need not be made for its shape.
        like = zeros.inputs[0] if is_primitive(zeros, "zeros_like") else zeros  # type: ignore[attr-defined]
        for check in checks_of_lengths(like, part, axes, _NOT_COVERED):
            add(check)
        backwards = any(_is_backwards(s) for s in _slices(index))
        if backwards:
            part = add(Apply(ops.GETITEM, (part, index), Num(t.dtype, t.ndim)))
            part.name = node.name
        self.covering[id(node)] = part
        return made


def _slices(index: Node) -> tuple[Node, ...]:
    tuple_ = isinstance(index, Apply) and index.op is ops.TUPLE
    return index.args if tuple_ else (index,)  # type: ignore[attr-defined]


def _is_backwards(part: Node) -> bool:
    assert isinstance(part, Apply)
    step = part.args[2]
    return isinstance(step, Constant) and step.value == -1
