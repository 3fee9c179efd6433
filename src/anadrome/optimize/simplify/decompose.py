"""Functions of arrays decomposed into simpler ones, for native code."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import NONE, Num, Tuple, Type, deref, same_dtype
from anadrome.optimize.analysis.iterations import primitive
from anadrome.optimize.rewriting import rewrite_statements
from anadrome.primitives.registry import Primitive


def decompose_calls(graph: Graph) -> Graph:
    """The graph with some functions of arrays written as others do the same.

    np.append(x, y)       →    np.concatenate((x, y))
    np.clip(x, a, b)      →    np.minimum(np.maximum(x, a), b)
    np.ptp(x)             →    np.max(x) - np.min(x)
    np.linalg.norm(x)     →    np.sqrt(np.sum(x * x))
    np.vdot(x, y)         →    np.dot(x, y)
    np.var(x)             →    np.mean((x - np.mean(x, keepdims=True)) ** 2)
    """
    rewrite_statements(graph, _decomposed)
    return graph


class _Call:
    """A call of a function of one real array, and the statements that replace it."""

    def __init__(self, node: Apply) -> None:
        self.node = node
        self.made: list[Apply] = []
        bound = node.op.signature.bind(*node.args, **node.keywords)
        self.given: dict[str, Node] = dict(bound.arguments)
        self.array = node.args[0]
        self.type = deref(node.type)

    @property
    def fits(self) -> bool:
        """Whether an array of floats gives floats of the same precision."""
        t, result = deref(self.array.type), self.type
        if not isinstance(t, Num) or not isinstance(result, Num):
            return False
        if not t.ndim or result.ndim is None or t.dtype is None or t.boxed:
            return False
        return t.dtype.name in ("float32", "float64") and same_dtype(
            t.dtype, result.dtype
        )

    def option(self, name: str, default: Any) -> Any:
        """An argument that is known; `...` if it is not."""
        found = self.given.get(name)
        if found is None:
            return default
        return found.value if isinstance(found, Constant) else ...

    def has_only(self, *names: str) -> bool:
        """Whether no other options are given than these, apart from None."""
        first = next(iter(self.node.op.signature.parameters))
        rest = [n for n in self.given if n not in (first, *names)]
        return all(self.option(n, None) is None for n in rest)

    def add(self, function: Any, *args: Node, type: Type, **options: Any) -> Apply:
        """One more statement."""
        known = {k: Constant(v, _type_of(v)) for k, v in options.items()}
        self.made.append(primitive(function, *args, type=type, **known))
        return self.made[-1]

    def whole(self, ndim: int | None = None) -> Num:
        """The type of an array of the same numbers."""
        t = deref(self.array.type)
        assert isinstance(t, Num)
        return Num(t.dtype, t.ndim if ndim is None else ndim)


def _type_of(value: Any) -> Type:
    from anadrome.infer.values import type_of

    return NONE if value is None else type_of(value)


def _decomposed(node: Apply) -> list[Apply]:
    if not isinstance(node.op, Primitive) or node.op.name not in _DECOMPOSITIONS:
        return []
    function, decompose = _DECOMPOSITIONS[node.op.name]
    if node.op.impl is not function or not node.args:
        return []
    call = _Call(node)
    if not call.fits or not decompose(call):
        return []
    return call.made


def _reduction(call: _Call) -> dict[str, Any] | None:
    """The axes of a reduction and whether they are kept, if that is known."""
    axis, keep = call.option("axis", None), call.option("keepdims", False)
    if axis is ... or keep is ... or not isinstance(axis, int | tuple | None):
        return None
    return {"axis": axis, "keepdims": bool(keep)}


def _clip(call: _Call) -> bool:
    names = ("a_min", "a_max", "min", "max")
    ends = {n: v for n in names if (v := call.given.get(n)) is not None}
    ends = {n: v for n, v in ends.items() if getattr(v, "value", v) is not None}
    if {"a_min", "min"} <= set(ends) or {"a_max", "max"} <= set(ends) or not ends:
        return False
    current: Node = call.array
    for function, places in ((np.maximum, ("a_min", "min")), (np.minimum, names[1::2])):
        for end in (ends[n] for n in places if n in ends):
            t, own = deref(end.type), deref(current.type)
            if not isinstance(t, Num) or not isinstance(own, Num):
                return False
            if t.ndim is None or t.dtype is None or t.boxed or t.dtype.kind not in "fi":
                return False
            if not t.python and not same_dtype(t.dtype, own.dtype):
                return False
            ndim = max(t.ndim, own.ndim or 0)
            current = call.add(function, current, end, type=call.whole(ndim))
    return True


def _append(call: _Call) -> bool:
    values = call.given.get("values")
    t = deref(values.type) if values is not None else None
    if not isinstance(t, Num) or t.ndim not in (0, 1) or t.boxed or t.dtype is None:
        return False
    own = deref(call.array.type)
    assert isinstance(own, Num)
    if own.ndim != 1 or not call.has_only("values"):
        return False
    if not same_dtype(t.dtype, own.dtype) and not (t.python and t.dtype.kind in "fi"):
        return False
    assert values is not None
    if t.ndim == 0:
        sizes = Constant((1,), _type_of((1,)))
        values = call.add(np.full, sizes, values, type=call.whole(), dtype=own.dtype)
    parts = Apply(ops.TUPLE, (call.array, values), Tuple((call.whole(), call.whole())))
    call.made.append(parts)
    call.add(np.concatenate, parts, type=call.whole())
    return True


def _vdot(call: _Call) -> bool:
    other = call.given.get("b")
    t, own = deref(other.type) if other is not None else None, deref(call.array.type)
    if not isinstance(t, Num) or not isinstance(own, Num) or other is None:
        return False
    if t.ndim != 1 or own.ndim != 1 or not same_dtype(t.dtype, own.dtype) or t.boxed:
        return False
    call.add(np.dot, call.array, other, type=call.type)
    return True


def _ptp(call: _Call) -> bool:
    options = _reduction(call)
    if options is None or not call.has_only("axis", "keepdims"):
        return False
    top = call.add(np.max, call.array, type=call.type, **options)
    bottom = call.add(np.min, call.array, type=call.type, **options)
    call.add(operator.sub, top, bottom, type=call.type)
    return True


def _norm(call: _Call) -> bool:
    options, order = _reduction(call), call.option("ord", None)
    if options is None or not call.has_only("axis", "keepdims", "ord"):
        return False
    t = deref(call.array.type)
    assert isinstance(t, Num)
    alone = isinstance(options["axis"], int) or t.ndim == 1
    if order is not None and not (type(order) is int and order == 2 and alone):
        return False
    if isinstance(options["axis"], tuple):
        return False
    squares = call.add(operator.mul, call.array, call.array, type=call.whole())
    total = call.add(np.sum, squares, type=call.type, **options)
    call.add(np.sqrt, total, type=call.type)
    return True


def _var(call: _Call) -> bool:
    options = _reduction(call)
    if options is None or not call.has_only("axis", "keepdims", "ddof"):
        return False
    freedom = call.option("ddof", 0)
    if type(freedom) is not int or freedom != 0:
        return False
    around = {"axis": options["axis"], "keepdims": True}
    middle = call.add(np.mean, call.array, type=call.whole(), **around)
    apart = call.add(operator.sub, call.array, middle, type=call.whole())
    squares = call.add(operator.mul, apart, apart, type=call.whole())
    call.add(np.mean, squares, type=call.type, **options)
    return True


def _std(call: _Call) -> bool:
    if not _var(call):
        return False
    call.add(np.sqrt, call.made[-1], type=call.type)
    return True


Decomposition = Callable[[_Call], bool]

_DECOMPOSITIONS: dict[str, tuple[Any, Decomposition]] = {
    "append": (np.append, _append),
    "clip": (np.clip, _clip),
    "ptp": (np.ptp, _ptp),
    "norm": (np.linalg.norm, _norm),
    "var": (np.var, _var),
    "std": (np.std, _std),
    "vdot": (np.vdot, _vdot),
}
