"""Stores that wait with the elementwise statements whose values they take.

A store can be part of the loop that computes its value if no other statement of that
loop still needs what it overwrites, other than at the element that is being written.
So it is where both see the same elements in the same order, or none in common: of
`x[1:, k]` and `x[1:, j]` that is certain without knowing the numbers.
An update, `x[k] = x[k] + d`, adds to what is there: several of them may overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import AliasClass, Num, deref, same_form
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.optimize.analysis.memory import Place, memory_of, place_of

from ..emission.values import Array
from ..lowering.elementwise import is_elementwise
from ..lowering.narrow_integers import touches_narrow


@dataclass
class Store:
    """A store that waits: the part that is written, and what is stored or added."""

    node: Apply
    kind: AliasClass
    place: Place
    part: Array
    value: Node
    adds: bool


def update_of(node: Apply, uses: Mapping[int, int]) -> Node | None:
    """What a store adds to what is at its place, if that is all it does."""
    base, index, value = node.args
    if not is_primitive(value, "add") or uses.get(id(value), 0) != 1:
        return None
    assert isinstance(value, Apply)
    s, place = deref(value.type), place_of(base, index)
    for old, new in (value.args, value.args[::-1]):
        t = deref(old.type)
        if not isinstance(t, Num) or not isinstance(s, Num):
            continue
        if same_form(t, s) and place.same(_place(old)):
            return new
    return None


def _place(node: Node) -> Place:
    """Where a value is read."""
    if isinstance(node, Apply) and node.op is ops.GETITEM:
        return place_of(*node.args)
    return Place(node, None)


def overwrites(kind: AliasClass, place: Place, nodes: Iterable[Apply]) -> bool:
    """Whether a store would change what statements still have to read elsewhere."""
    return any(
        memory_of(a) is kind and not place.aligned(_place(a))
        for n in nodes
        for a in n.inputs
        if not isinstance(a, Constant)
    )


def may_wait(node: Apply) -> bool:
    """Whether the value of a store can be computed in a loop that also stores it."""
    base, index, value = node.args
    kind = memory_of(base)
    if touches_narrow(node):
        return False
    if kind is None or not isinstance(value, Apply) or not is_elementwise(value):
        return False
    place, seen, pending = place_of(base, index), set(), [value]
    while pending:
        inner = pending.pop()
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        if overwrites(kind, place, (inner,)):
            return False
        pending += [a for a in inner.args if isinstance(a, Apply) and is_elementwise(a)]
    return True
