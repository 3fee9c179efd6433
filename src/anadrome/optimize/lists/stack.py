"""Arrays made of lists, as stacks and joins of arrays, for native code."""

from __future__ import annotations

import numpy as np

from anadrome.infer.examples import result_type
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import INT, List, Num, Other, Tuple, deref, same_dtype
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.optimize.rewriting import fixed_items, holds_stored, regions_within
from anadrome.primitives.registry import find_primitive


def stack_arrays(graph: Graph) -> bool:
    """Whether arrays of lists of arrays became stacks of them.

    out = np.array(hs)    →    out = np.stack(hs)

    An empty list cannot be stacked, so this is for programs that can fall back to what
    they were.
    """
    changed = False
    for g in called_graphs(graph):
        for node in walk(g):
            if is_primitive(node, "array", "asarray") and _is_stack(node):
                node.op, node.target = find_primitive(np.stack), np.stack
                node.args, node.keywords = node.args[:1], {}
                changed = True
    return changed


def _is_stack(node: Apply) -> bool:
    t, source = deref(node.type), deref(node.args[0].type)
    if len(node.args) > 2 or holds_stored(node.args[0].type):
        return False
    if not isinstance(t, Num) or t.dtype is None:
        return False
    if isinstance(source, List):
        kinds = [deref(source.item)]
    elif isinstance(source, Tuple) and source.cls is tuple and source.items:
        kinds = [deref(i) for i in source.items]
    else:
        return False
    if any(not isinstance(k, Num) or not k.ndim or k.dtype is None for k in kinds):
        return False
    if len({(k.dtype, k.ndim) for k in kinds}) != 1:  # type: ignore[attr-defined]
        return False
    first = kinds[0]
    assert isinstance(first, Num)
    if not same_dtype(t.dtype, first.dtype) or t.ndim != (first.ndim or 0) + 1:
        return False
    return all(_is_plain(name, given) for name, given in _options(node))


def _options(node: Apply) -> list[tuple[str, object]]:
    return [*(("dtype", a) for a in node.args[1:2]), *node.keywords.items()]


def _is_plain(name: str, given: object) -> bool:
    """Whether an option leaves everything as it is; the dtype was looked at."""
    if name == "dtype":
        return True
    if not isinstance(given, Constant):
        return False
    return bool(given.value == {"copy": True, "ndmin": 0}.get(name, ...))


# Lists of numbers within --------------------------------------------------------------

_JOINING = ("concatenate", "stack", "hstack", "vstack", "column_stack")
# What they are for arrays of rank 1, and of rank 2 or more: the function and its axis.
_PLAIN = {
    "vstack": ((np.stack, 0), (np.concatenate, 0)),
    "hstack": ((np.concatenate, 0), (np.concatenate, 1)),
    "column_stack": ((np.stack, 1), (np.concatenate, 1)),
}


def nest_arrays(graph: Graph) -> None:
    """Make arrays of the lists of numbers that arrays are made of.

    np.array([[a, b], [c, d]])       →    np.stack([np.array([a, b]), np.array([c, d])])
    np.concatenate([[0.0], x])       →    np.concatenate([np.array([0.0]), x])
    np.vstack([x, y])                →    np.stack([x, y], axis=0)
    """
    for g in called_graphs(graph):
        for region in regions_within(g):
            body: list[Apply] = []
            for node in region.body:
                made: list[Apply] = []
                if is_primitive(node, "array", "asarray"):
                    _nest(node, made)
                elif is_primitive(node, *_JOINING):
                    _convert_items(node, made)
                    _join_plainly(node)
                for m in made:
                    m.graph, m.span = region, node.span
                body += [*made, node]
            region.body = body


def _nest(node: Apply, made: list[Apply]) -> None:
    t = deref(node.type)
    if not isinstance(t, Num) or t.dtype is None or not t.ndim or t.ndim < 2:
        return
    if len(node.args) > 2 or not all(_is_plain(*o) for o in _options(node)):
        return
    shape = _shape_of(node.args[0])
    if shape is None or len(shape) != t.ndim:
        return
    rows = fixed_items(node.args[0])
    assert rows is not None
    arrays = [_array_of(row, t, made) for row in rows]
    node.op, node.target = find_primitive(np.stack), np.stack
    node.args, node.keywords = (_list_of(arrays, made),), {}


def _shape_of(node: Node) -> tuple[int, ...] | None:
    """The shape of a list of numbers, or of lists of them, as written down."""
    items = fixed_items(node)
    if not items:
        return None
    if all(_is_number(i) for i in items):
        return (len(items),)
    shapes = {_shape_of(i) for i in items}
    (inner,) = shapes if len(shapes) == 1 else (None,)
    return None if inner is None else (len(items), *inner)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0 and not holds_stored(t)


def _array_of(node: Node, like: Num, made: list[Apply]) -> Apply:
    """The array of a list of some shape, of the dtype of another array."""
    items = fixed_items(node)
    assert items is not None
    t = Num(like.dtype, len(_shape_of(node) or ()))
    if t.ndim == 1:
        new = Apply(find_primitive(np.array), (node,), t)
        new.target = np.array
        own = deref(result_type(np.array, (node,), {}))
        if not isinstance(own, Num) or not same_dtype(own.dtype, like.dtype):
            # Nowhere else is it said: what a number is may depend on the path.
            new.keywords = {"dtype": Constant(like.dtype, Other(np.dtype))}
    else:
        rows = [_array_of(item, like, made) for item in items]
        new = Apply(find_primitive(np.stack), (_list_of(rows, made),), t)
        new.target = np.stack
    made.append(new)
    return new


def _list_of(items: list[Apply], made: list[Apply]) -> Apply:
    new = Apply(ops.LIST, tuple(items), List(items[0].type))
    made.append(new)
    return new


def _convert_items(node: Apply, made: list[Apply]) -> None:
    """Make arrays of those items of a sequence that are lists of numbers."""
    given, t = node.args[0], deref(node.type)
    items = fixed_items(given)
    if items is None or not isinstance(t, Num) or t.dtype is None:
        return
    lists = [k for k, i in enumerate(items) if fixed_items(i) is not None]
    if not lists or any(_shape_of(items[k]) is None for k in lists):
        return
    kinds = [deref(i.type) for k, i in enumerate(items) if k not in lists]
    if any(not isinstance(k, Num) or not same_dtype(k.dtype, t.dtype) for k in kinds):
        # What the lists hold would decide what the result holds.
        return
    assert isinstance(given, Apply)
    new = [
        _array_of(item, t, made) if k in lists else item for k, item in enumerate(items)
    ]
    made.append(Apply(ops.TUPLE, tuple(new), Tuple(tuple(deref(n.type) for n in new))))
    node.args = (made[-1], *node.args[1:])


def _join_plainly(node: Apply) -> None:
    """Write a join that looks at ranks as the one that it is for these arrays."""
    variants = _PLAIN.get(node.op.name)
    if variants is None or len(node.args) != 1 or node.keywords:
        return
    source = deref(node.args[0].type)
    if isinstance(source, List):
        kinds = [deref(source.item)]
    elif isinstance(source, Tuple):
        kinds = [deref(i) for i in source.items]
    else:
        return
    ranks = {k.ndim if isinstance(k, Num) else None for k in kinds}
    if len(ranks) != 1 or holds_stored(source):
        return
    (rank,) = ranks
    if rank is None or rank == 0:
        return
    function, axis = variants[int(rank > 1)]
    node.op, node.target = find_primitive(function), function
    node.keywords = {"axis": Constant(axis, INT)}
