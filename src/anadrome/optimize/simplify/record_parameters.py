"""Functions that are handed the fields of a record instead of the record.

A function that calls itself and is given its weights in one record would have a
gradient of the whole record for every call. Handed the fields that it reads, it has one
gradient for each of them, and these are added up in place: see `memory.accumulators`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_functions
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import (
    AnyType,
    Dict,
    Function,
    NeverType,
    Object,
    Other,
    Packed,
    Tuple,
    Type,
    deref,
    holds_itself,
    holds_stored,
    is_differentiable,
)
from anadrome.optimize.rewriting import regions_within, replace
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.simplify.fields import (
    forward_fields,
    part_of_built,
    read_fields_once,
)
from anadrome.runtime import Saved

Path = tuple[Any, ...]
"""The fields, keys and places that lead from a record to a part of it."""


def hand_over_fields(graph: Graph) -> Graph:
    """The graph whose functions are given the parts of records that they read.

    def encode(p, tree):                    def encode(W, b, tree):
        if tree.left is None:                   if tree.left is None:
            return p.b                              return b
        a = encode(p, tree.left)       →        a = encode(W, b, tree.left)
        return p.W @ a                          return W @ a

    Only records that nobody changes and that no function uses but for their parts. The
    functions are new ones: other programs may call the old ones.
    """
    plan = _Plan(graph)
    if not plan.split:
        return graph
    plan.rewrite()
    read_fields_once(graph)
    forward_fields(graph)
    return remove_dead_code(graph)


@dataclass
class _Record:
    """A parameter, and the paths of the parts that are to be handed over."""

    graph: Graph
    place: int
    needed: set[Path] = field(default_factory=set)

    @property
    def type(self) -> Type:
        return self.graph.params[self.place].type

    @property
    def paths(self) -> list[Path]:
        """The paths in the order of the fields, none of which leads through another."""
        found = [
            p
            for p in self.needed
            if not any(p[:k] in self.needed for k in range(len(p)))
        ]
        return sorted(found, key=self._order)

    def _order(self, path: Path) -> tuple[int, ...]:
        t, order = deref(self.type), []
        for key in path:
            order.append(_keys(t).index(key))
            t = deref(_inner(t, key))
        return tuple(order)


class _Plan:
    """Which parameters are replaced by which of their parts."""

    def __init__(self, graph: Graph) -> None:
        self.root = graph
        self.graphs = called_graphs(graph, recorded=True, products=False)
        self.records: dict[tuple[int, int], _Record] = {}
        for g in _called_by_name(self.graphs):
            for k, p in enumerate(g.params):
                if _is_record(p.type):
                    self.records[id(g), k] = _Record(g, k)
        self._drop_unequal()
        self.readers = {id(g): _Readers(g) for g in self.graphs if self._has(g)}
        self._find_needed()
        self.split = {k: r for k, r in self.records.items() if () not in r.needed}

    def _has(self, graph: Graph) -> bool:
        return any(g == id(graph) for g, _ in self.records)

    def _calls(self) -> Iterator[tuple[Graph, Apply, Graph]]:
        for g in self.graphs:
            for node in walk(g):
                callee = _callee(node)
                if callee is not None:
                    yield g, node, callee

    def _drop_unequal(self) -> None:
        """Leave out parameters that are sometimes given something of another kind."""
        for _, node, callee in self._calls():
            for k, a in enumerate(node.args[1:]):
                found = self.records.get((id(callee), k))
                if found is not None and not _same_structure(found.type, a.type):
                    del self.records[id(callee), k]

    def _find_needed(self) -> None:
        """What is read, directly or by the functions that are called with it."""
        again = True
        while again:
            again = False
            for record in self.records.values():
                before = len(record.needed)
                p = record.graph.params[record.place]
                self._read(record, p, ())
                again |= len(record.needed) != before

    def _read(self, record: _Record, node: Node, path: Path) -> None:
        readers = self.readers[id(record.graph)]
        if () in record.needed:
            return
        if not _is_record(node.type):
            record.needed.add(path if _can_be_handed_over(node.type) else ())
            return
        if id(node) in readers.results:
            record.needed.add(path)
        for reader in readers.of(node):
            if _reads_field(reader, node):
                self._read(record, reader, (*path, reader.args[1].value))  # type: ignore[attr-defined]
                continue
            callee = _callee(reader)
            for k, a in enumerate(reader.inputs):
                if a is not node:
                    continue
                called = self.records.get((id(callee), k - 1))
                inner: set[Path] = {()} if called is None else called.needed
                record.needed |= {(*path, *rest) for rest in inner}

    # Rewriting ------------------------------------------------------------------------

    def rewrite(self) -> None:
        """Hand over the parts, in new functions."""
        changed = {id(r.graph): r.graph for r in self.split.values()}
        made = clone_functions(list(changed.values()))
        others = [g for g in self.graphs if id(g) not in changed]
        for g in others:
            self._call_new(g, made)
        for old in changed.values():
            self._call_new(made[id(old)], made)
        for old in changed.values():
            self._take_parts(old, made[id(old)])

    def _call_new(self, graph: Graph, made: dict[int, Graph]) -> None:
        """Call the new functions, with parts of what the old ones were given."""
        news = {id(new): key for key, new in made.items()}
        for node in list(walk(graph)):
            callee = _callee(node)
            if callee is None:
                continue
            key = news.get(id(callee), id(callee))
            if key not in made:
                continue
            new = made[key]
            args: list[Node] = []
            reads: list[Apply] = []
            for k, a in enumerate(node.args[1:]):
                record = self.split.get((key, k))
                if record is None:
                    args.append(a)
                    continue
                parts: dict[Path, Node] = {(): a}
                args += [_part(parts, path, reads, node) for path in record.paths]
            node.args = (Constant(new, Function(new)), *args)
            assert node.graph is not None
            for read in reads:
                read.graph = node.graph
            body = node.graph.body
            at = next(k for k, n in enumerate(body) if n is node)
            body[at:at] = reads

    def _take_parts(self, old: Graph, new: Graph) -> None:
        """Give a function parameters for the parts in place of the records."""
        params, new.params = new.params, []
        for k, p in enumerate(params):
            record = self.split.get((id(old), k))
            if record is None:
                new.params.append(p)
                continue
            found: dict[Path, Node] = {}
            names = _names(new, p)
            for path in record.paths:
                t = p.type
                for key in path:
                    t = _inner(t, key)
                found[path] = new.add_parameter(t, names.get(path), p.span)
            replaced: dict[int, Node] = {}
            dropped: set[int] = set()
            for path, reader in _reads(new, p):
                if path in found:
                    replaced[id(reader)] = found[path]
                if not any(path[:n] in found for n in range(1, len(path))):
                    dropped.add(id(reader))
            for region in regions_within(new):
                region.body = [n for n in region.body if id(n) not in dropped]
            replace(new, replaced)


def _reads(graph: Graph, node: Node, path: Path = ()) -> Iterator[tuple[Path, Apply]]:
    """The paths to parts of a record, and the statements that read them."""
    for reader in walk(graph):
        if _reads_field(reader, node):
            inner = (*path, reader.args[1].value)  # type: ignore[attr-defined]
            yield inner, reader
            yield from _reads(graph, reader, inner)


def _names(graph: Graph, p: Node) -> dict[Path, str]:
    """The user's names for parts of a record, else those of the fields."""
    found: dict[Path, str] = {}
    for path, reader in _reads(graph, p):
        own = path[-1] if _is_name(path[-1]) else None
        name = reader.name or own
        if name is not None:
            found.setdefault(path, name)
    return found


