"""Copy elision: parts of arrays that no later store changes, for native code.

The backward pass needs what the forward pass has read, so parts of an array that is
changed later are copied. If nothing that is stored later meets such a part, it can be
read once more instead. Where the iterations of loops read and write follows from linear
inequalities: see `fourier_motzkin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import (
    AliasClass,
    Num,
    Stack,
    alias_of,
    deref,
    is_stored,
    parts,
)
from anadrome.optimize.analysis.fourier_motzkin import LinearForm, contradict, variable
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.optimize.rewriting import replace
from anadrome.primitives.registry import Primitive


def elide_copies(graph: Graph) -> Graph:
    """The graph without copies of parts that nothing is stored into any more.

    for i in range(n):                           for i in range(n):
        row = x[:i].copy()                           row = x[:i]
        x[i] = b[i] - L[i, :i] @ x[:i]       →       x[i] = b[i] - L[i, :i] @ x[:i]
        rows.append(row)                             rows.append(row)
    """
    for g in called_graphs(graph):
        _CopyElision(g).run()
    return graph


@dataclass
class _Site:
    """Where a statement is: the positions in regions, and the loops, around it."""

    node: Apply
    path: tuple[tuple[int, int], ...]
    loops: tuple[Apply, ...]


class _CopyElision:
    """The copies and stores of a function."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.copies: list[_Site] = []
        self.stores: dict[AliasClass, list[_Site]] = {}
        # Memory that is accessed in ways that nobody looks through here.
        self.lost: set[AliasClass] = set()
        # Values that somebody gets hold of, and does not only compute with.
        self.handed: set[int] = set()
        # Values that are the same wherever they are read.
        self.invariant: set[int] = {id(p) for p in graph.params}
        for p in graph.params:
            self._lose(p)
        for r in graph.results:
            self._hand(r)
        self._look(graph, (), ())

    def _look(
        self, region: Graph, path: tuple[tuple[int, int], ...], loops: tuple[Apply, ...]
    ) -> None:
        for k, node in enumerate(region.body):
            here = (*path, (id(region), k))
            if not loops:
                self.invariant.update(id(n) for n in (node, *node.outputs))
            self._note(_Site(node, here, loops))
            inner = loops
            if node.op in (ops.FOR, ops.WHILE):
                inner = (*loops, node)
            for part in node.regions:
                self._look(part, here, inner)
                for place, result in enumerate(part.results):
                    if not _is_residual(node, place):
                        self._hand(result)

    def _note(self, site: _Site) -> None:
        node = site.node
        if node.op is ops.COPY:
            if _place(node.args[0]) is not None:
                self.copies.append(site)
            return
        if node.op is ops.SETITEM and isinstance(deref(node.args[0].type), Num):
            kind = alias_of(node.args[0].type)
            if kind is not None:
                self.stores.setdefault(kind, []).append(site)
            for n in node.args[1:]:
                # A number or an array that is read and not kept.
                if not isinstance(deref(n.type), Num):
                    self._lose_parts(n)
            return
        if isinstance(node.op, Primitive) and node.op.pure and node.op.fresh:
            return
        if node.op is not ops.INDEX_ADD:
            self.handed.update(id(n) for n in node.inputs)
        if isinstance(node.op, Primitive) and node.op.pure and node.op.view:
            return
        if node.op is ops.GETITEM and isinstance(deref(node.args[0].type), Num):
            return
        if node.op is ops.LENGTH:
            return
        for n in node.inputs:
            # Loops read the residuals of loops.
            if node.op is not ops.FOR or not isinstance(deref(n.type), Stack):
                self._lose(n)

    def _hand(self, node: Node) -> None:
        self.handed.add(id(node))
        self._lose(node)

    def _lose(self, node: Node) -> None:
        self._lose_parts(node)
        kind = alias_of(node.type)
        if kind is not None:
            self.lost.add(kind)

    def _lose_parts(self, node: Node) -> None:
        for p in parts(node.type):
            kind = alias_of(p)
            if kind is not None:
                self.lost.add(kind)

    # Rewriting ----------------------------------------------------------------------

    def run(self) -> None:
        """Replace the copies that need not be taken."""
        replaced: dict[int, Node] = {}
        for site in self.copies:
            view = site.node.args[0]
            kind = alias_of(view.type)
            place = _place(view)
            if kind is None or not is_stored(view.type) or place is None:
                continue
            if is_stored(site.node.type) or id(site.node) in self.handed:
                continue
            if kind in self.lost or id(place[0]) not in self.invariant:
                continue
            if all(self._misses(site, s) for s in self.stores.get(kind, ())):
                replaced[id(site.node)] = view
        replace(self.graph, replaced)

    def _misses(self, read: _Site, store: _Site) -> bool:
        """Whether a store does not meet what was read, if it comes later."""
        there, here = _place(read.node.args[0]), _stored(store.node)
        if there is None or there[0] is not here[0]:
            return False
        return all(
            contradict([*order, *self._meeting(read, there[1], store, here[1])])
            for order in self._orders(read, store)
        )

    def _orders(self, read: _Site, store: _Site) -> Iterator[list[LinearForm]]:
        """The ways in which a store can come after a read, as inequalities."""
        equal: list[LinearForm] = []
        for a, b in zip(read.loops, store.loops):
            if a is not b:
                break
            step = _step(a)
            if step is None:
                yield list(equal)
                return
            key = id(a.regions[-1].params[0])
            i, j = variable((0, key)), variable((1, key))
            ahead = step if not a.shape.reverse else -step
            sign = 1 if ahead > 0 else -1
            yield [*equal, j.minus(i).times(sign).shifted(-abs(step))]
            equal += [j.minus(i), i.minus(j)]
        for (region, at), (other, later) in zip(read.path, store.path):
            if region != other:
                # They are in two branches.
                yield equal
                return
            if at != later:
                if later > at:
                    yield equal
                return

    def _meeting(
        self,
        read: _Site,
        here: tuple[Node, ...],
        store: _Site,
        there: tuple[Node, ...],
    ) -> list[LinearForm]:
        """Inequalities of an element that is read and stored into."""
        found: list[LinearForm] = []
        for who, (site, index) in enumerate(((read, here), (store, there))):
            iterations = self._iterations(who, site)
            found += iterations
            for axis, part in enumerate(index):
                element = variable(("element", axis))
                found += _covered(part, element, iterations, self._names(who))
        return found

    def _names(self, who: int) -> Callable[[Node], LinearForm]:
        def name(node: Node) -> LinearForm:
            return variable(id(node) if id(node) in self.invariant else (who, id(node)))

        return name

    def _iterations(self, who: int, site: _Site) -> list[LinearForm]:
        """The bounds of the iterations of the loops around a statement."""
        found: list[LinearForm] = []
        name = self._names(who)
        for loop in site.loops:
            step = _step(loop)
            if step is None:
                continue
            sign = 1 if step > 0 else -1
            i = name(loop.regions[-1].params[0])
            first, last = (_linear_form(n, name, found) for n in loop.args[:2])
            found.append(i.minus(first).times(sign))
            found.append(last.minus(i).times(sign).shifted(-1))
        return found


