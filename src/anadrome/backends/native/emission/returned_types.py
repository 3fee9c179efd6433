"""Numbers that are returned as what they are on the path that was taken.

Where paths meet, native code has one type for a number: `n if test else 1.0` is a
float. What is computed from it is the same, but who gets the number itself sees an int
become a float, or a float32 a float64. So a number that leaves the program comes out of
its branch as an object of Python's, and out of a loop with a tag that says what it is.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Iterator, Sequence

import numpy as np

from anadrome.infer.kinds import Kind, kind_of
from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter
from anadrome.ir.types import (
    ANY,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    AnyType,
    Dict,
    Function,
    List,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    Union,
    VarTuple,
    deref,
    parts,
    strip_optional,
    tell_apart,
)
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.primitives.registry import Primitive, find_primitive

from .mixed_operands import look_at, look_at_items, mixed_lists, mixed_operands
from .native_containers import types_inside
from .number_kinds import (
    READERS,
    Kinds,
    carry,
    first_of,
    hand_over,
    insert_after,
    is_of_key,
    is_operation,
    is_other_name,
    is_surely_there,
    put,
    reached,
    settle,
)

_BUILDERS = (ops.TUPLE, ops.LIST, ops.DICT, ops.NAMEDTUPLE, ops.RECORD)
_WRITERS = (ops.APPEND, ops.SETITEM, ops.SETATTR)
_HOLDERS = (List, Dict, VarTuple, Object)
_AS_IT_IS = Num(None, 0)


def keep_returned_types(graph: Graph) -> Graph:
    """The graph with numbers that it returns as they are on each path."""
    if not _Returned(graph).is_needed():
        return graph
    graph = clone_graph(graph)
    _Returned(graph).change()
    return graph


class _Returned:
    """What a graph returns or shows, and what it is computed from."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds = Kinds(graph)
        self.made: dict[int, Node] = {}
        self.known: dict[int, bool] = {}
        shown = [a for n in self.kinds.statements() if _shows(n) for a in n.args]
        shown += [items for _, items, _ in self._mixed_lists()]
        # What becomes an object where paths meet is one of Python's.
        shown += [results[k] for results, k in self._beside_arrays()]
        seen = [*graph.params, *graph.results, *shown]
        self.seen = {id(t) for n in seen for t in types_inside(n.type)}

    def is_needed(self) -> bool:
        """Whether a number that leaves has another type on some path."""
        while True:
            leaving = [*self.graph.results]
            for node, places in self._leaving():
                leaving += [node.args[k] for k in places]
            for loop, k in self._lists():
                leaving.append(loop.regions[-1].results[k])
            leaving += [results[k] for results, k in self._beside_arrays()]
            self.known.clear()
            before = len(self.seen)
            mixed = [n for n in leaving if self.is_mixed(n)]
            self._see_sources()
            if len(self.seen) == before:
                found = any(self._mixtures()) or any(self._mixed_operands())
                return bool(mixed) or found or any(self._mixed_lists())

    def _see_sources(self) -> None:
        """What a container that is seen is made from is seen too."""
        for held, given in self._moved:
            if not self.seen.isdisjoint(held):
                self.seen |= given

    @functools.cached_property
    def _moved(self) -> list[tuple[set[int], set[int]]]:
        """Types of containers, and of those with numbers of several types before."""
        sources = self.kinds.sources
        moves: list[tuple[Node, Sequence[Node]]] = []
        for node in self.kinds.statements():
            moves.append((node, self.kinds.calls.sources(node) or node.args))
            if node.op in _WRITERS:
                moves.append((node.args[0], node.args))
            met = [p for region in node.regions for p in region.params]
            moves += [(n, sources(n) or ()) for n in (*met, *node.outputs)]
        for graph in self.kinds.calls.graphs[1:]:
            moves += [(p, self.kinds.calls.sources(p) or ()) for p in graph.params]
        found = []
        for target, given in moves:
            varied = {id(t) for n in given for t in _varied_inside(n.type)}
            if varied:
                found.append(({id(t) for t in _holders_inside(target.type)}, varied))
        return found

    def change(self) -> None:
        """Give out all numbers as they are."""
        self.is_needed()  # finds what is seen
        # Of the program as it was: conversions that are put into it are none of these.
        shown = list(self._leaving())
        for node, number, names in list(self._mixed_operands()):
            graph, given = node.graph, self.as_it_is(number)
            assert graph is not None
            at = next(k for k, n in enumerate(graph.body) if n is node)
            put(graph, at, [look_at(graph, given, names)])
        for node, items, dtype in list(self._mixed_lists()):
            graph = node.graph
            assert graph is not None
            put(graph, graph.body.index(node), [look_at_items(graph, items, dtype)])
        leaving = [
            (node, [(k, self.as_it_is(node.args[k])) for k in places])
            for node, places in shown
        ]
        for loop, k in list(self._lists()):
            results = loop.regions[-1].results
            results[k] = self.as_it_is(results[k])
        for results, k in list(self._beside_arrays()):
            results[k] = self.as_it_is(results[k])
        for node in list(self._mixtures()):
            # As Python puts them together.
            function = Constant(operator.concat, Function(operator.concat))
            node.op, node.args, node.target = ops.PYCALL, (function, *node.args), True
        self.graph.results = [self.as_it_is(n) for n in self.graph.results]
        # The kinds of what is computed follow from its operands as they were.
        for node, made in leaving:
            args = list(node.args)
            for k, n in made:
                args[k] = n
            node.args = tuple(args)

    def _mixed_operands(self) -> Iterator[tuple[Apply, Node, tuple[str, ...]]]:
        items = {id(n) for n in self.kinds.statements() if _is_item(n)}
        for graph in self.kinds.calls.graphs:
            yield from mixed_operands(graph, self.kinds, items)

    def _mixed_lists(self) -> Iterator[tuple[Apply, Node, np.dtype]]:
        for graph in self.kinds.calls.graphs:
            yield from mixed_lists(graph)

    def _leaving(self) -> Iterator[tuple[Apply, list[int]]]:
        """Statements that show values to Python, or put them where they are seen."""
        for node in self.kinds.statements():
            made = node.op in (ops.LIST, ops.DICT, ops.RECORD) and self._is_seen(node)
            if made or _shows(node):
                yield node, list(range(len(node.args)))
            elif node.op in _WRITERS and self._is_seen(node.args[0]):
                yield node, [len(node.args) - 1]
            elif node.op in (ops.FOR, ops.WHILE):
                # What an array may take the place of later.
                carried = node.outputs[: node.shape.carried]
                first = len(node.args) - len(carried)
                places = [first + k for k, o in enumerate(carried) if _is_object(o)]
                if places:
                    yield node, places

    def _lists(self) -> Iterator[tuple[Apply, int]]:
        """Loops that make lists that are seen."""
        for node in self.kinds.statements():
            if node.op in (ops.FOR, ops.WHILE):
                first = node.shape.carried
                for k in range(first, first + node.shape.kept):
                    if self._is_seen(node.outputs[k]):
                        yield node, k

    def _beside_arrays(self) -> Iterator[tuple[list[Node], int]]:
        """Numbers that branches or iterations leave where others leave an array.

        What may be either is an object, which says what the number is.
        """
        for node in self.kinds.statements():
            if node.op in (ops.FOR, ops.WHILE):
                regions, count = node.regions[-1:], node.shape.carried
            elif node.op in (ops.IF, ops.TRY):
                regions, count = node.regions, len(node.outputs)
            else:
                continue
            for k, out in enumerate(node.outputs[:count]):
                if _is_object(out):
                    yield from ((r.results, k) for r in regions if k < len(r.results))

    def _mixtures(self) -> Iterator[Apply]:
        """Lists that are seen and made of lists of numbers of different types."""
        for node in self.kinds.statements():
            if is_primitive(node, "concatenate_lists") and self._is_seen(node):
                kinds = [
                    deref(t.item)
                    for t in (deref(a.type) for a in node.args)
                    if isinstance(t, List)
                ]
                if len({repr(k) for k in kinds if isinstance(k, Num)}) > 1:
                    yield node

    def _is_seen(self, node: Node) -> bool:
        """Whether a container or an object is given, returned or shown."""
        return any(id(t) in self.seen for t in _held_in(node.type))

    # Questions ------------------------------------------------------------------------

    def is_mixed(self, node: Node) -> bool:
        """Whether a number, or one in a value that is built, may have another type."""
        return settle(node, self.known, False, self._looked_at, self._is_mixed)

    def _is_mixed(self, node: Node) -> bool:
        own, others = self._mixed_by(node)
        return own or any(self.known[id(n)] for n in others)

    def _looked_at(self, node: Node) -> Sequence[Node]:
        return self._mixed_by(node)[1]

    def _mixed_by(self, node: Node) -> tuple[bool, Sequence[Node]]:
        """Whether a value is mixed by itself, and what else it may be mixed by.

        That is looked at in any case, for what it is read from.
        """
        if isinstance(node, Apply):
            if _is_item(node):
                self.seen |= {id(t) for t in _held_in(node.args[0].type)}
                return True, ()
            if is_operation(node) and any(map(_is_unknown, node.args)):
                return True, ()
            if is_operation(node):
                # Its operands may be known better now than when it was typed.
                kinds = self.kinds.of(node)
                return bool(kinds) and kind_of(node) not in kinds, node.args
            if node.op in _BUILDERS:
                return False, node.args
            if _is_part(node) or is_other_name(node):
                return False, node.args[:1]
        own = kind_of(node)
        if own is not None:
            if isinstance(node, Constant):
                return False, ()
            kinds = self.kinds.of(node)
            if len(kinds) > 1 or (kinds and own not in kinds):
                tagged = self.kinds.has_tag(node)
                return True, () if tagged else self.kinds.sources(node) or ()
        elif not isinstance(deref(node.type), Tuple | Object | Optional):
            choice = isinstance(node, Output) and node.apply.op in (ops.IF, ops.TRY)
            if not choice and self.kinds.calls.sources(node) is None:
                return False, ()
        given = self.kinds.sources(node) or ()
        return any(self._becomes(g, node.type) for g in given), given

    def _becomes(
        self, node: Node, t: Type, around: frozenset[int] = frozenset()
    ) -> bool:
        """Whether numbers in a value get another type where paths meet.

        `around` are the types of what the value is a part of, which may be its own.
        """
        t, own = strip_optional(t), kind_of(node)
        if own is None and not isinstance(node, Constant):
            own = kind_of(Node(strip_optional(node.type)))
        if own is np.ndarray or (isinstance(t, Num) and t.dtype is not None):
            return own is not None and own is not kind_of(Node(t))
        if not isinstance(t, Tuple | Object) or id(t) in around:
            return False
        around, inside = around | {id(t)}, parts(t)
        if isinstance(node, Apply) and node.op in _BUILDERS:
            items: Sequence[Node] = node.args[len(node.args) - len(inside) :]
        else:
            items = [Node(p) for p in parts(deref(node.type))]
        return len(items) == len(inside) and any(
            self._becomes(item, part, around) for item, part in zip(items, inside)
        )

    # Answers --------------------------------------------------------------------------

    def as_it_is(self, node: Node) -> Node:
        """A value whose numbers are objects, if they have other types on some path."""
        if not self.is_mixed(node):
            return node
        for each in reached(node, self.made, self._made_before):
            # One that a variable of a loop needed is there by now.
            if id(each) not in self.made:
                found = self.made[id(each)] = self._as_it_is(each)
                # A list that is made and returned asks twice.
                self.known[id(found)] = False
        return self.made[id(node)]

    def _made_before(self, node: Node) -> Sequence[Node]:
        """What the object for a value is made of, but for what loops carry."""
        if self.kinds.comes_around(node) or isinstance(node, Parameter):
            return ()
        if isinstance(node, Apply) and (node.op is ops.POP or _is_item(node)):
            return ()
        if isinstance(node, Apply):
            given: Sequence[Node] = node.args
        else:
            given = self.kinds.sources(node) or ()
        return [n for n in given if self.is_mixed(n)]

    def _as_it_is(self, node: Node) -> Node:
        if self.kinds.calls.sources(node) is not None:
            return self._through_calls(node)
        if is_other_name(node):
            return self.as_it_is(node.args[0])  # type: ignore[attr-defined]
        if isinstance(node, Apply):
            if node.op in _BUILDERS:
                node.args = tuple(map(self.as_it_is, node.args))
                t = deref(node.type)
                if isinstance(t, Tuple):
                    own = node.args[len(node.args) - len(t.items) :]
                    node.type = Tuple(tuple(map(_item_type, own, t.items)), t.cls)
                return node
            if node.op is ops.POP:
                node.type = _untyped(node)  # it must not be done twice
                return node
            args = node.args
            if not _is_item(node):
                args = tuple(map(self.as_it_is, args))
            elif node.op is ops.GETATTR:
                for t in _held_in(args[0].type):
                    tell_apart(t)  # native code has the numbers of others by themselves
            made = Apply(node.op, args, _untyped(node), span=node.span)
            made.target = node.target
            insert_after(node, [made])
            return made
        tagged = isinstance(deref(node.type), Num) and self.kinds.has_tag(node)
        if isinstance(node, Parameter):
            return self._by_tag(node) if tagged else self._carried(node)
        assert isinstance(node, Output)
        statement = node.apply
        if statement.op in (ops.FOR, ops.WHILE):
            if not tagged:
                return self._carried(node)
            if self._may_stay(node):
                return self._after_loop(node)
            return self._by_tag(node)
        given = [self.as_it_is(r.results[node.index]) for r in statement.regions]
        for region, g in zip(statement.regions, given):
            region.results.append(_as_array(region, g))
        return statement.add_output(_untyped(node))

    def _through_calls(self, node: Node) -> Node:
        """What a function is given, or what a call gives."""
        if isinstance(deref(node.type), Num) and self.kinds.has_tag(node):
            return self._by_tag(node)
        hand_over(self.kinds.calls, node, _untyped(node), self.made, self.as_it_is)
        return self.made[id(node)]

    def _carried(self, node: Parameter | Output) -> Node:
        """What a loop carries beside a tuple or a record: the same as an object."""
        found = self.kinds.variable(node)
        assert found is not None
        loop, k = found
        first, body = self.as_it_is(first_of(loop, k)), loop.regions[-1]
        if id(loop.outputs[k]) in self.made:
            # A loop around this one needed it, too.
            return self.made[id(node)]
        params, out = carry(loop, first, _untyped(node))
        n = loop.shape.carried
        for region, p in zip(loop.regions, params):
            self.made[id(region.params[len(region.params) - n + k])] = p
        self.made[id(loop.outputs[k])] = out
        body.results[n - 1] = self.as_it_is(body.results[k])
        return self.made[id(node)]

    def _may_stay(self, node: Output) -> bool:
        """Whether only no iteration leaves a number of another type."""
        loop = node.apply
        first, after = first_of(loop, node.index), loop.regions[-1].results[node.index]
        return kind_of(first) is not None and self.kinds.of(after) == {kind_of(after)}

    def _after_loop(self, node: Output) -> Node:
        """What a loop leaves: what it began with if there was no iteration."""
        loop = node.apply
        graph = loop.graph
        assert graph is not None
        if not loop.shape.counts:
            loop.shape = dataclasses.replace(loop.shape, counts=True)
            loop.add_output(INT)
        sides = Graph("then", graph), Graph("else", graph)
        kind = kind_of(loop.regions[-1].results[node.index])
        assert kind is not None
        sides[0].results = [_converted(sides[0], node, kind)]
        first = self.as_it_is(first_of(loop, node.index))
        sides[1].results = [_as_array(sides[1], first)]
        made = Apply(ops.IF, (loop.outputs[-1],), NEVER, regions=sides)
        insert_after(loop, [made])
        return made.add_output(_AS_IT_IS)

    def _by_tag(self, node: Node) -> Node:
        """A number that a loop carries or a call gives, as its tag says."""
        statement = node.apply if isinstance(node, Output) else node
        assert isinstance(statement, Apply | Parameter)
        graph = statement.graph
        assert graph is not None
        made = Graph("as it is", graph)
        found = self.kinds.select(
            made, node, lambda side, kind: _converted(side, node, kind), _AS_IT_IS
        )
        if isinstance(statement, Apply):
            insert_after(statement, made.body)
        else:
            put(graph, 0, made.body)
        return found


