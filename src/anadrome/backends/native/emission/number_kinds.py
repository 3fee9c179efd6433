"""Which types a number may have where paths meet, and which it has when it runs.

Native code has one type for a number that is an int on one path and a float on another.
Its kinds are the types that it may have in Python, found by following it back through
branches, loops and operators. Where a loop leaves it, which of them it is follows from
the iterations that were made: an integer beside it, its tag, says so.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from anadrome.infer.kinds import Kind, is_computed, kind_of, result_kind, results
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    walk,
)
from anadrome.ir.types import (
    BOOL,
    INT,
    NEVER,
    Dict,
    Num,
    Optional,
    Type,
    deref,
    kinds_of_number,
    strip_optional,
)
from anadrome.primitives.registry import Primitive, find_primitive

from .call_values import Calls

T = TypeVar("T")
READERS = (ops.GETITEM, ops.GETATTR, ops.POP)


def is_operation(node: Node) -> bool:
    """Whether a number is computed from others by an operator or a function."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return False
    if node.keywords or kind_of(node) in (None, np.ndarray):
        return False
    return is_computed(node.op, node.target, node.args)


def is_other_name(node: Node) -> bool:
    """Whether a number is what another statement gives, as what it is known to be."""
    if not isinstance(node, Apply) or node.op is not ops.CAST:
        return False
    return kind_of(node) is not None and kind_of(node.args[0]) is not None


def is_of_key(node: Node) -> bool:
    """Whether a value is a key of a dictionary, or a part of one.

    Integers in keys have one type in native memory, whatever they were.
    """
    while isinstance(node, Apply) and node.op in READERS:
        node = node.args[0]
    if not isinstance(node, Apply) or node.op is not ops.OBSERVE:
        return False
    lists = getattr(node.args[0], "value", None) is list
    return lists and isinstance(deref(node.args[1].type), Dict)


def is_surely_there(node: Apply) -> bool:
    """Whether a value is one that may have been None, and is not here."""
    return node.op is ops.CAST and isinstance(deref(node.args[0].type), Optional)


def is_varied_item(node: Node) -> bool:
    """Whether a number is read from what may hold numbers of several types."""
    if not isinstance(node, Apply) or is_of_key(node):
        return False
    if node.op not in READERS and not is_surely_there(node):
        return False
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0 and t.dtype is not None and t.varied


def _may_be_none(node: Node) -> bool:
    """Whether a value is None or a number of several types."""
    t = strip_optional(node.type)
    return t is not deref(node.type) and isinstance(t, Num) and t.varied


def _is_other(node: Node) -> bool:
    """Whether a value is no number of which the type is known, but not unbound.

    What a variable of a number's type is before a loop sets it may be None.
    """
    unset = isinstance(node, Constant) and node.value is None
    return kind_of(node) is None and node is not UNDEFINED and not unset


