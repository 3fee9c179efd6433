"""The backward pass through single operations."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from anadrome import runtime
from anadrome.errors import NotDifferentiable, UnknownFunction
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.item_reads import get_item
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, Output
from anadrome.ir.types import (
    AnyType,
    Cell,
    List,
    Num,
    Object,
    Stack,
    Tuple,
    Type,
    VarTuple,
    deref,
    strip_optional,
)
from anadrome.primitives.containers import copy_list
from anadrome.primitives.cotangents import conform_cotangent
from anadrome.primitives.registry import (
    Primitive,
    find_primitive,
    is_nondifferentiable,
)
from anadrome.transform.dependence.draws import is_draw
from anadrome.transform.dependence.zero_d_arrays import is_zero_d_array
from anadrome.transform.refusals import unknown_function
from anadrome.transform.reverse.buffers import stores, views
from anadrome.transform.reverse.cotangents import (
    Cotangent,
    Parts,
    cotangent_type,
    part_type,
)
from anadrome.transform.rules import (
    bound_arguments,
    call_rule,
    fitted,
    made_real,
    no_rule,
    refuse_constant_arguments,
    scaled,
)

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


def adjoint(r: Reverse, node: Apply) -> None:
    """Write the backward pass through one statement."""
    if isinstance(node.op, Primitive):
        _primitive(r, node)
        return
    handler = _ADJOINTS.get(node.op)
    if handler is not None:
        handler(r, node)
    elif node.op in (ops.PYCALL, ops.METHOD):
        _opaque(r, node)


def _opaque(r: Reverse, node: Apply) -> None:
    d = r.take_node(node) if node in r.activity else None
    if d is None or is_draw(node, r.activity):
        return
    callee = node.args[0] if node.op is ops.PYCALL else node.args[1]
    if isinstance(callee, Constant) and callee.value in (list, tuple):
        assert isinstance(d, Node)
        r.contribute(node.args[1], conform(r.it, d, r.saved(node.args[1], node)))
        return
    called = getattr(callee, "value", callee)
    _refuse(node, str(getattr(called, "__name__", called)))


def _refuse(node: Apply, what: str) -> NoReturn:
    if what == "__call__":
        raise UnknownFunction(
            "which function is called here is known only at run time, and a "
            "derivative has to go through it",
            node.span,
            "call it by name, or choose between calls instead of between functions",
        )
    raise unknown_function(what, node.span)


def refuse_effect(r: Reverse, node: Apply) -> None:
    """Refuse a call that may change an object whose cotangent is followed."""
    callee = node.args[0] if node.op is ops.PYCALL else node.args[1]
    what = getattr(callee, "value", None)
    if node.target is True or what in runtime.LOOKING:
        return
    if is_nondifferentiable(what):
        return
    if any(r.activity.shadowed(a.type) for a in node.inputs):
        raise UnknownFunction(
            f"'{getattr(what, '__name__', what)}' cannot be looked into, and it may "
            "change what a derivative depends on",
            node.span,
            "pass it a copy, or register a rule for it with ad.primitive",
        )


# Primitives ---------------------------------------------------------------------------


def _primitive(r: Reverse, node: Apply) -> None:
    op: Primitive = node.op
    if op.zero or node not in r.activity:
        return
    if op.view and r.activity.shadowed(node.type) and not r.shadows.is_new(node):
        views.undo_view(r, node)
        return
    marks = masked, unread = id(node) in r.masked, id(node) in r.unread
    d = r.take_node(node)
    if d is None:
        return
    if op.custom:
        op.pull_back(r, node, d)  # type: ignore[attr-defined]
        return
    it = r.it
    old = op.signature.bind(*node.args, **node.keywords).arguments
    inputs = [a for v in old.values() for a in (v if isinstance(v, tuple) else (v,))]
    active = [a for a in inputs if isinstance(a, Node) and a in r.activity]
    if not active:
        return
    if op.vjp_rule is None and op.partials is None:
        raise no_rule(op, node, "reverse")
    values = bound_arguments(
        it,
        op,
        tuple(r.saved(a, node) for a in node.args),
        {k: r.saved(v, node) for k, v in node.keywords.items()},
    )
    z = r.saved(node, node)
    guarded = masked and op.broadcasts and not op.linear
    if guarded or (unread and _has_pole(node)):
        values, z = _safe(it, op, d, values, z)
    arrays = [a for a in inputs if isinstance(a, Node) and _rank(a) != 0]
    if op.partials is not None:
        for name, partial in zip(op.signature.parameters, op.partials):
            argument = old.get(name)
            if partial is None or not isinstance(argument, Node):
                continue
            if argument in r.activity:
                slope = call_rule(it, partial, [z, *values.values()], {})
                _give(r, op, argument, scaled(it, d, slope), arrays, node, marks)
        return
    refuse_constant_arguments(op, node, old, lambda a: a in r.activity)
    rule = op.vjp_rule
    found = call_rule(it, rule, [z, *values.values()], {"dz": d})
    names = op.differentiable
    kind = deref(found.type)
    if len(names) > 1 and isinstance(kind, Num) and kind.ndim is not None:
        raise NotDifferentiable(
            f"the reverse rule of '{op.__name__}' returns one cotangent, the function "
            f"has {len(names)} arguments: {', '.join(names)}",
            node.span,
            "return a tuple with one cotangent for each of them, None for zero",
        )
    for k, name in enumerate(names):
        argument = old.get(name)
        if argument is None:
            continue
        ct = found if len(names) == 1 else get_item(it, found, it.constant(k))
        if isinstance(argument, tuple):
            for j, a in enumerate(argument):
                if a in r.activity:
                    item = get_item(it, ct, it.constant(j))
                    _give(r, op, a, item, arrays, node, marks)
        elif argument in r.activity:
            _give(r, op, argument, ct, arrays, node, marks)


def _rank(node: Node) -> int | None:
    t = strip_optional(node.type)
    if isinstance(t, AnyType | List | Tuple | VarTuple):
        return None
    return t.ndim if isinstance(t, Num) else 0


def _give(
    r: Reverse,
    op: Primitive,
    argument: Node,
    ct: Node,
    arrays: list[Node],
    at: Apply,
    marks: tuple[bool, bool],
) -> None:
    """Hand a cotangent to an argument in the argument's shape."""
    it = r.it
    # A list may be longer or shorter later; an array keeps its shape.
    number = isinstance(strip_optional(argument.type), Num)
    like = r.value(argument) if number else r.saved(argument, at)
    if op.broadcasts:
        lone = all(a is argument for a in arrays)
        ct = fitted(it, ct, like, lone)
    else:
        ct = made_real(it, ct, like)
    ct = conform(it, ct, like)
    masked, unread = marks
    for marked, nodes in ((masked or op.masks, r.masked), (unread, r.unread)):
        if id(argument) not in r.cotangents:
            if marked:
                nodes.add(id(argument))
        elif not marked:
            nodes.discard(id(argument))
    r.contribute(argument, ct)


