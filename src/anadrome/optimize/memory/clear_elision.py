"""Clear elision: updates of cotangents without clearing what is refilled at once.

The cotangent of an array that was changed in place, `x[k] += y`, is taken out, set to
zero, and added where it came from: it could have stayed.
"""

from __future__ import annotations

from dataclasses import dataclass

from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, free_inputs
from anadrome.ir.types import AliasClass, Num, deref, same_form
from anadrome.optimize.analysis.iterations import count_uses, is_primitive
from anadrome.optimize.analysis.memory import (
    RESHAPING,
    Place,
    is_view,
    may_convert,
    memory_of,
    place_of,
)
from anadrome.optimize.rewriting import regions_within
from anadrome.primitives.registry import Primitive


def elide_clears(graph: Graph) -> Graph:
    """The graph with cotangents left in place where they would be put back.

    d = dx[k].copy()            d = dx[k].copy()
    dx[k] = 0             →     dy += d
    dx[k] += d
    dy += d
    """
    for g in called_graphs(graph):
        uses = count_uses(g)
        for region in regions_within(g):
            _region(region, uses)
    return graph


def _region(region: Graph, uses: dict[int, int]) -> None:
    gone: set[int] = set()
    for k, node in enumerate(region.body):
        if _clears(node) and id(node) not in gone:
            _elide_clear(region.body, k, uses, gone)
    region.body = [n for n in region.body if id(n) not in gone]
    _merge(region, uses)


def _merge(region: Graph, uses: dict[int, int]) -> None:
    """Add to a place once what is added to it in several statements."""
    found = {id(n): u for n in region.body if (u := _update(n, uses)) is not None}
    sums = {id(u.adding) for u in found.values()}
    pending: list[_Update] = []
    gone: set[int] = set()
    body: list[Apply] = []
    for node in region.body:
        update = found.get(id(node))
        if update is None:
            if id(node) not in sums:
                pending = [u for u in pending if not _touches(node, u.kind)]
            body.append(node)
            continue
        for other in pending:
            if other.kind is update.kind and other.place.same(update.place):
                total = Apply(other.adding.op, (other.value, update.value), other.type)
                total.target, total.span = other.adding.target, update.adding.span
                gone.update((id(other.adding), id(other.storing)))
                old = update.old
                update.adding.args = (old, total)
                at = next(k for k, n in enumerate(body) if n is update.adding)
                body.insert(at, total)
                total.graph = region
                update.value = total
                pending.remove(other)
                break
        body.append(node)
        pending.append(update)
    region.body = [n for n in body if id(n) not in gone]


@dataclass
class _Update:
    """A statement that adds to part of an array, and the one that stores the sum."""

    kind: AliasClass
    place: Place
    old: Node
    value: Node
    type: Num
    adding: Apply
    storing: Apply


def _update(node: Apply, uses: dict[int, int]) -> _Update | None:
    if node.op is not ops.SETITEM:
        return None
    base, index, adding = node.args
    kind, place = memory_of(base), place_of(base, index)
    if kind is None or not is_primitive(adding, "add") or uses.get(id(adding)) != 1:
        return None
    assert isinstance(adding, Apply)
    t = deref(adding.type)
    for old, new in (adding.args, adding.args[::-1]):
        s = deref(new.type)
        if not _is_at(old, place) or not isinstance(t, Num) or not isinstance(s, Num):
            continue
        if not t.ndim or not same_form(s, t):
            continue
        if memory_of(new) is None and not isinstance(new, Constant):
            return _Update(kind, place, old, new, t, adding, node)
    return None


def _clears(node: Apply) -> bool:
    if node.op is not ops.SETITEM:
        return False
    value = node.args[2]
    number = isinstance(value, Constant) and isinstance(value.value, int | float)
    return number and value.value == 0  # type: ignore[attr-defined]