_COMPARISONS = (
    *(operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge),
    operator.contains,
)


def _shows(node: Apply) -> bool:
    """Whether a statement lets somebody see the types of numbers."""
    t = deref(node.type)
    if isinstance(node.op, Primitive):
        # Python makes what it is of what it is given.
        return isinstance(t, AnyType) or (
            isinstance(t, Num) and (t.dtype is None or t.ndim is None)
        )
    if node.op is ops.OBSERVE:
        # Numbers of several types compare alike.
        function = getattr(node.args[0], "value", None)
        return not any(function is each for each in _COMPARISONS)
    return node.op in (ops.FORMAT, ops.METHOD) or (
        node.op is ops.PYCALL and node.target is not True
    )


def _is_object(node: Node) -> bool:
    """Whether native code has an object for a value, since it may be several things."""
    t = strip_optional(node.type)
    return isinstance(t, AnyType) or (isinstance(t, Num) and t.ndim is None)


def _is_item(node: Apply) -> bool:
    """Whether numbers are read from a container that holds others beside them."""
    return bool(node.args and _held_in(node.args[0].type)) and _is_part(node)


def _held_in(t: Type) -> list[Type]:
    """The containers that a value of a type may be."""
    t = strip_optional(t)
    options = t.options if isinstance(t, Union) else (t,)
    return [o for o in map(deref, options) if isinstance(o, _HOLDERS)]


