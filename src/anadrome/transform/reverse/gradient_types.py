"""Gradients in the types of the arguments that they are for."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs, walk
from anadrome.ir.types import (
    AnyType,
    List,
    Num,
    Object,
    Tuple,
    Type,
    Union,
    deref,
    is_differentiable,
    is_stored,
    parts,
    same_dtype,
)
from anadrome.primitives.cotangents import retyped_cotangent
from anadrome.primitives.registry import find_primitive


def finished(
    it: Interpreter, ct: Node, t: Type, value: Node, computed: set[Any]
) -> Node:
    """A cotangent as the gradient of an argument of type `t`: in the argument's dtype.

    If the program has `computed` with other types too, they may have made it wider than
    its own type says.
    """
    t, s = deref(t), deref(ct.type)
    if isinstance(ct, Constant) and ct.value is None:
        return ct
    if isinstance(t, Tuple) and isinstance(s, Tuple) and len(s.items) == len(t.items):
        return _finished_tuple(it, ct, t, value, computed)
    if isinstance(t, Num) and isinstance(s, AnyType):
        # Nobody knows what it was computed with.
        return it.apply(retyped_cotangent, (ct, value))
    if not isinstance(t, Num) or not isinstance(s, Num):
        return retyped(it, ct, t, value, computed)
    if t.dtype is None:
        narrow = any(d not in WIDEST for d in computed)
        return it.apply(retyped_cotangent, (ct, value)) if narrow else ct
    if not t.inexact:
        return ct
    if t.ndim == 0 and s.boxed and not isinstance(ct, Constant):
        # A rule may have made an array without axes for a number.
        number = find_primitive(operator.pos)
        assert number is not None
        ct = it.apply(number, (ct,), target=operator.pos)
        s = deref(ct.type)
        assert isinstance(s, Num)
    if t.python:
        return _finished_number(it, ct, t, s, computed)
    known = same_dtype(s.dtype, t.dtype) and not (isinstance(ct, Constant) or s.python)
    narrow = t.dtype not in WIDEST
    mixed = computed != {t.dtype} and (
        narrow or (any(d not in WIDEST for d in computed) and _was_joined(ct))
    )
    # What comes back through a list may be real, or Python's zero.
    mixed |= t.dtype.kind == "c" and _was_joined(ct)
    mixed |= narrow and _was_joined(ct, unknown_only=t.ndim != 0)
    if t.ndim == 0 and s.ndim:
        # Of an array without axes NumPy reduces one that is not there.
        total = find_primitive(np.sum)
        assert total is not None
        ct = it.apply(total, (ct,))
        s = Num(s.dtype, 0)
    if t.ndim == 0:
        # On some path it may be a number of Python's.
        sure = s.ndim == 0 and not (narrow and isinstance(ct, Output))
        if known and not mixed and sure:
            return ct
        convert = find_primitive(t.dtype.type)
        assert convert is not None
        return it.apply(convert, (ct,))
    name = ct.name
    if s.ndim is None:
        # In the place of an array may be a zero.
        shape, fill = find_primitive(np.shape), find_primitive(np.broadcast_to)
        assert shape is not None
        assert fill is not None
        ct = it.apply(fill, (ct, it.apply(shape, (value,))))
        s = Num(s.dtype, t.ndim)
    if not known or mixed:
        asarray = find_primitive(np.asarray)
        assert asarray is not None
        ct = it.apply(asarray, (ct,), {"dtype": it.constant(t.dtype)})
    if not known:
        return ct
    # Nobody else holds a gradient, and it may be written to.
    copied = it.emit(ops.COPY, (ct,), Num(s.dtype, s.ndim))
    copied.name = name
    return copied


def retyped(
    it: Interpreter, ct: Node, t: Type, value: Node, computed: set[Any]
) -> Node:
    """The cotangent of a structure, its parts in the types of those of the value."""
    # An object that is changed may have attributes by now that were not given.
    changed = isinstance(deref(t), Object) and is_stored(t)
    varies = changed or _varies(t, computed)
    return it.apply(retyped_cotangent, (ct, value)) if varies else ct


def _finished_tuple(
    it: Interpreter, ct: Node, t: Tuple, value: Node, computed: set[Any]
) -> Node:
    if not _varies(t, computed):
        return ct
    old = [take(it, ct, k) for k in range(len(t.items))]
    new = [
        finished(it, d, p, take(it, value, k), computed)
        for k, (d, p) in enumerate(zip(old, t.items))
    ]
    if all(a is b for a, b in zip(old, new)):
        return ct
    return make_tuple(it, new, t.cls)


def _finished_number(
    it: Interpreter, ct: Node, t: Num, s: Num, computed: set[Any]
) -> Node:
    """The gradient of a number of Python's, which has double precision."""
    assert t.dtype is not None
    kind: Any = complex if t.dtype.kind == "c" else float
    mixed = kind is complex or any(d not in WIDEST for d in computed)
    mixed = mixed and _was_joined(ct)
    if same_dtype(s.dtype, t.dtype) and s.ndim == 0 and not mixed:
        return ct
    if isinstance(ct, Constant):
        return it.constant(kind(ct.value))
    return it.emit(ops.CONVERT, (it.constant(kind), ct), t)


