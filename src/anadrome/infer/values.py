"""The type of a value at hand, and a hashable signature that says when it changes."""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
import types as pytypes
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from anadrome.ir.graph import UNEVEN
from anadrome.ir.joins import join_items, join_members
from anadrome.ir.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    Dict,
    GivenFunction,
    List,
    Num,
    Object,
    Other,
    Tuple,
    Type,
)

_SCALARS = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX, str: STR}

_OPAQUE_MODULES = ("numpy", "scipy", "builtins", "pathlib", "re", "random", "logging")


PLAIN_ARRAYS = (np.ndarray, np.memmap)
"""The classes of arrays that are their numbers and nothing else."""

_T = TypeVar("_T")


def _by_class(function: Callable[[type], _T]) -> Callable[[type], _T]:
    """A function of classes that remembers what it found."""
    return functools.lru_cache(maxsize=1024)(function)


@_by_class
def is_record_class(cls: type) -> bool:
    """Whether instances are records of attributes that can hold numbers."""
    if not isinstance(cls, type) or not (cls.__flags__ & (1 << 9)):
        return False
    root = (cls.__module__ or "").split(".")[0]
    if root in _OPAQUE_MODULES or root in sys.stdlib_module_names:
        return False
    if issubclass(cls, BaseException | enum.Enum | type) or is_foreign_array(cls):
        return False
    if not _reads_plainly(cls):
        # Nobody knows what its attributes are but itself.
        return False
    if issubclass(
        cls, dict | list | tuple | set | frozenset | str | bytes | np.ndarray
    ):
        return False
    return not issubclass(cls, pytypes.ModuleType)


def _reads_plainly(cls: Any) -> bool:
    """Whether attributes are read without asking the class what they are."""
    return bool(cls.__getattribute__ is object.__getattribute__)


@_by_class
def is_foreign_array(cls: type) -> bool:
    """Whether another library's objects compute like arrays: a `Series`, a tensor."""
    if issubclass(cls, np.ndarray | np.generic) or not hasattr(cls, "__array__"):
        return False
    if not (hasattr(cls, "__array_priority__") or hasattr(cls, "__array_ufunc__")):
        return False
    module = sys.modules.get((cls.__module__ or "").split(".")[0])
    return "-packages" in str(getattr(module, "__file__", None) or "")


def is_namedtuple(cls: type) -> bool:
    """Whether a class was made by `namedtuple` or `typing.NamedTuple`."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes an instance holds itself, slots included."""
    found = {
        slot: getattr(value, slot)
        for slot in _slots_of(type(value))
        if hasattr(value, slot)
    }
    if _reads_plainly(type(value)):
        found.update(getattr(value, "__dict__", {}))
    return found


@_by_class
def _slots_of(cls: type) -> tuple[str, ...]:
    found: list[str] = []
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for s in (slots,) if isinstance(slots, str) else slots:
            private = s.startswith("__") and not s.endswith("__")
            owner = base.__name__.lstrip("_")
            found.append(f"_{owner}{s}" if private and owner else s)
    return tuple(s for s in found if s not in ("__dict__", "__weakref__"))


def can_have(cls: type, name: str) -> bool:
    """Whether instances can be given an attribute of some name."""
    return cls.__dictoffset__ != 0 or name in _slots_of(cls)


def type_of(value: Any) -> Type:
    """The type of a Python value."""
    return _Typing().of(value, {})


class _Typing:
    """The typing of one value: objects met twice, also in cycles, have one type."""

    def __init__(self) -> None:
        self.met: dict[int, Type] = {}

    def of(self, value: Any, path: dict[type, Object]) -> Type:
        cls = type(value)
        if cls in _SCALARS:
            return _SCALARS[cls]
        if value is None:
            return NONE
        if isinstance(value, np.ndarray | np.generic):
            if value.dtype.kind not in "biufc":
                return Other(cls)
            if isinstance(value, np.ndarray) and cls not in PLAIN_ARRAYS:
                # Its operators may mean something else.
                return ANY
            found = self.met.get(id(value))
            if found is None:
                dtype = value.dtype.newbyteorder("=")
                boxed = isinstance(value, np.ndarray) and value.ndim == 0
                found = self.met[id(value)] = Num(dtype, value.ndim, boxed=boxed)
            return found
        if isinstance(value, tuple):
            kind = cls if is_namedtuple(cls) else tuple
            return Tuple(tuple(self.of(v, path) for v in value), kind)
        if id(value) in self.met:
            return self.met[id(value)]
        if isinstance(value, list):
            made = self.met[id(value)] = List()
            for v in value:
                made.item = join_items(made.item, self.of(v, path))
            return made
        if isinstance(value, dict):
            fields: dict[Any, Type] = {}
            table = self.met[id(value)] = Dict(fields)
            for k, v in value.items():
                fields[k] = self.of(v, path)
            return table
        if hasattr(cls, "__anadrome_type__"):
            return value.__anadrome_type__()
        if is_record_class(cls) and not callable_data(value):
            return self._record(value, cls, path)
        return Other(cls)

    def _record(self, value: Any, cls: type, path: dict[type, Object]) -> Type:
        # In a recursive structure every instance on the way shares one type.
        made = path.get(cls) or Object(cls)
        self.met[id(value)] = made
        inner = {**path, cls: made}
        for name, v in attributes_of(value).items():
            known = callable_data(v) and not isinstance(v, pytypes.ModuleType)
            t = GivenFunction(type(v), v) if known else self.of(v, inner)
            fields = made.find().fields
            fields[name] = join_members(fields[name], t) if name in fields else t
        return made


