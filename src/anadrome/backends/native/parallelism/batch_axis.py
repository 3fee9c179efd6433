"""Which loops treat the rows of a batch apart from each other.

A loop is *by rows* if every value in it is either the same for all rows or consists of
rows of its own, one axis of it being the batch: then rows can be divided among threads
that never wait for each other. Found by following that axis through the loop's body,
from the first axis of the variables that it carries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, Tuple, deref, holds_stored
from anadrome.optimize.linear.contractions import product_of
from anadrome.primitives.registry import Primitive

from ..lowering.elementwise import is_elementwise

if TYPE_CHECKING:
    from typing_extensions import TypeIs


@dataclass(frozen=True)
class Row:
    """An array of which an axis is the batch."""

    axis: int


@dataclass(frozen=True)
class Lengths:
    """A tuple of which an item is the number of rows."""

    place: int


SAME = "same for all rows"
ROWS = "the number of rows"
Kind = Row | Lengths | str


class NotByRows(Exception):
    """Something in a loop mixes rows, or may."""


@dataclass
class RowPlan:
    """The batch axes of values from outside the loop, of residuals read and kept."""

    outside: dict[int, tuple[Node, int]] = field(default_factory=dict)
    items: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    # Comparisons of the number of rows with one from outside the loop, and that one.
    compared: list[tuple[Apply, Node]] = field(default_factory=list)
    # Values from outside the loop that cannot be of one row for all.
    divided: set[int] = field(default_factory=set)


def plan_rows(loop: Apply, joined: dict[int, int]) -> RowPlan | None:
    """How a loop's rows can be divided, or None."""
    if loop.op is not ops.FOR or loop.shape.breaks or not loop.shape.carried:
        return None
    if any(holds_stored(out.type) for out in loop.outputs):
        # Rows would be put together in new arrays, but it matters which ones these are.
        return None
    try:
        return _Following(loop, joined).plan
    except NotByRows:
        return None