class Kinds:
    """The kinds of the numbers of a graph, and tags that tell them apart."""

    def __init__(self, graph: Graph) -> None:
        self._carried: dict[int, tuple[Apply, int]] = {}
        self.calls = Calls(graph)
        for node in self.statements():
            if node.op in (ops.FOR, ops.WHILE):
                n = node.shape.carried
                for region in node.regions:
                    for k, p in enumerate(region.params[len(region.params) - n :]):
                        self._carried[id(p)] = node, k
        self._kinds: dict[int, frozenset[Kind]] = {}
        self._untagged: dict[int, bool] = {}
        self._tags: dict[int, Node] = {}

    def statements(self) -> Iterator[Apply]:
        """Every statement of the graph and of the functions that it calls."""
        for g in self.calls.graphs:
            yield from walk(g)

    # Kinds ----------------------------------------------------------------------------

    def of(self, node: Node) -> frozenset[Kind]:
        """The types that a number may have; none where that cannot be told."""
        return settle(node, self._kinds, frozenset(), self._operands, self._kinds_of)

    def _operands(self, node: Node) -> Sequence[Node]:
        """What the kinds of a number follow from."""
        if kind_of(node) is None or is_varied_item(node):
            return ()
        sources = self.sources(node)
        if sources is not None and not any(map(_is_other, sources)):
            return sources
        if isinstance(node, Apply) and is_operation(node):
            return node.args
        return ()

    def _kinds_of(self, node: Node) -> frozenset[Kind]:
        own = kind_of(node)
        if own is None:
            return frozenset()
        if is_varied_item(node):
            return kinds_of_number(deref(node.type))  # type: ignore[arg-type]
        given = self._operands(node)
        if not given:
            return frozenset({own})
        if isinstance(node, Apply) and is_operation(node):
            found = self._computed(node, own)
        else:
            found = frozenset[Kind]().union(*(self._kinds[id(g)] for g in given))
        # What was found before stays: the iterations come to an end.
        return found | self._kinds[id(node)]

    def variable(self, node: Node) -> tuple[Apply, int] | None:
        """The loop that carries a value from iteration to iteration, and its place."""
        if isinstance(node, Parameter):
            return self._carried.get(id(node))
        if isinstance(node, Output) and node.apply.op in (ops.FOR, ops.WHILE):
            if node.index < node.apply.shape.carried:
                return node.apply, node.index
        return None

    def sources(self, node: Node) -> list[Node] | None:
        """What a value is one of, if paths meet in it."""
        carried = self.variable(node)
        if carried is not None:
            loop, k = carried
            return [first_of(loop, k), loop.regions[-1].results[k]]
        if isinstance(node, Output) and node.apply.op in (ops.IF, ops.TRY):
            return [r.results[node.index] for r in node.apply.regions]
        if is_other_name(node):
            return list(node.args)  # type: ignore[attr-defined]
        return self.calls.sources(node)

    def comes_around(self, node: Node) -> bool:
        """Whether a value may be made of what it was before: in loops and recursion."""
        return self.variable(node) is not None or self.calls.sources(node) is not None

    def _computed(self, node: Apply, own: Kind) -> frozenset[Kind]:
        if any(kind_of(a) is None for a in node.args):
            # Such as a number that may be None elsewhere.
            t = deref(node.type)
            return kinds_of_number(t) if isinstance(t, Num) else frozenset({own})
        given = [self._kinds[id(a)] for a in node.args]
        if not all(given):
            return frozenset()  # a loop comes back to it: the other paths say
        return results(node.target, node.args, given) or frozenset({own})

    # Tags -----------------------------------------------------------------------------

    def has_tag(self, node: Node) -> bool:
        """Whether the program can tell which of its kinds a number has.

        It cannot of the items of a list that holds numbers of several.
        """
        return not settle(node, self._untagged, False, self._told_by, self._is_untagged)

    def _told_by(self, node: Node) -> Sequence[Node]:
        """The numbers whose tags the tag of a number is made of."""
        kinds = self.of(node)
        if object in kinds or is_varied_item(node) or len(kinds) < 2:
            return ()
        if isinstance(node, Apply) and is_operation(node):
            return node.args
        return self.sources(node) or ()

    def _is_untagged(self, node: Node) -> bool:
        if object in self.of(node) or is_varied_item(node) or _may_be_none(node):
            return True
        return any(self._untagged[id(n)] for n in self._told_by(node))

    def tag(self, node: Node) -> Node:
        """The position of the kind of a number among all kinds, as a value."""
        kinds = self.of(node)
        if len(kinds) < 2:
            return _constant(next(iter(kinds)) if kinds else kind_of(node))
        for each in reached(node, self._tags, self._tagged_before):
            # One that the tag of a variable of a loop needed is there by now.
            if id(each) not in self._tags and len(self.of(each)) > 1:
                self._tags[id(each)] = self._make_tag(each)
        return self._tags[id(node)]

    def _tagged_before(self, node: Node) -> Sequence[Node]:
        """What a tag is made of, but for what loops carry."""
        return () if self.comes_around(node) else self._told_by(node)

    def _make_tag(self, node: Node) -> Node:
        if self.calls.sources(node) is not None:
            hand_over(self.calls, node, INT, self._tags, self.tag)
            return self._tags[id(node)]
        if isinstance(node, Parameter):
            self._carry_tag(*self._carried[id(node)])
            return self._tags[id(node)]
        if is_other_name(node):
            return self.tag(node.args[0])  # type: ignore[attr-defined]
        if isinstance(node, Output):
            statement = node.apply
            if statement.op in (ops.FOR, ops.WHILE):
                return self._carry_tag(statement, node.index)
            # Tags of what a loop carries may add further ones to the same branches.
            tags = [self.tag(r.results[node.index]) for r in statement.regions]
            for region, tag in zip(statement.regions, tags):
                region.results.append(tag)
            return statement.add_output(INT)
        assert isinstance(node, Apply)
        return self._tag_of_result(node)

    def _carry_tag(self, loop: Apply, k: int) -> Node:
        """One more variable of a loop: the tag of another one."""
        first = self.tag(first_of(loop, k))
        if id(loop.outputs[k]) in self._tags:
            # A loop around this one needed it, too.
            return self._tags[id(loop.outputs[k])]
        params, out = carry(loop, first, INT)
        n = loop.shape.carried
        for region, carried in zip(loop.regions, params):
            self._tags[id(region.params[len(region.params) - n + k])] = carried
        self._tags[id(loop.outputs[k])] = out
        # It has its place before others are made to find it.
        body = loop.regions[-1]
        body.results[n - 1] = self.tag(body.results[k])
        return out

    def _tag_of_result(self, node: Apply) -> Node:
        """The tag of what an operator gives, from those of its operands."""
        graph = node.graph
        assert graph is not None
        made = Graph("tag", graph)
        found = self._combined(made, node, ())
        insert_after(node, made.body)
        return found

    def _combined(self, graph: Graph, node: Apply, chosen: tuple[Kind, ...]) -> Node:
        if len(chosen) == len(node.args):
            return _constant(
                result_kind(node.target, node.args, chosen) or kind_of(node)
            )
        operand = node.args[len(chosen)]
        return self.select(
            graph,
            operand,
            lambda side, kind: self._combined(side, node, (*chosen, kind)),
            INT,
        )

    def select(
        self, graph: Graph, node: Node, make: Callable[[Graph, Kind], Node], t: Type
    ) -> Node:
        """What is made of the kind that a number has, written to the end of a graph."""
        return _choose(
            graph, self.tag(node), sorted(self.of(node), key=code_of), make, t
        )


