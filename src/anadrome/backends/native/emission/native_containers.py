"""Which lists and dictionaries are kept in native memory, and the values that they are.

They hold numbers, tuples of numbers, and such lists and dictionaries; keys are integers
or tuples of them. Those that the caller gives, and constants, are Python's. All others
are tried: whoever meets one that it has no native code for names its type (`NotNative`)
and the program is written once more with that type left to Python. What is returned
becomes Python's on the way out, where the types must be exactly those that went in.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import (
    Dict,
    List,
    Num,
    Tuple,
    Type,
    VarTuple,
    deref,
    holds_itself,
    parts,
    same_form,
)
from anadrome.ir.untyped import becoming_objects, is_object
from anadrome.optimize.analysis.iterations import is_primitive

from .values import Value, stored_type

# A statement, and which of its outputs it is.
Maker = tuple[Apply, int] | None

MOST_WORDS = 4
"""The longest key in numbers."""


class NotNative(Exception):
    """A list or a dictionary, by its type, that Python has to have."""

    def __init__(self, key: int) -> None:
        super().__init__("a container that native code cannot hold")
        self.key = key


@dataclass
class Growing(Value):
    """A list that grows, of items of one kind; `key` is the identity of its type."""

    item: Value
    block: ir.Value
    key: int

    def flatten(self) -> list[ir.Value]:
        return [self.block]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Growing(self.item, registers.pop(0), self.key)

    def blocks(self) -> list[ir.Value]:
        return [self.block]


@dataclass
class Mapping(Value):
    """A dictionary from numbers to values of one kind."""

    keys: Value
    item: Value
    block: ir.Value
    key: int

    def flatten(self) -> list[ir.Value]:
        return [self.block]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Mapping(self.keys, self.item, registers.pop(0), self.key)

    def blocks(self) -> list[ir.Value]:
        return [self.block]


@dataclass(frozen=True)
class Containers:
    """The types of lists that grow, of those that do not, and of dictionaries.

    Values of the `visible` types may be returned.
    """

    growing: frozenset[int]
    fixed: frozenset[int]
    tables: frozenset[int]
    visible: frozenset[int]


def native_containers(graph: Graph, known: set[int], gone: set[int]) -> Containers:
    """The types that are tried in native memory, but for those `gone`.

    The `known` ones are lists that never change their length: see `native_lists`.
    """
    cells, foreign, makers = _survey(graph)
    moves = _all_moves(graph)
    visible, taken = _visible(graph, moves), {id(source) for _, source in moves}
    foreign |= _sources_of(_read_as_objects(graph), moves)
    left = {
        k: t
        for k, t in cells.items()
        if k not in known | gone | foreign and not holds_itself(t)
    }
    while True:
        # Lists whose items are exactly what was put into them.
        sources = left.keys() | known
        bad = [
            k
            for k, t in left.items()
            if not _is_held(t, left)
            or not _is_made(t, makers.get(k, []), sources, k in visible, k in taken)
        ]
        if not bad:
            break
        for k in bad:
            del left[k]
    lists = {k for k, t in left.items() if isinstance(t, List)}
    growing = {k for k in lists if left[k].stored}
    return Containers(
        frozenset(growing),
        frozenset(lists - growing),
        frozenset(left.keys() - lists),
        frozenset(visible),
    )


def _all_moves(graph: Graph) -> list[tuple[Type, Type]]:
    return [
        (deref(target.type), deref(source.type))
        for g in called_graphs(graph)
        for node in walk(g)
        for target, source in _moves(node)
        if isinstance(deref(target.type), List | VarTuple)
        and isinstance(deref(source.type), List | VarTuple)
    ]


def _visible(graph: Graph, moves: list[tuple[Type, Type]]) -> set[int]:
    """The types of what is returned, and of lists whose items that is made of."""
    leaving = [*graph.results, *becoming_objects(graph)]
    return _sources_of({id(t) for r in leaving for t in types_inside(r.type)}, moves)


def _sources_of(found: set[int], moves: list[tuple[Type, Type]]) -> set[int]:
    """Types of lists, and of those that their items come from."""
    size = -1
    while size < len(found):
        size = len(found)
        for target, source in moves:
            if id(target) in found:
                found.update(id(t) for t in types_inside(source))
    return found


def _read_as_objects(graph: Graph) -> set[int]:
    """The types of containers whose items are read as objects that were put there."""
    return {
        id(t)
        for g in called_graphs(graph)
        for node in walk(g)
        if node.op in (ops.GETITEM, ops.POP) and is_object(node.type)
        for t in types_inside(node.args[0].type)
    }


def _moves(node: Apply) -> list[tuple[Node, Node]]:
    """The lists that get items from others as they are."""
    if is_primitive(node, "copy_list", "copy_tuple", "concatenate_lists"):
        return [(node, a) for a in node.args]
    if is_primitive(node, "repeat_list"):
        return [(node, node.args[0])]
    if node.op is ops.GETITEM:
        return [(node, node.args[0])]
    if node.op is ops.SETITEM:
        return [(node.args[0], node.args[2])]
    return []


def types_inside(t: Type) -> list[Type]:
    """The types that a value of a type may hold, itself included."""
    found: dict[int, Type] = {}
    pending = [t]
    while pending:
        t = deref(pending.pop())
        if id(t) in found:
            continue
        found[id(t)] = t
        pending += parts(t)
        if isinstance(t, Dict):
            pending.append(t.key)
    return list(found.values())


def _survey(
    graph: Graph,
) -> tuple[dict[int, List | Dict], set[int], dict[int, list[Maker]]]:
    """All lists and dictionaries, those that are Python's, and what makes each."""
    cells: dict[int, List | Dict] = {}
    foreign: set[int] = set()
    makers: dict[int, list[Maker]] = {}

    def meet(node: Node, maker: Maker = None) -> None:
        if isinstance(node, Constant):
            if type(node.value).__name__ != "Undefined":
                leave(node)
            return
        for t in types_inside(node.type):
            if isinstance(t, List | Dict):
                cells[id(t)] = t
        t = deref(node.type)
        if isinstance(t, List | Dict):
            makers.setdefault(id(t), []).append(maker)

    def leave(node: Node) -> None:
        foreign.update(id(t) for t in types_inside(node.type))

    for p in graph.params:
        leave(p)
    for g in called_graphs(graph):
        for r in g.results:
            meet(r)
        for node in walk(g):
            for n in node.inputs:
                meet(n)
            meet(node, (node, 0))
            for k, o in enumerate(node.outputs):
                meet(o, (node, k))
            for region in node.regions:
                for n in (*region.params, *region.results):
                    meet(n)
            if node.op is ops.TRY:
                for o in node.outputs:
                    leave(o)
            if _sees_objects(node):
                for n in node.inputs:
                    leave(n)
    return cells, foreign, makers


