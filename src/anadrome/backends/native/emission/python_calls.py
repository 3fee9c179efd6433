"""Operations without native code of their own, done by Python in the middle of it."""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import List, Num, Tuple, Type, VarTuple, deref, parts
from anadrome.primitives.registry import Primitive

from ..runtime import objects
from . import nan_identity
from .boxing import (
    box,
    boxed,
    call_python,
    check_answer,
    constant_object,
    drop,
    object_in,
    object_of,
    python,
    unbox,
)
from .function import Emitter
from .values import (
    BOOL,
    I1,
    I32,
    I64,
    INT64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Static,
    Value,
)


def perform(e: Emitter, node: Apply) -> Value | None:
    """A statement done by Python."""
    direct = _DIRECT.get(node.op)
    if direct is not None:
        found = direct(e, node)
        if found is not NotImplemented:
            return found
    result: Value = e.template(node.type)
    if node.op is ops.PYCALL and isinstance(result, Pack):
        # How long a tuple is may depend on sizes.
        result = Boxed(ir.Constant(POINTER, None))
    writes = isinstance(node.op, ops.Op) and node.op.writes and node.op is not ops.POP
    if writes or node.op in (ops.ASSERT, ops.RAISE):
        result = Nothing()
    action, nodes = _action_of(e, node)
    given = [*nodes, *node.keywords.values()]
    values = [e.value(n) for n in given]
    if node.op is ops.INDEX_ADD:
        values.append(_is_alone(e, node.args[0], values[0]))
    made = call_python(e, action, values, result, tuple(node.keywords))
    if isinstance(made, Array):
        made = _with_known_sizes(node, made)
    return None if isinstance(result, Nothing) and writes else made


def _with_known_sizes(node: Apply, made: Array) -> Array:
    """An array of a shape that was asked for, of which sizes of one are known."""
    if (
        not isinstance(node.op, Primitive)
        or "shape" not in node.op.signature.parameters
    ):
        return made
    shape = node.op.signature.bind(*node.args, **node.keywords).arguments.get("shape")
    if not isinstance(shape, Apply) or shape.op is not ops.TUPLE:
        return made
    if len(shape.args) != made.ndim:
        return made
    sizes = [
        I64(1) if isinstance(asked, Constant) and asked.value == 1 else size
        for asked, size in zip(shape.args, made.shape)
    ]
    return Array(made.dtype, made.block, made.data, sizes, made.strides)


def _is_alone(e: Emitter, node: Node, value: Value) -> Value:
    """Whether native code holds a boxed value once only, and not after this."""
    if not isinstance(value, Boxed) or id(node) not in e.dying:
        return Static(False)
    b = e.builder
    count = b.load(b.bitcast(value.register, I64.as_pointer()))
    return Scalar(BOOL, b.icmp_signed("==", count, I64(1)), True)


def _action_of(e: Emitter, node: Apply) -> tuple[Any, tuple[Node, ...]]:
    """What a statement does, as a Python function, and what it is given."""
    if isinstance(node.op, Primitive):
        target = node.target if node.target is not None else node.op.impl
        if isinstance(target, types.MethodDescriptorType):
            # A method of arrays that numbers have too.
            name = target.__name__
            return e.owner.shared(partial(_by_name, name), ("method", name)), node.args
        if target is runtime.zeros and isinstance(deref(node.type), List):
            target = _zeros_of_list
        wanted = _dtype_that_may_differ(node)
        if wanted is not None:
            key = "exact", id(target), wanted
            target = e.owner.shared(partial(runtime.of_dtype, wanted, target), key)
        return target, node.args
    if node.op in (ops.PYCALL, ops.OBSERVE) and isinstance(node.args[0], Constant):
        callee, given = node.args[0].value, node.args[1:]
        if node.op is ops.OBSERVE and any(_holds_floats(a.type) for a in given):
            if isinstance(callee, Hashable):
                callee = nan_identity.CHECKED.get(callee, callee)
        return callee, given
    if node.op is ops.CONVERT and isinstance(node.args[0], Constant):
        return node.args[0].value, node.args[1:]
    t = deref(node.type)
    if node.op is ops.COPY and isinstance(t, Num) and t.boxed:
        # Of a number too it makes something that can be changed.
        return np.array, node.args
    action = ACTIONS.get(node.op)
    if action is None:
        raise e.refuse(f"'{getattr(node.op, 'name', node.op)}'", node.span)
    return action, node.args


