"""Values of native code as Python objects and back, and calls of Python functions.

A module that holds or calls anything of Python runs with the interpreter's lock held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome import runtime

from ..runtime import array_objects, objects, results
from ..runtime.memory import OBJECT
from .control_flow import for_range
from .function import Emitter
from .marshalling import pair
from .native_containers import Growing, Mapping, NotNative
from .values import (
    I1,
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
    stored_type,
)

DOUBLE = ir.DoubleType()
VOID = ir.VoidType()
_NULL = ir.Constant(POINTER, None)


def python(e: Emitter, name: str, result: ir.Type, *args: ir.Value) -> ir.Value:
    """A call of a function of the interpreter or of `objects`."""
    e.owner.python = True
    function = e.owner.runtime(name, result, *(a.type for a in args))
    if not name.startswith("anadrome."):
        e.owner.python_names.add(name)
    return e.builder.call(function, list(args))


def as_pointer(e: Emitter, r: ir.Value) -> ir.Value:
    """Any pointer as a plain one."""
    return r if r.type == POINTER else e.builder.bitcast(r, POINTER)


def constant_object(e: Emitter, value: Any) -> ir.Value:
    """A Python object known at compile time; the module owns it."""
    return e.builder.load(e.constant_place(value))


def object_in(e: Emitter, box: ir.Value) -> ir.Value:
    """The object that a box stands for, still owned by the box."""
    b = e.builder
    places = b.bitcast(box, POINTER.as_pointer())
    return b.load(b.gep(places, [I64(OBJECT)]))


def check_object(e: Emitter, made: ir.Value) -> ir.Value:
    """Leave the function if Python has raised instead of giving an object."""
    e.fail_in_python_unless(e.builder.icmp_unsigned("!=", made, _NULL))
    return made


def check_answer(e: Emitter, status: ir.Value) -> ir.Value:
    """Leave the function if Python has answered with a negative number."""
    zero = ir.Constant(status.type, 0)
    e.fail_in_python_unless(e.builder.icmp_signed(">=", status, zero))
    return status


def drop(e: Emitter, made: ir.Value) -> None:
    """Give up a reference."""
    python(e, "Py_DecRef", VOID, made)


# To Python ----------------------------------------------------------------------------


def object_of(e: Emitter, value: Value) -> ir.Value:
    """A new reference to a value as a Python object."""
    if isinstance(value, Static | Nothing):
        found = constant_object(e, getattr(value, "value", None))
        python(e, "Py_IncRef", VOID, found)
        return found
    if isinstance(value, Boxed):
        found = object_in(e, value.register)
        python(e, "Py_IncRef", VOID, found)
        return found
    if isinstance(value, Scalar):
        return _axisless_object(e, value) if value.boxed else _number_object(e, value)
    if isinstance(value, Array):
        return check_object(e, _array_object(e, value))
    if isinstance(value, Pack):
        return _pack_object(e, value)
    if isinstance(value, SliceValue):
        parts = [object_of(e, p) for p in (value.start, value.stop, value.step)]
        made = check_object(e, python(e, "PySlice_New", POINTER, *parts))
        for p in parts:
            drop(e, p)
        return made
    if isinstance(value, Series):
        return _list_object(e, value.length, lambda k: e.series_item(value, k))
    if isinstance(value, Growing | Mapping):
        if not e.leaving:
            raise NotNative(value.key)
        return _container_object(e, value)
    item = getattr(value, "item", None)
    if callable(item) and hasattr(value, "whole"):
        whole = value.whole
        return _list_object(e, whole.shape[0], lambda k: item(e, k))
    raise e.refuse(f"a {type(value).__name__.lower()} as a Python object")


def _number_object(e: Emitter, value: Scalar) -> ir.Value:
    b = e.builder
    kind, r = value.dtype.kind, value.register
    if value.weak and kind == "f":
        wide = e.convert(r, value.dtype, np.dtype(np.float64))
        return check_object(e, python(e, "PyFloat_FromDouble", POINTER, wide))
    if value.weak and kind == "c":
        parts = [b.extract_value(r, k) for k in (0, 1)]
        return check_object(e, python(e, "PyComplex_FromDoubles", POINTER, *parts))
    if value.weak and kind == "b":
        return python(e, "PyBool_FromLong", POINTER, b.zext(r, I64))
    if value.weak:
        wide = e.convert(r, value.dtype, np.dtype(np.int64))
        return check_object(e, python(e, "PyLong_FromLongLong", POINTER, wide))
    stored = stored_type(value.dtype)
    assert stored is not None
    place = e.local(stored)
    b.store(b.zext(r, stored) if kind == "b" else r, place)
    number = I32(value.dtype.num)
    made = python(e, objects.NUMBER_OBJECT, POINTER, as_pointer(e, place), number)
    return check_object(e, made)


def _axisless_object(e: Emitter, value: Scalar) -> ir.Value:
    """What is as good as a number to native code is an array to Python."""
    made = e.allocate(value.dtype, [])
    e.store(made, [], value.register)
    found = object_of(e, made)
    e.release(made)
    return found


def _array_object(e: Emitter, value: Array) -> ir.Value:
    b = e.builder
    shape, strides = e.local(I64, value.ndim), e.local(I64, value.ndim)
    for k, (n, s) in enumerate(zip(value.shape, value.strides)):
        b.store(n, b.gep(shape, [I64(k)]))
        b.store(s, b.gep(strides, [I64(k)]))
    return python(
        e,
        array_objects.ARRAY_OBJECT,
        POINTER,
        value.block,
        as_pointer(e, value.data),
        I32(value.dtype.num),
        I64(value.dtype.itemsize),
        I64(value.ndim),
        as_pointer(e, shape),
        as_pointer(e, strides),
    )


def _pack_object(e: Emitter, value: Pack) -> ir.Value:
    if value.names:
        make = partial(_make_record, value.cls or runtime.Saved, value.names)
        return call(
            e, e.owner.shared(make, ("record", value.cls, value.names)), value.items
        )
    if value.cls not in (None, tuple, list):
        return call(e, value.cls, value.items)
    name = "PyList" if value.cls is list else "PyTuple"
    items = [object_of(e, i) for i in value.items]
    made = python(e, f"{name}_New", POINTER, I64(len(items)))
    check_object(e, made)
    for k, item in enumerate(items):
        python(e, f"{name}_SetItem", I32, made, I64(k), item)
    return made


def _make_record(cls: type, names: tuple[str, ...], *items: Any) -> Any:
    return runtime.record(cls, **dict(zip(names, items)))


def _list_object(
    e: Emitter, count: ir.Value, item: Callable[[ir.Value], Value]
) -> ir.Value:
    made = check_object(e, python(e, "PyList_New", POINTER, count))
    with for_range(e.builder, 0, count) as k:
        python(e, "PyList_SetItem", I32, made, k, object_of(e, item(k)))
    return made


def _container_object(e: Emitter, value: Growing | Mapping) -> ir.Value:
    """A list or a dictionary for the caller: the same one if it is returned twice."""
    from .containers import items_of, once

    def make() -> ir.Value:
        if isinstance(value, Mapping):
            return _dict_object(e, value)
        items = items_of(e, value)
        return _list_object(e, items.length, lambda k: e.series_item(items, k))

    return once(e, value.block, make, lambda o: python(e, "Py_IncRef", VOID, o))


def _dict_object(e: Emitter, table: Mapping) -> ir.Value:
    from .containers import live_entries, load_key, load_value

    made = check_object(e, python(e, "PyDict_New", POINTER))
    with live_entries(e, table) as k:
        key = object_of(e, load_key(e, table, k))
        item = object_of(e, load_value(e, table, k))
        status = python(e, "PyDict_SetItem", I32, made, key, item)
        drop(e, key)
        drop(e, item)
        check_answer(e, status)
    return made


def box(e: Emitter, value: Value) -> Boxed:
    """A value as a boxed Python object, owned by whoever asks."""
    if isinstance(value, Boxed):
        e.retain(value)
        return value
    return boxed(e, object_of(e, value))


def boxed(e: Emitter, made: ir.Value) -> Boxed:
    """A box for a new reference; leaves the function if it is null."""
    return Boxed(check_object(e, python(e, objects.BOX, POINTER, e.context, made)))


# From Python --------------------------------------------------------------------------


def unbox(e: Emitter, value: Boxed, like: Value) -> Value:
    """A Python object with the template of another value, owned by whoever asks."""
    if isinstance(like, Static | Nothing):
        return like
    if isinstance(like, Boxed):
        e.retain(value)
        return value
    if isinstance(like, Scalar):
        return number_in(e, object_in(e, value.register), like)
    if isinstance(like, Array):
        out = e.local(I64, 2 + 2 * like.ndim)
        status = python(
            e,
            array_objects.UNBOX_ARRAY,
            I32,
            e.context,
            value.register,
            I32(like.dtype.num),
            I64(like.dtype.itemsize),
            I64(like.ndim),
            as_pointer(e, out),
        )
        check_answer(e, status)
        return array_in(e, out, like)
    if isinstance(like, Pack):
        owner = object_in(e, value.register)
        if not like.names:
            count = I64(len(like.items))
            check_answer(e, python(e, objects.CHECK_PARTS, I32, owner, count))
        items = []
        for k, template in enumerate(like.items):
            if like.names:
                made = _attribute_in(e, owner, like.names[k])
            else:
                made = python(e, objects.GET_INDEX, POINTER, owner, I64(k))
            part = boxed(e, made)
            items.append(unbox(e, part, template))
            e.release(part)
        return Pack(items, like.names, like.cls)
    if isinstance(like, Series):
        return _unbox_series(e, value, like)
    if isinstance(like, Growing | Mapping):
        raise NotNative(like.key)
    raise e.refuse("a Python object in this form")


def _attribute_in(e: Emitter, owner: ir.Value, name: str) -> ir.Value:
    """A new reference to an attribute; None of what is missing on some path."""
    b, none = e.builder, constant_object(e, None)
    place = e.local(POINTER)
    b.store(none, place)
    there = b.icmp_unsigned("!=", owner, none)
    with b.if_else(there) as (read, missing):
        with read:
            label = constant_object(e, name)
            b.store(python(e, "PyObject_GetAttr", POINTER, owner, label), place)
        with missing:
            python(e, "Py_IncRef", VOID, none)
    return b.load(place)


def _unbox_series(e: Emitter, value: Boxed, like: Series) -> Value:
    b = e.builder
    owner = object_in(e, value.register)
    count = check_answer(e, python(e, "PyObject_Size", I64, owner))
    block = e.allocate_bytes(e.series_bytes(like.item, count))
    made = Series(like.item, block, count)
    with for_range(b, 0, count) as k:
        part = boxed(e, python(e, objects.GET_INDEX, POINTER, owner, k))
        e.store_item(made, k, unbox(e, part, like.item))
        e.release(part)
    return made


def number_in(e: Emitter, found: ir.Value, like: Scalar) -> Scalar:
    """A Python object as a number."""
    b = e.builder
    if like.dtype.kind == "b":
        answer = check_answer(e, python(e, objects.AS_BOOL, I32, found))
        return Scalar(like.dtype, b.trunc(answer, I1), like.weak, like.boxed)
    if like.dtype.kind == "c":
        return _complex_in(e, found, like)
    if like.dtype == np.uint64:
        return _unsigned_in(e, found, like)
    kind, name = (
        (DOUBLE, objects.AS_FLOAT)
        if like.dtype.kind == "f"
        else (I64, objects.AS_INTEGER)
    )
    place = e.local(kind)
    check_answer(e, python(e, name, I32, found, as_pointer(e, place)))
    wide = np.dtype(np.float64 if like.dtype.kind == "f" else np.int64)
    r = e.convert(b.load(place), wide, like.dtype)
    return Scalar(like.dtype, r, like.weak, like.boxed)


def _unsigned_in(e: Emitter, found: ir.Value, like: Scalar) -> Scalar:
    """A Python object as an integer of 64 bits without a sign."""
    b = e.builder
    made = check_object(e, python(e, "PyNumber_Index", POINTER, found))
    r = python(e, "PyLong_AsUnsignedLongLong", I64, made)
    drop(e, made)
    with b.if_then(b.icmp_signed("==", r, I64(-1)), likely=False):
        error = python(e, "PyErr_Occurred", POINTER)
        e.fail_in_python_unless(b.icmp_unsigned("==", error, _NULL))
    return Scalar(like.dtype, r, like.weak, like.boxed)


def truth_of(e: Emitter, found: ir.Value) -> ir.Value:
    """Whether Python takes an object for true."""
    answer = check_answer(e, python(e, "PyObject_IsTrue", I32, found))
    return e.builder.trunc(answer, I1)


def _complex_in(e: Emitter, found: ir.Value, like: Scalar) -> Scalar:
    """A Python object as a complex number; `None` is where nothing was computed."""
    make = constant_object(e, e.owner.shared(results.as_complex, "complex"))
    made = check_object(e, python(e, "PyObject_CallOneArg", POINTER, make, found))
    parts = [
        python(e, f"PyComplex_{part}AsDouble", DOUBLE, made)
        for part in ("Real", "Imag")
    ]
    drop(e, made)
    return Scalar(like.dtype, pair(e.builder, *parts), like.weak, like.boxed)


def array_in(e: Emitter, words: ir.Value, like: Array) -> Array:
    """An array from its words in memory."""
    b = e.builder
    kind = stored_type(like.dtype)
    assert kind is not None
    loaded = [b.load(b.gep(words, [I64(k)])) for k in range(2 + 2 * like.ndim)]
    block = b.inttoptr(loaded[0], POINTER)
    data = b.inttoptr(loaded[1], kind.as_pointer())
    shape, strides = loaded[2 : 2 + like.ndim], loaded[2 + like.ndim :]
    return Array(like.dtype, block, data, shape, strides)


# Calls --------------------------------------------------------------------------------


def call(
    e: Emitter, function: Any, inputs: Sequence[Value], keywords: Sequence[str] = ()
) -> ir.Value:
    """A new reference to what a Python function makes of values.

    The last inputs are passed under the names of `keywords`.
    """
    b = e.builder
    given = [object_of(e, v) for v in inputs]
    places = e.local(POINTER, max(1, len(given)))
    for k, r in enumerate(given):
        b.store(r, b.gep(places, [I64(k)]))
    names = constant_object(e, tuple(keywords)) if keywords else _NULL
    made = python(
        e,
        "PyObject_Vectorcall",
        POINTER,
        constant_object(e, function),
        as_pointer(e, places),
        I64(len(given) - len(keywords)),
        names,
    )
    for r in given:
        drop(e, r)
    return check_object(e, made)


def call_python(
    e: Emitter,
    function: Any,
    inputs: Sequence[Value],
    result: Value,
    keywords: Sequence[str] = (),
) -> Value:
    """What a Python function makes of values, with the given template."""
    made = call(e, function, inputs, keywords)
    if isinstance(result, Nothing):
        drop(e, made)
        return result
    if isinstance(result, Scalar):
        # No box is needed for a number that is only read.
        found = number_in(e, made, result)
        drop(e, made)
        return found
    answer = boxed(e, made)
    if isinstance(result, Boxed):
        return answer
    found_value = unbox(e, answer, result)
    e.release(answer)
    return found_value
