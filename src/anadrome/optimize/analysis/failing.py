"""Which statements may fail when they run, as far as types and shapes do not say no.

What may fail has to happen even if nobody reads its result. So this errs on the side
of failure, but knows the common statements that cannot: elementwise ones on arrays
that were shown to fit, items at the index of a loop over what they are taken from,
functions whose options were known when the program was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anadrome.frontend.syntax.may_raise import (
    exceptions_of,
    integers_fail,
    may_be_python,
)
from anadrome.infer.examples import runs_as_written
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, walk
from anadrome.ir.types import (
    AnyType,
    Dict,
    List,
    Num,
    Object,
    Other,
    Tuple,
    VarTuple,
    deref,
    is_stored,
)
from anadrome.optimize.analysis.shapes import Dim, Shapes
from anadrome.primitives.registry import Primitive

# What no array makes fail if its options did not when the program was read.
_BY_OPTIONS = frozenset(
    [
        "sum",
        "mean",
        "prod",
        "any",
        "all",
        "std",
        "var",
        "nansum",
        "nanmean",
        "nanprod",
        "nanstd",
        "nanvar",
        "count_nonzero",
        "cumsum",
        "cumprod",
        "nancumsum",
        "nancumprod",
        "sort",
        "argsort",
        "flip",
        "fliplr",
        "flipud",
        "roll",
        "rot90",
        "moveaxis",
        "swapaxes",
        "rollaxis",
        "transpose",
        "transpose_all",
        "transpose_method",
        "expand_dims",
        "matrix_transpose",
        "ravel",
        "flatten",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "tril",
        "triu",
        "diag",
        "diagonal",
        "trace",
        "diagflat",
        "copy",
        "astype",
        "asarray",
        "array",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "shape",
        "ndim",
        "size",
        "round",
        "norm",
        "vector_norm",
        "outer",
        "kron",
        "tolist",
        "meshgrid",
        "tile",
        "repeat",
        "ediff1d",
        "diff",
        "unique",
        "nonzero",
        "argwhere",
        "flatnonzero",
        "fftshift",
        "ifftshift",
        "array_equal",
        "stop_gradient",
        "tri",
        "zeros",
        "ones",
        "empty",
        "full",
        "eye",
        "identity",
        "arange",
        "linspace",
        "real_if_close",
        "iscomplexobj",
        "isrealobj",
        "isscalar",
        "dtype_of",
        "itemsize_of",
        "nbytes_of",
        "strides_of",
        "result_type",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "clongdouble",
        "longdouble",
        "vander",
        "add_outer",
        "subtract_outer",
        "multiply_outer",
        "divide_outer",
        "conjugate_method",
        "add_reduce",
        "multiply_reduce",
        "add_accumulate",
        "cumulative_sum",
        "cumulative_prod",
        "finfo",
        "iinfo",
        "bool",
        "dtype",
        "isclose",
        "broadcast_shapes",
    ]
)
_DIVISIONS = ("divide", "floor_divide", "remainder", "fmod", "divmod")
# Of Python's own functions those that take every number.
_MATH = frozenset(
    [
        "arctan",
        "arcsinh",
        "tanh",
        "erf",
        "erfc",
        "fabs",
        "absolute",
        "copysign",
        "degrees",
        "radians",
        "deg2rad",
        "rad2deg",
        "arctan2",
        "cbrt",
        "isfinite",
        "isinf",
        "isnan",
        "hypot",
        "isclose",
    ]
)


def can_fail(node: Apply, shapes: Shapes, spans: dict[int, Span]) -> bool:
    """Whether a statement may fail, by what was shown before it."""
    if node.op is ops.IF:
        return not _is_scalar(node.args[0]) and exceptions_of_truth(node.args[0])
    if isinstance(node.op, Primitive) and (
        _has_no_example(node) or _takes_some_types(node)
    ):
        return True
    if node.regions or exceptions_of(node) in ((), (FloatingPointError,)):
        return False
    if isinstance(node.op, Primitive):
        return _primitive_fails(node, shapes)
    if node.op is ops.GETITEM:
        return _item_fails(node, shapes, spans)
    if node.op is ops.LENGTH:
        return True  # of what may have no axes
    if node.op is ops.CONVERT:
        kind = getattr(node.args[0], "value", None)
        return kind not in (list, tuple, bool, str) or exceptions_of_truth(node.args[1])
    if node.op is ops.PYCALL and isinstance(node.args[0], Constant):
        return not (node.args[0].value in (min, max, abs) and len(node.args) > 2)
    return node.op in (ops.NOT, ops.CONTAINS, ops.SET, ops.OBSERVE, ops.METHOD)


def exceptions_of_truth(node: Node) -> bool:
    """Whether it may fail to ask whether a value is true."""
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim != 0


def _is_scalar(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0


def _primitive_fails(node: Apply, shapes: Shapes) -> bool:
    name = node.op.name
    module = str(getattr(node.target, "__module__", "")).split(".")[0]
    if module == "math":
        return name not in _MATH
    if node.op.broadcasts:
        return _numbers_fail(node) or not _fit(node, shapes)
    if name in ("matmul", "dot"):
        return not _match(node, shapes)
    if name == "broadcast_to":
        return not _fills(node, shapes)
    if name in _BY_OPTIONS:
        return _has_wrong_options(node) or not _has_known_options(node, shapes)
    return True


def _has_wrong_options(node: Apply) -> bool:
    """Whether options may be wrong that were not tried as they are."""
    if any(map(_has_large, node.inputs)):
        # The type of the result was found with others if these fail.
        target = node.target or node.op.impl
        if not runs_as_written(target, tuple(node.args), node.keywords):
            return True
    ranks = [t.ndim for a in node.args if isinstance(t := deref(a.type), Num)]
    if node.op.name == "full":
        return len(node.args) < 2 or not _is_scalar(node.args[1])
    if node.op.name == "expand_dims":
        axis = getattr(node.args[-1], "value", None)
        rank = ranks[0] if ranks else None
        return type(axis) is not int or rank is None or not -rank - 1 <= axis <= rank
    if node.op.name == "arange":
        floats = [a for a in node.args if not isinstance(a, Constant)]
        return any(getattr(deref(a.type), "inexact", True) for a in floats)
    return False


def _has_large(node: Node) -> bool:
    """Whether an option has an integer in it that examples may not have had."""
    value = node.value if isinstance(node, Constant) else None
    parts = value if isinstance(value, tuple) else (value,)
    return any(type(p) is int and p > 1 for p in parts)


def _has_no_example(node: Apply) -> bool:
    """Whether nothing came of a statement when it was tried on such values."""
    t = deref(node.type)
    if not isinstance(t, AnyType) and not (isinstance(t, Num) and t.ndim is None):
        return False
    given = [deref(a.type) for a in node.inputs if not isinstance(a, Constant)]
    return all(
        isinstance(g, Num) and g.ndim is not None and g.dtype is not None for g in given
    )


def _takes_some_types(node: Apply) -> bool:
    """Whether numbers of a type that is not known may be none that are taken."""
    if node.op.name not in _REAL and node.op.name not in _INTEGRAL:
        return False
    return any(
        isinstance(t := deref(a.type), Num) and t.dtype is None for a in node.inputs
    )


_REAL = frozenset(
    [
        "floor_divide",
        "remainder",
        "fmod",
        "divmod",
        "floor",
        "ceil",
        "trunc",
        "arctan2",
        "hypot",
        "logaddexp",
        "logaddexp2",
        "copysign",
        "heaviside",
        "cbrt",
        "fabs",
    ]
)
_INTEGRAL = frozenset(
    [
        "invert",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "left_shift",
        "right_shift",
        "gcd",
        "lcm",
    ]
)


def _numbers_fail(node: Apply) -> bool:
    """Whether an operation on Python's own numbers may fail: a quotient by zero."""
    types = [deref(a.type) for a in node.args]
    if not all(isinstance(t, Num) for t in types):
        return True
    if integers_fail(node):
        return True
    if not all(t.ndim is not None and (t.ndim or t.python) for t in types):  # type: ignore[attr-defined]
        # One is NumPy's, or it is not known whether it is.
        unknown = any(t.ndim is None for t in types)  # type: ignore[attr-defined]
        unknown |= all(map(may_be_python, node.args))
        return unknown and node.op.name in _DIVISIONS
    if any(t.ndim for t in types):  # type: ignore[attr-defined]
        return False
    other = node.args[-1]
    if node.op.name in _DIVISIONS:
        return not (isinstance(other, Constant) and other.value != 0)
    if node.op.name == "power":
        # A power that is too large is left to whoever reads it.
        whole = isinstance(other, Constant) and type(other.value) in (int, float)
        return not (whole and other.value >= 0)  # type: ignore[attr-defined]
    return node.op.name in ("left_shift", "right_shift", "gcd", "lcm")


