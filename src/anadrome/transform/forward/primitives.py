"""Tangents of primitives: their rules, read and inlined."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from anadrome import runtime
from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    NONE,
    AnyType,
    List,
    Num,
    Other,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_stored,
    strip_optional,
)
from anadrome.optimize.analysis.memory import depends_on_order
from anadrome.primitives.containers import copy_list
from anadrome.primitives.cotangents import fit_tangent, present_tangent
from anadrome.primitives.registry import Primitive, find_primitive
from anadrome.transform.forward.tangents import covers, in_dtype
from anadrome.transform.refusals import unknown_function
from anadrome.transform.reverse.cotangents import cotangent_type, may_be_integer, zero
from anadrome.transform.rules import (
    bound_arguments,
    call_rule,
    no_rule,
    refuse_constant_arguments,
    scaled,
)

if TYPE_CHECKING:
    from anadrome.transform.forward.walk import Forward


def push_primitive(f: Forward, node: Apply) -> None:
    op: Primitive = node.op
    it = f.it
    if op.zero:
        if f.activity.shadowed(node.type):
            f.give(node, _twin(f, node, None))
        return
    old = op.signature.bind(*node.args, **node.keywords).arguments
    inputs = [a for v in old.values() for a in (v if isinstance(v, tuple) else (v,))]
    if not any(isinstance(a, Node) and f.tangent(a) is not None for a in inputs):
        _refuse_hidden(f, inputs)
        if f.activity.shadowed(node.type):
            f.give(node, _twin(f, node, None))
        return
    if op.name == "einsum":
        _check_copies(f, node)
    if op.view and op.refusal is None and f.activity.buffer(node.type):
        base = f.tangents[id(node.args[0])]
        rest = tuple(f.value(a) for a in node.args[1:])
        named = {k: f.value(v) for k, v in node.keywords.items()}
        made = it.emit(
            op,
            (base, *rest),
            f.tangent_type(node.type),
            keywords=named,
            target=node.target,
        )
        if depends_on_order(node):
            seen = f.value(node.args[0]), f.value(node), base, made
            it.emit(ops.PYCALL, (it.constant(runtime.check_view), *seen), NONE)
        f.give(node, made)
        return
    if op.custom:
        pushed = op.push_forward(f, node)  # type: ignore[attr-defined]
        if pushed is None or f.activity.buffer(node.type):
            pushed = _twin(f, node, pushed)
        f.give(node, pushed)
        return
    if op.jvp_rule is None and op.partials is None:
        raise no_rule(op, node, "forward")
    if op.partials is None:
        refuse_constant_arguments(op, node, old, lambda a: f.tangent(a) is not None)
    values = bound_arguments(
        it,
        op,
        tuple(f.value(a) for a in node.args),
        {k: f.value(v) for k, v in node.keywords.items()},
    )
    z = f.value(node)
    d = (
        _elementwise(f, op, old, values, z)
        if op.partials is not None
        else (_rule(f, op, old, values, z))
    )
    if _has_axes(z) and not isinstance(d, SymbolicZero):
        # Its parts and views are taken for such of the value.
        d = in_dtype(it, d, z)
    if f.activity.buffer(node.type):
        d = _twin(f, node, d)
    elif is_stored(d.type) and not isinstance(d, Constant):
        # A rule may hand on the tangent of an argument that changes later.
        s = deref(d.type)
        kind = Num(s.dtype, s.ndim) if isinstance(s, Num) else s
        d = it.emit(ops.COPY, (d,), kind)
    f.give(node, d)


def _refuse_hidden(f: Forward, inputs: list[Any]) -> None:
    """Refuse objects that a call has made of what varies: its tangent is lost there."""
    for a in inputs:
        if isinstance(a, Apply) and a.op in (ops.PYCALL, ops.METHOD):
            if a in f.activity and isinstance(strip_optional(a.type), Other):
                callee = a.args[0 if a.op is ops.PYCALL else 1]
                what = getattr(callee, "value", callee)
                raise unknown_function(getattr(what, "__name__", what), a.span)


def _has_axes(z: Node) -> bool:
    t = deref(z.type)
    return isinstance(t, Num) and t.ndim != 0


def _check_copies(f: Forward, node: Apply) -> None:
    """Make sure that a result is no view where something is changed in place."""
    for a in node.args[1:]:
        if f.activity.buffer(a.type) or f.activity.buffer(node.type):
            check = f.it.constant(runtime.check_copy)
            args = (check, f.value(a), f.value(node))
            f.it.emit(ops.PYCALL, args, NONE)


def _twin(f: Forward, node: Apply, d: Node | None) -> Node:
    """A tangent that can be changed in place along with its value."""
    kind = f.tangent_type(node.type)
    if d is None or isinstance(d, Constant):
        made = f.zero(node.type, f.value(node))
        if not isinstance(made, Constant):
            made.type = kind
        return made
    if isinstance(deref(node.type), Num):
        return f.copy(d, f.value(node), kind)
    new = isinstance(d, Apply) and isinstance(d.op, Primitive) and d.op.fresh
    if not new and isinstance(deref(node.type), List):
        d = f.it.apply(copy_list, (d,))
    d.type = kind
    return d


def _elementwise(
    f: Forward, op: Primitive, old: dict[str, Any], values: dict[str, Node], z: Node
) -> Node:
    it = f.it
    total: Node | None = None
    pushed: dict[int, Node] = {}
    assert op.partials is not None
    for name, partial in zip(op.signature.parameters, op.partials):
        argument = old.get(name)
        if partial is None or not isinstance(argument, Node):
            continue
        t = f.tangent(argument)
        if t is None:
            continue
        slope = call_rule(it, partial, [z, *values.values()], {})
        pushed[id(t)] = values[name]
        term = scaled(it, t, slope)
        total = term if total is None else numeric(it, operator.add, total, term)
    if total is None:
        # It is constant in all that varies here.
        return SymbolicZero(cotangent_type(z.type), z)
    return _shaped(f, total, z, list(values.values()), pushed)


def _shaped(
    f: Forward, d: Node, z: Node, operands: list[Node], pushed: dict[int, Node]
) -> Node:
    """A tangent in the shape of its value: an operand may have been broadcast."""
    t, s = strip_optional(z.type), strip_optional(d.type)
    if isinstance(t, AnyType):
        return f.it.apply(fit_tangent, (d, z))
    if isinstance(t, Num) and isinstance(s, Num) and t.ndim != 0:
        ranks = [strip_optional(o.type) for o in operands]
        arrays = [r for r in ranks if isinstance(r, Num) and r.ndim != 0]
        apart = len(arrays) > 1 and not covers(d, z, operands, pushed)
        if t.ndim is None and (apart or s.ndim is not None):
            # What may be a number stays one, which np.broadcast_to would not leave it.
            zeros = find_primitive(np.zeros_like)
            assert zeros is not None
            return numeric(f.it, operator.add, d, f.it.apply(zeros, (z,)))
        if apart or s.ndim != t.ndim:
            broadcast, shape = (
                find_primitive(np.broadcast_to),
                find_primitive(np.shape),
            )
            assert broadcast is not None and shape is not None  # noqa: PT018
            made = f.it.apply(broadcast, (d, f.it.apply(shape, (z,))))
            # A view: what changes in place changes it too.
            made.type = Num(s.dtype, t.ndim, alias=s.alias)
            return made
    return d


def filled(f: Forward, d: Node, value: Node) -> Node:
    """The tangent of several values, zeros also for integers among them."""
    t = deref(value.type)
    integer = isinstance(t, Num) and not t.inexact
    if deref(d.type) is NONE or integer:
        if isinstance(t, Num) and t.ndim == 0:
            return f.it.constant(0.0)
        # Nothing of it varies.
        zeros, shape = find_primitive(np.zeros), find_primitive(np.shape)
        assert zeros is not None and shape is not None  # noqa: PT018
        return f.it.apply(zeros, (f.it.apply(shape, (value,)),))
    if isinstance(t, Tuple) and isinstance(deref(d.type), Tuple):
        items = [
            filled(f, take(f.it, d, k), take(f.it, value, k))
            for k in range(len(t.items))
        ]
        return make_tuple(f.it, items)
    if _is_written_out(d) and _is_written_out(value):
        items = [filled(f, a, b) for a, b in zip(d.args, value.args)]
        if all(a is b for a, b in zip(items, d.args)):
            return d
        return f.it.emit(ops.LIST, tuple(items), d.type)
    if isinstance(t, List | VarTuple) and (_has_integers(t.item) or _may_lack(t)):
        made = f.it.apply(present_tangent, (d, value))
        made.type = type(t)(_filled_type(t.item))
        return made
    return d


def _may_lack(t: List | VarTuple) -> bool:
    """Whether integers may lie among floats, where nothing varies."""
    item = deref(t.item)
    return isinstance(item, Num) and item.scalar and may_be_integer(item)


def _has_integers(t: Type) -> bool:
    """Whether integers lie at a fixed place in the items of a list."""
    t = deref(t)
    if isinstance(t, List | VarTuple):
        return _has_integers(t.item)
    if not isinstance(t, Tuple):
        return False
    inside = [deref(p) for p in t.items]
    return any(
        _has_integers(p) or (isinstance(p, Num) and not p.inexact) for p in inside
    )


def _filled_type(t: Type) -> Type:
    """The type of a tangent that is zero for integers."""
    t = deref(t)
    if isinstance(t, Tuple):
        return Tuple(tuple(map(_filled_type, t.items)))
    if isinstance(t, List | VarTuple):
        return type(t)(_filled_type(t.item))
    if isinstance(t, Num) and not t.inexact:
        return Num(np.dtype(float), t.ndim, t.python)
    return cotangent_type(t)


def _is_written_out(node: Node) -> TypeGuard[Apply]:
    """Whether the items of a list are those that it is made of here."""
    made = isinstance(node, Apply) and node.op is ops.LIST
    return made and not is_stored(node.type)


def _rule(
    f: Forward, op: Primitive, old: dict[str, Any], values: dict[str, Node], z: Node
) -> Node:
    it = f.it
    tangents: dict[str, Node] = {}
    for name in op.differentiable:
        argument = old.get(name)
        if isinstance(argument, tuple):
            given = [filled(f, f.real_tangent(a), f.value(a)) for a in argument]
            tangents["d" + name] = make_tuple(it, given)
            continue
        t = f.tangent(argument) if isinstance(argument, Node) else None
        if t is None:
            like = values[name]
            if isinstance(deref(like.type), Tuple):
                t = zero(f.it, like.type, like)
            else:
                t = SymbolicZero(cotangent_type(like.type), like)
        elif name in op.sequences:
            t = filled(f, t, values[name])
        tangents["d" + name] = t
    d = call_rule(it, op.jvp_rule, [z, *values.values()], tangents)
    if op.broadcasts and not isinstance(d, SymbolicZero):
        pushed = {id(t): values[name[1:]] for name, t in tangents.items()}
        return _shaped(f, d, z, list(values.values()), pushed)
    return d