def conform(it: Interpreter, ct: Node, like: Node) -> Node:
    """A cotangent in the structure of a value: NumPy takes lists as arrays."""
    t, s = strip_optional(like.type), deref(ct.type)
    if isinstance(ct, Constant) and ct.value is None:
        return ct
    if isinstance(t, List | VarTuple) and _may_mix(t.item, s):
        return it.apply(conform_cotangent, (ct, like))
    if _same_structure(s, t) and not isinstance(t, Tuple):
        return ct
    if isinstance(t, Tuple) and isinstance(s, Num | List | VarTuple | Tuple):
        items = []
        for k in range(len(t.items)):
            part = take(it, like, k)
            d = made_real(it, get_item(it, ct, it.constant(k)), part)
            items.append(conform(it, d, part))
        return make_tuple(it, items, t.cls)
    if isinstance(t, List) and isinstance(deref(t.item), Num):
        if isinstance(s, Num) and not isinstance(like, Constant):
            return it.apply(copy_list, (ct,))
    return it.apply(conform_cotangent, (ct, like))


def _may_mix(item: Type, d: Type) -> bool:
    """Whether cotangents of a sequence's items may be complex where these are real."""
    t = deref(item)
    if not isinstance(t, Num):
        return False
    inner = deref(d.item) if isinstance(d, List | VarTuple) else d
    if t.dtype is None or not isinstance(inner, Num) or inner.dtype is None:
        return True
    return t.dtype.kind == "c" or inner.dtype.kind == "c"