def _elide_clear(
    body: list[Apply], at: int, uses: dict[int, int], gone: set[int]
) -> None:
    """Drop a store of zeros if what is added next can be stored instead."""
    clearing = body[at]
    kind = memory_of(clearing.args[0])
    place = place_of(*clearing.args[:2])
    if kind is None or not is_basic(clearing.args[1]):
        return
    touching = [n for n in body[at + 1 :] if id(n) not in gone and _touches(n, kind)]
    read: Apply | None = None
    if touching and _reads_number(touching[0], place):
        read = touching.pop(0)
    if len(touching) < 2:
        if not touching or read is None:
            return
    found = _addition(touching, read, place, uses)
    if found is None:
        return
    added, adding, storing = found
    if _was_here(body, at, added, kind, place):
        gone.update((id(clearing), id(adding), id(storing)))
    elif read is not None:
        storing.args = (*storing.args[:2], added)
        gone.update((id(clearing), id(adding)))


def _addition(
    touching: list[Apply], read: Apply | None, place: Place, uses: dict[int, int]
) -> tuple[Node, Apply, Apply] | None:
    """What is added at a place, by which statement, and the one that stores it."""
    if read is not None:
        storing = touching[0]
        adding = storing.args[2] if storing.op is ops.SETITEM else None
        mine = read if uses.get(id(read)) == 1 else None
    else:
        adding, storing = touching[:2]
        mine = None
    if not is_primitive(adding, "add") or storing.op is not ops.SETITEM:  # type: ignore[arg-type]
        return None
    assert isinstance(adding, Apply)
    if storing.args[2] is not adding or uses.get(id(adding)) != 1:
        return None
    if not place.same(place_of(*storing.args[:2])):
        return None
    a, b = adding.args
    for old, new in ((a, b), (b, a)):
        here = old is mine if read is not None else _is_at(old, place)
        if here and _fits(old, new):
            return new, adding, storing
    return None


def _fits(old: Node, new: Node) -> bool:
    """Whether a value has the type that it would have in the sum."""
    s, t = deref(old.type), deref(new.type)
    return isinstance(s, Num) and isinstance(t, Num) and same_form(s, t)


def _is_at(node: Node, place: Place) -> bool:
    if isinstance(node, Apply) and node.op is ops.GETITEM:
        return place.same(place_of(*node.args))
    return place.index is None and node is place.base


def _was_here(
    body: list[Apply], at: int, node: Node, kind: AliasClass, place: Place
) -> bool:
    """Whether a value is what was at a place before it was cleared."""
    if not isinstance(node, Apply):
        return False
    source: Node = node
    if node.op is ops.COPY:
        source = node.args[0]
    elif deref(node.type).ndim != 0:  # type: ignore[attr-defined]
        return False
    if not _is_at(source, place):
        return False
    for before in reversed(body[:at]):
        if before is node:
            return True
        if _writes(before, kind):
            return False
    return False


def _touches(node: Apply, kind: AliasClass) -> bool:
    """Whether a statement may read or write certain buffers."""
    copies = may_convert(node) or (
        is_primitive(node, *RESHAPING) and is_view(node.args[0])
    )
    if is_view(node) and not copies:
        return False
    if is_primitive(node, "shape", "size", "ndim", "dtype_of"):
        return False
    if any(memory_of(n) is kind for n in free_inputs(node)):
        return True
    return _is_unknown(node)


def _writes(node: Apply, kind: AliasClass) -> bool:
    if isinstance(node.op, ops.Op) and node.op.writes:
        return memory_of(node.args[0]) is kind
    return _is_unknown(node) or any(
        _writes(n, kind) for r in node.regions for n in r.body
    )


def _is_unknown(node: Apply) -> bool:
    """Whether a statement may do what cannot be seen here."""
    if isinstance(node.op, Primitive):
        return not node.op.pure
    if node.op in (ops.PYCALL, ops.METHOD, ops.CALL, ops.OBSERVE, ops.SETATTR):
        return True
    return any(_is_unknown(n) for r in node.regions for n in r.body)


def _reads_number(node: Apply, place: Place) -> bool:
    t = deref(node.type)
    if node.op is not ops.GETITEM or not isinstance(t, Num) or t.ndim != 0:
        return False
    return place.same(place_of(*node.args))
