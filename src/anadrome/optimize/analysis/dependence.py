"""Where the iterations of a loop read and write arrays, and whether they meet there."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import INT, NONE, STR, AliasClass, Num, Other, Tuple, deref
from anadrome.optimize.analysis.iterations import is_primitive, primitive

_BOOL = Num(np.dtype(bool), 0, True)
_ZERO = Constant(0, INT)


class Stays(Exception):
    """A loop of which it is not known that its iterations are independent."""


Offset = tuple[Any, Node]


@dataclass
class Index:
    """The parts of an index, one for each of the leading axes.

    `iteration_axis` is the axis at which the iteration's number stands, and `offset`
    the operation and the number by which it is moved there. If that axis is kept, what
    is taken of it is a window that moves with the iterations, and `end` says where it
    ends.
    """

    parts: list[Node]
    iteration_axis: int | None
    offset: Offset | None
    end: Offset | None = None

    @property
    def is_window(self) -> bool:
        """Whether every iteration takes a part of the axis of the iterations."""
        return self.iteration_axis is not None and self.is_slice(self.iteration_axis)

    def is_slice(self, axis: int) -> bool:
        """Whether an axis is kept."""
        return _is_slice(self.parts[axis])


@dataclass
class Access:
    """A place at which every iteration reads or writes an array."""

    base: Node
    kind: AliasClass | None
    index: Index
    writes: bool


def read_index(node: Node, over: Range, symbols: set[int]) -> Index:
    """The parts of an index; `symbols` are the values that depend on the iteration."""
    parts = _parts(node)
    axis, offset, end = None, None, None
    for k, part in enumerate(parts):
        if not _is_slice(part) and not _is_integer(part):
            raise Stays
        if part is over.index or id(part) in symbols:
            if axis is not None:
                raise Stays
            axis = k
            if _is_slice(part):
                first, last, step = _ends(part)
                if not _is_none(step) and not _is_natural(step, 1):
                    raise Stays
                offset = _offset(first, over, symbols)
                end = _offset(last, over, symbols)
            else:
                offset = _offset(part, over, symbols)
    return Index(parts, axis, offset, end)


def _parts(node: Node) -> list[Node]:
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        return list(node.args)
    if isinstance(node, Constant) and isinstance(node.value, tuple):
        kinds: dict[type, Any] = {int: INT, slice: Other(slice)}
        if not all(type(v) in kinds for v in node.value):
            raise Stays
        return [Constant(v, kinds[type(v)]) for v in node.value]
    return [node]


def _offset(part: Node, over: Range, symbols: set[int]) -> Offset | None:
    """How far from the number of the iteration an index is."""
    if part is over.index:
        return None
    if not is_primitive(part, "add", "subtract"):
        raise Stays
    assert isinstance(part, Apply)
    a, b = part.args
    if is_primitive(part, "add") and b is over.index:
        a, b = b, a
    if a is not over.index or b is over.index or id(b) in symbols:
        raise Stays
    return (operator.add if is_primitive(part, "add") else operator.sub), b


def _is_slice(node: Node) -> bool:
    if isinstance(node, Constant):
        return isinstance(node.value, slice)
    return isinstance(node, Apply) and node.op is ops.SLICE


def _is_integer(node: Node) -> bool:
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim != 0 or t.dtype is None or t.boxed:
        return False
    return t.dtype.kind in "iu"


class Range:
    """The numbers of a loop's iterations."""

    def __init__(self, index: Node, start: Node, stop: Node) -> None:
        self.index, self.start, self.stop = index, start, stop
        self._checked: set[Any] = set()

    def covers(self, base: Node, axis: int) -> bool:
        """Whether they are those of all items along an axis."""
        return _is_natural(self.start, 0) and _is_length(self.stop, base, axis)

    def inside(self, base: Node, index: Index) -> list[Apply]:
        """Assertions that an index takes part of an array in every iteration."""
        axis = index.iteration_axis
        assert axis is not None
        by = None if index.offset is None else id(index.offset[1])
        key = (id(base), axis, by, index.offset and index.offset[0])
        if key in self._checked:
            return []
        self._checked.add(key)
        start, stop = self.start, self.stop
        made: list[Apply] = []
        if index.offset is not None:
            op, distance = index.offset
            made = [primitive(op, e, distance, type=INT) for e in (start, stop)]
            start, stop = made
        if not _is_natural(start):
            made += check(">=", start, _ZERO)
        if not _is_length(stop, base, axis):
            if not _is_natural(stop):
                made += check(">=", stop, _ZERO)
            size, looked = _length(base, axis)
            made += [*looked, *check("<=", stop, size)]
        return made

    def window(
        self, base: Node, index: Index
    ) -> tuple[tuple[Node, Node, Node], list[Apply]]:
        """The size of a window and where it first and last is, and assertions that it
        is inside an array in every iteration."""
        axis = index.iteration_axis
        assert axis is not None
        made: list[Apply] = []

        def moved(node: Node, offset: Offset | None) -> Node:
            if offset is None:
                return node
            made.append(primitive(offset[0], node, offset[1], type=INT))
            return made[-1]

        first, stop = (moved(n, index.offset) for n in (self.start, self.stop))
        end = moved(self.start, index.end)
        size = moved(end, (operator.sub, first))
        length, looked = _length(base, axis)
        if not _is_natural(first):
            made += check(">=", first, _ZERO)
        made += [*check(">=", size, _ZERO), *looked]
        reach = moved(stop, (operator.add, size))
        room = moved(length, (operator.add, Constant(1, INT)))
        made += [*check("<=", first, stop), *check("<=", reach, room)]
        return (size, first, stop), made

    def apart(self, part: Node) -> list[Apply] | None:
        """Assertions under which part of an axis has no iteration's number, or None."""
        if _is_slice(part):
            first, last, step = _ends(part)
            if not _is_none(step) and not _is_natural(step, 1):
                return None
            starts = _is_none(first) or _is_natural(first, 0)
            if starts and not _is_none(last) and same(last, self.start):
                return []
            after = _is_none(last) and not _is_none(first)
            return [] if after and same(first, self.stop) else None
        if _is_natural(part) and _is_natural(self.start):
            below = part.value < self.start.value  # type: ignore[attr-defined]
            return [] if below else None
        if is_primitive(self.start, "add"):
            left, right = self.start.args  # type: ignore[attr-defined]
            if same(left, part) and _is_natural(right) and right.value > 0:
                return check(">=", part, _ZERO)
        return None