def _was_joined(ct: Node, unknown_only: bool = False) -> bool:
    """Whether a cotangent was computed from what branches or loops leave behind.

    There its type is that of the value, and its precision may be another. So it may be
    where nothing is known of a value.
    """
    seen: set[int] = set()
    pending = [ct]
    while pending:
        node = pending.pop()
        if isinstance(deref(node.type), AnyType):
            return True
        if isinstance(node, Output):
            if not unknown_only:
                return True
            if node.apply.op is ops.IF:
                pending += [r.results[node.index] for r in node.apply.regions]
        elif isinstance(node, Apply) and node.op in (ops.GETITEM, ops.POP):
            if isinstance(deref(node.args[0].type), List) and not unknown_only:
                return True
        if isinstance(node, Apply) and id(node) not in seen:
            seen.add(id(node))
            pending += [a for a in node.args if is_differentiable(a.type)]
    return False


def _varies(t: Type, computed: set[Any]) -> bool:
    """Whether parts of a gradient may have other types than those they are for."""
    own = numbers_in(t)
    kinds = {n.dtype for n in own} | computed
    if any(n.dtype is None for n in own) or _is_opaque(t):
        return True  # integers among them have none
    if any(n.ndim is None for n in own):
        return True  # numbers beside arrays have arrays as their places
    if all(n.python for n in own) and not computed:
        return any(not same_dtype(n.dtype, np.dtype(np.float64)) for n in own)
    if kinds <= {np.dtype(np.float64)}:
        return False
    if any(n.dtype is not None and n.dtype.kind == "c" for n in own):
        return True
    # Zeros of numbers are Python's.
    numbers = any(n.scalar and n.dtype not in WIDEST for n in own)
    return numbers or (len(kinds) > 1 and any(d not in WIDEST for d in kinds))


def numbers_in(t: Type) -> list[Num]:
    """The types of the floating-point numbers and arrays that a value holds."""
    return [p for p in _parts(t) if isinstance(p, Num) and p.inexact]


def _is_opaque(t: Type) -> bool:
    """Whether a list holds things of several kinds."""
    return any(
        isinstance(deref(i), AnyType) and not isinstance(deref(i), Union)
        for p in _parts(t)
        if isinstance(p, List)
        for i in parts(p)
    )


def _parts(t: Type) -> list[Type]:
    """The types of a value and of all that it holds."""
    found: list[Type] = []
    seen: set[int] = set()
    pending = [t]
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        found.append(t)
        pending += parts(t)
    return found


def precisions(graph: Graph) -> set[Any]:
    """The types of elements that a program computes with, None if it may be any."""
    found: set[Any] = set()
    for g in called_graphs(graph):
        for node in walk(g):
            for value in (node, *node.outputs, *node.inputs):
                t = deref(value.type)
                if isinstance(t, Num) and not t.python:
                    found.add(t.dtype)
    return {d for d in found if d is None or d.kind not in "biu"}


WIDEST = frozenset((np.dtype(np.float64), np.dtype(np.complex128)))
"""Double precision."""
