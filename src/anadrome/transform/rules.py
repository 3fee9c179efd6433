"""Rules of primitives, read and inlined where a derivative needs them."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.frontend.calls.calls import call_user
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.item_writes import new_dict, set_item
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import AnyType, Num, deref, strip_optional
from anadrome.primitives.cotangents import conform_cotangent, fit_cotangent
from anadrome.primitives.indexing import unbroadcast
from anadrome.primitives.registry import Primitive, find_primitive


def bound_arguments(
    it: Interpreter,
    primitive: Primitive,
    args: tuple[Node, ...],
    keywords: dict[str, Node],
) -> dict[str, Node]:
    """The declared parameters of a primitive and their values, defaults included."""
    bound = primitive.signature.bind(*args, **keywords)
    found: dict[str, Node] = {}
    for name, p in primitive.signature.parameters.items():
        if p.kind is p.VAR_POSITIONAL:
            found[name] = make_tuple(it, list(bound.arguments.get(name, ())))
        elif p.kind is p.VAR_KEYWORD:
            made = new_dict(it)
            for k, v in bound.arguments.get(name, {}).items():
                set_item(it, made, it.constant(k), v)
            found[name] = made
        elif name in bound.arguments:
            found[name] = bound.arguments[name]
        elif p.default is inspect.Parameter.empty:
            found[name] = it.constant(None)
        else:
            found[name] = it.constant(p.default)
    return found


def call_rule(
    it: Interpreter, rule: Any, args: list[Node], keywords: dict[str, Node]
) -> Node:
    """A rule's body, inlined."""
    it.in_rule += 1
    before, it.known_items = it.known_items, dict(it.known_items)
    try:
        return call_user(it, rule, args, keywords)
    finally:
        it.in_rule -= 1
        it.known_items = {**it.known_items, **before}


def no_rule(op: Primitive, node: Apply, mode: str) -> NotDifferentiable:
    """The error for a primitive without a derivative."""
    if op.refusal:
        # "why it cannot be done: write what can"
        reason, found, instead = op.refusal.rpartition("write ")
        reason = reason.rstrip(" :;,") if found else op.refusal
        return NotDifferentiable(
            f"'{op.__name__}' cannot be differentiated"
            + (f": {reason}" if reason else ""),
            node.span,
            f"write {instead}"
            if found
            else "keep values that are differentiated out of it",
        )
    return NotDifferentiable(
        f"'{op.__name__}' has no {mode} rule",
        node.span,
        "register one with ad.primitive, or keep differentiated values out of it",
    )


def refuse_constant_arguments(
    op: Primitive, node: Apply, old: dict[str, Any], active: Callable[[Node], bool]
) -> None:
    """Refuse a value that varies where the rule knows only constants."""
    for name, argument in old.items():
        if name in op.differentiable or name in op.structural:
            continue
        given = argument if isinstance(argument, tuple) else (argument,)
        if any(isinstance(a, Node) and active(a) for a in given):
            raise NotDifferentiable(
                f"'{op.__name__}' has no derivative with respect to '{name}'",
                node.span,
                "pass a constant there, or wrap it in ad.stop_gradient",
            )


def scaled(it: Interpreter, d: Node, factor: Node) -> Node:
    """`d * factor`, said briefly."""
    if isinstance(factor, Constant) and type(factor.value) in (int, float):
        if factor.value == 1:
            return d
        if factor.value == -1:
            negative = find_primitive(operator.neg)
            assert negative is not None
            return it.apply(negative, (d,), target=operator.neg)
    return numeric(it, operator.mul, d, factor)


def fitted(it: Interpreter, d: Node, like: Node, lone: bool) -> Node:
    """A cotangent summed to the shape of the argument it is for, and made real.

    `lone` says that the argument is the only array among the operands, so that the
    result has its shape.
    """
    t, s = strip_optional(like.type), strip_optional(d.type)
    if isinstance(t, AnyType) or isinstance(s, AnyType):
        return it.apply(fit_cotangent, (d, like))
    if not isinstance(t, Num) or not isinstance(s, Num):
        return d
    real = made_real(it, d, like)
    if real is not d:
        d, s = real, deref(real.type)
        assert isinstance(s, Num)
        s = Num(t.dtype if s.dtype is None else s.dtype, s.ndim, s.python)
    if s.ndim == 0 and t.ndim == 0:
        return d
    if t.ndim == 0:
        total = find_primitive(np.sum)
        assert total is not None
        return it.apply(total, (d,))
    if lone:
        return d
    shape = find_primitive(np.shape)
    assert shape is not None
    made = it.apply(unbroadcast, (d, it.apply(shape, (like,))))
    if not isinstance(made, Constant):
        made.type = Num(s.dtype, t.ndim)
    return made


def made_real(it: Interpreter, d: Node, like: Node) -> Node:
    """A cotangent made real if the value it is for is, or is found to be."""
    t, s = strip_optional(like.type), strip_optional(d.type)
    if not isinstance(s, Num | AnyType) or not isinstance(t, Num | AnyType):
        return d
    if isinstance(s, Num) and s.dtype is not None and s.dtype.kind != "c":
        return d
    if isinstance(t, Num) and t.dtype is not None:
        if t.dtype.kind == "c":
            return d
        real = find_primitive(np.real)
        assert real is not None
        return it.apply(real, (d,))
    made = it.apply(conform_cotangent, (d, like))
    if isinstance(s, Num) and isinstance(t, Num) and isinstance(made, Apply):
        # It still has the shape that it had.
        made.type = Num(t.dtype, s.ndim)
    return made


__all__ = [
    "bound_arguments",
    "call_rule",
    "fitted",
    "made_real",
    "no_rule",
    "scaled",
]
