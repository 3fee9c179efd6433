"""Lowerings of what concerns diagonals and triangles of matrices."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.control_flow import for_range, minimum
from ..emission.function import Emitter
from ..emission.values import I64, Array, Scalar, Static, Value, scalar_type
from ..fusion.expressions import Leaf
from .elementwise import fill
from .registry import argument, array_of, lowers, option, result_type, static
from .shaping import check_sizes, sizes_of


def _diagonal(e: Emitter, matrix: Array, offset: ir.Value) -> Array:
    """A view of a diagonal, not owned."""
    b = e.builder
    rows, columns = matrix.shape
    zero = I64(0)
    above = b.icmp_signed(">", offset, zero)
    right = b.select(above, offset, zero)
    down = b.select(above, zero, b.neg(offset))
    length = minimum(b, b.sub(rows, down), b.sub(columns, right))
    length = b.select(b.icmp_signed("<", length, zero), zero, length)
    data = e.address(matrix, [down, right])
    step = b.add(*matrix.strides)
    return Array(matrix.dtype, matrix.block, data, [length], [step])


def _matrix_of_zeros(e: Emitter, node: Apply, sizes: list[ir.Value]) -> Array:
    t = result_type(e, node)
    assert t.dtype is not None
    check_sizes(e, sizes)
    out = e.allocate(t.dtype, sizes)
    fill(e, out, Leaf(Static(0), t.dtype))
    return out


@lowers("eye", "identity", options=("M", "k", "dtype"))
def _lower_eye(e: Emitter, node: Apply) -> Value:
    if node.op.name == "identity" and (len(node.args) > 2 or "k" in node.keywords):
        raise e.refuse("'identity' of this", node.span)
    rows = columns = e.integer(e.value(node.args[0]))
    offset: ir.Value = I64(0)
    if node.op.name == "eye":
        width = option(e, node, 0, "M", None)
        if not (isinstance(width, Static) and width.value is None):
            columns = e.integer(width)
        offset = e.integer(option(e, node, 1, "k", 0))
    out = _matrix_of_zeros(e, node, [rows, columns])
    line = _diagonal(e, out, offset)
    fill(e, line, Leaf(Static(1), out.dtype))
    return out


@lowers("diag", options=("k",))
def _lower_diag(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    if array.ndim != 1:
        raise e.refuse("'diag' of several axes", node.span)
    offset = e.integer(argument(e, node, "k"))
    b = e.builder
    negative = b.icmp_signed("<", offset, I64(0))
    size = b.add(array.shape[0], b.select(negative, b.neg(offset), offset))
    out = _matrix_of_zeros(e, node, [size, size])
    fill(e, _diagonal(e, out, offset), Leaf(array, array.dtype))
    return out


@lowers("diagonal", options=("offset", "axis1", "axis2"), complexes=True)
def _lower_diagonal(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    if array.ndim != 2 or not _are_last(e, node):
        raise e.refuse("diagonals of several matrices", node.span)
    view = _diagonal(e, array, e.integer(argument(e, node, "offset")))
    e.retain(view)
    return view


def _are_last(e: Emitter, node: Apply) -> bool:
    """Whether axes that are given are those of a matrix."""
    axes = [static(e, argument(e, node, n), "an axis") for n in ("axis1", "axis2")]
    return axes in ([0, 1], [-2, -1])


@lowers("trace", options=("offset", "axis1", "axis2"))
def _lower_trace(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    array = array_of(e, node.args[0])
    if array.ndim != 2 or not _are_last(e, node):
        raise e.refuse("'trace' of several matrices", node.span)
    b, kind = e.builder, scalar_type(t.dtype)
    line = _diagonal(e, array, e.integer(argument(e, node, "offset")))
    total = e.local(kind)
    b.store(ir.Constant(kind, 0.0 if t.dtype.kind == "f" else 0), total)
    with for_range(b, 0, line.shape[0]) as k:
        item = e.convert(e.load(line, [k]), line.dtype, t.dtype)
        add = b.fadd if t.dtype.kind == "f" else b.add
        b.store(add(b.load(total), item), total)
    return Scalar(t.dtype, b.load(total))


@lowers("from_diagonal", operands=2, options=("offset", "axis1", "axis2"))
def _lower_from_diagonal(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    sizes = sizes_of(e, e.value(node.args[1]))
    if len(sizes) != 2 or array.ndim != 1 or not _are_last(e, node):
        raise e.refuse("diagonals of several matrices", node.span)
    out = _matrix_of_zeros(e, node, sizes)
    line = _diagonal(e, out, e.integer(argument(e, node, "offset")))
    same = e.builder.icmp_signed("==", line.shape[0], array.shape[0])
    e.fail_unless(same, ValueError, "a diagonal of another length")
    fill(e, line, Leaf(array, array.dtype))
    return out


@lowers("tril", "triu", options=("k",))
def _lower_triangle(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    array = array_of(e, node.args[0])
    if array.ndim != 2 or t.dtype != array.dtype:
        raise e.refuse("triangles of several matrices", node.span)
    b = e.builder
    offset = e.integer(argument(e, node, "k"))
    out = e.allocate(array.dtype, array.shape)
    zero = ir.Constant(scalar_type(array.dtype), 0.0 if array.dtype.kind == "f" else 0)
    with for_range(b, 0, out.shape[0]) as i:
        edge = b.add(i, offset)
        with for_range(b, 0, out.shape[1]) as j:
            inside = b.icmp_signed("<=" if node.op.name == "tril" else ">=", j, edge)
            value = b.select(inside, e.load(array, [i, j]), zero)
            e.store(out, [i, j], value)
    return out