def _fit(node: Apply, shapes: Shapes) -> bool:
    """Whether the operands of an elementwise statement surely fit together."""
    known = [shapes.of(a) for a in node.inputs]
    if any(k is None for k in known):
        return False
    arrays = [k for k in known if k]
    for j in range(1, max(map(len, arrays), default=0) + 1):
        here = {d[-j].find() for d in arrays if len(d) >= j}
        if sum(d.size != 1 for d in here) > 1:
            return False
    return True


def _match(node: Apply, shapes: Shapes) -> bool:
    a, b = (shapes.of(x) for x in node.args[:2])
    if a is None or b is None:
        return False
    if node.op.name == "dot" and (not a or not b):
        return True
    if not a or not b or len(a) > 2 or len(b) > 2:
        return False
    return a[-1].find() is b[0].find()


def _fills(node: Apply, shapes: Shapes) -> bool:
    """Whether an array can surely be broadcast to a shape."""
    a, b = shapes.of(node.args[0]), shapes.of_tuple(node.args[1])
    if a is None or b is None or len(a) > len(b):
        return False
    pairs = zip(a[::-1], b[::-1])
    return all(x.find().size == 1 or x.find() is y.find() for x, y in pairs)


def _has_known_options(node: Apply, shapes: Shapes) -> bool:
    for a in node.inputs:
        t = deref(a.type)
        if isinstance(a, Constant) and not isinstance(t, Num):
            continue
        if isinstance(a, Constant) or _is_length(a, shapes):
            continue
        if isinstance(t, Num) and t.ndim is not None:
            if t.ndim or t.dtype is None or t.dtype.kind not in "iu":
                continue
            return node.op.name not in _BY_SIZES and len(node.inputs) == 1
        if isinstance(a, Apply) and a.op is ops.TUPLE:
            if all(isinstance(n, Constant) or _is_length(n, shapes) for n in a.args):
                continue
        if id(a) in shapes.tuples:
            continue
        return False
    return True