def _choose(
    graph: Graph,
    tag: Node,
    kinds: list[Kind],
    make: Callable[[Graph, Kind], Node],
    t: Type,
) -> Node:
    if len(kinds) == 1:
        return make(graph, kinds[0])
    test = Apply(find_primitive(operator.eq), (tag, _constant(kinds[0])), BOOL)
    test.target = operator.eq
    graph.append(test)
    sides = Graph("then", graph), Graph("else", graph)
    sides[0].results = [make(sides[0], kinds[0])]
    sides[1].results = [_choose(sides[1], tag, kinds[1:], make, t)]
    return graph.append(Apply(ops.IF, (test,), NEVER, regions=sides)).add_output(t)


def reached(
    node: Node, known: Mapping[int, object], needs: Callable[[Node], Sequence[Node]]
) -> list[Node]:
    """A node and what it needs that is not known, each after its own needs.

    Programs may be thousands of statements long: Python's stack is too small for them.
    """
    found: list[Node] = []
    seen: set[int] = set()
    waiting = [(node, False)]
    while waiting:
        node, is_ready = waiting.pop()
        if is_ready:
            found.append(node)
        elif id(node) not in known and id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting += [(n, False) for n in reversed(needs(node))]
    return found


def settle(
    node: Node,
    known: dict[int, T],
    least: T,
    needs: Callable[[Node], Sequence[Node]],
    find: Callable[[Node], T],
) -> T:
    """A fact of a node that follows from those of others, also around loops.

    It grows from the least one until nothing changes.
    """
    order = reached(node, known, needs)
    known.update((id(n), least) for n in order)
    changed = bool(order)
    while changed:
        changed = False
        for n in order:
            found = find(n)
            if found != known[id(n)]:
                known[id(n)] = found
                changed = True
    return known[id(node)]


def carry(loop: Apply, first: Node, t: Type) -> tuple[list[Parameter], Output]:
    """One more variable of a loop, of which each iteration leaves what it was given."""
    n = loop.shape.carried
    loop.args = (*loop.args, first)
    loop.shape = dataclasses.replace(loop.shape, carried=n + 1)
    params = [Parameter(region, t) for region in loop.regions]
    for region, p in zip(loop.regions, params):
        region.params.append(p)
    out = Output(loop, n, t)
    out.span = loop.span
    loop.outputs.insert(n, out)
    for j, o in enumerate(loop.outputs):
        o.index = j
    loop.regions[-1].results.insert(n, params[-1])
    return params, out


def hand_over(
    calls: Calls,
    node: Node,
    t: Type,
    made: dict[int, Node],
    find: Callable[[Node], Node],
) -> None:
    """Hand something over beside a value that goes into a function or comes out of it.

    `find` says what it is for the values that are passed or returned, `made` has its
    place before that.
    """
    if isinstance(node, Parameter):
        sources = calls.sources(node) or []
        made[id(node)], tell = calls.hand_in(node, t)
        tell([find(source) for source in sources])
        return
    result, parts, give = calls.hand_out(node, t)
    made.update(parts)
    give(find(result))


def first_of(loop: Apply, k: int) -> Node:
    """What a variable of a loop is before it."""
    return loop.args[len(loop.args) - loop.shape.carried + k]


def insert_after(node: Apply, statements: list[Apply]) -> None:
    """Put statements right after another one."""
    graph = node.graph
    assert graph is not None
    at = graph.body.index(node) + 1
    put(graph, at, statements)


def put(graph: Graph, at: int, statements: list[Apply]) -> None:
    """Put statements into a graph."""
    graph.body[at:at] = statements
    for made in statements:
        made.graph = graph
        for region in made.regions:
            region.parent = graph


def code_of(kind: Kind | None) -> int:
    """The number of a kind, the same in every program."""
    if kind is None:
        return 0
    names = (
        *(bool, int, float, complex),
        np.ndarray,
        *(np.dtype(c).type for c in "?bhilqBHILQefdgFDG"),
    )
    return 1 + names.index(kind)


def _constant(kind: Kind | None) -> Node:
    return Constant(code_of(kind), INT)