class _Following:
    """The kinds of the values of a loop's body."""

    def __init__(self, loop: Apply, joined: dict[int, int]) -> None:
        self.loop, self.body = loop, loop.regions[0]
        self.plan = RowPlan()
        self.kinds: dict[int, Kind] = {}
        self.same: set[int] = set()
        # Values from outside the loop and an axis of them that must not be divided.
        self.undivided: list[tuple[int, int]] = []
        shape, params = loop.shape, self.body.params
        self.kinds[id(params[0])] = SAME
        for p in params[1:]:
            if not _ndim(p):
                raise NotByRows
            self.kinds[id(p)] = Row(0)
        for k in range(shape.stacks):
            if id(loop.args[3 + k]) not in joined:
                raise NotByRows
            self.plan.items.append(0)
        for node in self.body.body:
            if node.regions or node.outputs:
                raise NotByRows
            self.kinds[id(node)] = self._statement(node)
        for value, axis in self.undivided:
            if self.plan.outside.get(value, (None, None))[1] == axis:
                raise NotByRows
        for k, r in enumerate(self.body.results):
            kind = self.kind(r)
            if not isinstance(kind, Row):
                raise NotByRows
            if k < shape.carried:
                if kind.axis != 0:
                    raise NotByRows
                continue
            if id(loop.outputs[k]) not in joined:
                raise NotByRows
            self.plan.kept.append(kind.axis)

    def kind(self, node: Node) -> Kind:
        """The kind of a value; outside the loop it is the same for all rows so far."""
        return self.kinds.get(id(node), SAME)

    def _is_outside(self, node: Node) -> bool:
        return not isinstance(node, Constant) and id(node) not in self.kinds

    def _use_whole(self, node: Node) -> None:
        """Note that a value is used as the same for all rows."""
        if self._is_outside(node):
            if id(node) in self.plan.outside:
                raise NotByRows
            self.same.add(id(node))

    def _use_rows(self, node: Node, axis: int, broadcast: bool = False) -> None:
        """Note that only the rows of a value from outside the loop are used.

        Where it is broadcast, one row may also stand for all.
        """
        known = self.plan.outside.setdefault(id(node), (node, axis))
        if known[1] != axis or id(node) in self.same:
            raise NotByRows
        if not broadcast:
            self.plan.divided.add(id(node))

    def _statement(self, node: Apply) -> Kind:
        rule = _RULES.get(node.op.name)
        if isinstance(node.op, Primitive) or node.op in _LANGUAGE:
            if is_elementwise(node) and _ndim(node) is not None:
                return self._elementwise(node, list(node.args))
            if rule is not None:
                return rule(self, node)
        return self._plain(node)

    def _plain(self, node: Apply) -> Kind:
        """A statement that sees nothing of the rows."""
        for n in node.inputs:
            if self.kind(n) != SAME:
                raise NotByRows
            self._use_whole(n)
        return SAME

    # Rules --------------------------------------------------------------------------

    def _elementwise(self, node: Apply, args: list[Node]) -> Kind:
        kinds = [self.kind(a) for a in args]
        if all(k in (SAME, ROWS) for k in kinds):
            if ROWS not in kinds:
                return self._plain(node)
            # The number of rows can be compared, and that is all.
            if node.op.name != "equal":
                raise NotByRows
            if set(kinds) != {ROWS}:
                (other,) = (a for a, k in zip(args, kinds) if k != ROWS)
                if not self._is_outside(other):
                    raise NotByRows
                self._use_whole(other)
                self.plan.compared.append((node, other))
            return SAME
        place = self._place(args, kinds)
        ndim = _ndim(node)
        if ndim is None:
            raise NotByRows
        return Row(ndim - place)

    def _place(self, args: list[Node], kinds: list[Kind]) -> int:
        """The axis of the rows of operands that are broadcast, from the last one."""
        places = {(_ndim(a) or 0) - k.axis for a, k in zip(args, kinds) if _is_row(k)}
        if len(places) != 1 or any(k not in (SAME,) and not _is_row(k) for k in kinds):
            raise NotByRows
        (place,) = places
        for a, k in zip(args, kinds):
            if k != SAME or isinstance(a, Constant):
                continue
            ndim = _ndim(a)
            if ndim is None:
                raise NotByRows
            if ndim < place:
                self._use_whole(a)
            elif self._is_outside(a):
                self._use_rows(a, ndim - place, broadcast=True)
            else:
                raise NotByRows
        return place

    def _fits(self, node: Apply) -> Kind:
        """`fit_together`: rows fit if the arrays do."""
        kinds = [self.kind(a) for a in node.args]
        if any(map(_is_row, kinds)):
            self._place(list(node.args), kinds)
            return SAME
        return self._plain(node)

    def _same_length(self, node: Apply) -> Kind:
        a, i, b, j = node.args
        kinds = [self.kind(x) for x in (a, b)]
        if kinds == [SAME, SAME]:
            return self._plain(node)
        if all(
            _is_row(k) and _is_batch(x, n, k) for x, n, k in zip((a, b), (i, j), kinds)
        ):
            # Of both there are as many rows, whichever these are.
            return SAME
        for x, axis, kind in ((a, i, kinds[0]), (b, j, kinds[1])):
            ndim = _ndim(x)
            if ndim is None or not isinstance(axis, Constant):
                raise NotByRows
            place = axis.value % ndim
            if kind == SAME and self._is_outside(x):
                self.undivided.append((id(x), place))
            elif not _is_row(kind) or place == kind.axis:
                raise NotByRows
        return SAME

    def _matmul(self, node: Apply) -> Kind:
        a, b = node.args[:2]
        left, right = self.kind(a), self.kind(b)
        ranks = (_ndim(a), _ndim(b))
        if _is_row(left) and right == SAME and ranks[1] == 2:
            if left.axis == 0 and ranks[0] in (2, 3):
                self._use_whole(b)
                return Row(0)
        if left == SAME and right == Row(1) and ranks == (2, 2):
            self._use_whole(a)
            return Row(1)
        return self._plain(node)

    def _einsum(self, node: Apply) -> Kind:
        """A product in which the batch is a letter of every operand and the result.

        As rows or columns of a matrix product they might be summed in another order
        for fewer of them; a vector that is summed over is multiplied row by row.
        """
        product = product_of(node)
        if product is None:
            return self._plain(node)
        pairs = list(zip(product.operands, product.given))
        found = {g[k.axis] for x, g in pairs if _is_row(k := self.kind(x))}
        if not found and all(self.kind(x) == SAME for x in product.operands):
            return self._plain(node)
        if len(found) != 1 or not found <= set(product.output):
            raise NotByRows
        (letter,) = found
        for x, letters in pairs:
            if len(letters) == 1 and letters not in product.output:
                if self.kind(x) != SAME:
                    raise NotByRows
                self._use_whole(x)
                continue
            if letters.count(letter) != 1:
                raise NotByRows
            if not _is_row(self.kind(x)):
                if not self._is_outside(x):
                    raise NotByRows
                self._use_rows(x, letters.index(letter))
        return Row(product.output.index(letter))

    def _getitem(self, node: Apply) -> Kind:
        base, index = node.args
        kind = self.kind(base)
        if isinstance(kind, Lengths):
            if not isinstance(index, Constant) or type(index.value) is not int:
                raise NotByRows
            if kind.place < 0:
                raise NotByRows
            place = index.value % len(_items(base))
            return ROWS if place == kind.place else SAME
        if _is_row(kind):
            return Row(self._axis_after(kind.axis, index, _ndim(base) or 0))
        if index is self.body.params[0] and self._is_outside(base):
            ndim = _ndim(node)
            if ndim is not None and ndim >= 2:
                self._use_rows(base, 1)
                return Row(0)
        return self._plain(node)

    def _axis_after(self, axis: int, index: Node, ndim: int) -> int:
        """Where the batch is after basic indexing that leaves it alone."""
        parts: list[Node] = [index]
        if isinstance(index, Apply) and index.op is ops.TUPLE:
            parts = list(index.args)
        elif isinstance(index, Constant) and isinstance(index.value, tuple):
            parts = [Constant(v, index.type) for v in index.value]
        taken = sum(1 for p in parts if not _is_one_of(p, None, ...))
        at = after = 0
        for p in parts:
            if _is_one_of(p, None):
                after += 1
                continue
            if _is_one_of(p, ...):
                skipped = ndim - taken
                if at <= axis < at + skipped:
                    return after + axis - at
                at, after = at + skipped, after + skipped
                continue
            if at == axis:
                if _is_everything(p):
                    return after
                raise NotByRows
            if _is_slice(p):
                after += 1
            elif _ndim(p) != 0:
                raise NotByRows
            self._use_whole(p)
            at += 1
        return after + axis - at

    def _index_add(self, node: Apply) -> Kind:
        base, index, value = node.args
        kind = self.kind(base)
        if not _is_row(kind):
            return self._plain(node)
        ndim = _ndim(base) or 0
        axis = self._axis_after(kind.axis, index, ndim)
        part = self.kind(value)
        if _is_row(part):
            # Both must count the batch from the last axis alike.
            left = self._rank_after(index, ndim) - axis
            if left != (_ndim(value) or 0) - part.axis:
                raise NotByRows
        elif part != SAME or _ndim(value) != 0:
            raise NotByRows
        return kind

    def _rank_after(self, index: Node, ndim: int) -> int:
        if isinstance(index, Apply) and index.op is ops.TUPLE:
            parts: list[Node] = list(index.args)
        elif isinstance(index, Constant) and isinstance(index.value, tuple):
            parts = [Constant(v, index.type) for v in index.value]
        else:
            parts = [index]
        for p in parts:
            if _is_one_of(p, None):
                ndim += 1
            elif not _is_one_of(p, ...) and not _is_slice(p):
                ndim -= 1
        return ndim

    def _same(self, node: Apply) -> Kind:
        """What only tells the type of values."""
        return SAME

    def _shape(self, node: Apply) -> Kind:
        kind = self.kind(node.args[0])
        if _is_row(kind):
            return Lengths(kind.axis)
        return self._plain(node)

    def _length(self, node: Apply) -> Kind:
        kind = self.kind(node.args[0])
        if kind == Row(0):
            return ROWS
        if _is_row(kind):
            return SAME
        return self._plain(node)

    def _tuple(self, node: Apply) -> Kind:
        kinds = [self.kind(a) for a in node.args]
        if kinds.count(ROWS) == 1 and set(kinds) <= {ROWS, SAME}:
            return Lengths(kinds.index(ROWS))
        return self._list(node)

    def _filled(self, node: Apply) -> Kind:
        kind = self.kind(node.args[0])
        others = [*node.args[1:], *node.keywords.values()]
        if any(self.kind(n) != SAME for n in others):
            raise NotByRows
        if isinstance(kind, Lengths):
            return Row(kind.place)
        return kind if _is_row(kind) else self._plain(node)

    def _broadcast(self, node: Apply) -> Kind:
        value, shape = node.args[:2]
        kind, sizes = self.kind(value), self.kind(shape)
        if not isinstance(sizes, Lengths) or sizes.place < 0 or node.keywords:
            return self._plain(node)
        count = len(_items(shape))
        if _is_row(kind):
            if (_ndim(value) or 0) - kind.axis != count - sizes.place:
                raise NotByRows
        elif kind != SAME or _ndim(value) != 0:
            raise NotByRows
        else:
            self._use_whole(value)
        return Row(sizes.place)

    def _unbroadcast(self, node: Apply) -> Kind:
        value, shape = node.args
        kind, sizes = self.kind(value), self.kind(shape)
        if not _is_row(kind) or not isinstance(sizes, Lengths) or sizes.place < 0:
            return self._plain(node)
        if (_ndim(value) or 0) - kind.axis != len(_items(shape)) - sizes.place:
            raise NotByRows
        return Row(sizes.place)

    def _like(self, node: Apply) -> Kind:
        if any(self.kind(n) != SAME for n in node.inputs[1:]):
            raise NotByRows
        kind = self.kind(node.args[0])
        return kind if _is_row(kind) else self._plain(node)

    def _reduced(self, node: Apply) -> Kind:
        kind, ndim = self.kind(node.args[0]), _ndim(node.args[0])
        if not _is_row(kind):
            return self._plain(node)
        axis = node.keywords.get("axis")
        if len(node.args) > 1:
            axis = node.args[1]
        allowed = {"axis", "keepdims", "dtype"}
        known = set(node.keywords) <= allowed and len(node.args) <= 2
        if not isinstance(axis, Constant) or not known or ndim is None:
            raise NotByRows
        keep = node.keywords.get("keepdims")
        given = axis.value if isinstance(axis.value, tuple) else (axis.value,)
        if any(type(k) is not int for k in given):
            raise NotByRows
        axes = {k % ndim for k in given}
        if kind.axis in axes:
            raise NotByRows
        if keep is not None:
            if not isinstance(keep, Constant):
                raise NotByRows
            if keep.value:
                return kind
        return Row(kind.axis - sum(k < kind.axis for k in axes))

    def _transposed(self, node: Apply) -> Kind:
        kind, ndim = self.kind(node.args[0]), _ndim(node.args[0])
        if not _is_row(kind):
            return self._plain(node)
        if len(node.inputs) != 1 or ndim is None:
            raise NotByRows
        return Row(ndim - 1 - kind.axis)

    def _swapped(self, node: Apply) -> Kind:
        kind, ndim = self.kind(node.args[0]), _ndim(node.args[0])
        if not _is_row(kind):
            return self._plain(node)
        axes = [a.value for a in node.args[1:] if isinstance(a, Constant)]
        if len(axes) != 2 or any(type(k) is not int for k in axes) or not ndim:
            raise NotByRows
        i, j = (k % ndim for k in axes)
        return Row({i: j, j: i}.get(kind.axis, kind.axis))

    def _expanded(self, node: Apply) -> Kind:
        kind, ndim = self.kind(node.args[0]), _ndim(node)
        if not _is_row(kind):
            return self._plain(node)
        axis = node.args[1] if len(node.args) > 1 else node.keywords.get("axis")
        if not isinstance(axis, Constant) or type(axis.value) is not int or not ndim:
            raise NotByRows
        return Row(kind.axis + (axis.value % ndim <= kind.axis))

    def _joined(self, node: Apply) -> Kind:
        """`concatenate` of arrays of a list, along another axis than the batch."""
        arrays = node.args[0]
        kinds = {self.kind(a) for a in getattr(arrays, "args", ())}
        axis = node.args[1] if len(node.args) > 1 else node.keywords.get("axis")
        rows = [k for k in kinds if _is_row(k)]
        if not rows and self.kind(arrays) == SAME:
            return self._plain(node)
        if len(kinds) != 1 or len(rows) != 1 or not isinstance(axis, Constant):
            raise NotByRows
        ndim = _ndim(node)
        if type(axis.value) is not int or not ndim or rows[0].axis == axis.value % ndim:
            raise NotByRows
        return rows[0]

    def _list(self, node: Apply) -> Kind:
        # Only `concatenate` looks into it, see there.
        kinds = {self.kind(a) for a in node.args}
        if len(kinds) == 1 and all(_is_row(k) for k in kinds):
            return Lengths(-1)
        return self._plain(node)


