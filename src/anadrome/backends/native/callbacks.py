"""Operations without native code of their own, done by Python in the middle of it.

Values that have no registers here (lists that grow, dictionaries, strings, arrays of
unknown rank) are boxed: native code holds a number under which the running call keeps
the Python object. An operation on boxed values, or a primitive that has no native
form, is a call back into Python, which holds the interpreter's lock meanwhile.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant
from anadrome.ir.types import is_stored
from anadrome.primitives.registry import Primitive

from .emitter import Emitter
from .memory import HEADER
from .values import (
    I32,
    I64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Series,
    SliceValue,
    Static,
    Value,
)
from .words import as_word, from_word

CALLBACK = "anadrome.callback"
SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)
FAILED = -1
"""The status of a call back that raised; the running call holds the exception."""


@dataclass
class Callback:
    """What Python does: a function, the form of its inputs, the form of its result."""

    run: Callable[[list[Any]], Any]
    inputs: list[Value]
    result: Value
    keeps: bool = False
    """Whether Python may hold on to the inputs, so that they must be copies."""


def call_back(
    e: Emitter,
    run: Callable[[list[Any]], Any],
    inputs: list[Value],
    result: Value,
    keeps: bool = False,
) -> Value:
    """A call of a Python function on values; its result in the given form."""
    if any(_has_series(v) for v in (*inputs, result)):
        raise e.refuse("a list made by a loop, handed to Python")
    b = e.builder
    number = len(e.owner.callbacks)
    e.owner.callbacks.append(Callback(run, inputs, result, keeps))
    registers = [r for v in inputs for r in v.flatten()]
    with b.goto_entry_block():
        given = b.alloca(I64, max(1, len(registers)))
        out = b.alloca(I64, max(1, len(result.flatten())))
    for k, r in enumerate(registers):
        b.store(as_word(b, r), b.gep(given, [I64(k)]))
    function = e.owner.runtime(CALLBACK, I32, POINTER, I64, POINTER, POINTER)
    status = b.call(
        function,
        [e.context, I64(number), b.bitcast(given, POINTER), b.bitcast(out, POINTER)],
    )
    e.check_status(status)
    made = [
        from_word(b, b.load(b.gep(out, [I64(k)])), r.type)
        for k, r in enumerate(result.flatten())
    ]
    return result.rebuild(made)


def _may_alias(node: Apply) -> bool:
    """Whether the result of a statement may be memory that its inputs hold."""
    if isinstance(node.op, Primitive):
        return node.op.view
    return node.op is not ops.COPY


def _holds_array(value: Value) -> bool:
    if isinstance(value, Pack):
        return any(_holds_array(i) for i in value.items)
    return isinstance(value, Array)


def _has_series(value: Value) -> bool:
    if isinstance(value, Pack):
        return any(_has_series(i) for i in value.items)
    return isinstance(value, Series)


def perform(e: Emitter, node: Apply) -> Value | None:
    """A statement done by Python."""
    keywords = list(node.keywords)
    nodes = list(node.inputs)
    values = [e.value(n) for n in nodes]
    into_array = node.op is ops.SETITEM and isinstance(values[0], Array)
    result: Value = e.template(node.type)
    if node.op is ops.PYCALL and _may_give_nothing(node.args[0]):
        result = Boxed(I64(0))
    keeps = not into_array and (
        isinstance(node.op, ops.Op) or isinstance(result, Boxed)
    )
    if node.op in (ops.PYCALL, ops.OBSERVE, ops.ASSERT, ops.INDEX_ADD, ops.COPY):
        keeps = isinstance(result, Boxed)
    inputs = []
    for n, value in zip(nodes, values):
        if keeps and isinstance(value, Array) and is_stored(n.type):
            raise e.refuse(
                "an array that is changed in place inside a container", node.span
            )
        inputs.append(value)
    if _may_alias(node) and _holds_array(result) and is_stored(node.type):
        # What comes back is a copy, but it should be the same memory.
        raise e.refuse("an array that changes, seen through Python", node.span)
    action = action_of(node)
    if action is None:
        raise e.refuse(f"'{getattr(node.op, 'name', node.op)}'", node.span)
    count = len(node.args)

    def run(values: list[Any]) -> Any:
        return action(values[:count], dict(zip(keywords, values[count:])))

    writes = isinstance(node.op, ops.Op) and node.op.writes and node.op is not ops.POP
    made = call_back(e, run, inputs, Nothing() if writes else result, keeps)
    return None if writes else made


def _may_give_nothing(callee: Any) -> bool:
    """Whether a function of the derivative may return a mark instead of a number."""
    from anadrome.transform import shadows

    return isinstance(callee, Constant) and callee.value in (
        shadows.slot_or_none,
        shadows.attribute_or_none,
    )


Action = Callable[[list[Any], dict[str, Any]], Any]


def action_of(node: Apply) -> Action | None:
    """What a statement does, as a Python function of its inputs."""
    if isinstance(node.op, Primitive):
        target = node.target if node.target is not None else node.op.impl
        return lambda args, named: target(*args, **named)
    return _ACTIONS.get(node.op)


def _record(args: list[Any], named: dict[str, Any]) -> Any:
    return runtime.record(args[0], **dict(zip(args[1], args[2:])))


def _index_add(args: list[Any], named: dict[str, Any]) -> Any:
    base, index, value = args
    made = base.copy()
    if isinstance(made, np.ndarray):
        np.add.at(made, index, value)
    else:
        made[index] = runtime.add(made[index], value)
    return made


def _assert(args: list[Any], named: dict[str, Any]) -> Any:
    if not args[0]:
        raise AssertionError(*([args[1]] if args[1] is not None else []))


def _raise(args: list[Any], named: dict[str, Any]) -> Any:
    raise args[0]


_ACTIONS: dict[Any, Action] = {
    ops.TUPLE: lambda a, n: tuple(a),
    ops.LIST: lambda a, n: list(a),
    ops.SET: lambda a, n: set(a),
    ops.DICT: lambda a, n: dict(zip(a[::2], a[1::2])),
    ops.NAMEDTUPLE: lambda a, n: a[0](*a[1:]),
    ops.RECORD: _record,
    ops.SLICE: lambda a, n: slice(*a),
    ops.FORMAT: lambda a, n: a[0].format(*a[1:]),
    ops.GETITEM: lambda a, n: a[0][a[1]],
    ops.GETATTR: lambda a, n: getattr(a[0], a[1]),
    ops.LENGTH: lambda a, n: len(a[0]),
    ops.CONVERT: lambda a, n: a[0](a[1]),
    ops.IS: lambda a, n: a[0] is a[1],
    ops.NOT: lambda a, n: not a[0],
    ops.CONTAINS: lambda a, n: a[0] in a[1],
    ops.CAST: lambda a, n: a[0],
    ops.COPY: lambda a, n: a[0].copy() if hasattr(a[0], "copy") else a[0],
    ops.PYCALL: lambda a, n: a[0](*a[1:], **n),
    ops.OBSERVE: lambda a, n: a[0](*a[1:], **n),
    ops.METHOD: lambda a, n: getattr(a[0], a[1])(*a[2:], **n),
    ops.SETITEM: lambda a, n: operator.setitem(a[0], a[1], a[2]),
    ops.SETATTR: lambda a, n: object.__setattr__(a[0], a[1], a[2]),
    ops.DELITEM: lambda a, n: operator.delitem(a[0], a[1]),
    ops.APPEND: lambda a, n: a[0].append(a[1]),
    ops.POP: lambda a, n: a[0].pop(),
    ops.INDEX_ADD: _index_add,
    ops.ASSERT: _assert,
    ops.RAISE: _raise,
}


def box(e: Emitter, value: Value) -> Boxed:
    """A value as a Python object."""
    if isinstance(value, Boxed):
        return value
    made = call_back(e, lambda values: values[0], [value], Boxed(I64(0)), keeps=True)
    assert isinstance(made, Boxed)
    return made


def unbox(e: Emitter, value: Boxed, like: Value) -> Value:
    """A Python object in the form of another value."""
    return call_back(e, lambda values: values[0], [value], like)


# In Python ----------------------------------------------------------------------------


class Translator:
    """Words of native code as Python values and back, for one running call."""

    def __init__(self, context: int, allocate: Callable[[int, int], int]) -> None:
        self.context, self.allocate = context, allocate
        self.objects: list[Any] = []

    def read(self, value: Value, words: Any, at: list[int], keep: bool) -> Any:
        """A Python value from words; `keep` if it may outlive the call back."""
        if isinstance(value, Static):
            return value.value
        if isinstance(value, Nothing):
            return None
        if isinstance(value, Pack):
            items = [self.read(i, words, at, keep) for i in value.items]
            if value.names:
                return runtime.record(
                    value.cls or runtime.Saved, **dict(zip(value.names, items))
                )
            return tuple(items) if value.cls in (None, tuple) else value.cls(*items)
        if isinstance(value, SliceValue):
            parts = (value.start, value.stop, value.step)
            return slice(*(self.read(p, words, at, keep) for p in parts))
        if isinstance(value, Boxed):
            at[0] += 1
            return self.objects[words[at[0] - 1]]
        if isinstance(value, Scalar):
            at[0] += 1
            return number_of(words[at[0] - 1], value.dtype, value.weak)
        if isinstance(value, Array):
            n = value.ndim
            k = at[0]
            at[0] += 2 + 2 * n
            view = view_of_memory(
                words[k + 1],
                words[k + 2 : k + 2 + n],
                words[k + 2 + n : k + 2 + 2 * n],
                value.dtype,
            )
            return view.copy() if keep else view
        raise TypeError(value)

    def write(self, like: Value, value: Any, words: Any, at: list[int]) -> None:
        """Put a Python value into words, in the form of another."""
        if isinstance(like, Static | Nothing):
            return
        if isinstance(like, Pack):
            items = (
                [getattr(value, n) for n in like.names] if like.names else list(value)
            )
            for form, item in zip(like.items, items, strict=True):
                self.write(form, item, words, at)
        elif isinstance(like, Boxed):
            self.objects.append(value)
            words[at[0]] = len(self.objects) - 1
            at[0] += 1
        elif isinstance(like, Scalar):
            words[at[0]] = word_of(value, like.dtype)
            at[0] += 1
        elif isinstance(like, Array):
            array = np.ascontiguousarray(value, like.dtype).reshape(np.shape(value))
            if array.ndim != like.ndim:
                raise TypeError(
                    f"an array of {array.ndim} axes where {like.ndim} were expected"
                )
            block = self.allocate(self.context, array.nbytes)
            if not block:
                raise MemoryError("not enough memory for an array")
            data = block + HEADER
            ctypes.memmove(data, array.ctypes.data, array.nbytes)
            k = at[0]
            words[k], words[k + 1] = block, data
            for j, n in enumerate(array.shape):
                words[k + 2 + j] = n
                words[k + 2 + array.ndim + j] = array.strides[j] // like.dtype.itemsize
            at[0] += 2 + 2 * like.ndim
        else:
            raise TypeError(like)


def number_of(word: int, dtype: np.dtype[Any], weak: bool) -> Any:
    """A number from its word."""
    if dtype.kind == "b":
        return bool(word & 1) if weak else np.bool_(word & 1)
    raw = np.int64(word)
    if dtype == np.float32:
        return np.uint32(word & 0xFFFFFFFF).view(np.float32)
    if dtype.kind == "f":
        value = raw.view(np.float64)
        return float(value) if weak else value
    return int(word) if weak else dtype.type(word)


def word_of(value: Any, dtype: np.dtype[Any]) -> int:
    """The word of a number."""
    if dtype.kind == "b":
        return int(bool(value))
    if dtype == np.float32:
        return int(np.float32(value).view(np.uint32))
    if dtype.kind == "f":
        return int(np.float64(value).view(np.int64))
    return int(value)


def view_of_memory(
    data: int, shape: Any, strides: Any, dtype: np.dtype[Any]
) -> np.ndarray:
    """An array over memory of native code."""
    size = dtype.itemsize
    steps = [s * size for s in strides]
    if 0 in shape:
        return np.empty(shape, dtype)
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, steps))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, steps)) + size
    memory = (ctypes.c_char * (high - low)).from_address(data + low)
    return np.ndarray(tuple(shape), dtype, buffer=memory, offset=-low, strides=steps)
