"""Lowerings of products that are added to an array in place."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply

from ..emission.function import Emitter
from ..emission.values import I64, Array, Value
from ..kernels.library import run
from ..kernels.plan import KernelOutput
from .language import runs
from .matmul import as_column, as_row, gemm, product_tree
from .reductions import add
from .registry import array_of


@runs(ops.ADD_PRODUCT)
def _add_product(e: Emitter, node: Apply) -> Value | None:
    out, x, y = (array_of(e, a) for a in node.args)
    if x.ndim == 1:
        column, row = _spread(e, as_column(x), 0, out), _spread(e, as_row(y), 1, out)
        product = product_tree(column, row, out.dtype)
        run(e, out.shape, [KernelOutput(product, out, add, alone=True)])
        return None
    e.fail_unless(
        e.builder.icmp_signed("==", x.shape[1], y.shape[0]),
        ValueError,
        "the columns of the first operand do not match the rows of the second",
    )
    gemm(e, _spread(e, x, 0, out), _spread(e, y, 1, out), out, accumulate=True)
    return None


def _spread(e: Emitter, factor: Array, axis: int, out: Array) -> Array:
    """A factor that fits the array: one row, or one column, is repeated."""
    b = e.builder
    n, wanted = factor.shape[axis], out.shape[axis]
    single = b.icmp_signed("==", n, I64(1))
    e.fail_unless(
        b.or_(single, b.icmp_signed("==", n, wanted)),
        ValueError,
        "could not broadcast an axis of {0} into one of {1}",
        n,
        wanted,
    )
    shape, strides = list(factor.shape), list(factor.strides)
    shape[axis] = wanted
    strides[axis] = b.select(single, I64(0), strides[axis])
    return Array(factor.dtype, factor.block, factor.data, shape, strides)