def _dtype_that_may_differ(node: Apply) -> np.dtype[Any] | None:
    """The dtype that a result was found to have, if a number may take an array's place.

    `s = 0` that arrays are added to in a loop is an int if there is no iteration.
    """
    t = deref(node.type)
    if not isinstance(t, Num) or t.dtype is None or t.python:
        return None
    given = [deref(a.type) for a in node.args]
    if not any(isinstance(a, Num) and a.ndim is None and a.dtype for a in given):
        return None
    graph = node.graph
    while graph is not None and graph.parent is not None:
        graph = graph.parent
    return None if graph is None or graph.derived else t.dtype


def _holds_floats(t: Type) -> bool:
    """Whether a value is a list or a tuple with real or complex numbers, or arrays."""
    t = deref(t)
    if not isinstance(t, List | Tuple | VarTuple):
        return False
    return any(_is_float(p) or _holds_floats(p) for p in parts(t))


def _is_float(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and (not t.scalar or t.inexact)


def _record(cls: Any, names: Any, *items: Any) -> Any:
    return runtime.record(cls, **dict(zip(names, items)))


# The box, the call, the parameter and the question.
_ALONE = 4


def _index_add(base: Any, index: Any, value: Any, alone: bool) -> Any:
    if alone and sys.getrefcount(base) <= _ALONE:
        return runtime.index_add(base, index, value)
    return runtime.index_add(_copy(base), index, value)


def _zeros_of_list(value: Any) -> Any:
    # Of what is missing on some path: the variable is a list all the same.
    return [] if value is None else runtime.zeros(value)


def _assert(test: Any, message: Any, kind: type[Exception] = AssertionError) -> None:
    if not test:
        raise kind(*([message] if message is not None else []))


def _add_product(out: Any, a: Any, b: Any) -> None:
    out += np.outer(a, b) if np.ndim(a) == 1 else a @ b


def _raise(error: Any) -> None:
    raise error


def _copy(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _method(owner: Any, name: str, /, *args: Any, **named: Any) -> Any:
    return getattr(owner, name)(*args, **named)


def _by_name(name: str, owner: Any, /, *args: Any, **named: Any) -> Any:
    return getattr(owner, name)(*args, **named)


def _new(cls: Any) -> Any:
    return object.__new__(cls)


ACTIONS: dict[Any, Callable[..., Any]] = {
    ops.TUPLE: lambda *a: a,
    ops.LIST: lambda *a: list(a),
    ops.SET: lambda *a: set(a),
    ops.DICT: lambda *a: dict(zip(a[::2], a[1::2])),
    ops.NAMEDTUPLE: lambda cls, *a: cls(*a),
    ops.RECORD: _record,
    ops.NEW: _new,
    ops.SLICE: slice,
    ops.FORMAT: lambda text, *a: text.format(*a),
    ops.GETITEM: operator.getitem,
    ops.GETATTR: getattr,
    ops.LENGTH: len,
    ops.CONVERT: lambda kind, *a: kind(*a),
    ops.IS: operator.is_,
    ops.NOT: operator.not_,
    ops.CONTAINS: nan_identity.contains,
    ops.CAST: lambda value: value,
    ops.COPY: _copy,
    ops.PYCALL: lambda function, *a, **n: function(*a, **n),
    ops.OBSERVE: lambda function, *a, **n: function(*a, **n),
    ops.METHOD: _method,
    ops.SETITEM: operator.setitem,
    ops.SETATTR: object.__setattr__,
    ops.DELITEM: operator.delitem,
    ops.APPEND: lambda items, item: items.append(item),
    ops.POP: lambda items: items.pop(),
    ops.INDEX_ADD: _index_add,
    ops.ADD_PRODUCT: _add_product,
    ops.ASSERT: _assert,
    ops.RAISE: _raise,
}
"""What Python does for an operation."""


# What needs no Python function --------------------------------------------------------


def _finish(e: Emitter, node: Apply, made: ir.Value) -> Value:
    """A new reference with the template of a statement's result."""
    answer = boxed(e, made)
    template = e.template(node.type)
    if isinstance(template, Boxed):
        return answer
    found = unbox(e, answer, template)
    e.release(answer)
    return found


def _getattr(e: Emitter, node: Apply) -> Any:
    owner = e.value(node.args[0])
    if not isinstance(owner, Boxed):
        return NotImplemented
    name = constant_object(e, node.args[1].value)  # type: ignore[attr-defined]
    found = object_in(e, owner.register)
    return _finish(e, node, python(e, "PyObject_GetAttr", POINTER, found, name))


def _getitem(e: Emitter, node: Apply) -> Any:
    owner, index = e.value(node.args[0]), e.value(node.args[1])
    if not isinstance(owner, Boxed):
        return NotImplemented
    found = object_in(e, owner.register)
    if isinstance(index, Scalar) and index.dtype.kind == "i":
        made = python(e, objects.GET_INDEX, POINTER, found, e.integer(index))
        return _finish(e, node, made)
    if isinstance(index, Static) and type(index.value) is int:
        made = python(e, objects.GET_INDEX, POINTER, found, I64(index.value))
        return _finish(e, node, made)
    key = object_of(e, index)
    made = python(e, "PyObject_GetItem", POINTER, found, key)
    drop(e, key)
    return _finish(e, node, made)


def _length(e: Emitter, node: Apply) -> Any:
    owner = e.value(node.args[0])
    if not isinstance(owner, Boxed):
        return NotImplemented
    found = object_in(e, owner.register)
    count = check_answer(e, python(e, "PyObject_Size", I64, found))
    return Scalar(INT64, count, True)


def _changes(name: str) -> Callable[[Emitter, Apply], Any]:
    """A change of a boxed object by a function of the interpreter."""

    def run(e: Emitter, node: Apply) -> Any:
        owner = e.value(node.args[0])
        if not isinstance(owner, Boxed):
            return NotImplemented
        if node.op is ops.APPEND and not isinstance(deref(node.args[0].type), List):
            return NotImplemented
        given = [object_of(e, e.value(a)) for a in node.args[1:]]
        found = object_in(e, owner.register)
        status = python(e, name, I32, found, *given)
        for r in given:
            drop(e, r)
        check_answer(e, status)
        return None

    return run


def _sequence(cls: type) -> Callable[[Emitter, Apply], Any]:
    def run(e: Emitter, node: Apply) -> Any:
        values = [e.value(a) for a in node.args]
        return _finish(e, node, object_of(e, Pack(values, cls=cls)))

    return run


def _is(e: Emitter, node: Apply) -> Any:
    values = [e.value(a) for a in node.args]
    if not all(isinstance(v, Boxed | Static | Nothing) for v in values):
        return NotImplemented
    found = [
        object_in(e, v.register)
        if isinstance(v, Boxed)
        else constant_object(e, getattr(v, "value", None))
        for v in values
    ]
    return Scalar(BOOL, e.builder.icmp_unsigned("==", *found), True)


def _not(e: Emitter, node: Apply) -> Any:
    value = e.value(node.args[0])
    if not isinstance(value, Boxed):
        return NotImplemented
    found = object_in(e, value.register)
    answer = check_answer(e, python(e, "PyObject_Not", I32, found))
    return Scalar(BOOL, e.builder.trunc(answer, I1), True)


def _contains(e: Emitter, node: Apply) -> Any:
    items = e.value(node.args[1])
    if not isinstance(items, Boxed):
        return NotImplemented
    item = e.value(node.args[0])
    if isinstance(item, Array) or (
        isinstance(item, Scalar) and item.dtype.kind in "fc"
    ):
        return NotImplemented
    key = object_of(e, item)
    found = object_in(e, items.register)
    answer = python(e, "PySequence_Contains", I32, found, key)
    drop(e, key)
    check_answer(e, answer)
    return Scalar(BOOL, e.builder.trunc(answer, I1), True)


def _cast(e: Emitter, node: Apply) -> Any:
    return e.adopt(e.value(node.args[0]), e.template(node.type))


_DIRECT: dict[Any, Callable[[Emitter, Apply], Any]] = {
    ops.GETATTR: _getattr,
    ops.GETITEM: _getitem,
    ops.LENGTH: _length,
    ops.APPEND: _changes("PyList_Append"),
    ops.SETITEM: _changes("PyObject_SetItem"),
    ops.SETATTR: _changes("PyObject_GenericSetAttr"),
    ops.DELITEM: _changes("PyObject_DelItem"),
    ops.TUPLE: _sequence(tuple),
    ops.LIST: _sequence(list),
    ops.IS: _is,
    ops.NOT: _not,
    ops.CONTAINS: _contains,
    ops.CAST: _cast,
}

__all__ = ["box", "call_python", "perform", "unbox"]