def callable_data(value: Any) -> bool:
    """Whether a value is a function, a class or a module rather than data."""
    return _is_callable_class(type(value))


@_by_class
def _is_callable_class(cls: type) -> bool:
    return hasattr(cls, "__anadrome_inline__") or issubclass(
        cls,
        pytypes.FunctionType
        | pytypes.BuiltinFunctionType
        | pytypes.MethodType
        | pytypes.ModuleType
        | type
        | np.ufunc,
    )


def known_by_identity(value: Any) -> bool:
    """Whether only the very same function, class or module will do.

    Bound methods are made anew whenever somebody looks them up, but are equal.
    """
    bound = isinstance(value, pytypes.MethodType | pytypes.BuiltinMethodType)
    return callable_data(value) and not bound


@_by_class
def is_plain_record(cls: type) -> bool:
    """Whether instances are records of attributes and nothing else besides."""
    other = (bool, int, float, complex, str, bytes, np.generic, np.dtype)
    return (
        is_record_class(cls)
        and not _is_callable_class(cls)
        and not any("__call__" in base.__dict__ for base in cls.__mro__)
        and not hasattr(cls, "__anadrome_type__")
        and not issubclass(cls, other)
    )


def signature_of(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """A hashable key: equal keys mean that one compiled program serves both values."""
    cls = type(value)
    # What is met most often comes first: this is part of every call.
    if cls is np.ndarray:
        return signature_of_array(value)
    if cls is tuple:
        return (tuple, *[signature_of(v, path) for v in value])
    if cls is list or isinstance(value, list):
        signatures = [signature_of(v, path) for v in value]
        if is_fixed_list(value):
            return (list, *signatures)
        # How many items there are does not matter.
        return (list, frozenset(signatures))
    if cls in _SCALARS or value is None:
        return cls
    if is_plain_record(cls):
        return signature_of_record(value, cls, path)
    if hasattr(cls, "__anadrome_type__"):
        return value.__anadrome_type__()
    if isinstance(value, np.ndarray):
        return cls if cls not in PLAIN_ARRAYS else signature_of_array(value)
    if isinstance(value, np.generic):
        return (cls, 0)
    if isinstance(value, tuple):
        return (cls, *(signature_of(v, path) for v in value))
    if isinstance(value, dict):
        return (cls, *[(k, signature_of(v, path)) for k, v in value.items()])
    if callable_data(value):
        return value
    if is_record_class(cls):
        return signature_of_record(value, cls, path)
    return cls


LONGEST_FIXED = 8
"""More items than this are not read one by one, nor loops over them written out."""


def is_fixed_list(value: Any) -> bool:
    """Whether a list holds a few things that differ, as the weights of layers do.

    Native code is made for so many items; other lists may have any number.
    """
    if type(value) is not list or not 0 < len(value) <= LONGEST_FIXED:
        return False
    first = value[0]
    if type(first) is np.ndarray:
        ranks = {v.ndim if type(v) is np.ndarray else None for v in value}
        return len(ranks) > 1 and None not in ranks
    return all(type(v) is tuple and any(map(_is_array, v)) for v in value)


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray


def signature_of_array(value: np.ndarray[Any, Any]) -> Any:
    """The key of an array.

    Axes of length one are broadcast, so a program is made for their places.
    """
    shape = value.shape
    return value.dtype, tuple([n != 1 for n in shape]) if 1 in shape else len(shape)


def signature_of_record(value: Any, cls: type, path: tuple[Any, ...] = ()) -> Any:
    """The key of an instance of a record class.

    Instances of a class within themselves share a type: the key of the outermost one
    says what they all are like. Its path begins with those that are still to be seen.
    """
    if cls not in path and _is_family(cls):
        family = _family(value, cls)
        if family is not None:
            return family
        _MIXED.add(cls)
    if path:
        return _within(value, cls, path) if cls in path else _fields(value, cls, path)
    pending: list[tuple[Any, type, tuple[Any, ...]]] = []
    found = _fields(value, cls, (pending,))
    if not pending:
        return found
    inside, seen = {found}, {id(value)}
    while pending:
        v, kind, around = pending.pop()
        if id(v) not in seen:
            seen.add(id(v))
            inside.add(_fields(v, kind, around))
    return (found, frozenset(inside))


_MIXED: set[type] = set()
"""Classes whose instances hold more than numbers, text, and instances of the class."""

_UNSHARED = 4096
"""So many nodes of a tree are looked at before any is looked for among the others."""


def _is_family(cls: type) -> bool:
    return cls not in _MIXED and not _slots_of(cls)


def _family(value: Any, cls: type) -> Any:
    """The key of a tree whose nodes are all of one class, None if there are others.

    This is part of every call with a tree, so it does as little as it can for a node:
    the attributes of most are of the types that another one's were.
    """
    shapes: dict[Any, tuple[list[str], list[str]] | tuple[()]] = {}
    filled: set[str] = set()
    seen: set[int] = set()
    nodes = [value]
    for node in nodes:
        fields = node.__dict__
        shape = (*fields, *map(type, fields.values()))
        found = shapes.get(shape)
        if found is None:
            kinds = shape[len(fields) :]
            if not all(k in _SCALARS or k in (_NONE, cls, list) for k in kinds):
                return None
            parts = [name for name, k in zip(fields, kinds) if k is cls]
            lists = [name for name, k in zip(fields, kinds) if k is list]
            found = shapes[shape] = (parts, lists) if parts or lists else ()
        if found:
            count = len(nodes)
            for name in found[0]:
                nodes.append(fields[name])
            for name in found[1]:
                items = fields[name]
                if items:
                    if any(type(item) is not cls for item in items):
                        return None
                    filled.add(name)
                    nodes += items
            if count > _UNSHARED:
                # Nodes may be part of several others, or of themselves.
                new = {id(n): n for n in nodes[count:] if id(n) not in seen}
                nodes[count:] = new.values()
                seen.update(new)
    return cls, next(iter(shapes)), frozenset(shapes), frozenset(filled)


_NONE = type(None)


def _within(value: Any, cls: type, path: tuple[Any, ...]) -> Any:
    path[0].append((value, cls, path))
    return (cls, "…")


def _fields(value: Any, cls: type, path: tuple[Any, ...]) -> Any:
    inner = (*path, cls)
    fields = attributes_of(value) if _slots_of(cls) else value.__dict__
    signatures: list[Any] = []
    for v in fields.values():
        kind = type(v)
        if kind in _SCALARS:
            signatures.append(kind)
        elif kind in inner:
            signatures.append(_within(v, kind, inner))
        else:
            signatures.append(signature_of(v, inner))
    return (cls, tuple(fields), tuple(signatures))


_DEEP = 3
"""How far lists are looked for in a value, which may hold itself."""


def facts_of(value: Any) -> dict[tuple[Any, ...], tuple[bool, ...]]:
    """What may be told of the shapes in a value: see `Parameter`."""
    found = _long_axes(value)
    if _is_uneven(value):
        found[UNEVEN] = ()
    return found


def _is_uneven(value: Any, depth: int = _DEEP) -> bool:
    """Whether lists in a value hold arrays of different shapes."""
    if type(value) is list and len({_shapes(item, depth) for item in value}) > 1:
        return True
    return depth > 0 and any(_is_uneven(v, depth - 1) for v in _items(value))


def _shapes(value: Any, depth: int) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape
    return depth > 0 and tuple(_shapes(v, depth - 1) for v in _items(value))


def _items(value: Any) -> Iterable[Any]:
    if type(value) is list or isinstance(value, tuple):
        return value
    if type(value) is dict:
        return value.values()
    if is_record_class(type(value)) and not callable_data(value):
        return attributes_of(value).values()
    return ()


def _long_axes(value: Any) -> dict[tuple[Any, ...], tuple[bool, ...]]:
    """Which axes of the arrays in a value have a length other than one, by path."""
    if isinstance(value, np.ndarray):
        return {(): tuple(n != 1 for n in value.shape)}
    if isinstance(value, tuple):
        fields: dict[Any, Any] = dict(enumerate(value))
    elif isinstance(value, dict):
        fields = value
    elif is_record_class(type(value)) and not callable_data(value):
        fields = attributes_of(value)
    else:
        return {}
    return {
        (name,): tuple(n != 1 for n in v.shape)
        for name, v in fields.items()
        if isinstance(v, np.ndarray)
    }


def dataclass_fields(cls: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(f.name for f in dataclasses.fields(cls))


__all__ = [
    "ANY",
    "LONGEST_FIXED",
    "PLAIN_ARRAYS",
    "attributes_of",
    "callable_data",
    "is_foreign_array",
    "is_namedtuple",
    "is_record_class",
    "known_by_identity",
    "signature_of",
    "signature_of_record",
    "type_of",
]