def _is_part(node: Apply) -> bool:
    """Whether a part of a value has numbers of several types."""
    read = node.op in READERS or is_surely_there(node)
    return read and _is_varied(node.type) and not is_of_key(node)


def _is_varied(t: Type) -> bool:
    t = strip_optional(t)
    if isinstance(t, Tuple):
        return any(map(_is_varied, t.items))
    return isinstance(t, Num) and t.ndim == 0 and t.dtype is not None and t.varied


def _holders_inside(t: Type) -> list[Type]:
    """The containers that a value of a type may hold, itself included."""
    return [p for p in types_inside(t) if isinstance(p, _HOLDERS)]


def _varied_inside(t: Type) -> list[Type]:
    """Those of them that hold numbers of several types, and those around these."""
    found = _holders_inside(t)
    return found if any(_is_varied(p) for h in found for p in parts(h)) else []


def _item_type(node: Node, t: Type) -> Type:
    """The type of an item of a tuple, which may have become an object."""
    own = deref(node.type)
    return own if own is ANY or own is _AS_IT_IS or isinstance(own, Tuple) else t


def _untyped(node: Node) -> Type:
    """The type of a value as an object."""
    return _AS_IT_IS if isinstance(deref(node.type), Num) else ANY


def _is_unknown(node: Node) -> bool:
    """Whether a value is a number of which not even a common type is known."""
    t = deref(node.type)
    return isinstance(t, Num) and t.scalar and t.dtype is None


