"""Symbolic zeros: tangents that are known to vanish while rules are being read.

A rule is one formula for all its tangents. Those of arguments that do not vary are
symbolic zeros, which products and linear functions pass on and sums drop, so that the
printed derivative has no trace of them. Anything else gets real zeros.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import NONE, AnyType, List, Num, Type, deref
from anadrome.primitives.cotangents import zeros_of_numbers
from anadrome.primitives.registry import Primitive, find_primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter


class SymbolicZero(Constant):
    """A tangent that is zero; `like` is the value it belongs to, if that is known."""

    __slots__ = ("like",)

    def __init__(self, type: Type, like: Node | None) -> None:
        super().__init__(0.0, type)
        self.like = like

    def real(self, it: Interpreter) -> Node:
        """Zeros that exist."""
        t = NONE if self.like is None else deref(self.like.type)
        if self.like is None or (isinstance(t, Num) and t.ndim == 0):
            return Constant(0.0, Num(np.dtype(float), 0, True))
        missing = id(self.like) in getattr(it, "absent", ())
        if isinstance(t, AnyType | List) or missing:
            # It may be an integer, or hold some, or nothing.
            made = it.apply(zeros_of_numbers, (self.like,))
            if isinstance(t, Num) and not t.inexact and not isinstance(made, Constant):
                made.type = Num(np.dtype(float), t.ndim)
            return made
        if isinstance(t, Num) and not t.inexact:
            zeros, shape = find_primitive(np.zeros), find_primitive(np.shape)
            assert zeros is not None and shape is not None  # noqa: PT018
            return it.apply(zeros, (it.apply(shape, (self.like,)),))
        from anadrome.transform.reverse.cotangents import zero

        return zero(it, self.type, self.like)


_ANNIHILATES = {
    "multiply": (0, 1),
    "matmul": (0, 1),
    "dot": (0, 1),
    "divide": (0,),
    "outer": (0, 1),
    "inner": (0, 1),
    "tensordot": (0, 1),
    "kron": (0, 1),
    "vdot": (0, 1),
    "vecdot": (0, 1),
    "matvec": (0, 1),
    "vecmat": (0, 1),
    "convolve": (0, 1),
    "correlate": (0, 1),
    "cross": (0, 1),
}

_OF_LISTS = ("add_lists", "concatenate_lists", "copy_list", "copy_tuple", "repeat_list")


def with_zeros(
    it: Interpreter,
    primitive: Primitive,
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    target: Any,
) -> Node | None:
    """The result of a primitive of which some arguments are symbolic zeros."""
    places = [k for k, a in enumerate(args) if isinstance(a, SymbolicZero)]
    if not places:
        return None
    name = primitive.name
    if name in _OF_LISTS:
        # Zeros for lists are lists.
        return None
    if name == "add":
        return args[1] if 0 in places else args[0]
    if name == "subtract":
        if 1 in places:
            return args[0]
        negative = find_primitive(operator.neg)
        assert negative is not None
        return it.apply(negative, (args[1],), target=operator.neg)
    if any(k in places for k in _ANNIHILATES.get(name, ())):
        return SymbolicZero(Num(None, None), None)
    names = list(primitive.signature.parameters)
    if primitive.linear and name not in _ANNIHILATES:
        linear = [k for k, n in enumerate(names) if n in primitive.linear]
        given = [k for k in linear if k < len(args)]
        if given and all(k in places for k in given):
            return SymbolicZero(Num(None, None), None)
    return None
