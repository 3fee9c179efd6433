"""Random numbers, which are new arrays that depend on nothing."""

from __future__ import annotations

import random

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import Num, Other, deref
from anadrome.transform.dependence.activity import Activity

_GENERATORS = (np.random.Generator, np.random.RandomState)
_ALL_GENERATORS = (*_GENERATORS, random.Random)


def is_draw(node: Apply, activity: Activity) -> bool:
    """Whether a statement draws numbers whose distribution does not vary.

    An array of them may be changed in place afterwards, as one of zeros may.
    """
    if not isinstance(deref(node.type), Num):
        return False
    if any(n in activity for n in node.inputs):
        return False
    first = node.args[0]
    if node.op is ops.METHOD:
        owner = deref(first.type)
        if isinstance(owner, Other):
            return issubclass(owner.cls, _GENERATORS)
        return isinstance(first, Constant) and isinstance(first.value, _GENERATORS)
    if node.op is ops.PYCALL and isinstance(first, Constant):
        return isinstance(getattr(first.value, "__self__", None), _GENERATORS)
    return False


_SEEDED = (
    *(np.random.RandomState, np.random.default_rng, np.random.Generator),
    *(np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64),
    *(np.random.PCG64DXSM, np.random.SeedSequence, random.Random),
)


def draws_anew(graph: Graph) -> Apply | None:
    """A statement that draws other numbers when a graph runs again.

    Generators that the graph makes from a seed give the same ones.
    """
    for g in called_graphs(graph, recorded=True):
        for node in walk(g):
            if _advances(node):
                return node
    return None


def _advances(node: Apply) -> bool:
    """Whether a statement takes numbers from a generator that others take from, too."""
    if node.op not in (ops.PYCALL, ops.METHOD):
        return False
    first = node.args[0]
    if node.op is ops.METHOD:
        owner = deref(first.type)
        drawn = isinstance(owner, Other) and issubclass(owner.cls, _ALL_GENERATORS)
        drawn |= isinstance(first, Constant) and isinstance(
            first.value, _ALL_GENERATORS
        )
        drawn |= getattr(node.args[1], "value", None) == "rvs"
        return drawn and not _is_seeded(first)
    callee = getattr(first, "value", None)
    if isinstance(getattr(callee, "__self__", None), _ALL_GENERATORS):
        return True
    if getattr(callee, "__name__", "") == "rvs":
        return "random_state" not in node.keywords
    return any(callee is make for make in _SEEDED) and not _is_seeded(node)


def _is_seeded(node: Node) -> bool:
    """Whether a value is a generator that is made here from a seed."""
    if not isinstance(node, Apply) or node.op is not ops.PYCALL:
        return False
    if not any(getattr(node.args[0], "value", None) is make for make in _SEEDED):
        return False
    given = [*node.args[1:], *node.keywords.values()]
    if not given or (isinstance(given[0], Constant) and given[0].value is None):
        return False
    owner = deref(given[0].type)
    is_number = isinstance(owner, Num) or isinstance(given[0], Constant)
    return is_number or _is_seeded(given[0])
