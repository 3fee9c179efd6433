"""Sums of arrays, taken apart so that each term can be added to one array in place."""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, walk
from anadrome.ir.types import (
    NEVER,
    NONE,
    Function,
    Num,
    Other,
    Type,
    deref,
    same_form,
)
from anadrome.primitives.registry import Primitive, find_primitive

_ELLIPSIS = Constant(Ellipsis, Other(type(Ellipsis)))


class Uses:
    """How often every value is read."""

    def __init__(self, graphs: list[Graph]) -> None:
        self.counts: dict[int, int] = {}
        for graph in graphs:
            self._count(graph.results)
            for node in walk(graph):
                self._count(node.inputs)
                for region in node.regions:
                    self._count(region.results)

    def _count(self, nodes: Iterable[Node]) -> None:
        for n in nodes:
            self.counts[id(n)] = self.counts.get(id(n), 0) + 1

    def once(self, node: Node) -> bool:
        """Whether a value is read in one place only."""
        return self.counts.get(id(node), 0) == 1


@dataclass
class Term:
    """Something that is added to a sum, and the statement at which it was added.

    Without such a statement, it is added at the end of the region.
    """

    value: Node
    index: Node
    region: Graph
    anchor: Apply | None


class Sum:
    """An array as the sum of its terms, and of what calls return."""

    def __init__(
        self, uses: Uses, known: Container[tuple[int, int]], kind: Num | None
    ) -> None:
        self.uses = uses
        # The results of calls, by function and place, that are added up in place.
        self.known = known
        self.kind = kind
        self.terms: list[Term] = []
        self.reads: list[Apply] = []
        # The additions that are taken apart.
        self.steps: list[Apply] = []
        self.broken = False
        # The array that everything is added to.
        self.array: Node | None = None

    def fits(self, node: Node) -> bool:
        """Whether a value is an array of the sum's dtype and rank."""
        t, kind = array_type(node.type), self.kind
        return t is not None and kind is not None and same_form(t, kind)

    def forget(self) -> None:
        """Begin again."""
        self.terms, self.reads, self.steps, self.broken = [], [], [], False

    # Finding the terms ----------------------------------------------------------------

    def take(self, node: Node, region: Graph, anchor: Apply | None) -> None:
        """Take a value apart if it is a sum, else it is a term."""
        if not self._absorb(node, region):
            if not self.fits(node):
                self.broken = True
            self.terms.append(Term(node, _ELLIPSIS, region, anchor))

    def _absorb(self, node: Node, region: Graph) -> bool:
        """Whether a value is a sum that is taken apart."""
        if is_zero(node):
            return True
        if not self.uses.once(node) or not self.fits(node):
            return False
        # A branch that adds what was made before it may not be taken, and a loop may
        # add it many times.
        return _is_made_in(node, region) and self._take_apart(node)

    def _take_apart(self, node: Node) -> bool:
        if isinstance(node, Output):
            if node.apply.op is ops.IF:
                for region in node.apply.regions:
                    self.take(region.results[node.index], region, None)
                return True
            return self._take_loop_apart(node.apply, node.index)
        if not isinstance(node, Apply) or node.graph is None:
            return False
        if node.op is ops.GETITEM and callee_of(node.args[0]) is not None:
            if place_of(node) not in self.known:
                return False
            self.reads.append(node)
            return True
        if node.op is ops.INDEX_ADD:
            base, index, value = node.args
            if not _is_number_like(value):
                return False
            self.steps.append(node)
            self.take(base, node.graph, node)
            self.terms.append(Term(value, index, node.graph, node))
            return True
        if _is_sum(node) and all(map(self.fits, node.args)):
            self.steps.append(node)
            for a in node.args:
                self.take(a, node.graph, node)
            return True
        return False

    def _take_loop_apart(self, loop: Apply, k: int) -> bool:
        if not self.take_iterations(loop, k):
            return False
        assert loop.graph is not None
        self.take(loop.args[len(loop.args) - loop.shape.carried + k], loop.graph, loop)
        return True

    def take_iterations(self, loop: Apply, k: int) -> bool:
        """Whether iterations do nothing with a variable of their loop but add to it.

        What they add is noted then.
        """
        chain = _Chain(self)
        if not chain.loop(loop, k):
            return False
        for value, index, anchor in chain.added:
            assert anchor.graph is not None
            self.steps.append(anchor)
            if index is None:
                self.take(value, anchor.graph, anchor)
            else:
                self.terms.append(Term(value, index, anchor.graph, anchor))
        return True

    # Adding them up -------------------------------------------------------------------

    def add_terms(self) -> None:
        """Add every term to the array."""
        for term in self.terms:
            self._insert(term)
        for step in self.steps:
            # That its operands fit together need not be checked: gradients do.
            step.retained = False

    def _insert(self, term: Term) -> None:
        """Add a term as soon as it is there: it need not be kept until then."""
        made = list(self._statements(term))
        body, anchor = term.region.body, term.anchor
        needed = (term.value, term.index)
        makers = {id(n.apply if isinstance(n, Output) else n) for n in needed}
        last = max((k for k, n in enumerate(body) if id(n) in makers), default=-1)
        if last >= 0:
            anchor = body[last + 1] if last + 1 < len(body) else None
        insert(term.region, anchor, made)

    def _statements(self, term: Term) -> Iterator[Apply]:
        total = self.array
        assert total is not None
        span = term.value.span
        old: Node = total
        comment = term.value.comment if isinstance(term.value, Apply) else None
        if not is_basic(term.index):
            # One place may be named twice.
            add_at = Constant(np.add.at, Function(np.add.at))
            args = (add_at, total, term.index, term.value)
            added = Apply(ops.PYCALL, args, NONE, span=span)
            added.comment = comment
            yield added
            return
        if term.index is not _ELLIPSIS:
            part = deref(term.value.type)
            assert isinstance(part, Num)
            kind = Num(part.dtype, part.ndim, alias=total.type.alias)  # type: ignore[attr-defined]
            old = Apply(ops.GETITEM, (total, term.index), kind, span=span)
            yield old
        new = Apply(
            find_primitive(operator.add),
            (old, term.value),
            _new(old.type),
            span=span,
        )
        new.target = operator.add
        new.comment = comment
        yield new
        store = Apply(ops.SETITEM, (total, term.index, new), NEVER, span=span)
        store.comment = comment
        yield store


