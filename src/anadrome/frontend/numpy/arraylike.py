"""Lists where NumPy takes arrays: they are made arrays before anything else happens.

    np.dot([1, 2], x)   →   np.dot(np.asarray([1, 2]), x)

Rules are written for arrays, and so they need not know that there are lists.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import numpy as np

from anadrome.infer.examples import lacks_items
from anadrome.ir.graph import Node
from anadrome.ir.types import List, Num, Tuple, Type, VarTuple, deref
from anadrome.primitives.registry import Primitive, find_primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter


def with_arrays(
    it: Interpreter,
    primitive: Primitive,
    args: tuple[Node, ...],
    keywords: dict[str, Node],
) -> tuple[tuple[Node, ...], dict[str, Node]]:
    """The arguments of a primitive, arrays in place of lists of numbers."""
    if not any(map(_is_listed, (*args, *keywords.values()))):
        return args, keywords
    if not _is_numpy(primitive):
        return args, keywords
    wanted = [n for n in primitive.differentiable if n not in primitive.sequences]
    names = _names(primitive, len(args))
    return (
        tuple(as_array(it, a) if n in wanted else a for n, a in zip(names, args)),
        {k: as_array(it, v) if k in wanted else v for k, v in keywords.items()},
    )


def _is_numpy(primitive: Primitive) -> bool:
    """Whether a primitive is a function that takes whatever can be made an array."""
    target = primitive.impl
    module = str(getattr(target, "__module__", None) or "")
    return isinstance(target, np.ufunc) or module.split(".")[0] in ("numpy", "scipy")


def _names(primitive: Primitive, count: int) -> list[str]:
    """The names of the parameters that take the positional arguments."""
    names: list[str] = []
    for name, p in primitive.signature.parameters.items():
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            return names + [name] * (count - len(names))
        names.append(name)
    return names[:count]


def as_array(it: Interpreter, node: Node) -> Node:
    """A list of numbers as an array, and whatever else as it is."""
    if not _is_listed(node):
        return node
    asarray = find_primitive(np.asarray)
    assert asarray is not None
    return it.apply(asarray, (node,))


def _is_listed(node: Node) -> bool:
    """Whether a value is a list of numbers or of such lists, arrays or tuples."""
    t = deref(node.type)
    return not isinstance(t, Num) and holds_numbers(t) and not lacks_items(node)


def holds_numbers(t: Type) -> bool:
    """Whether a value is a number, an array, or consists of them alone."""
    t = deref(t)
    if isinstance(t, List | VarTuple):
        return holds_numbers(t.item)
    if isinstance(t, Tuple):
        return bool(t.items) and all(map(holds_numbers, t.items))
    return isinstance(t, Num)


__all__ = ["as_array", "holds_numbers", "with_arrays"]