def _same_structure(s: Type, t: Type) -> bool:
    """Whether cotangents of one type fit values of the other as they are."""
    s, t = deref(s), deref(t)
    if isinstance(t, Num):
        return isinstance(s, Num) or not isinstance(s, List | Tuple | VarTuple)
    if isinstance(t, Tuple):
        return (
            isinstance(s, Tuple)
            and s.cls is t.cls
            and len(s.items) == len(t.items)
            and all(map(_same_structure, s.items, t.items))
        )
    if isinstance(t, List | VarTuple):
        return type(s) is type(t) and _same_structure(s.item, t.item)
    return not isinstance(t, AnyType) or isinstance(s, AnyType)


def _places(op: Primitive) -> int:
    """How many arguments a function takes by position."""
    kinds = [p.kind for p in op.signature.parameters.values()]
    return len(kinds) - kinds.count(inspect.Parameter.KEYWORD_ONLY)


@functools.lru_cache(maxsize=512)
def safe_point(op: Primitive) -> float:
    """A number at which an elementwise function and its slope are finite."""
    count = _places(op)
    for point in (0.5, 2.0, 1.0):
        try:
            with np.errstate(all="ignore"):
                args = [point] * count
                z = op.impl(*args)
                slopes = (
                    [p(z, *args) for p in op.partials if p is not None]
                    if op.partials is not None
                    else [np.float64(0.0)]
                )
            if np.isfinite(z) and all(np.all(np.isfinite(s)) for s in slopes):
                return point
        except Exception:
            continue
    return 0.5


def _safe(
    it: Interpreter, op: Primitive, d: Node, values: dict[str, Node], z: Node
) -> tuple[dict[str, Node], Node]:
    """Arguments moved to harmless places where the cotangent is zero.

    Where a `where` did not choose a branch nothing flows back into it, even if the
    slope there is infinite; nor does it where no statement was reached that reads it.
    """
    where = find_primitive(np.where)
    assert where is not None
    nothing = numeric(it, operator.eq, d, it.constant(0.0))
    point = safe_point(op)
    with np.errstate(all="ignore"):
        image = float(np.real(op.impl(*[np.asarray(point)] * _places(op))))

    def guard(n: Node, value: float) -> Node:
        t = deref(n.type)
        if not isinstance(t, Num) or isinstance(n, Constant) or not t.inexact:
            return n
        return it.apply(where, (nothing, it.constant(value), n))

    return {k: guard(v, point) for k, v in values.items()}, guard(z, image)


_POLES = frozenset(
    [
        "arccos",
        "arccosh",
        "arcsin",
        "arctanh",
        "cbrt",
        "float_power",
        "log",
        "log10",
        "log1p",
        "log2",
        "power",
        "reciprocal",
        "sqrt",
    ]
)


def _has_pole(node: Apply) -> bool:
    """Whether the slope of a function may be infinite where its value is not."""
    if node.op.name not in _POLES:
        return False
    power = node.args[-1]
    if len(node.args) < 2 or not isinstance(power, Constant):
        return True
    return not (type(power.value) is int and power.value >= 1)


# Items --------------------------------------------------------------------------------


