"""The type of a value at hand, and a hashable signature that says when it changes."""

from __future__ import annotations

import dataclasses
import enum
import types as pytypes
from typing import Any

import numpy as np

from anadrome.ir.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NONE,
    STR,
    Dict,
    List,
    Num,
    Object,
    Other,
    Tuple,
    Type,
    join,
)

_SCALARS = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX, str: STR}

_OPAQUE_MODULES = ("numpy", "scipy", "builtins", "pathlib", "re", "random", "logging")


def is_record_class(cls: type) -> bool:
    """Whether instances are records of attributes that can hold numbers."""
    if not isinstance(cls, type) or not (cls.__flags__ & (1 << 9)):
        return False
    root = (cls.__module__ or "").split(".")[0]
    if root in _OPAQUE_MODULES or issubclass(cls, BaseException | enum.Enum | type):
        return False
    if issubclass(cls, dict | list | tuple | set | frozenset | str | bytes | np.ndarray):
        return False
    return not issubclass(cls, pytypes.ModuleType)


def is_namedtuple(cls: type) -> bool:
    """Whether a class was made by `namedtuple` or `typing.NamedTuple`."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes an instance holds itself, slots included."""
    found: dict[str, Any] = {}
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__") and hasattr(value, slot):
                found[slot] = getattr(value, slot)
    found.update(getattr(value, "__dict__", {}))
    return found


def type_of(value: Any, path: dict[Any, Object] | None = None) -> Type:
    """The type of a Python value."""
    cls = type(value)
    if cls in _SCALARS:
        return _SCALARS[cls]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return Other(cls)
        return Num(value.dtype, value.ndim)
    if isinstance(value, np.generic):
        return Num(value.dtype, 0) if value.dtype.kind in "biufc" else Other(cls)
    if value is None:
        return NONE
    if isinstance(value, np.bool_):
        return Num(np.dtype(bool), 0)
    path = {} if path is None else path
    if isinstance(value, tuple):
        kind = cls if is_namedtuple(cls) else tuple
        return Tuple(tuple(type_of(v, path) for v in value), kind)
    if isinstance(value, list):
        item: Type = NEVER
        for v in value:
            item = join(item, type_of(v, path))
        return List(item)
    if isinstance(value, dict):
        return Dict({k: type_of(v, path) for k, v in value.items()})
    if is_record_class(cls) and not callable_data(value):
        if cls in path:
            # A recursive structure: every instance on the way shares one type.
            made = path[cls]
            for name, v in attributes_of(value).items():
                t = type_of(v, path)
                fields = made.find().fields
                fields[name] = join(fields[name], t) if name in fields else t
            return made
        made = Object(cls)
        inner = {**path, cls: made}
        for name, v in attributes_of(value).items():
            t = type_of(v, inner)
            fields = made.find().fields
            fields[name] = join(fields[name], t) if name in fields else t
        return made
    return Other(cls)


def callable_data(value: Any) -> bool:
    """Whether a value is a function, a class or a module rather than data."""
    return isinstance(
        value,
        pytypes.FunctionType
        | pytypes.BuiltinFunctionType
        | pytypes.MethodType
        | pytypes.ModuleType
        | type
        | np.ufunc,
    )


def signature_of(value: Any, path: tuple[type, ...] = ()) -> Any:
    """A hashable key: equal keys mean that one compiled program serves both values."""
    cls = type(value)
    if cls in _SCALARS or value is None:
        return cls
    if isinstance(value, np.ndarray):
        return (value.dtype, value.ndim)
    if isinstance(value, np.generic):
        return (cls, 0)
    if isinstance(value, tuple):
        return (cls, *(signature_of(v, path) for v in value))
    if isinstance(value, list):
        return (list, frozenset(signature_of(v, path) for v in value))
    if isinstance(value, dict):
        return (cls, *((k, signature_of(v, path)) for k, v in value.items()))
    if callable_data(value):
        return value
    if is_record_class(cls):
        if cls in path:
            return (cls, "…")
        inner = (*path, cls)
        fields = attributes_of(value)
        flat = tuple((n, signature_of(v, inner)) for n, v in fields.items())
        return (cls, flat)
    return cls


def dataclass_fields(cls: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(f.name for f in dataclasses.fields(cls))


__all__ = [
    "ANY",
    "attributes_of",
    "callable_data",
    "is_namedtuple",
    "is_record_class",
    "signature_of",
    "type_of",
]