def independent(
    accesses: list[Access], written: Iterable[AliasClass | None], over: Range
) -> list[Apply]:
    """Assertions under which no iteration writes what another reads or writes."""
    made: list[Apply] = []
    for kind in written:
        here = [a for a in accesses if a.kind is kind]
        axes = {a.index.iteration_axis for a in here if a.writes}
        if (
            kind is None
            or len(axes) != 1
            or any(a.base is not here[0].base for a in here)
        ):
            raise Stays
        (axis,) = axes
        for access in here:
            index = access.index
            if index.iteration_axis == axis and index.offset is None:
                continue
            if access.writes or axis is None or axis >= len(index.parts):
                raise Stays
            if index.iteration_axis == axis:
                raise Stays
            found = over.apart(index.parts[axis])
            if found is None:
                raise Stays
            made += found
    return made


def check(sign: str, a: Node, b: Node) -> list[Apply]:
    """An assertion about two integers."""
    compare = {"<=": operator.le, ">=": operator.ge}[sign]
    test = primitive(compare, a, b, type=_BOOL)
    message = Constant("iterations of a loop that are not independent", STR)
    return [test, Apply(ops.ASSERT, (test, message), NONE)]


def same(a: Node, b: Node) -> bool:
    """Whether two integers are computed in the same way from the same values."""
    if a is b:
        return True
    if isinstance(a, Constant) and isinstance(b, Constant):
        return type(a.value) is type(b.value) is int and bool(a.value == b.value)
    if not isinstance(a, Apply) or not isinstance(b, Apply) or a.op is not b.op:
        return False
    plain = a.op is ops.GETITEM or is_primitive(a, "add", "subtract", "shape")
    if not plain or a.keywords or b.keywords or len(a.args) != len(b.args):
        return False
    if a.op is ops.GETITEM and not is_primitive(a.args[0], "shape"):
        return False
    return all(same(x, y) for x, y in zip(a.args, b.args))


def _is_none(node: Node) -> bool:
    return isinstance(node, Constant) and node.value is None


def _is_natural(node: Node, value: int | None = None) -> bool:
    if not isinstance(node, Constant) or type(node.value) is not int:
        return False
    return node.value >= 0 if value is None else bool(node.value == value)


def _ends(part: Node) -> tuple[Node, Node, Node]:
    if isinstance(part, Apply):
        return part.args  # type: ignore[return-value]
    assert isinstance(part, Constant)
    s = part.value
    return tuple(  # type: ignore[return-value]
        Constant(v, NONE if v is None else INT) for v in (s.start, s.stop, s.step)
    )


def _is_length(node: Node, base: Node, axis: int) -> bool:
    """Whether a number is the length of an axis of an array."""
    if not isinstance(node, Apply):
        return False
    if node.op is ops.LENGTH:
        return axis == 0 and node.args[0] is base
    if node.op is not ops.GETITEM or not _is_natural(node.args[1], axis):
        return False
    shape = node.args[0]
    return is_primitive(shape, "shape") and shape.args[0] is base  # type: ignore[attr-defined]


def _length(base: Node, axis: int) -> tuple[Apply, list[Apply]]:
    t = deref(base.type)
    assert isinstance(t, Num)
    sizes = Tuple((INT,) * (t.ndim or 0))
    shape = primitive(np.shape, base, type=sizes)
    size = Apply(ops.GETITEM, (shape, Constant(axis, INT)), INT)
    return size, [shape, size]