def _getitem(r: Reverse, node: Apply) -> None:
    base, index = node.args
    if node not in r.activity:
        return
    t = strip_optional(base.type)
    if r.activity.buffer(node.type):
        if r.shadows.is_new(node) and base in r.activity:
            accumulated = r.accumulation.read(node)
            if accumulated is None:
                return
            if r.activity.buffer(t):
                r.accumulation.accumulate_at(base, index, accumulated, node)
            else:
                _accumulate_item(r, base, r.saved(index, node), accumulated, r.it)
        return
    d = r.take(node)
    if d is None:
        return
    if r.activity.buffer(t):
        r.accumulation.accumulate_at(base, index, d, node)
        return
    it = r.it
    if isinstance(index, Constant) and isinstance(t, Tuple | Cell | VarTuple):
        key = index.value
        known = isinstance(t, Tuple) or (isinstance(t, Cell) and t.fields is not None)
        if isinstance(t, Tuple) and type(key) is int:
            r.contribute(base, Parts({key % len(t.items): d}))
            return
        if known and not isinstance(t, List):
            r.contribute(base, Parts({key: d}))
            return
    _accumulate_item(r, base, r.saved(index, node), r.node_of(d, node), it)


def _widened(it: Interpreter, whole: Node, base: Node) -> Node:
    """A cotangent that can hold all that is added to it: one that is real so far."""
    t, s = deref(base.type), deref(whole.type)
    if not isinstance(t, Num) or not isinstance(s, Num) or not s.ndim:
        return whole
    if t.dtype is None or s.dtype is None or s.dtype == t.dtype:
        return whole
    if s.dtype.kind == "c" or (
        t.dtype.kind != "c" and not np.can_cast(s.dtype, t.dtype)
    ):
        return whole
    asarray = find_primitive(np.asarray)
    assert asarray is not None
    return it.apply(asarray, (whole,), {"dtype": it.constant(t.dtype)})


def _accumulate_item(
    r: Reverse, base: Node, index: Node, d: Node, it: Interpreter
) -> None:
    """Add to one place of a functional array's or list's cotangent."""
    from anadrome.transform.reverse.cotangents import as_node

    whole = as_node(it, r.cotangents.get(id(base)), base.type, r.value(base))
    whole = _widened(it, whole, base)
    made = it.emit(ops.INDEX_ADD, (whole, index, d), whole.type)
    # Every item of a list that was built here is a number or an array.
    made.target = _is_built_here(base)
    t = deref(whole.type)
    if isinstance(t, Num):
        made.type = Num(t.dtype, t.ndim)
    if base.name is not None:
        made.name = "∂" + base.name
    r.cotangents[id(base)] = made
    r.known[id(base)] = base
    r.masked.discard(id(base))


def _is_built_here(base: Node) -> bool:
    if isinstance(base, Output):
        loop = base.apply
        return loop.op is ops.FOR and base.index >= loop.shape.carried
    return isinstance(base, Apply) and base.op is ops.LIST


def _getattr(r: Reverse, node: Apply) -> None:
    base, name = node.args
    if node not in r.activity or r.activity.buffer(node.type):
        return
    d = r.take(node)
    if d is None:
        return
    assert isinstance(name, Constant)
    t = strip_optional(base.type)
    if r.activity.buffer(t):
        r.accumulation.accumulate_attribute(base, name, d, node)
        return
    r.contribute(base, Parts({name.value: d}))


def _index_add(r: Reverse, node: Apply) -> None:
    d = r.take_node(node)
    if d is None:
        return
    base, index, value = node.args
    it = r.it
    r.contribute(base, d)
    if value in r.activity:
        item = get_item(it, d, r.saved(index, node))
        r.contribute(value, item)


def _cast(r: Reverse, node: Apply) -> None:
    if r.activity.flows(node.type):
        _copy(r, node)
    elif is_zero_d_array(node, r.activity) and node.args[0] in r.activity:
        kind = cotangent_type(node.args[0].type)
        args = r.shadows.of(node), r.it.constant(())
        r.contribute(node.args[0], r.it.emit(ops.GETITEM, args, kind))