def _as_array(graph: Graph, node: Node) -> Node:
    """A 0-d array, if it is one, as an object."""
    plain = kind_of(node) is not np.ndarray or isinstance(node, Constant)
    return node if plain else _make_array(graph, node)


def _make_array(graph: Graph, node: Node) -> Node:
    made = Apply(ops.PYCALL, (Constant(np.array, Function(np.array)), node), _AS_IT_IS)
    made.target = True
    return graph.append(made)


def _converted(graph: Graph, node: Node, kind: Kind) -> Node:
    """A number in the type that it has on some path."""
    own = deref(node.type)
    assert isinstance(own, Num)
    assert own.dtype is not None
    if kind is np.ndarray:
        return _make_array(graph, node)
    if kind_of(node) is kind:
        return node
    if own.dtype.kind == "c" and not issubclass(kind, complex | np.complexfloating):
        part = Num(np.dtype(np.empty(0, own.dtype).real.dtype), 0)
        node = graph.append(Apply(find_primitive(np.real), (node,), part))
        node.target = np.real
    if not issubclass(kind, np.generic):
        t = {bool: Num(np.dtype(bool), 0, True), int: INT, float: FLOAT}
        made = Apply(ops.CONVERT, (Constant(kind, ANY), node), t.get(kind, COMPLEX))
        return graph.append(made)
    made = Apply(find_primitive(kind), (node,), Num(np.dtype(kind), 0))
    made.target = kind
    return graph.append(made)