def _is_name(key: Any) -> bool:
    return isinstance(key, str) and key.isidentifier()


def _part(parts: dict[Path, Node], path: Path, reads: list[Apply], at: Apply) -> Node:
    """A part of a record, read before a call."""
    found = parts.get(path)
    if found is not None:
        return found
    base = _part(parts, path[:-1], reads, at)
    t, key = deref(base.type), path[-1]
    name = Constant(key, Other(type(key)))
    built = part_of_built(base, name)
    if built is not None:
        parts[path] = built
        return built
    op = ops.GETATTR if isinstance(t, Object) else ops.GETITEM
    made = Apply(op, (base, name), _inner(t, key), span=at.span)
    made.comment = at.comment
    if _is_name(key):
        made.name = key
    reads.append(made)
    parts[path] = made
    return made


class _Readers:
    """The statements that read a value, and what regions and the function return."""

    def __init__(self, graph: Graph) -> None:
        self.results = {id(r) for r in graph.results}
        self._by: dict[int, list[Apply]] = {}
        for node in walk(graph):
            for n in {id(n): n for n in node.inputs}.values():
                self._by.setdefault(id(n), []).append(node)
            for region in node.regions:
                self.results.update(map(id, region.results))

    def of(self, node: Node) -> list[Apply]:
        return self._by.get(id(node), [])