def _sees_objects(node: Apply) -> bool:
    """Whether a statement may tell a list from a copy of it."""
    if node.op is ops.OBSERVE:
        return getattr(node.args[0], "value", None) is id
    return node.op in (ops.IS, ops.PYCALL, ops.METHOD)


def _is_held(t: List | Dict, left: dict[int, List | Dict]) -> bool:
    """Whether native memory can hold what a container holds."""
    if t.told_apart:
        return False
    if isinstance(t, Dict) and (t.fields is not None or not is_key(t.key)):
        return False
    return _is_plain(t.item, left)


def _is_made(
    t: List | Dict,
    makers: list[Maker],
    sources: set[int],
    visible: bool,
    taken: bool,
) -> bool:
    """Whether native code makes all lists of a type that does not change."""
    if isinstance(t, Dict) or t.stored:
        return True
    made = [m for m in makers if m is not None]
    # A list that is written out is better known item by item.
    if not taken and all(node.op is ops.LIST for node, _ in made):
        return False
    return all(_makes(node, k, t, sources, visible) for node, k in made)


def _makes(node: Apply, k: int, t: List, sources: set[int], visible: bool) -> bool:
    """Whether a statement makes a list in native memory, of what it is made of."""
    if node.op is ops.LIST:
        return not visible or not any(is_object(a.type) for a in node.args)
    if node.op in (ops.IF, ops.CALL):
        return True
    if node.op in (ops.FOR, ops.WHILE):
        shape = node.shape
        kept = shape.carried <= k < shape.carried + shape.kept
        return not kept or _alike(node.regions[-1].results[k].type, t.item)
    if node.op is ops.OBSERVE:
        callee = getattr(node.args[0], "value", None)
        if getattr(callee, "__name__", "") == "sorting_order":
            return True
        given = node.args[1:] if callee is list else ()
    elif node.op is ops.GETITEM:
        given = node.args[:1]
    elif is_primitive(node, "copy_list", "concatenate_lists"):
        given = node.args
    else:
        return False
    return bool(given) and (
        not visible or all(id(deref(n.type)) in sources for n in given)
    )


def _alike(a: Type, b: Type) -> bool:
    """Whether values of two types are the same, as Python sees them."""
    a, b = deref(a), deref(b)
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return len(a.items) == len(b.items) and all(map(_alike, a.items, b.items))
    if isinstance(a, Num) and isinstance(b, Num):
        return same_form(a, b) and a.python == b.python
    return a is b


def _is_plain(t: Type, left: dict[int, List | Dict]) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return type(t) is Tuple and t.cls is tuple and _all_plain(t, left)
    if isinstance(t, List | Dict):
        return id(t) in left
    return _is_number(t) and t.dtype.kind != "c"  # type: ignore[attr-defined]


def _all_plain(t: Tuple, left: dict[int, List | Dict]) -> bool:
    return bool(t.items) and all(_is_plain(i, left) for i in t.items)


def _is_number(t: Type) -> bool:
    if not isinstance(t, Num) or t.ndim != 0 or t.boxed or t.dtype is None:
        return False
    return stored_type(t.dtype) is not None


def is_key(t: Type) -> bool:
    """Whether a key is an integer or a few of them."""
    return 0 < _count(t) <= MOST_WORDS


def _count(t: Type) -> int:
    t = deref(t)
    if isinstance(t, Tuple) and type(t) is Tuple and t.cls is tuple and t.items:
        counts = [_count(i) for i in t.items]
        return sum(counts) if all(counts) else 0
    if _is_number(t) and t.dtype.kind in "biu":  # type: ignore[attr-defined]
        return 1
    return 0