class _Chain:
    """What is added, on the way through loops and branches, to what they are given."""

    def __init__(self, owner: Sum) -> None:
        self.owner = owner
        self.added: list[tuple[Node, Node | None, Apply]] = []
        # How often a way from the end leads back to what was given.
        self.reached: dict[int, int] = {}

    def loop(self, loop: Apply, k: int) -> bool:
        """Whether a loop does nothing with a variable but add to it."""
        if loop.op is not ops.FOR or k >= loop.shape.carried or loop.graph is None:
            return False
        body = loop.regions[-1]
        carried = body.params[len(body.params) - loop.shape.carried + k]
        if not self.owner.fits(carried):
            return False
        if not self._leads(body.results[k], carried, body):
            return False
        # Nobody else reads what has been added up so far.
        reached = self.reached.get(id(carried), 0)
        return self.owner.uses.counts.get(id(carried), 0) == reached

    def _leads(self, node: Node, start: Node, region: Graph) -> bool:
        """Whether a value is what is given at the start, with something added to it."""
        if node is start:
            self.reached[id(start)] = self.reached.get(id(start), 0) + 1
            return True
        return self.owner.uses.once(node) and self._leads_on(node, start, region)

    def _leads_on(self, node: Node, start: Node, region: Graph) -> bool:
        if not self.owner.fits(node) or not _is_made_in(node, region):
            return False
        if isinstance(node, Output):
            inner, k = node.apply, node.index
            if inner.op is ops.IF:
                return self._branches_lead(inner, k, start, region)
            if not self.loop(inner, k):
                return False
            first = len(inner.args) - inner.shape.carried
            return self._leads(inner.args[first + k], start, region)
        assert isinstance(node, Apply)
        if node.op is ops.INDEX_ADD:
            base, index, value = node.args
            if not _is_number_like(value) or not self._leads(base, start, region):
                return False
            self.added.append((value, index, node))
            return True
        if not _is_sum(node) or not all(map(self.owner.fits, node.args)):
            return False
        for a, b in (node.args, node.args[::-1]):
            before = self._mark()
            if self._leads(a, start, region):
                self.added.append((b, None, node))
                return True
            self._undo(before)
        return False

    def _branches_lead(self, node: Apply, k: int, start: Node, region: Graph) -> bool:
        """Whether all branches add to the start, or to one value that leads to it."""
        before = self._mark()
        if all(self._leads(r.results[k], start, r) for r in node.regions):
            return True
        self._undo(before)
        for base in _outer_terms(node.regions[0].results[k], node.regions[0]):
            counts = self.owner.uses.counts
            if (
                base is not start
                and all(self._leads(r.results[k], base, r) for r in node.regions)
                and self.reached[id(base)] == counts.get(id(base), 0)
                and self._leads_on(base, start, region)
            ):
                return True
            self._undo(before)
        return False

    def _mark(self) -> tuple[int, dict[int, int]]:
        return len(self.added), dict(self.reached)

    def _undo(self, mark: tuple[int, dict[int, int]]) -> None:
        count, self.reached = mark[0], dict(mark[1])
        del self.added[count:]


