"""Queries of types and shapes, folded to what is known without Python."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
)
from anadrome.ir.types import (
    INT,
    Num,
    Object,
    Other,
    Tuple,
    Type,
    deref,
    parts,
    same_dtype,
)
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.rewriting import holds_stored, is_new, regions_within, replace
from anadrome.primitives.helpers import averaged_size, axes_of, reduced_size
from anadrome.primitives.registry import Primitive


def fold_queries(graph: Graph) -> Graph:
    """The graph without calls that ask for types that are known, or for sizes.

    h = np.zeros((B, H), dtype=x.dtype)    →    h = np.zeros((B, H), dtype=float32)
    y = np.real(x)                              y = x
    n = reduced_size(x.shape, -1)               n = x.shape[1]
    s = (x * x).shape                           s = x.shape
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        for region in list(regions_within(g)):
            body: list[Apply] = []
            for node in region.body:
                made = _size(node) or _shape(node)
                for new in made:
                    new.graph, new.span = region, node.span
                folded = made[-1] if made else _folded(node)
                if folded is not None:
                    replaced[id(node)] = folded
                body += made or [node]
            region.body = body
        replace(g, replaced)
    return graph


def _size(node: Apply) -> list[Apply]:
    """How many elements a reduction combines, as a product of sizes."""
    if node.op is not ops.PYCALL or len(node.args) != 3:
        return []
    function, shape, axis = node.args
    kinds = (reduced_size, averaged_size)
    if not isinstance(function, Constant) or function.value not in kinds:
        return []
    t = deref(shape.type)
    if not isinstance(t, Tuple) or not isinstance(axis, Constant):
        return []
    made: list[Apply] = []
    axes = axes_of(axis.value, len(t.items))
    for k in axes:
        made.append(Apply(ops.GETITEM, (shape, Constant(k, INT)), INT))
        if len(made) > 1:
            made.append(primitive(operator.mul, made[-2], made[-1], type=INT))
    # Arrays can be divided by nothing, but a number of Python's cannot.
    if made and function.value is averaged_size and len(axes) == len(t.items):
        made.append(primitive(np.maximum, made[-1], Constant(1, INT), type=INT))
    return made


def _shape(node: Apply) -> list[Apply]:
    """The shape of what is computed from the elements of one array, from the array.

    Then the shape alone does not ask for the result to be in memory.
    """
    if not is_primitive(node, "shape") or len(node.args) != 1 or node.keywords:
        return []
    source: Node | None = node.args[0]
    found: Node | None = None
    while source is not None:
        source = _only_array(source)
        found = source or found
    return [] if found is None else [primitive(np.shape, found, type=node.type)]


def _only_array(node: Node) -> Node | None:
    """The array that an elementwise statement reads, if all else are numbers."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return None
    if not node.op.broadcasts or node.keywords:
        return None
    found: Node | None = None
    for a in node.args:
        t = deref(a.type)
        if not isinstance(t, Num) or t.ndim is None:
            return None
        if t.ndim and found is not None and found is not a:
            return None
        found = a if t.ndim else found
    return found


def _folded(node: Apply) -> Node | None:
    if is_primitive(node, "dtype_of", "result_type"):
        kind = _dtype(node)
        return None if kind is None else Constant(kind, node.type)
    if is_primitive(node, "retyped_cotangent"):
        # Native values are what their types say; what Python holds may be another.
        return node.args[0] if _same_types(node.args[0], node.args[1].type) else None
    real = is_primitive(node, "real", "conjugate") and len(node.inputs) == 1
    if real or _moves_nothing(node) or _converts_nothing(node):
        t, same = deref(node.args[0].type), deref(node.type)
        if isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "iuf":
            # A function that copies gives the caller an array of its own.
            stored = holds_stored(t) or holds_stored(same) or is_new(node)
            # NumPy's functions make numbers of its own of Python's.
            if isinstance(same, Num) and same.ndim == t.ndim and not stored:
                if t.ndim or not real or _is_same_number(node.args[0], t, same):
                    return node.args[0]
    return None


def _is_same_number(node: Node, t: Num, same: Num) -> bool:
    """Whether a number is of one type on every path, and of that of another."""
    if t.varied or (isinstance(node, Output) and node.apply.regions):
        return False
    if isinstance(node, Parameter) and getattr(node.graph, "parent", None):
        return False
    return (same.python, same.boxed) == (t.python, t.boxed)


def _same_types(d: Node, t: Type) -> bool:
    """Whether a cotangent has the types of a value of type `t`, part by part."""
    s, t = deref(d.type), deref(t)
    if isinstance(d, Constant) and d.value is None:
        return True
    if isinstance(t, Num) and isinstance(s, Num):
        if t.dtype == np.float16:
            # NumPy computes with it, and what it meets may have made it wider.
            return False
        return not t.inexact or (same_dtype(t.dtype, s.dtype) and t.python == s.python)
    if not isinstance(d, Apply) or d.op not in _FIRST:
        return False
    items = d.args[_FIRST[d.op] :]
    wanted = tuple(t.fields.values()) if isinstance(t, Object) else parts(t)  # type: ignore[union-attr]
    return len(items) == len(wanted) and all(map(_same_types, items, wanted))


_FIRST = {ops.TUPLE: 0, ops.NAMEDTUPLE: 1, ops.RECORD: 2}
"""What puts values together, and the place of the first of them."""


def _moves_nothing(node: Apply) -> bool:
    """Whether an axis of an array is moved to where it is."""
    if not is_primitive(node, "moveaxis") or len(node.args) != 3 or node.keywords:
        return False
    ends = [a.value if isinstance(a, Constant) else None for a in node.args[1:]]
    return type(ends[0]) is type(ends[1]) is int and ends[0] == ends[1]


def _converts_nothing(node: Apply) -> bool:
    """Whether an array is converted to the type that it has."""
    if not is_primitive(node, "asarray") or set(node.keywords) != {"dtype"}:
        return False
    t, same = deref(node.args[0].type), deref(node.type)
    if not isinstance(t, Num) or not isinstance(same, Num):
        return False
    if t.dtype == np.float16:
        # NumPy computes with it, and what it meets may have made it wider.
        return False
    return not t.python and same_dtype(t.dtype, same.dtype) and bool(t.ndim)


def _dtype(node: Apply) -> Any:
    """The type of elements that a statement asks for."""
    t = deref(node.type)
    known = [deref(a.type) for a in node.args]
    if not isinstance(t, Other) or not issubclass(t.cls, np.dtype):
        return None
    if len(known) != 1 or not isinstance(known[0], Num) or known[0].python:
        return None
    return known[0].dtype
