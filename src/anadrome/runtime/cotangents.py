"""Cotangents and tangents of structures: sums, places, and the form of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable, TypeMismatch
from anadrome.runtime.records import attributes, has_fields, record
from anadrome.runtime.zeros import is_empty_zero


def add(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value; None is zero."""
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, list):
        return [add(x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, tuple):
        items = [add(x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, dict):
        return {k: add(a.get(k), b.get(k)) for k in {**a, **b}}
    if isinstance(a, np.ndarray):
        return _add_arrays(a, b)
    if isinstance(a, float | complex | int | np.generic):
        return a + b
    if hasattr(type(a), "__anadrome_add__"):
        return a.__anadrome_add__(b)
    fields = attributes(a)
    return record(
        type(a), **{k: add(v, getattr(b, k, None)) for k, v in fields.items()}
    )


def _add_arrays(a: np.ndarray[Any, Any], b: Any) -> Any:
    if type(b) is np.ndarray and a.shape == b.shape and a.dtype == b.dtype:
        if is_empty_zero(a):
            return b
        if is_empty_zero(b):
            return a
    return a + b


def _repeats(array: np.ndarray) -> bool:
    """Whether elements of an array share their memory, as native code broadcasts."""
    pairs = zip(array.strides, array.shape)
    return any(stride == 0 and size > 1 for stride, size in pairs)


SIZES = frozenset(("itemsize", "nbytes", "ndim", "shape", "size"))
"""Attributes of arrays that do not depend on what is in them."""


def tangent_of_size(value: Any, tangent: Any, name: str) -> Any:
    """The tangent of an attribute with such a name: zero if it is one of an array."""
    found = getattr(value, name)
    if not is_number(value):
        return getattr(tangent, name)
    return (0.0,) * len(found) if isinstance(found, tuple) else 0.0


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.generic | np.ndarray)


def _attribute_added(d: Any, name: Any, value: Any) -> Any:
    """The cotangent of an array with that of an attribute of it added."""
    if d is not None and name in SIZES:
        return d
    if d is None or name not in ("T", "real", "imag"):
        raise NotDifferentiable(
            "a derivative has to go through something that is not known to be an array",
            help="make it an array of numbers: np.asarray(…)",
        )
    if name == "T":
        return d + np.transpose(value)
    if name == "real":
        return d + np.real(value)
    return d - 1j * np.real(value) if np.iscomplexobj(d) else d


def index_add(d: Any, index: Any, value: Any) -> Any:
    """A cotangent with something added at an index; lists and dicts change in place.

    An item that is None has no derivative and stays so; nothing is added by None.
    """
    if value is None:
        return d
    if d is None or (isinstance(index, str) and is_number(d) and np.ndim(d) == 0):
        return _attribute_added(d, index, value)
    if isinstance(d, np.ndarray):
        if isinstance(index, str):
            return _attribute_added(d, index, value)
        if not d.flags.writeable or _repeats(d):
            # A broadcast number: its places share memory, and NumPy would add to all.
            d = np.array(d)
        np.add.at(d, index, value)
        return d
    if isinstance(d, tuple):
        if isinstance(index, str):
            index = type(d)._fields.index(index)  # type: ignore[attr-defined]
        items = index_add(list(d), index, value)
        return type(d)(*items) if hasattr(d, "_fields") else tuple(items)
    if isinstance(index, slice):
        for k, item in zip(range(*index.indices(len(d))), value, strict=True):
            index_add(d, k, item)
        return d
    if isinstance(index, str) and not isinstance(d, dict):
        # The attribute of an object whose class is known only at run time.
        old = getattr(d, index)
        if old is not None:
            object.__setattr__(d, index, add(old, value))
        return d
    if isinstance(d, dict) and index not in d:
        d[index] = value
    elif d[index] is not None:
        d[index] = add(d[index], value)
    return d


def require_numbers(*values: Any) -> None:
    """Refuse what computes like an array in a way of its own."""
    for value in values:
        cls = type(value)
        if cls is np.ndarray or not hasattr(cls, "__array_priority__"):
            continue
        if cls is not np.memmap and not isinstance(value, np.generic):
            raise TypeMismatch(
                f"a {cls.__name__} cannot be differentiated through",
                help="make a plain array of it: np.asarray(x), x.filled(0.0) or "
                "x.toarray()",
            )


def spread(d: Any, like: Any) -> Any:
    """A tangent in the shape of its value: an operand may have been broadcast."""
    require_numbers(d, like)
    if np.shape(d) == np.shape(like):
        return d
    if isinstance(like, list | tuple):
        refuse_joining()
    return d + np.zeros_like(like)


def refuse_joining() -> None:
    """Refuse lists that a derivative has taken for arrays."""
    raise NotDifferentiable(
        "lists are joined or repeated here, which is known only when the program runs",
        help="make arrays of them: np.concatenate, np.tile",
    )


def present(d: Any, like: Any) -> Any:
    """A tangent, which is zero for an integer that has none, and for those inside."""
    if d is None:
        if isinstance(like, int | np.integer | np.bool_):
            return 0.0
        if isinstance(like, np.ndarray) and like.dtype.kind in "biu":
            return np.zeros(like.shape)
        if isinstance(like, list | tuple):
            items = [present(None, y) for y in like]
            return type(like)(*items) if hasattr(like, "_fields") else items
        return None
    if isinstance(d, list | tuple) and isinstance(like, list | tuple):
        items = [present(x, y) for x, y in zip(d, like, strict=True)]
        if hasattr(d, "_fields"):
            return type(d)(*items)
        return items if isinstance(d, list) else tuple(items)
    return d


def conform(d: Any, like: Any) -> Any:
    """A cotangent in the structure of the value it is for: lists, tuples, arrays."""
    if isinstance(like, int) and d is not None:
        # A variable that is a float or an array elsewhere: nothing flows into it.
        return 0.0
    return _conform(d, like)


def _conform(d: Any, like: Any) -> Any:
    if d is None:
        return None
    require_numbers(d, like)
    # Integers stand in sequences for numbers that have derivatives.
    integers = int, np.integer, np.bool_
    if isinstance(like, list):
        return [
            0.0 if isinstance(y, integers) else _conform(x, y)
            for x, y in zip(d, like, strict=True)
        ]
    if isinstance(like, tuple):
        items: list[Any] = [
            0.0 if isinstance(y, integers) and x is not None else _conform(x, y)
            for x, y in zip(d, like, strict=True)
        ]
        return type(like)(*items) if hasattr(like, "_fields") else tuple(items)
    if isinstance(like, np.ndarray) and isinstance(d, list | tuple):
        return np.reshape(np.array(d), like.shape)
    if isinstance(like, int | str):
        return None
    if isinstance(like, list | tuple | np.ndarray | float | np.generic):
        return np.real(d) if np.iscomplexobj(d) and not np.iscomplexobj(like) else d
    return d


def retyped(d: Any, like: Any) -> Any:
    """A cotangent whose numbers and arrays have the types of those that it is for.

    That of integers is None.
    """
    if isinstance(d, np.ndarray):
        if d.ndim == 0 and isinstance(like, float | complex | int | np.generic):
            # A number beside arrays that are changed.
            return _retyped_number(d.item(), like)
        kind: Any = getattr(like, "dtype", d.dtype)
        if kind.kind in "biu":
            return None
        return d if d.dtype == kind or kind.kind not in "fc" else d.astype(kind)
    if isinstance(d, float | complex | np.inexact):
        return _retyped_number(d, like)
    if isinstance(d, list):
        # Others may hold it: its items are replaced where they are.
        if isinstance(like, list | tuple) and len(like) == len(d):
            d[:] = [_retyped_part(x, y) for x, y in zip(d, like)]
        return d
    if isinstance(d, tuple):
        items = [_retyped_part(x, y) for x, y in zip(d, like, strict=True)]
        return type(d)(*items) if hasattr(d, "_fields") else tuple(items)
    if isinstance(d, dict):
        return {k: _retyped_part(v, like.get(k)) for k, v in d.items()}
    if d is None or hasattr(type(d), "__anadrome_zero__") or not has_fields(d):
        return d
    fields = attributes(d)
    given = attributes(like) if type(like) is type(d) else fields
    found = {
        k: _retyped_part(v, getattr(like, k, None))
        for k, v in fields.items()
        if k in given
    }
    return record(type(d), **found)


def _retyped_part(d: Any, like: Any) -> Any:
    """The same for a part of a structure, where integers have no cotangent."""
    if isinstance(like, int | np.integer | np.bool_):
        return None
    if isinstance(like, np.ndarray) and like.dtype.kind in "biu":
        return None
    return retyped(d, like)


def _retyped_number(d: Any, like: Any) -> Any:
    if isinstance(like, int | np.integer | np.bool_):
        return None
    if isinstance(like, np.ndarray) and like.ndim == 0:
        like = like[()]
    if isinstance(like, np.inexact):
        return d if type(d) is type(like) else type(like)(d)
    if isinstance(like, complex):
        return complex(d)
    double = isinstance(d, float | complex)
    return d if double or not isinstance(like, float) else float(d)


def take_stored(gradient: Any, index: Any) -> Any:
    """The cotangent of what was stored at an index: the last write to a place wins."""
    d = np.array(gradient[index])
    order = np.arange(d.size).reshape(d.shape)
    marks = np.zeros(gradient.shape, dtype=np.intp)
    marks[index] = order
    return np.where(marks[index] == order, d, 0.0).astype(d.dtype)
