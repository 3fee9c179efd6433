"""Whose memory values are, and where in it they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import (
    AliasClass,
    Num,
    Tuple,
    Type,
    alias_of,
    deref,
    is_stored,
    same_dtype,
)
from anadrome.primitives.registry import Primitive

RESHAPING = ("reshape", "reshape_method", "ravel")
"""What gives an array another shape: a view or a copy, by its order in memory."""


_ORDERING = (np.ascontiguousarray, np.asfortranarray)


def depends_on_order(node: Apply) -> bool:
    """Whether a statement gives a view or a copy, by an array's order in memory."""
    if not isinstance(node.op, Primitive):
        return False
    if node.op.name == "asarray":
        ordered = len(node.args) > 2 or "order" in node.keywords
        return ordered or node.target in _ORDERING
    return node.op.name in RESHAPING


def tells_order(node: Node) -> bool:
    """Whether what a statement gives depends on an array's order in memory.

    Changes in place tell whether it was a view.
    """
    if not isinstance(node, Apply):
        return False
    if node.op is ops.PYCALL:
        called = node.args[0]
        return isinstance(called, Constant) and any(called.value is f for f in _LOOKING)
    if not isinstance(node.op, Primitive):
        return False
    if node.op.name in _LOOKED_AT:
        return True
    if depends_on_order(node) and is_stored(node.type):
        return True
    return node.op.name in _ORDERED and order_of(node) not in ("C", "F")


def order_of(node: Apply) -> str | None:
    """The order that a statement is told, "C" if none, None if it is not known."""
    given = node.keywords.get("order")
    if given is None and node.op.name != "reshape_method":
        names = list(node.op.signature.parameters)
        place = names.index("order") if "order" in names else len(node.args)
        given = node.args[place] if place < len(node.args) else None
    if given is None:
        return "C"
    return given.value if isinstance(given, Constant) else None


_LOOKED_AT = (
    *("flags_of", "strides_of", "isfortran", "require"),
    *("base_property", "data_property", "ctypes_property"),
)
_LOOKING = (np.lib.stride_tricks.as_strided, np.nditer)
_ORDERED = (*RESHAPING, "flatten", "tobytes_method")


def may_convert(node: Node) -> bool:
    """Whether what may be a view is a copy if something else than its order is so."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return False
    if node.op.name == "asarray":
        t, s = deref(node.type), deref(node.args[0].type)
        if not isinstance(t, Num) or not isinstance(s, Num) or depends_on_order(node):
            return True
        return t.dtype is None or s.dtype is None or t.dtype != s.dtype
    return node.op.name in _CONVERTING


_CONVERTING = (
    *("diag", "real", "conjugate_method", "require", "view_method", "trim_zeros"),
    *("float16", "float32", "float64", "complex64", "complex128", "longdouble"),
)


def order_shows(graph: Graph) -> bool:
    """Whether it can be told from changes in place in which order arrays lie."""
    return any(
        tells_order(node)
        for g in called_graphs(graph, recorded=True)
        for node in walk(g)
    )


def changes_dtype(graph: Graph) -> bool:
    """Whether a variable is an array that is changed in place, of several dtypes.

    Native code would convert it, and change a copy.
    """
    return any(
        is_stored(place) and not same_dtype(place.dtype, given.dtype)
        for g in called_graphs(graph)
        for node in walk(g)
        for place, given in array_entries(node)
    )


def array_entries(node: Apply) -> Iterator[tuple[Num, Num]]:
    """The types of arrays that a statement puts into variables, after those of these.

    Branches, loops and calls do.
    """
    outs = [o.type for o in node.outputs]
    if node.op in (ops.IF, ops.TRY):
        for region in node.regions:
            yield from _arrays(outs, region.results)
    elif node.op in (ops.FOR, ops.WHILE):
        n = node.shape.carried
        yield from _arrays(outs[:n], node.args[len(node.args) - n :])
        yield from _arrays(outs[:n], node.regions[-1].results)
    elif node.op is ops.CALL and isinstance(node.args[0], Constant):
        callee = node.args[0].value
        if isinstance(callee, Graph):
            yield from _arrays([p.type for p in callee.params], node.args[1:])


def _arrays(places: list[Type], given: Sequence[Node]) -> Iterator[tuple[Num, Num]]:
    pending = [(place, node.type) for place, node in zip(places, given)]
    while pending:
        p, q = map(deref, pending.pop())
        if isinstance(p, Tuple) and isinstance(q, Tuple):
            pending += zip(p.items, q.items)
        elif isinstance(p, Num) and isinstance(q, Num) and p.ndim and q.ndim:
            if p.dtype is not None and q.dtype is not None:
                yield p, q


def memory_of(node: Node) -> AliasClass | None:
    """The buffers that a value may be part of, if something is stored into them."""
    while is_view(node):
        assert isinstance(node, Apply)
        node = node.args[0]
    found = alias_of(node.type)
    return found if found is not None and is_stored(node.type) else None


def is_view(node: Node) -> bool:
    """Whether an array only looks at another one's elements."""
    t = deref(node.type)
    if not isinstance(node, Apply) or not isinstance(t, Num) or not t.ndim:
        return False
    if node.op is ops.GETITEM:
        array, index = node.args
        return isinstance(deref(array.type), Num) and is_basic(index)
    return isinstance(node.op, Primitive) and node.op.view


