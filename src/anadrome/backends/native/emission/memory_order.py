"""Whether results lie in memory in the order in which NumPy would have put them.

Most of NumPy's results follow the order of their operands, ours lie row by row.
That shows where another shape of one is changed in place, which in one order is a view
and in another a copy, and where the order is asked for. There operands must lie row by
row; if they do not, a program that may be started twice is run in Python.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import NotFollowed
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Node,
    Output,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import Num, alias_of, deref
from anadrome.optimize.analysis.memory import is_view, order_of, tells_order
from anadrome.primitives.registry import Primitive

from .function import Emitter
from .values import I1, I64, Array

_ROWS = ("zeros", "ones", "empty", "full", "eye", "matmul", "dot", "tensordot", "outer")
"""What makes rows, whatever it is made of."""


def check_order(e: Emitter, node: Apply) -> None:
    """Fail if another shape that is changed in place would be of another kind."""
    if not tells_order(node):
        return
    name = getattr(node.op, "name", "")
    if name == "base_property" or (
        name == "flags_of" and not _is_argument(node.args[0])
    ):
        # Whose memory it is, and whether it may be written to, is not kept.
        fail_unless_followed(e, I1(0))
    visible = set()
    graph = node.graph
    while graph is not None:
        visible.add(id(graph))
        graph = graph.parent
    for operand in _operands(node.args[node.op is ops.PYCALL], set()):
        good = _lies_by_rows(e, operand, visible)
        if good is not None:
            fail_unless_followed(e, good)


def fail_unless_followed(e: Emitter, good: ir.Value) -> None:
    """Fail if arrays lie in an order that native code does not follow."""
    e.fail_unless(
        good,
        NotFollowed,
        "another shape of a result that is changed in place: whether it is a "
        "view depends on an operand that does not lie row by row\nhelp: make "
        "the operand with np.ascontiguousarray(…), or the result with .copy()",
    )


def is_row_major(e: Emitter, array: Array) -> ir.Value:
    """Whether elements lie side by side, row by row."""
    b = e.builder
    good: ir.Value = I1(1)
    for n, s, w in zip(array.shape, array.strides, e.row_major(array.shape)):
        short = b.icmp_signed("<=", n, I64(1))
        good = b.and_(good, b.or_(short, b.icmp_signed("==", s, w)))
    return good


def _lies_by_rows(e: Emitter, operand: Node, visible: set[int]) -> ir.Value | None:
    """Whether an operand lies row by row, or None if there is nothing to ask."""
    if isinstance(operand, Constant):
        array = operand.value
        transposed = isinstance(array, np.ndarray) and not array.flags.c_contiguous
        return I1(0) if transposed else None
    value = e.values.get(id(operand))
    if not isinstance(value, Array) or value.ndim < 2 or value.contiguous:
        return None
    graph = operand.apply.graph if isinstance(operand, Output) else operand.graph  # type: ignore[attr-defined]
    if graph is not None and id(graph) not in visible:
        return I1(0)
    b = e.builder
    good: ir.Value = I1(1)
    axes = [(n, _magnitude(e, s)) for n, s in zip(value.shape, value.strides)]
    for (n, outer), (m, inner) in combinations(axes, 2):
        # Axes of one element, and what is repeated, have no place of their own.
        free = [b.icmp_signed("<=", k, I64(1)) for k in (n, m)]
        free += [b.icmp_signed("==", s, I64(0)) for s in (outer, inner)]
        ordered = b.icmp_signed(">=", outer, inner)
        good = b.and_(good, functools.reduce(b.or_, free, ordered))
    return good


def _magnitude(e: Emitter, r: ir.Value) -> ir.Value:
    b = e.builder
    return b.select(b.icmp_signed("<", r, I64(0)), b.neg(r), r)


def _is_argument(node: Node) -> bool:
    return isinstance(node, Parameter) and node.graph.parent is None


def _operands(node: Node, seen: set[Any]) -> Iterator[Node]:
    """What the result that a value is part of has its order from."""
    while is_view(node):
        assert isinstance(node, Apply)
        node = node.args[0]
    if id(node) in seen:
        return
    seen.add(id(node))
    for origin in _origins(node):
        yield from _operands(origin, seen)
    if isinstance(node, Apply) and _follows(node):
        yield from _followed(node, seen)
    elif isinstance(node, Apply) and node.op in _HOLDERS:
        # It may be any of the arrays that such containers hold.
        for made in _alike(node):
            yield from _followed(made, seen)


def _followed(node: Apply, seen: set[Any]) -> Iterator[Node]:
    for operand in node.args:
        # What is handed over is asked about where it comes from.
        if not _origins(operand) and not _lies_as_ours(operand):
            yield operand
        yield from _given(operand, seen)
        yield from _operands(operand, seen)


def _alike(node: Apply) -> Iterator[Apply]:
    """The statements that make arrays of which a value may be one."""
    graph, mine = node.graph, alias_of(node.type)
    while graph is not None and graph.parent is not None:
        graph = graph.parent
    for g in called_graphs(graph) if graph is not None else ():
        for made in walk(g):
            if mine is not None and alias_of(made.type) is mine and _follows(made):
                yield made


_HOLDERS = (ops.GETITEM, ops.GETATTR, ops.POP, ops.CALL)


def _given(operand: Node, seen: set[Any]) -> Iterator[Node]:
    """What an operand that branches or iterations hand over may be."""
    for origin in _origins(operand):
        if ("given", id(origin)) not in seen:
            seen.add(("given", id(origin)))
            if not _origins(origin) and not _lies_as_ours(origin):
                yield origin
            yield from _given(origin, seen)


def _lies_as_ours(node: Node) -> bool:
    """Whether NumPy puts what is made here row by row, as we do."""
    if not isinstance(node, Apply) or is_view(node) or node.op is ops.GETITEM:
        return False
    if not isinstance(node.op, Primitive) or node.op.name not in _ROWS:
        return False
    return order_of(node) == "C"


def _origins(node: Node) -> list[Node]:
    """What a value that branches or iterations hand over may be."""
    if isinstance(node, Output):
        made, k = node.apply, node.index
        if made.op in (ops.IF, ops.TRY):
            return [r.results[k] for r in made.regions if k < len(r.results)]
        return _carried(made, k) if made.op in (ops.FOR, ops.WHILE) else []
    if isinstance(node, Parameter) and node.graph.parent is not None:
        for made in node.graph.parent.body:
            if node.graph in made.regions and made.op in (ops.FOR, ops.WHILE):
                params = node.graph.params[-made.shape.carried :]
                return _carried(made, params.index(node)) if node in params else []
    return []


def _carried(loop: Apply, k: int) -> list[Node]:
    """What the k-th variable of a loop is at first, and after an iteration."""
    n = loop.shape.carried
    if k >= n:
        return []
    return [loop.args[len(loop.args) - n + k], loop.regions[-1].results[k]]


def _follows(node: Apply) -> bool:
    """Whether NumPy may give a result the order of its operands."""
    if node.op is ops.GETITEM:
        return isinstance(deref(node.args[0].type), Num)
    if not isinstance(node.op, Primitive):
        return False
    if node.target is np.ndarray.copy and len(node.args) == 1 and not node.keywords:
        return False
    # A copy that lies as its array does has checked that.
    return node.op.name not in (*_ROWS, "copy_as")