def _outer_terms(node: Node, region: Graph) -> Iterator[Node]:
    """What a region takes from outside for a sum that it makes."""
    if not _is_made_in(node, region):
        if not isinstance(node, Constant):
            yield node
    elif isinstance(node, Apply):
        if node.op is ops.INDEX_ADD:
            yield from _outer_terms(node.args[0], region)
        elif _is_sum(node):
            for a in node.args:
                yield from _outer_terms(a, region)
    elif isinstance(node, Output) and node.apply.op is ops.IF:
        for inner in _outer_terms(
            node.apply.regions[0].results[node.index], node.apply.regions[0]
        ):
            yield from _outer_terms(inner, region)


def callee_of(node: Node) -> Graph | None:
    """The function that a statement calls, if that is known."""
    if isinstance(node, Apply) and node.op is ops.CALL:
        first = node.args[0]
        if isinstance(first, Constant) and isinstance(first.value, Graph):
            return first.value
    return None


def place_of(read: Apply) -> tuple[int, int]:
    """The function and the position in its result of a value that a call returned."""
    call, index = read.args
    assert isinstance(call, Apply)
    assert isinstance(index, Constant)
    return id(callee_of(call)), index.value


def array_type(t: Type) -> Num | None:
    """The type of an array of floating-point numbers, if all of it is known."""
    t = deref(t)
    if isinstance(t, Num) and t.ndim and t.dtype is not None and t.inexact:
        return t
    return None


def insert(region: Graph, anchor: Apply | None, made: list[Apply]) -> None:
    """Put statements before another one, or at the end of a region."""
    at = len(region.body)
    if anchor is not None:
        at = next(k for k, n in enumerate(region.body) if n is anchor)
    for node in made:
        node.graph = region
    region.body[at:at] = made


def is_zero(node: Node) -> bool:
    """Whether a value is an array of zeros."""
    if not isinstance(node, Apply):
        return False
    return isinstance(node.op, Primitive) and node.op.name in ("zeros_like", "zeros")


def _is_made_in(node: Node, region: Graph) -> bool:
    """Whether a value is made by a statement of a region itself."""
    made = node.apply if isinstance(node, Output) else node
    return isinstance(made, Apply) and made.graph is region


def _is_sum(node: Apply) -> bool:
    if not isinstance(node.op, Primitive) or node.op.name != "add":
        return False
    return len(node.args) == 2 and not node.keywords


def _new(t: Type) -> Type:
    t = deref(t)
    assert isinstance(t, Num)
    return Num(t.dtype, t.ndim)


def _is_number_like(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.dtype is not None and t.ndim is not None


__all__ = [
    "Sum",
    "Term",
    "Uses",
    "array_type",
    "callee_of",
    "insert",
    "is_zero",
    "place_of",
]
