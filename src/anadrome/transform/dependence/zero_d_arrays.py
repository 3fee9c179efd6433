"""Numbers in places for arrays that are changed in place.

A variable may be a number at first and such an array later. The array has a shadow, and
where the number enters the variable it gets one too: a 0-d array of its own, which
hands over in the backward pass what has accumulated in it. The entries are marked by a
cast here.
"""

from __future__ import annotations

from collections.abc import Iterator

from anadrome.errors import MutationError
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    called_graphs,
)
from anadrome.ir.types import (
    INT,
    NEVER,
    AnyType,
    Cell,
    Dict,
    List,
    Num,
    Object,
    Tuple,
    Type,
    VarTuple,
    deref,
    parts,
    strip_optional,
)
from anadrome.transform.dependence.activity import Activity
from anadrome.transform.reverse.cotangents import part_type

LIST_MAKERS = ("concatenate_lists", "copy_list", "copy_tuple", "repeat_list")


def mark_zero_d_arrays(graph: Graph, activity: Activity) -> None:
    """Put a cast wherever a number enters a place for arrays that change."""
    if not activity.classes:
        return
    marks = _Marks(activity)
    for g in called_graphs(graph, recorded=True, products=False):
        marks.run(g)
    marks.finish()


def is_zero_d_array(node: Apply, activity: Activity) -> bool:
    """Whether a statement is the entry of a number into a place for arrays."""
    return (
        node.op is ops.CAST
        and activity.buffer(node.type)
        and _is_number(node.args[0].type)
    )


