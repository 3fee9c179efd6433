"""Draws of random generators, written so that they have derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.frontend.calls.opaque import Keywords, opaque_method
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.draws import draw_type, generator_type
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import INT, Num, VarTuple, deref
from anadrome.primitives.registry import find_primitive

# Draws that are a shift and a scaling of a standard one can be differentiated.
_STANDARD = {
    "normal": ("standard_normal", "loc", "scale"),
    "logistic": ("logistic", "loc", "scale"),
    "laplace": ("laplace", "loc", "scale"),
    "gumbel": ("gumbel", "loc", "scale"),
    "exponential": ("standard_exponential", None, "scale"),
}


def draw(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    import operator

    from anadrome.frontend.syntax.expressions import binary

    size = keywords.get("size")
    if name == "uniform":
        low = keywords.get("low", args[0] if args else it.constant(0.0))
        high = keywords.get("high", args[1] if len(args) > 1 else it.constant(1.0))
        size = size or (args[2] if len(args) > 2 else _common_size(it, [low, high]))
        unit = opaque_method(it, node, "random", [size], {}, draw_type(size))
        width = binary(it, operator.sub, high, low)
        return binary(it, operator.add, low, binary(it, operator.mul, width, unit))
    if name in _STANDARD:
        standard, location, scale = _STANDARD[name]
        names = [n for n in (location, scale) if n is not None]
        given = dict(zip([*names, "size"], args))
        given.update(keywords)
        size = given.get("size") or _common_size(
            it, [given[n] for n in names if n in given]
        )
        extra = [it.constant(0.0), it.constant(1.0)] if standard == name else []
        made: Node = opaque_method(
            it, node, standard, [*extra, size], {}, draw_type(size)
        )
        if scale in given:
            made = binary(it, operator.mul, given[scale], made)
        if location in given:
            made = binary(it, operator.add, given[location], made)
        return made
    kind = generator_type(name, args, keywords)
    return opaque_method(it, node, name, args, keywords, kind)


def _is_number(t: Any) -> bool:
    return isinstance(t, Num) and t.ndim == 0


def _common_size(it: Interpreter, given: list[Node]) -> Node:
    arrays = [g for g in given if not _is_number(deref(g.type))]
    if not arrays:
        return it.constant(None)
    if len(arrays) == 1:
        primitive = find_primitive(np.shape)
        assert primitive is not None
        return it.apply(primitive, (arrays[0],))
    return it.emit(ops.OBSERVE, (it.constant(_broadcast_shape), *arrays), VarTuple(INT))


def _broadcast_shape(*arrays: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(a) for a in arrays))