def _copy(r: Reverse, node: Apply) -> None:
    d = r.take(node)
    if d is not None:
        r.contribute(node.args[0], d)


def _convert(r: Reverse, node: Apply) -> None:
    cls, source = node.args
    assert isinstance(cls, Constant)
    if cls.value in (int, bool, str) or node not in r.activity:
        return
    d = r.take_node(node)
    if d is None:
        return
    like = r.value(source)
    if cls.value in (list, tuple):
        r.contribute(source, conform(r.it, d, like))
        return
    if cls.value not in (float, complex):
        _refuse(node, getattr(cls.value, "__name__", str(cls.value)))
    d = made_real(r.it, d, like)
    t = deref(source.type)
    if isinstance(t, Num) and t.ndim != 0:
        reshape = find_primitive(np.reshape)
        shape = find_primitive(np.shape)
        assert reshape is not None
        assert shape is not None
        d = r.it.apply(reshape, (d, r.it.apply(shape, (like,))))
    r.contribute(source, d)


# Building -----------------------------------------------------------------------------


def _parts(r: Reverse, node: Apply, keys: list[Any], values: list[Node]) -> None:
    """Distribute the cotangent of something built to what it was built from."""
    if node not in r.activity:
        return
    if r.activity.buffer(node.type):
        r.accumulation.distribute(node, keys, values)
        return
    d = r.take(node)
    if d is None:
        return
    it = r.it
    # What is for the objects in it was added to their shadows when it arrived.
    added = r.activity.shadowed(node.type)
    for key, value in zip(keys, values):
        if value not in r.activity or (added and not r.activity.flows(value.type)):
            continue
        if isinstance(d, Parts):
            part: Cotangent | None = d.items.get(key)
        else:
            part = _read_part(it, d, node, key)
        r.contribute(value, part)


def _read_part(it: Interpreter, d: Node, node: Apply, key: Any) -> Node:
    t = deref(node.type)
    if isinstance(t, Tuple) and isinstance(deref(d.type), Tuple):
        return take(it, d, key)
    if isinstance(t, Object):
        kind = cotangent_type(part_type(t, key))
        return it.emit(ops.GETATTR, (d, it.constant(key)), kind)
    return get_item(it, d, it.constant(key))


def _tuple(r: Reverse, node: Apply) -> None:
    _parts(r, node, list(range(len(node.args))), list(node.args))


def _namedtuple(r: Reverse, node: Apply) -> None:
    _parts(r, node, list(range(len(node.args) - 1)), list(node.args[1:]))


def _dict(r: Reverse, node: Apply) -> None:
    keys = [k.value for k in node.args[::2]]  # type: ignore[attr-defined]
    _parts(r, node, keys, list(node.args[1::2]))


def _record(r: Reverse, node: Apply) -> None:
    names = node.args[1].value  # type: ignore[attr-defined]
    _parts(r, node, list(names), list(node.args[2:]))


Handler = Callable[["Reverse", Apply], None]

_ADJOINTS: dict[Any, Handler] = {
    ops.GETITEM: _getitem,
    ops.GETATTR: _getattr,
    ops.INDEX_ADD: _index_add,
    ops.COPY: _copy,
    ops.CAST: _cast,
    ops.CONVERT: _convert,
    ops.TUPLE: _tuple,
    ops.LIST: _tuple,
    ops.NAMEDTUPLE: _namedtuple,
    ops.DICT: _dict,
    ops.RECORD: _record,
    ops.SETITEM: stores.undo_setitem,
    ops.SETATTR: stores.undo_setattr,
    ops.APPEND: stores.undo_append,
    ops.POP: stores.undo_pop,
    ops.DELITEM: stores.undo_delitem,
}

__all__ = ["Stack", "adjoint"]