def _is_number(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and t.scalar


def _is_slice(key: Node) -> bool:
    return getattr(deref(key.type), "cls", None) is slice


def _makes_list(node: Apply) -> bool:
    """Whether a statement makes a list or a tuple out of the items of others."""
    if node.op is ops.GETITEM:
        return _is_slice(node.args[1])
    return getattr(node.op, "name", None) in LIST_MAKERS


class _Marks:
    def __init__(self, activity: Activity) -> None:
        self.activity = activity
        self.results: list[tuple[Graph, int, Type]] = []

    def run(self, graph: Graph) -> None:
        """Mark what the statements of a graph take."""
        body: list[Apply] = []
        for node in graph.body:
            for region in node.regions:
                self.run(region)
            self._lift_operands(node, graph, body)
            kinds = dict(self._places(node))
            if kinds:
                args = [
                    self._entered(a, kinds.get(k), graph, body)
                    for k, a in enumerate(node.args)
                ]
                node.args = tuple(args)
            body.append(node)
        graph.body = body

    def finish(self) -> None:
        """Mark what regions and functions hand over."""
        for graph, k, t in self.results:
            graph.results[k] = self._entered(graph.results[k], t, graph, graph.body)

    def _places(self, node: Apply) -> Iterator[tuple[int, Type]]:
        """The types of the places that arguments go into, by position."""
        op, t = node.op, strip_optional(node.type)
        if op is ops.IF or op is ops.TRY:
            for region in node.regions:
                self.results += [
                    (region, k, o.type) for k, o in enumerate(node.outputs)
                ]
        elif op is ops.FOR or op is ops.WHILE:
            n, body = node.shape.carried, node.regions[-1]
            for k, o in enumerate(node.outputs[:n]):
                self.results.append((body, k, o.type))
                yield len(node.args) - n + k, o.type
            for k in range(n, n + node.shape.kept):
                self.results.append((body, k, parts(node.outputs[k].type)[0]))
        elif op is ops.CALL:
            callee = getattr(node.args[0], "value", None)
            if isinstance(callee, Graph) and callee.product is None:
                self.results += [
                    (callee, k, node.type) for k in range(len(callee.results))
                ]
                for k, p in enumerate(callee.params):
                    yield 1 + k, p.type
        elif op is ops.LIST and isinstance(t, List):
            yield from ((k, t.item) for k in range(len(node.args)))
        elif op is ops.DICT and isinstance(t, Dict):
            for k in range(0, len(node.args), 2):
                yield k + 1, part_type(t, getattr(node.args[k], "value", None))
        elif op is ops.RECORD and isinstance(t, Object):
            names = node.args[1].value  # type: ignore[attr-defined]
            yield from ((2 + k, part_type(t, name)) for k, name in enumerate(names))
        elif op in (ops.SETITEM, ops.SETATTR, ops.APPEND):
            place = strip_optional(node.args[0].type)
            if isinstance(place, Cell):
                key = getattr(node.args[1], "value", None)
                if op is ops.APPEND:
                    yield 1, place.item
                elif not _is_slice(node.args[1]):
                    yield 2, part_type(place, key)

    def _entered(
        self, value: Node, t: Type | None, graph: Graph, body: list[Apply]
    ) -> Node:
        if t is None or value is UNDEFINED:
            return value
        kind = strip_optional(t)
        if not self.activity.shadowed(t):
            if isinstance(kind, AnyType) and self.activity.shadowed(value.type):
                raise MutationError(
                    "something that is changed in place is kept beside values of "
                    "other types, where it cannot be followed",
                    value.span,
                    "keep it in a variable or a container of its own",
                )
            return value
        if not (isinstance(kind, Num) and _is_number(value.type)):
            self._refuse_inside(value, value.type, kind)
            return value
        made = Apply(ops.CAST, (value,), kind, name=value.name, span=value.span)
        made.graph = graph
        body.append(made)
        return made

    def _lift_operands(self, node: Apply, graph: Graph, body: list[Apply]) -> None:
        """Make lists of numbers that become part of a list of arrays such lists."""
        made = strip_optional(node.type)
        if node.op is ops.SETITEM and _is_slice(node.args[1]):
            made = strip_optional(node.args[0].type)
        elif not _makes_list(node):
            return
        if not isinstance(made, List | VarTuple):
            return
        if isinstance(deref(made.item), Num) and self.activity.buffer(made.item):
            node.args = tuple(
                self._lifted(a, made.item, graph, body) for a in node.args
            )

    def _lifted(
        self, numbers: Node, item: Type, graph: Graph, body: list[Apply]
    ) -> Node:
        """A list with a 0-d array in the place of each number of another."""
        t, span = deref(numbers.type), numbers.span
        if isinstance(t, Tuple):
            found = [
                Apply(ops.GETITEM, (numbers, Constant(k, INT)), p, span=span)
                for k, p in enumerate(t.items)
            ]
            if not any(_is_number(n.type) for n in found):
                return numbers
            items = [self._entered(n, item, graph, found) for n in found]
            made: Node = Apply(ops.LIST, tuple(items), List(item), span=span)
            assert isinstance(made, Apply)
            statements = [*found, made]
        elif isinstance(t, List | VarTuple) and _is_number(t.item):
            region = Graph("body", graph)
            place = region.add_parameter(INT)
            number = Apply(ops.GETITEM, (numbers, place), t.item, span=span)
            region.append(number)
            region.results = [region.append(Apply(ops.CAST, (number,), item))]
            count = Apply(ops.LENGTH, (numbers,), INT, span=span)
            bounds = Constant(0, INT), count, Constant(1, INT)
            loop = Apply(ops.FOR, bounds, NEVER, regions=(region,), span=span)
            loop.shape = ops.LoopShape(kept=1)
            made = loop.add_output(List(item))
            statements = [count, loop]
        else:
            return numbers
        for node in statements:
            node.graph = graph
            self.activity.include(node)
        body += statements
        return made

    def _refuse_inside(self, value: Node, t: Type, place: Type) -> None:
        """Refuse a number for an array inside of a tuple."""
        t, place = strip_optional(t), strip_optional(place)
        if not isinstance(t, Tuple | VarTuple) or not isinstance(
            place, Tuple | VarTuple
        ):
            return
        items, places = parts(t), parts(place)
        if len(places) == 1:
            places *= len(items)
        for a, b in zip(items, places):
            if _is_number(a) and self.activity.buffer(b):
                raise MutationError(
                    "a tuple holds a number where it elsewhere holds an array that is "
                    "changed in place",
                    value.span,
                    "put an array there, such as np.array(number)",
                )
            self._refuse_inside(value, a, b)
