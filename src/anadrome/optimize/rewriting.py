"""What passes share: what may be moved or merged, and how values are replaced."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import (
    AnyType,
    NeverType,
    Num,
    Other,
    Type,
    Union,
    are_told_apart,
    deref,
    is_given,
    is_stored,
    note_given,
    same_form,
)
from anadrome.ir.types import holds_stored as holds_stored
from anadrome.primitives.registry import Primitive


def replace(graph: Graph, replaced: dict[int, Node]) -> None:
    """Read other values in place of some, everywhere in a graph."""
    if not replaced:
        return

    def new(n: Node) -> Node:
        found = replaced.get(id(n))
        while found is not None:
            n, found = found, replaced.get(id(found))
        return n

    for node in graph.body:
        if id(node) in replaced:
            # It could not fail, since what stands for it is there.
            node.retained = False
        if any(id(n) in replaced for n in node.inputs):
            node.args = tuple(new(a) for a in node.args)
            node.keywords = {k: new(v) for k, v in node.keywords.items()}
        for region in node.regions:
            replace(region, replaced)
    graph.results = [new(r) for r in graph.results]


def regions_within(graph: Graph) -> Iterator[Graph]:
    """A graph and every region in it."""
    yield graph
    for node in graph.body:
        for region in node.regions:
            yield from regions_within(region)


def has_identity(t: Type) -> bool:
    """Whether another value that is equal will not do: it changes, or is compared."""
    return holds_stored(t) or are_told_apart(t)


def is_movable(node: Apply) -> bool:
    """Whether a statement computes the same wherever it is: nothing it reads is
    changed in place, and it changes nothing itself."""
    if node.regions or node.outputs:
        return False
    if isinstance(node.op, Primitive):
        pure = node.op.pure
    else:
        pure = node.op in _MOVABLE
    if not pure or has_identity(node.type):
        return False
    if any(holds_stored(n.type) for n in node.inputs):
        return False
    return node.op in _HOLDING or not any(map(may_change, node.inputs))


def is_new(node: Node) -> bool:
    """Whether a statement makes an array that the caller may get, and change.

    Of those there are as many as Python makes.
    """
    makes = isinstance(node, Apply) and isinstance(node.op, Primitive)
    return makes and not node.op.view and is_given(node.type)  # type: ignore[attr-defined]


def may_change(node: Node) -> bool:
    """Whether nothing is known of what changes in a value that is looked into.

    A set, a deque or a value of unknown type has methods that change it.
    """
    if isinstance(node, Constant):
        return False
    t = deref(node.type)
    if isinstance(t, Other):
        return not t.numeric and not issubclass(t.cls, _IMMUTABLE)
    return isinstance(t, AnyType) and not isinstance(t, Union)


_IMMUTABLE = (
    *(slice, np.dtype, tuple, type, frozenset, bytes, range, BaseException),
    *(np.finfo, np.iinfo, types.FunctionType, types.BuiltinFunctionType, np.ufunc),
)
_HOLDING = (ops.TUPLE, ops.SLICE, ops.IS)


_MOVABLE = (
    ops.TUPLE,
    ops.SLICE,
    ops.GETITEM,
    ops.GETATTR,
    ops.LENGTH,
    ops.IS,
    ops.NOT,
    ops.CONTAINS,
    ops.CONVERT,
)


def fixed_items(node: Node) -> tuple[Node, ...] | None:
    """The items of a tuple that is built here, or of a list that nobody changes."""
    if not isinstance(node, Apply) or node.op not in (ops.TUPLE, ops.LIST):
        return None
    return None if is_stored(node.type) else node.args


def is_total(node: Apply) -> bool:
    """Whether a statement cannot raise for the values that it is given."""
    if isinstance(node.op, Primitive):
        if isinstance(deref(node.type), AnyType | NeverType):
            return False  # it may not take what it is given
        return not node.op.raises or node.op.name in _TOTAL
    return bool(node.op.total)


_TOTAL = frozenset(
    ["shape", "ndim", "size", "transpose_all", "transpose", "conjugate", "real", "imag"]
)


def same_type(a: Type, b: Type) -> bool:
    """Whether two values are numbers of the same dtype and rank, of the same kind."""
    a, b = deref(a), deref(b)
    return (
        isinstance(a, Num)
        and isinstance(b, Num)
        and a.dtype is not None
        and a.ndim is not None
        and same_form(a, b)
        and a.python == b.python
    )


def rewrite_statements(graph: Graph, rewrite: Callable[[Apply], list[Apply]]) -> None:
    """Put statements in the place of others: the last one stands for the old value.

    None are given for a statement that stays.
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        for region in list(regions_within(g)):
            body: list[Apply] = []
            for node in region.body:
                made = rewrite(node)
                for new in made:
                    new.graph, new.span, new.comment = region, node.span, node.comment
                if made:
                    made[-1].name = node.name
                    made[-1].retained = made[-1].retained or node.retained
                    if is_given(node.type):
                        note_given(made[-1].type, ())
                    replaced[id(node)] = made[-1]
                body += made or [node]
            region.body = body
        replace(g, replaced)
