"""Comparisons of tuples of numbers, item by item as Python does it.

Python takes a nan for equal to itself if it is the same object: where two of them meet,
the comparison is refused, see `nan_identity`. Integers beside floating numbers, which
it compares exactly, are left to it.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import UnexpectedType
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant

from ..emission.function import Emitter
from ..emission.nan_identity import TWO_NANS
from ..emission.values import BOOL, I1, Pack, Scalar, Static, Value
from .dictionaries import keys_of_table
from .language import runs
from .list_sorting import sorting_order

_SIGNS: dict[Any, str] = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}


@runs(ops.OBSERVE)
def _observe(e: Emitter, node: Apply) -> Value:
    callee = node.args[0]
    if isinstance(callee, Constant):
        if callee.value is list:
            return keys_of_table(e, node)
        if getattr(callee.value, "__name__", "") == "sorting_order":
            return sorting_order(e, node)
    given = node.args[1:]
    known = isinstance(callee, Constant) and isinstance(callee.value, Hashable)
    if not known or callee.value not in _SIGNS or len(given) != 2:  # type: ignore[attr-defined]
        raise e.refuse("a call that looks at values", node.span)
    x, y = (_tuple(e, e.value(n)) for n in given)
    sign = _SIGNS[callee.value]  # type: ignore[attr-defined]
    for p, q in _pairs(x, y):
        r, s = (e.number(v, DOUBLE) for v in (p, q))
        b = e.builder
        both = b.and_(b.fcmp_unordered("uno", r, r), b.fcmp_unordered("uno", s, s))
        e.fail_unless(b.not_(both), UnexpectedType, TWO_NANS)
    if sign in ("==", "!="):
        same = _equal(e, x, y)
        return Scalar(BOOL, same if sign == "==" else e.builder.not_(same), True)
    return Scalar(BOOL, _ordered(e, sign, x, y), True)


def _tuple(e: Emitter, value: Value) -> Pack:
    """A plain tuple of integers and of tuples of them."""
    if isinstance(value, Static) and type(value.value) is tuple:
        value = Pack([Static(v) for v in value.value])
    if not isinstance(value, Pack) or value.names or value.cls not in (None, tuple):
        raise e.refuse("a comparison of these")
    return value


def _equal(e: Emitter, x: Pack, y: Pack) -> ir.Value:
    same: ir.Value = I1(int(len(x.items) == len(y.items)))
    for a, b in zip(x.items, y.items):
        same = e.builder.and_(same, _same_item(e, a, b))
    return same


def _same_item(e: Emitter, a: Value, b: Value) -> ir.Value:
    if _is_nested(a) or _is_nested(b):
        return _equal(e, _tuple(e, a), _tuple(e, b))
    if _is_float(a) and _is_float(b):
        x, y = (e.number(v, DOUBLE) for v in (a, b))
        return e.builder.fcmp_ordered("==", x, y)
    return e.builder.icmp_signed("==", _integer(e, a), _integer(e, b))


def _ordered(e: Emitter, sign: str, x: Pack, y: Pack) -> ir.Value:
    """The comparison of the first items that differ; of the lengths if none do."""
    b, strict = e.builder, sign[0]
    m, n = len(x.items), len(y.items)
    found: ir.Value = I1(int(m < n if strict == "<" else m > n))
    if m == n:
        found = I1(int(len(sign) == 2))
    for p, q in reversed(list(zip(x.items, y.items))):
        if _is_nested(p) or _is_nested(q):
            inner = _ordered(e, strict, _tuple(e, p), _tuple(e, q))
        elif _is_float(p) and _is_float(q):
            inner = b.fcmp_ordered(strict, e.number(p, DOUBLE), e.number(q, DOUBLE))
        else:
            inner = b.icmp_signed(strict, _integer(e, p), _integer(e, q))
        found = b.select(_same_item(e, p, q), found, inner)
    return found


def _pairs(x: Value, y: Value) -> list[tuple[Value, Value]]:
    """The floating numbers that meet."""
    if isinstance(x, Pack) and isinstance(y, Pack):
        return [pair for p, q in zip(x.items, y.items) for pair in _pairs(p, q)]
    return [(x, y)] if _is_float(x) and _is_float(y) else []


def _is_float(value: Value) -> bool:
    if isinstance(value, Static):
        return type(value.value) is float
    return isinstance(value, Scalar) and value.dtype == DOUBLE


def _is_nested(value: Value) -> bool:
    tuple_known = isinstance(value, Static) and isinstance(value.value, tuple)
    return isinstance(value, Pack) or tuple_known


def _integer(e: Emitter, value: Value) -> ir.Value:
    if isinstance(value, Static):
        if type(value.value) not in (bool, int) or value.value.bit_length() > 63:
            raise e.refuse("a comparison with this")
        return e.integer(value)
    if not isinstance(value, Scalar) or value.dtype.name not in _INTEGERS:
        raise e.refuse("a comparison of these")
    return e.integer(value)


_INTEGERS = ("int64", "int32", "bool")
DOUBLE = np.dtype(np.float64)
