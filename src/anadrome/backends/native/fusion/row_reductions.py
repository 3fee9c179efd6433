"""Statements that hang together by reductions along rows, as passes over each row."""

from __future__ import annotations

from functools import partial
from operator import is_
from typing import Any

from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, deref

from ..emission.function import Emitter, NoLowering
from ..emission.values import I64, Array, Nothing, SliceValue, Static, Value, is_one
from ..kernels.library import run_rows
from ..kernels.plan import KernelOutput
from ..kernels.row_plan import can_be_written_over, found_reductions, scratch_bytes
from ..lowering.basic_indexing import index_parts
from ..lowering.elementwise import build, build_operation
from ..lowering.language import take_over
from ..lowering.reductions import (
    RowShape,
    check_not_empty,
    combine_rows,
    row_shape_of,
    row_tree,
)
from ..lowering.registry import argument, static
from ..lowering.shaping import sizes_of
from .expressions import Expr
from .fused_loops import FusedLoop, is_unbroadcast, lower, operands_of

# What is kept of a row lies on the stack.
_MOST_SCRATCH = 1 << 18


class FusedRowLoop(FusedLoop):
    """Statements that hang together by reductions along rows."""

    def __init__(
        self,
        e: Emitter,
        nodes: list[Apply],
        uses: dict[int, int],
        row_shapes: dict[int, RowShape],
        read_elsewhere: set[int],
    ) -> None:
        super().__init__(e, nodes, uses, {}, {})
        self.row_shapes = row_shapes
        # What other statements that wait read.
        self.read_elsewhere = read_elsewhere
        self.rank = rank_of(e, nodes[0])
        self.views = [n for n in self.stored if is_row_view(n)]
        sources = {id(n.args[0]) for n in self.views} | {id(n) for n in self.stored}
        self.stored = [n for n in nodes if id(n) in sources and not is_row_view(n)]
        self.exprs: dict[int, Expr] = {}
        self.giving: dict[int, list[list[ir.Value]] | None] = {}

    def write(self) -> list[Apply]:
        """Write the statements."""
        return [*super().write(), *lower_all(self.e, self.views)]

    def _anchor(self) -> list[ir.Value] | None:
        if any(rank_of(self.e, n) != self.rank for n in self.nodes):
            return None
        for node in self.nodes:
            for a in operands_of(self.e, node):
                value = self.e.values.get(id(a)) if id(a) not in self.own else None
                if not isinstance(value, Array) or value.ndim != self.rank:
                    continue
                if not any(is_one(n) for n in value.shape):
                    return value.shape
        return None

    # Shapes -------------------------------------------------------------------------

    def _fits(self, anchor: list[ir.Value]) -> ir.Value | None:
        b, e = self.e.builder, self.e
        tests: dict[Any, ir.Value] = {}
        numbers = [*anchor[:-1], I64(1)]
        for node in self.nodes:
            row_shape = self.row_shapes[id(node)]
            if is_broadcast(node) or is_unbroadcast(node):
                shapes = self._shapes(node.args[0], anchor, tests)
                if is_unbroadcast(node):
                    self._test_full(shapes, anchor, tests)
                for n, m in zip(sizes_of(e, e.value(node.args[1])), anchor):
                    test = self._equal(n, m)
                    if test is not None:
                        tests[id(test)] = test
                self.giving[id(node)] = None
            elif is_row_view(node):
                self.giving[id(node)] = self._shapes(node.args[0], anchor, tests)
            elif row_shape_of(e, node) is not None:
                shapes = self._shapes(node.args[0], anchor, tests)
                self._test_full(shapes, anchor, tests)
                self.giving[id(node)] = [numbers]
            else:
                self.giving[id(node)] = self._together(node, anchor, tests)
        for node in self.stored:
            row_shape = self.row_shapes[id(node)]
            if row_shape in (RowShape.WIDE, RowShape.KEPT):
                skip = int(row_shape is RowShape.KEPT)
                self._test_full(self.giving[id(node)], anchor, tests, skip)
        self._build(anchor)
        bytes_ = scratch_bytes([self.exprs[id(n)] for n in self.stored], self.rank)
        if bytes_:
            most = I64(_MOST_SCRATCH // bytes_)
            tests["scratch"] = b.icmp_signed("<=", anchor[-1], most)
        return self._all(tests)

    def _together(
        self, node: Apply, anchor: list[ir.Value], tests: dict[Any, ir.Value]
    ) -> list[list[ir.Value]] | None:
        """The shapes that may give a statement its own; None if it has the anchor's."""
        found: dict[tuple[int, ...], list[ir.Value]] | None = {}
        for a in node.args:
            shapes = self._shapes(a, anchor, tests)
            if shapes is None:
                found = None
            elif found is not None:
                found.update((tuple(map(id, s)), s) for s in shapes)
        return None if found is None else list(found.values())

    def _shapes(
        self, node: Node, anchor: list[ir.Value], tests: dict[Any, ir.Value]
    ) -> list[list[ir.Value]] | None:
        """The same for an operand, which is required to fit."""
        if isinstance(node, Constant):
            return []
        if id(node) in self.own:
            return self.giving[id(node)]
        if id(node) in self.e.fused:
            assert isinstance(node, Apply)
            return self._together(node, anchor, tests)
        value = self.e.values.get(id(node))
        if not isinstance(value, Array) or not value.ndim:
            return []
        b, shape = self.e.builder, value.shape
        for n, m in zip(reversed(shape), reversed(anchor)):
            test = None if is_one(n) else self._equal(n, m)
            if test is not None:
                one = b.icmp_signed("==", n, I64(1))
                tests.setdefault((id(test), 1), b.or_(test, one))
        full = len(shape) == self.rank and all(n is m for n, m in zip(shape, anchor))
        return None if full else [shape]

    # Together -----------------------------------------------------------------------

    def _build(self, anchor: list[ir.Value]) -> None:
        for node in self.nodes:
            self.exprs[id(node)] = self._expression_of(node, anchor)

    def _expression_of(self, node: Apply, anchor: list[ir.Value]) -> Expr:
        if is_row_view(node) or is_unbroadcast(node) or node.op is ops.COPY:
            return build(self.e, node.args[0], self.exprs)
        if row_shape_of(self.e, node) is not None:
            inner = build(self.e, node.args[0], self.exprs)
            return row_tree(self.e, node, inner, anchor[-1])
        return build_operation(self.e, node, self.exprs)

    def _write_together(self, shape: list[ir.Value]) -> list[tuple[Apply, Value]]:
        e, before = self.e, self.e.span
        for node in self.nodes:
            if row_shape_of(e, node) is not None:
                e.span = node.span
                check_not_empty(e, node.op.name, shape, [self.rank - 1])
        e.span = before
        found: list[tuple[Apply, Value]] = []
        kernel_outputs: list[KernelOutput] = []
        leading = shape[:-1]
        sizes = {RowShape.WIDE: shape, RowShape.KEPT: [*leading, I64(1)]}
        for row_shape in RowShape:
            nodes = [n for n in self.stored if self.row_shapes[id(n)] is row_shape]
            if not nodes:
                continue
            dtypes = [deref(n.type).dtype for n in nodes]  # type: ignore[attr-defined]
            spare = self._spare(nodes, shape) if row_shape is RowShape.WIDE else None
            if spare is not None:
                new = partial(e.allocate, spare.dtype, shape)
                outs = [take_over(e, spare, new)]
            else:
                outs = e.outputs(nodes, dtypes, sizes.get(row_shape, leading))
            for node, out in zip(nodes, outs):
                place = out
                if row_shape is not RowShape.WIDE:
                    steps = [*out.strides[: len(leading)], I64(0)]
                    place = Array(out.dtype, out.block, out.data, shape, steps)
                kernel_outputs.append(KernelOutput(self.exprs[id(node)], place))
                found.append((node, out))
        if kernel_outputs:
            run_rows(e, shape, kernel_outputs)
        for k, (node, made) in enumerate(found):
            if self.row_shapes[id(node)] is RowShape.TOTAL:
                assert isinstance(made, Array)
                found[k] = (node, combine_rows(e, node, made, shape))
                e.release(made)
        return found

    def _spare(self, wide: list[Apply], shape: list[ir.Value]) -> Array | None:
        """An operand in whose memory the only wide result can be written.

        It is of the same shape and type, is read nowhere else, and is not read by any
        row pass after elements of the result were written over its own.
        """
        e = self.e
        if len(wide) != 1 or e.places.knows(wide[0]):
            return None
        result = self.exprs[id(wide[0])]
        dtype = deref(wide[0].type).dtype  # type: ignore[attr-defined]
        reductions = found_reductions([self.exprs[id(n)] for n in self.stored])
        others = [r.expr for r in reductions]
        for node in {id(a): a for n in self.nodes for a in operands_of(e, n)}.values():
            value = e.values.get(id(node))
            if id(node) not in e.dead or not isinstance(value, Array):
                continue
            if id(node) in self.read_elsewhere:
                continue
            same = len(value.shape) == len(shape) and all(map(is_, value.shape, shape))
            if not same or not value.contiguous or value.dtype != dtype:
                continue
            if can_be_written_over(value, result, others, self.rank):
                return value
        return None


def numbers_last(
    e: Emitter, nodes: list[Apply], row_shapes: dict[int, RowShape]
) -> tuple[list[Apply], list[Apply]]:
    """What is computed along rows, and what then follows for all rows at once."""
    along: list[Apply] = []
    after: list[Apply] = []
    needed: set[int] = set()
    for node in reversed(nodes):
        number = row_shapes[id(node)] is RowShape.KEPT and row_shape_of(e, node) is None
        if number and id(node) not in needed:
            after.insert(0, node)
            continue
        along.insert(0, node)
        needed.update(id(a) for a in operands_of(e, node))
    return along, after


def lower_all(e: Emitter, nodes: list[Apply]) -> list[Apply]:
    """Write statements by themselves."""
    before = e.span
    for node in nodes:
        e.span = node.span
        e.values[id(node)] = lower(e, node)
    e.span = before
    return nodes


def is_row_view(node: Apply) -> bool:
    """Whether a statement that waits is only another view of its operand."""
    return (
        is_broadcast(node)
        or node.op is ops.GETITEM
        or getattr(node.op, "name", None) == "expand_dims"
    )


def adds_last_axis(e: Emitter, node: Apply) -> bool:
    """Whether a statement gives an array one more axis, the last: `x[:, None]`."""
    t = deref(node.type)
    if not isinstance(t, Num) or not t.ndim or not node.args:
        return False
    if getattr(node.op, "name", None) == "expand_dims":
        try:
            axis = static(e, argument(e, node, "axis"), "an axis")
        except NoLowering:
            return False
        return axis in (-1, t.ndim - 1)
    if node.op is not ops.GETITEM or deref(node.args[0].type) is t:
        return False
    u = deref(node.args[0].type)
    if not isinstance(u, Num) or u.ndim != t.ndim - 1 or id(node.args[1]) in e.fused:
        return False
    *others, last = index_parts(e.value(node.args[1]))
    return _is_nothing(last) and all(map(_is_everything, others))


def _is_nothing(part: Value) -> bool:
    none = isinstance(part, Static) and part.value is None
    return none or isinstance(part, Nothing)


def _is_everything(part: Value) -> bool:
    if isinstance(part, SliceValue):
        return all(map(_is_nothing, (part.start, part.stop, part.step)))
    if not isinstance(part, Static):
        return False
    return part.value is Ellipsis or part.value == slice(None)


def is_broadcast(node: Apply) -> bool:
    """Whether a statement repeats an array along axes."""
    return getattr(node.op, "name", None) == "broadcast_to" and len(node.args) == 2


def rank_of(e: Emitter, node: Apply) -> int | None:
    """The axes over which a statement is computed."""
    whole = node.args[0] if row_shape_of(e, node) is not None else node
    rank: int | None = deref(whole.type).ndim  # type: ignore[attr-defined]
    return rank
