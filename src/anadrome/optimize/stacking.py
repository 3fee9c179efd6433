"""Arrays made of lists of arrays, as stacks, for native code."""

from __future__ import annotations

import numpy as np

from anadrome.ir.graph import Apply, Constant, Graph, called_graphs, walk
from anadrome.ir.types import List, Num, Tuple, deref
from anadrome.optimize.rewriting import holds_stored
from anadrome.optimize.turns import is_primitive
from anadrome.primitives.registry import find_primitive


def stack_arrays(graph: Graph) -> bool:
    """Whether arrays of lists of arrays became stacks of them.

    out = np.array(hs)    →    out = np.stack(hs)

    An empty list cannot be stacked, so this is for programs that can be run again as
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
    if t.dtype != first.dtype or t.ndim != (first.ndim or 0) + 1:
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