def _called_by_name(graphs: list[Graph]) -> list[Graph]:
    """The functions that are called and not used as values, nor part of a pair."""
    found = {id(g): g for g in graphs[1:] if g.product is None}
    for g in graphs:
        if g.mirrors is not None:
            found.pop(id(g), None)
            found.pop(id(g.mirrors[0]), None)
        for node in walk(g):
            if isinstance(node.target, Graph):
                # A checkpoint: both functions are given the same.
                found.pop(id(node.target), None)
                found.pop(id(_callee(node)), None)
            given = node.inputs[1:] if _callee(node) is not None else node.inputs
            for n in given:
                if isinstance(n, Constant) and isinstance(n.value, Graph):
                    found.pop(id(n.value), None)
    return list(found.values())


def _callee(node: Node) -> Graph | None:
    if isinstance(node, Apply) and node.op is ops.CALL:
        first = node.args[0]
        if isinstance(first, Constant) and isinstance(first.value, Graph):
            return first.value
    return None


def _is_record(t: Type) -> bool:
    """Whether a value is made of parts with names, which nobody changes."""
    t = deref(t)
    if isinstance(t, Object):
        if t.fields is None or t.cls is Saved or t.told_apart:
            return False
    elif isinstance(t, Dict):
        if t.fields is None:
            return False
    elif not isinstance(t, Tuple) or isinstance(t, Packed):
        return False
    return is_differentiable(t) and not holds_itself(t) and not holds_stored(t)


def _keys(t: Type) -> list[Any]:
    t = deref(t)
    if isinstance(t, Tuple):
        return list(range(len(t.items)))
    assert isinstance(t, Object | Dict)
    return list(t.fields or ())


def _inner(t: Type, key: Any) -> Type:
    t = deref(t)
    if isinstance(t, Tuple):
        return t.items[key]
    assert isinstance(t, Object | Dict)
    assert t.fields is not None
    return t.fields[key]


def _reads_field(reader: Apply, node: Node) -> bool:
    """Whether a statement reads a part of a record that is surely there."""
    if reader.op not in (ops.GETATTR, ops.GETITEM) or reader.args[0] is not node:
        return False
    key = reader.args[1]
    if not isinstance(key, Constant) or not _is_record(node.type):
        return False
    keys = _keys(node.type)
    return any(type(k) is type(key.value) and k == key.value for k in keys)


def _same_structure(a: Type, b: Type) -> bool:
    """Whether two records have the same parts."""
    a, b = deref(a), deref(b)
    if not _is_record(a):
        return not isinstance(b, NeverType)
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        same = a.cls is b.cls and len(a.items) == len(b.items)
        return same and all(map(_same_structure, a.items, b.items))
    return a is b


def _can_be_handed_over(t: Type) -> bool:
    t = deref(t)
    return not isinstance(t, AnyType | Function | NeverType | Other | Packed)


__all__ = ["hand_over_fields"]
