"""Which lists that change can stay in native memory.

A list of numbers or arrays whose length never changes, and that Python never sees, is
a block with its items one after the other: see `Series`. Other lists that change are
Python lists.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import List, Num, Type, deref, parts
from anadrome.primitives.registry import Primitive

from .control import for_range
from .emitter import Emitter
from .lowering import lowers
from .values import I64, Series, Value, stored_type


def native_lists(graph: Graph) -> set[int]:
    """The types of lists that stay in native memory."""
    found: dict[int, List] = {}
    gone: set[int] = set()
    graphs = called_graphs(graph)

    def meet(t: Type, seen: frozenset[int]) -> None:
        """Lists inside of something else are left to Python."""
        t = deref(t)
        if id(t) in seen:
            return
        for p in parts(t):
            p = deref(p)
            if isinstance(p, List):
                gone.add(id(p))
            meet(p, seen | {id(t)})

    for n in (*graph.params, *graph.results):
        gone.add(id(deref(n.type)))
    for g in graphs:
        for n in _values(g):
            t = deref(n.type)
            if isinstance(t, List):
                found[id(t)] = t
            meet(t, frozenset())
        for node in walk(g):
            made = deref(node.type)
            if isinstance(made, List) and not _makes(node, made):
                gone.add(id(made))
            for place, n in enumerate(node.inputs):
                t = deref(n.type)
                if isinstance(t, List) and not _leaves_alone(node, place, n, t):
                    gone.add(id(t))
            _check_loop(node, gone)
    return {
        key
        for key, t in found.items()
        if key not in gone and t.stored and _is_plain(t.item)
    }


def _values(graph: Graph) -> list[Node]:
    found: list[Node] = [*graph.params, *graph.results]
    for node in walk(graph):
        found += [node, *node.outputs, *node.inputs]
        for region in node.regions:
            found += [*region.params, *region.results]
    return found


def _makes(node: Apply, t: List) -> bool:
    """Whether a statement that returns a list has a native form."""
    if node.op is ops.LIST:
        return all(_fits(a, t.item) for a in node.args)
    if isinstance(node.op, Primitive) and node.op.name == "repeat_list":
        items = node.args[0]
        literal = isinstance(items, Apply) and items.op is ops.LIST
        return literal and all(_fits(a, t.item) for a in items.args)  # type: ignore[attr-defined]
    return node.op is ops.CALL


def _check_loop(node: Apply, gone: set[int]) -> None:
    """A loop may make a list of the type of its items, or hand one on."""
    if node.op not in (ops.FOR, ops.WHILE):
        if node.op is ops.TRY:
            gone.update(id(deref(o.type)) for o in node.outputs)
        return
    shape, body = node.shape, node.regions[-1]
    for k in range(shape.carried, shape.carried + shape.kept):
        t = deref(node.outputs[k].type)
        if isinstance(t, List):
            made = body.results[k]
            if node.op is ops.WHILE or shape.breaks or not _fits(made, t.item):
                gone.add(id(t))


def _leaves_alone(node: Apply, place: int, n: Node, t: List) -> bool:
    """Whether a statement neither resizes a list nor shows it to Python."""
    if isinstance(n, Constant):
        return False
    if node.op is ops.GETITEM:
        return place == 0 and _is_index(node.args[1])
    if node.op is ops.SETITEM:
        stored = node.args[2]
        return place == 0 and _is_index(node.args[1]) and _fits(stored, t.item)
    if node.op is ops.CALL:
        return place > 0
    if isinstance(node.op, Primitive):
        return node.op.pure and not node.op.view
    return node.op in (ops.LENGTH, ops.FOR, ops.WHILE)


def _is_index(node: Node) -> bool:
    t = deref(node.type)
    return (
        isinstance(t, Num)
        and t.ndim == 0
        and t.dtype is not None
        and (t.dtype.kind in "iu")
    )


def _fits(node: Node, item: Type) -> bool:
    """Whether a value has the form of a list's items."""
    t, kind = deref(node.type), deref(item)
    if not isinstance(t, Num) or not isinstance(kind, Num):
        return False
    return (t.dtype, t.ndim, t.boxed) == (kind.dtype, kind.ndim, kind.boxed)


def _is_plain(t: Type) -> bool:
    t = deref(t)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None or t.boxed:
        return False
    return stored_type(t.dtype) is not None


def list_of(e: Emitter, t: List, values: list[Value]) -> Series:
    """A new list of values."""
    item = e.template(t.item)
    count = I64(len(values))
    made = Series(item, e.allocate_bytes(e.series_bytes(item, count)), count)
    for k, value in enumerate(values):
        e.store_item(made, I64(k), e.adopt(value, item))
    return made


@lowers("repeat_list", operands=2)
def _lower_repeat(e: Emitter, node: Apply) -> Value:
    """`[x, y] * n`."""
    t, items = deref(node.type), node.args[0]
    if id(t) not in e.owner.lists:
        raise e.refuse("a repeated list", node.span)
    assert isinstance(t, List)
    assert isinstance(items, Apply)
    values = [e.value(a) for a in items.args]
    b, item = e.builder, e.template(t.item)
    times = e.integer(e.value(node.args[1]))
    times = b.select(b.icmp_signed(">", times, I64(0)), times, I64(0))
    count = b.mul(times, I64(len(values)))
    made = Series(item, e.allocate_bytes(e.series_bytes(item, count)), count)
    with for_range(b, 0, times) as k:
        for j, value in enumerate(values):
            place = b.add(b.mul(k, I64(len(values))), I64(j))
            e.store_item(made, place, e.adopt(value, item))
    return made
