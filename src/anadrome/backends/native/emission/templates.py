"""How values of each type are held in registers and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.types import (
    NoneType_,
    Num,
    Object,
    Stack,
    Tuple,
    Type,
    deref,
    is_stored,
    parts,
)

from .module import ModuleEmitter
from .native_containers import Growing, Mapping
from .values import (
    I64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Series,
    Value,
    scalar_type,
    stored_type,
)


def template(t: Type, owner: ModuleEmitter | None) -> Value:
    """A value of a type whose registers hold nothing.

    The module that is written knows which containers are native.
    """
    t = deref(t)
    undefined = ir.Undefined
    if isinstance(t, Num):
        if t.dtype is None or t.ndim is None or stored_type(t.dtype) is None:
            return Boxed(ir.Constant(POINTER, None))
        if t.boxed and (is_stored(t) or t.dtype.kind not in "fc"):
            # What is not changed in place is as good as a number, unless it is an
            # index, which picks a copy if it is an array.
            return Boxed(ir.Constant(POINTER, None))
        if t.ndim == 0:
            register = ir.Constant(scalar_type(t.dtype), undefined)
            return Scalar(t.dtype, register, t.python, t.boxed)
        null = ir.Constant(POINTER, None)
        pointer = ir.Constant(pointer_to(t.dtype), None)
        sizes = [I64(0)] * t.ndim
        lies = null, pointer, list(sizes), list(sizes)
        return Array(t.dtype, *lies, changed=is_stored(t))
    if isinstance(t, Tuple):
        return Pack([template(i, owner) for i in t.items], cls=t.cls)
    if owner is not None and owner.references:
        from .recursive_records import Reference, is_reference

        if is_reference(t):
            assert isinstance(t, Object)
            return Reference(t, ir.Constant(POINTER, None))
    if isinstance(t, Object) and not has_identity(t):
        assert t.fields is not None
        items = [template(f, owner) for f in t.fields.values()]
        return Pack(items, tuple(t.fields), t.cls)
    if isinstance(t, NoneType_):
        return Nothing()
    if owner is not None and id(t) in owner.growing:
        item = template(t.item, owner)  # type: ignore[attr-defined]
        return Growing(item, ir.Constant(POINTER, None), id(t))
    if owner is not None and id(t) in owner.tables:
        kinds = [template(p, owner) for p in (t.key, t.item)]  # type: ignore[attr-defined]
        return Mapping(kinds[0], kinds[1], ir.Constant(POINTER, None), id(t))
    if isinstance(t, Stack) or (owner is not None and id(t) in owner.lists):
        item = template(t.item, owner)  # type: ignore[attr-defined]
        return Series(item, ir.Constant(POINTER, None), I64(0))
    return Boxed(ir.Constant(POINTER, None))


def same_template(a: Value, b: Value) -> bool:
    """Whether values lie in memory in the same way."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Pack) and isinstance(b, Pack):
        return len(a.items) == len(b.items) and all(
            map(same_template, a.items, b.items)
        )
    if isinstance(a, Series) and isinstance(b, Series):
        return same_template(a.item, b.item)
    if isinstance(a, Growing | Mapping) and isinstance(b, Growing | Mapping):
        return a.key == b.key
    if isinstance(a, Array) and isinstance(b, Array):
        return a.dtype == b.dtype and a.ndim == b.ndim
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.dtype == b.dtype
    return True


def has_identity(t: Object) -> bool:
    """Whether an object is more than the values of its attributes."""
    return t.stored or t.told_apart or is_recursive(t)


def is_recursive(t: Object) -> bool:
    """Whether an object can contain one of its own kind."""
    pending, seen = list((t.fields or {}).values()), set()
    while pending:
        inner = deref(pending.pop())
        if inner is t.find():
            return True
        if id(inner) not in seen:
            seen.add(id(inner))
            pending += parts(inner)
    return False


def pointer_to(dtype: np.dtype[Any]) -> ir.Type:
    """How the address of an element of an array is typed."""
    kind = stored_type(dtype)
    assert kind is not None
    return kind.as_pointer()