@dataclass(frozen=True)
class Place:
    """Part of an array: the array and the index, which is None for all of it."""

    base: Node
    index: Node | None

    def same(self, other: Place) -> bool:
        """Whether two places are surely the same elements."""
        if self.base is not other.base:
            return False
        return self.index is other.index or _equal(self.index, other.index)

    def aligned(self, other: Place) -> bool:
        """Whether two places surely are the same elements or have none in common."""
        if self.same(other):
            return True
        if self.base is not other.base or self.index is None or other.index is None:
            return False
        mine, theirs = _parts(self.index), _parts(other.index)
        if len(mine) != len(theirs):
            return False
        return all(
            (_is_integer(a) and _is_integer(b)) or _same_slice(a, b)
            for a, b in zip(mine, theirs)
        )


def _parts(index: Node) -> tuple[Node, ...]:
    tuples = isinstance(index, Apply) and index.op is ops.TUPLE
    return index.args if tuples else (index,)  # type: ignore[attr-defined]


def _same_slice(a: Node, b: Node) -> bool:
    """Whether two parts of indices surely are one slice."""
    if not isinstance(a, Apply) or not isinstance(b, Apply):
        return False
    if a.op is not ops.SLICE or b.op is not ops.SLICE:
        return False
    return a is b or all(x is y or _equal(x, y) for x, y in zip(a.args, b.args))


def _equal(a: Node | None, b: Node | None) -> bool:
    if not isinstance(a, Constant) or not isinstance(b, Constant):
        return False
    return type(a.value) is type(b.value) and bool(a.value == b.value)


def place_of(base: Node, index: Node) -> Place:
    """The place at an index of an array."""
    if isinstance(index, Constant) and index.value is Ellipsis:
        if isinstance(base, Apply) and base.op is ops.GETITEM:
            return place_of(*base.args)
        return Place(base, None)
    return Place(base, index)


Extents = tuple[tuple[int, int], ...]


def extents_of(node: Node) -> Extents | None:
    """How long the axes of part of an array are: as which of its axes, less how much.

    None if that depends on numbers that are not known.
    """
    if is_view(node):
        assert isinstance(node, Apply)
        return extents_at(*node.args) if node.op is ops.GETITEM else None
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim is None:
        return None
    return tuple((k, 0) for k in range(t.ndim))


def extents_at(array: Node, index: Node) -> Extents | None:
    """How long the axes of the part of an array at an index are."""
    base = extents_of(array)
    if base is None:
        return None
    parts = _parts(index)
    if len(parts) == 1 and isinstance(parts[0], Constant) and parts[0].value is ...:
        return base
    found: list[tuple[int, int]] = []
    for (axis, less), part in zip(base, parts):
        if isinstance(part, Apply) and part.op is ops.SLICE:
            cut = _cut(part)
            if cut is None:
                return None
            found.append((axis, less + cut))
        elif not _is_integer(part):
            return None
    return (*found, *base[len(parts) :])


def _cut(part: Apply) -> int | None:
    """How many items a slice leaves out, if it takes all but some at the ends."""
    ends = [a.value if isinstance(a, Constant) else ... for a in part.args]
    first, last, step = ends
    if step not in (None, 1) or ... in ends or last == 0:
        return None
    first, last = first or 0, last if last is not None else 0
    if type(first) is not int or type(last) is not int or first < 0 or last > 0:
        return None
    return first - last


def _is_integer(node: Node) -> bool:
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim != 0 or t.dtype is None:
        return False
    return t.dtype.kind in "iu"


Row = tuple[object, ...]


def row_of(array: Node, index: Node) -> tuple[Node, Row, int] | None:
    """The array that part of an array is seen in, which rows of it these are, and
    where in them it begins; None if that is not known."""
    parts = _parts(index)
    if len(parts) == 1 and isinstance(parts[0], Constant) and parts[0].value is ...:
        if isinstance(array, Apply) and array.op is ops.GETITEM:
            return row_of(*array.args)
        parts = ()
    t = deref(array.type)
    if not isinstance(t, Num) or not t.ndim or len(parts) > t.ndim:
        return None
    found: list[object] = []
    for part in parts:
        if _is_integer(part):
            at = ("is", part.value) if isinstance(part, Constant) else id(part)
            found.append(("at", at))
            continue
        if not isinstance(part, Apply) or part.op is not ops.SLICE:
            return None
        first = part.args[0]
        if not isinstance(first, Constant) or _cut(part) is None:
            return None
        found.append(first.value or 0)
    found += [0] * (t.ndim - len(found))
    start = found.pop()
    return (array, tuple(found), start) if isinstance(start, int) else None