_BY_SIZES = frozenset(
    ["zeros", "ones", "empty", "full", "eye", "identity", "arange", "linspace", "tri"]
)


def _is_length(node: Node, shapes: Shapes) -> bool:
    """Whether a number is the length of an axis, which is never negative."""
    return id(node) in shapes.lengths


# Items --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """Where an index lies: at least at `first`, and before `length` and `beyond`."""

    first: int
    length: Any
    beyond: int


def length_of(node: Node, shapes: Shapes) -> tuple[list[Any], int] | None:
    """Lengths that a number is at most, and by how much more; None if unknown."""
    if isinstance(node, Constant):
        known = type(node.value) is int and node.value >= 0
        return ([shapes.constant(node.value)], 0) if known else None
    if id(node) in shapes.lengths:
        return [shapes.lengths[id(node)]], 0
    if not isinstance(node, Apply):
        return None
    if node.op is ops.LENGTH:
        return [("items", id(node.args[0]))], 0
    if node.op is ops.PYCALL and getattr(node.args[0], "value", None) is min:
        parts = [length_of(a, shapes) for a in node.args[1:]]
        if all(p is None or p[1] == 0 for p in parts):
            return [d for p in parts if p is not None for d in p[0]], 0
    moved = _moved(node)
    if moved is not None:
        found = length_of(moved[0], shapes)
        return None if found is None else (found[0], found[1] + moved[1])
    return None


