"""Types of results that an example of length one along each axis would not show.

What a primitive returns is otherwise found by running it on such an example. These
functions look at the length of an axis or at the numbers themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import ANY, INT, Num, Tuple, Type, VarTuple, deref


def number_type(node: Node) -> Num:
    """The type of an array, all unknown if it is something else."""
    t = deref(node.type)
    return t if isinstance(t, Num) else Num(None, None)


def rank_less(t: Num, count: int) -> int | None:
    """The rank with some axes less, if it is known."""
    return None if t.ndim is None else t.ndim - count


def shape_type(a: Node) -> Type:
    """As many numbers as there are axes."""
    t = number_type(a)
    return VarTuple(INT) if t.ndim is None else Tuple((INT,) * t.ndim)


def type_of_shape(like: Node, shape: Node) -> Type:
    """An array of a given shape, with the dtype of another one."""
    t = deref(shape.type)
    rank = len(t.items) if isinstance(t, Tuple) else None
    return Num(number_type(like).dtype, rank, boxed=rank == 0)


def squeeze_type(a: Node, axis: Node | None = None) -> Type:
    """Without `axis`, the rank depends on which axes have length 1."""
    t = number_type(a)
    if isinstance(axis, Constant) and axis.value is not None:
        count = len(axis.value) if isinstance(axis.value, tuple) else 1
        rank = rank_less(t, count)
    else:
        rank = 0 if t.ndim == 0 else None
    if rank is not None and rank <= 0:
        # A number of NumPy's stays one; what else has no axes left is an array.
        return Num(t.dtype, 0, boxed=not t.scalar or t.python)
    return Num(t.dtype, rank)


def covariance_type(m: Node, *args: Node, **options: Node) -> Type:
    """A number for one variable, a matrix for several."""
    return Num(None, None)


def unstack_type(x: Node, *, axis: Node | None = None) -> Type:
    """As many arrays as the axis is long."""
    t = number_type(x)
    return VarTuple(Num(t.dtype, rank_less(t, 1)))


def real_if_close_type(a: Node, *args: Node, **options: Node) -> Type:
    """Real or complex, depending on the numbers."""
    t = number_type(a)
    known = t.dtype is not None and t.dtype.kind != "c"
    return Num(t.dtype if known else None, t.ndim, boxed=t.ndim == 0)


def eigenvalue_dtype(t: Num) -> Any:
    """Complex for complex matrices; for real ones it depends on the numbers."""
    return t.dtype if t.dtype is not None and t.dtype.kind == "c" else None


def eigenvalues_type(a: Node) -> Type:
    """Vectors of eigenvalues."""
    t = number_type(a)
    return Num(eigenvalue_dtype(t), rank_less(t, 1))


def eig_type(a: Node) -> Type:
    """Vectors of eigenvalues and matrices of eigenvectors."""
    t = number_type(a)
    result = type(np.linalg.eig(np.eye(1)))
    dtype = eigenvalue_dtype(t)
    return Tuple((Num(dtype, rank_less(t, 1)), Num(dtype, t.ndim)), result)


def real_transform_type(a: Node, *args: Node, **options: Node) -> Type:
    """Real numbers of the same precision, along the same axes."""
    t = number_type(a)
    if t.dtype is None:
        return Num(None, t.ndim)
    if t.dtype == np.float16:
        return t
    return Num(np.zeros(0, np.result_type(t.dtype, np.complex64)).real.dtype, t.ndim)


def item_type(x: Node, *args: Node) -> Type:
    """A Python number of the kind that the array holds."""
    t = number_type(x)
    if t.dtype is None or t.dtype.kind not in "biufc":
        return ANY
    return Num(np.asarray(np.ones((), t.dtype).item()).dtype, 0, True)