def _is_residual(loop: Apply, place: int) -> bool:
    """Whether a result of a region goes to a stack of residuals."""
    if loop.op not in (ops.FOR, ops.WHILE) or place >= len(loop.outputs):
        return False
    return isinstance(deref(loop.outputs[place].type), Stack)


def _step(loop: Apply) -> int | None:
    """How far the numbers of a loop's iterations are apart, if that is known."""
    if loop.op is not ops.FOR:
        return None
    step = loop.args[2]
    if not isinstance(step, Constant) or type(step.value) is not int:
        return None
    return step.value or None


def _place(node: Node) -> tuple[Node, tuple[Node, ...]] | None:
    """The array that a value is part of, and an index of a part that contains it."""
    found: tuple[Node, tuple[Node, ...]] | None = None
    while isinstance(node, Apply) and _is_look(node):
        index = _axes(node.args[1]) if node.op is ops.GETITEM else ()
        node = node.args[0]
        found = node, index
    return found


def _stored(store: Apply) -> tuple[Node, tuple[Node, ...]]:
    """The array that a statement stores into, and an index that contains the place."""
    base, index = store.args[:2]
    return _place(base) or (base, _axes(index))


def _is_look(node: Apply) -> bool:
    if node.op is ops.GETITEM:
        return isinstance(deref(node.args[0].type), Num)
    return isinstance(node.op, Primitive) and node.op.view


def _axes(index: Node) -> tuple[Node, ...]:
    """What an index takes of the first axes, as far as it is plain."""
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        given = index.args
    else:
        given = (index,)
    found: list[Node] = []
    for part in given:
        if not _is_slice(part) and not _is_count(part):
            break
        found.append(part)
    return tuple(found)


def _is_slice(node: Node) -> bool:
    return isinstance(node, Apply) and node.op is ops.SLICE


def _is_count(node: Node) -> bool:
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim != 0 or t.dtype is None or t.boxed:
        return False
    return t.dtype.kind == "i" and t.python


def _covered(
    part: Node,
    element: LinearForm,
    iterations: list[LinearForm],
    name: Callable[[Node], LinearForm],
) -> list[LinearForm]:
    """Where the elements are that an index takes of an axis; negative ones are not
    known to be anywhere."""
    facts: list[LinearForm] = []
    if _is_count(part):
        at = _linear_form(part, name, facts)
        if contradict([*iterations, *facts, at.times(-1).shifted(-1)]):
            return [*facts, element.minus(at), at.minus(element)]
        return []
    assert isinstance(part, Apply)
    first, last, step = part.args
    if not isinstance(step, Constant) or step.value not in (None, 1):
        return []
    found: list[LinearForm] = []
    for bound, sign in ((first, 1), (last, -1)):
        if not _is_count(bound):
            continue
        at = _linear_form(bound, name, facts)
        if contradict([*iterations, *facts, at.times(-1).shifted(-1)]):
            inside = element.minus(at) if sign > 0 else at.minus(element).shifted(-1)
            found.append(inside)
    return [*facts, *found]


def _linear_form(
    node: Node, name: Callable[[Node], LinearForm], facts: list[LinearForm]
) -> LinearForm:
    """An integer as a linear form; what is known of its variables goes to the facts."""
    if isinstance(node, Constant) and type(node.value) is int:
        return LinearForm(node.value)
    if is_primitive(node, "add", "subtract", "multiply"):
        assert isinstance(node, Apply)
        if all(map(_is_count, node.inputs)):
            a, b = (_linear_form(n, name, facts) for n in node.args)
            if not is_primitive(node, "multiply"):
                return a.plus(b, 1 if is_primitive(node, "add") else -1)
            for x, y in ((a, b), (b, a)):
                if not x.terms:
                    return y.times(x.constant)
    made = name(node)
    if _is_size(node):
        facts.append(made)
    return made


def _is_size(node: Node) -> bool:
    if not isinstance(node, Apply):
        return False
    if node.op is ops.LENGTH:
        return True
    return node.op is ops.GETITEM and is_primitive(node.args[0], "shape")