def _moved(node: Node) -> tuple[Node, int] | None:
    """A number as another one and a constant."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return None
    if node.op.name not in ("add", "subtract") or len(node.args) != 2:
        return None
    for a, b in (node.args, node.args[::-1]):
        if isinstance(b, Constant) and type(b.value) is int:
            if node.op.name == "add":
                return a, b.value
            return (a, -b.value) if a is node.args[0] else None
    return None


def span_of(loop: Apply, shapes: Shapes) -> Span | None:
    """Where the index of a counted loop lies."""
    start, stop, step = loop.args[:3]
    if not all(isinstance(n, Constant) and type(n.value) is int for n in (start, step)):
        return None
    found = length_of(stop, shapes)
    if found is not None and _resizes(loop):
        found = [d for d in found[0] if isinstance(d, Dim)], found[1]
    if found is None or step.value < 1 or start.value < 0:  # type: ignore[attr-defined]
        return None
    return Span(start.value, found[0], found[1])  # type: ignore[attr-defined]


_RESIZING = (ops.APPEND, ops.POP, ops.DELITEM, ops.METHOD, ops.CALL, ops.PYCALL)


def _resizes(loop: Apply) -> bool:
    """Whether lists may become longer or shorter in a loop, or just before it."""
    assert loop.graph is not None
    beside = loop.graph.body
    at = next(k for k, n in enumerate(beside) if n is loop)
    known = min(
        (k for k, n in enumerate(beside[:at]) if n is loop.args[1]),
        default=0 if isinstance(loop.args[1], Apply) else at,
    )
    return any(
        (n.op in _RESIZING and n.target is not True)
        or (
            n.op is ops.SETITEM
            and isinstance(deref(n.args[0].type), List)
            and not _is_scalar(n.args[1])
        )
        for m in (*beside[known:at], loop)
        for n in (m, *(i for r in m.regions for i in walk(r)))
    )


def _is_inside(index: Node, length: Any, spans: dict[int, Span]) -> bool:
    """Whether an index surely lies within a length."""
    if isinstance(index, Constant):
        size = getattr(length, "size", None)
        return size is not None and -size <= index.value < size
    by = 0
    moved = _moved(index)
    while moved is not None:
        index, by = moved[0], by + moved[1]
        moved = _moved(index)
    span = spans.get(id(index))
    if span is None or span.first + by < 0 or span.beyond + by > 0:
        return False
    roots = [d.find() if isinstance(d, Dim) else d for d in span.length]
    return length in roots


def _item_fails(node: Apply, shapes: Shapes, spans: dict[int, Span]) -> bool:
    base, index = node.args
    t = deref(base.type)
    if isinstance(t, Num):
        dims = shapes.of(base)
        return dims is None or _part_fails(dims, index, spans)
    if _is_slice(index) and isinstance(t, List | Tuple | VarTuple):
        return False
    if isinstance(t, Dict):
        key = index.value if isinstance(index, Constant) else None
        if _is_key_of(index, base):
            return False
        fixed = not is_stored(base.type) and t.fields is not None
        return not (fixed and _is_key(key) and key in t.fields)  # type: ignore[operator]
    if isinstance(t, List):
        if is_stored(base.type) and _is_cell(base):
            return False
        if not is_stored(base.type) and isinstance(base, Apply) and base.op is ops.LIST:
            return not _is_inside(index, shapes.constant(len(base.args)), spans)
        return not _is_inside(index, ("items", id(base)), spans)
    if isinstance(t, Tuple):
        return not _is_inside(index, shapes.constant(len(t.items)), spans)
    if isinstance(t, VarTuple):
        return not _is_inside(index, ("items", id(base)), spans)
    return not isinstance(t, Object)


def _is_slice(index: Node) -> bool:
    t = deref(index.type)
    return isinstance(t, Other) and t.cls is slice


def _is_key_of(index: Node, base: Node) -> bool:
    """Whether a key comes from the list of all keys."""
    if not isinstance(index, Apply) or index.op is not ops.GETITEM:
        return False
    keys = index.args[0]
    return isinstance(keys, Apply) and keys.op is ops.CONVERT and keys.args[1] is base


def _is_key(key: Any) -> bool:
    return isinstance(key, str | int)


def _is_cell(base: Node) -> bool:
    """Whether a list is the cell of a variable, which has one item."""
    return isinstance(base, Apply) and base.op is ops.LIST and len(base.args) == 1


def _part_fails(dims: tuple[Dim, ...], index: Node, spans: dict[int, Span]) -> bool:
    parts: tuple[Node, ...] = (index,)
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        parts = index.args
    elif isinstance(index, Constant) and isinstance(index.value, tuple):
        parts = tuple(Constant(v, index.type) for v in index.value)
    at = 0
    for k, p in enumerate(parts):
        value = p.value if isinstance(p, Constant) else p
        if value is None:
            continue
        if value is Ellipsis:
            after = [
                q
                for q in parts[k + 1 :]
                if not (isinstance(q, Constant) and q.value is None)
            ]
            at = len(dims) - len(after)
            continue
        if at >= len(dims):
            return True
        if isinstance(value, slice) or (isinstance(p, Apply) and p.op is ops.SLICE):
            at += 1
            continue
        t = deref(p.type)
        if isinstance(p, Constant):
            if type(p.value) is not int:
                return True
        elif not (isinstance(t, Num) and t.ndim == 0 and _is_integer(t)):
            return True
        if not _is_inside(p, dims[at].find(), spans):
            return True
        at += 1
    return False


def _is_integer(t: Num) -> bool:
    return t.dtype is not None and t.dtype.kind in "iu"