_RULES = {
    "matmul": _Following._matmul,
    "einsum": _Following._einsum,
    "result_type": _Following._same,
    "dtype_of": _Following._same,
    "real": _Following._like,
    "getitem": _Following._getitem,
    "index_add": _Following._index_add,
    "shape": _Following._shape,
    "len": _Following._length,
    "tuple": _Following._tuple,
    "list": _Following._list,
    "concatenate": _Following._joined,
    "fit_together": _Following._fits,
    "same_length": _Following._same_length,
    "broadcast_to": _Following._broadcast,
    "unbroadcast": _Following._unbroadcast,
    "zeros": _Following._filled,
    "ones": _Following._filled,
    "empty": _Following._filled,
    "zeros_like": _Following._like,
    "ones_like": _Following._like,
    "copy": _Following._like,
    "sum": _Following._reduced,
    "max": _Following._reduced,
    "min": _Following._reduced,
    "mean": _Following._reduced,
    "swapaxes": _Following._swapped,
    "expand_dims": _Following._expanded,
    "transpose_all": _Following._transposed,
    "transpose": _Following._transposed,
}
_LANGUAGE = (ops.GETITEM, ops.INDEX_ADD, ops.LENGTH, ops.TUPLE, ops.LIST, ops.COPY)


def _is_row(kind: Kind) -> TypeIs[Row]:
    return isinstance(kind, Row)


def _is_batch(array: Node, axis: Node, kind: Row) -> bool:
    """Whether a number names the axis of the batch."""
    ndim = _ndim(array)
    if not ndim or not isinstance(axis, Constant) or type(axis.value) is not int:
        return False
    return bool(axis.value % ndim == kind.axis)


def _ndim(node: Node) -> int | None:
    t = deref(node.type)
    return t.ndim if isinstance(t, Num) and t.dtype is not None else None


def _items(node: Node) -> tuple[object, ...]:
    t = deref(node.type)
    assert isinstance(t, Tuple)
    return t.items


def _is_one_of(node: Node, *values: object) -> bool:
    return isinstance(node, Constant) and any(node.value is v for v in values)


def _is_slice(node: Node) -> bool:
    if isinstance(node, Constant):
        return isinstance(node.value, slice)
    return isinstance(node, Apply) and node.op is ops.SLICE


def _is_everything(node: Node) -> bool:
    if isinstance(node, Constant):
        return node.value == slice(None)
    if not isinstance(node, Apply) or node.op is not ops.SLICE:
        return False
    return all(_is_one_of(a, None) for a in node.args)
