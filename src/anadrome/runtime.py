"""What printed programs call: the few things that are not one line of NumPy."""

from __future__ import annotations

import copy
import itertools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anadrome import errors
from anadrome.errors import MutationError, NotDifferentiable, TypeMismatch


class Saved:
    """What the forward half of a recursive function keeps for the backward half."""

    def __repr__(self) -> str:
        return f"Saved({', '.join(vars(self))})"


def record(cls: type, **fields: Any) -> Any:
    """An instance of a class with the given attributes, made without its `__init__`."""
    made: Any = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def with_cause(error: BaseException, cause: BaseException | None) -> BaseException:
    """An exception that is raised from another one."""
    if cause is not None and not isinstance(cause, BaseException):
        return TypeError("exception causes must derive from BaseException")
    error.__cause__ = cause
    return error


def refusal(kind: str, message: str, help: str | None, places: tuple[Any, ...]) -> Any:
    """The refusal of something that is wrong only where a program comes to it."""
    spans = [errors.Span(*place) for place in places]
    span = spans.pop() if spans else None
    return getattr(errors, kind)(message, span, help, tuple(spans))


def unpacked(mapping: Any) -> dict[Any, Any]:
    """What two stars unpack in a dictionary that is written out."""
    return {**mapping}


def copied_items(items: Any) -> Any:
    """A list or a tuple of copies of arrays, which are overwritten later."""
    if isinstance(items, np.ndarray):
        return items.copy()
    if not isinstance(items, list | tuple):
        return items
    copies = [copied_items(item) for item in items]
    return copies if isinstance(items, list) else tuple(copies)


def expect_class(value: Any, names: tuple[str, ...]) -> None:
    """Refuse a number of a class that a program was not compiled for."""
    if type(value).__name__ not in names:
        raise errors.UnexpectedType(
            f"a number is a {type(value).__name__} on this path, and the program was "
            f"compiled for {' or '.join(names)}",
            help="make it one type on every path: start with 0.0 instead of 0, or "
            "convert it with float(…)",
        )


def expect_dtype(items: Any, dtype: np.dtype) -> None:
    """Refuse a list that makes an array that a program was not compiled for."""
    found = np.asarray(items).dtype
    if found != dtype:
        raise errors.UnexpectedType(
            f"a list makes an array of {found} on this path, and the program was "
            f"compiled for {dtype}",
            help="make its items one type on every path: 0.0 instead of 0, or float(…)",
        )


def of_dtype(
    dtype: np.dtype, function: Callable[..., Any], /, *args: Any, **named: Any
) -> Any:
    """The result of a call, which must have the dtype that a program relies on."""
    result = function(*args, **named)
    found = getattr(result, "dtype", None)
    if found != dtype:
        got = found or type(result).__name__
        raise errors.UnexpectedType(
            f"a result is of {got} on this path, and the program was compiled for "
            f"{dtype}",
            help="make what it is computed from one type on every path: 0.0 instead of "
            "0, or float(…)",
        )
    return result


def _attributes(value: Any) -> dict[str, Any]:
    from anadrome.infer.values import attributes_of

    return attributes_of(value)


_CODE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
)


def _has_fields(value: Any) -> bool:
    if isinstance(value, _CODE):
        return False
    if hasattr(value, "__dict__"):
        return True
    from anadrome.infer.values import is_record_class

    return is_record_class(type(value))


def zeros(value: Any) -> Any:
    """The cotangent zero of a value: same structure, None where there is none.

    Arrays inside it take no memory until something is added to them.
    """
    if isinstance(value, np.ndarray):
        return _dense_zero(value)
    if isinstance(value, list):
        # Integers stand in it for numbers that have derivatives.
        seen: dict[int, Any] = {}
        integers = int, np.integer, np.bool_
        return [
            0.0 if isinstance(v, integers) else _zeros(v, seen, _empty_zero)
            for v in value
        ]
    return _zeros(value, {}, _empty_zero)


def zeros_of_numbers(value: Any) -> Any:
    """Zeros for numbers, integers included: a list of them may become an array."""
    if isinstance(value, list):
        return [zeros_of_numbers(v) for v in value]
    if isinstance(value, np.ndarray):
        inexact = value.dtype.kind in "fc"
        return np.zeros_like(value) if inexact else np.zeros(value.shape)
    if isinstance(value, int | float | complex | np.generic):
        return _zero_number(value)
    return zeros(value)


def _zero_number(value: Any) -> Any:
    """The zero of a number: one of NumPy's has its precision, also when broadcast."""
    return type(value)(0) if isinstance(value, np.inexact) else 0.0


def shadow(value: Any) -> Any:
    """A place for the cotangent of something that is changed in place."""
    return _zeros(value, {}, _dense_zero)


def shadow_of_arrays(value: Any) -> Any:
    """The same where integers lie beside floats, and are changed as these are."""
    if isinstance(value, list):
        integers, seen = (int, np.integer, np.bool_), {}  # type: ignore[var-annotated]
        return [
            0.0 if isinstance(v, integers) else _zeros(v, seen, _floating_zero)
            for v in value
        ]
    return _zeros(value, {}, _floating_zero)


def _floating_zero(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind in "fc":
        return np.zeros_like(value)
    return np.zeros(value.shape) if value.dtype.kind in "biu" else None


def refuse_cutting(array: Any) -> None:
    """Refuse to store what varies where it is cut to an integer."""
    kind = getattr(array, "dtype", None)
    if kind is not None and kind.kind in "biu":
        raise TypeMismatch(
            f"what is stored into an array of {kind.name} is cut to an integer, and a "
            "derivative has to go through it",
            help="make the array with dtype=float",
        )


def pass_refusal(error: Any) -> None:
    """Raise again what is no exception of the program's but a refusal of ours."""
    if isinstance(error, errors.AnadromeError) and error.python is None:
        if not isinstance(error, _OF_PYTHON):
            raise error


# They are what Python raises there, with a better text.
_OF_PYTHON = (errors.ShapeMismatch, errors.RecursionTooDeep)


def shadow_of_numbers(value: Any) -> Any:
    """The same where numbers stand beside arrays that are changed."""

    def zero(v: Any) -> Any:
        return _floating_zero(np.asarray(v))

    if isinstance(value, list):
        integers, seen = (int, np.integer, np.bool_), {}  # type: ignore[var-annotated]
        return [
            zero(v) if isinstance(v, integers) else _zeros(v, seen, zero, numbers=True)
            for v in value
        ]
    return _zeros(value, {}, zero, numbers=True)


def shadow_of_number(value: Any) -> Any:
    """A place for the cotangent of a number that goes where arrays change."""
    return _floating_zero(np.asarray(value))


def _dense_zero(value: np.ndarray[Any, Any]) -> Any:
    return np.zeros_like(value) if value.dtype.kind in "fc" else None


def _empty_zero(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind not in "fc":
        return None
    if not value.shape:
        # It is added to as a number is.
        return value.dtype.type(0)
    # As `np.broadcast_to` of a zero, many times as fast.
    return np.ndarray(value.shape, value.dtype, _ZERO, 0, (0,) * value.ndim)


# As many bytes as the largest number has.
_ZERO = bytes(32)


def is_empty_zero(d: Any) -> bool:
    """Whether a cotangent is one number, zero, that stands for a whole array."""
    return (
        type(d) is np.ndarray
        and not d.flags.writeable
        and d.size > 0
        and not any(d.strides)
        and d.item(0) == 0
    )


def filled(d: Any) -> Any:
    """A cotangent whose zeros have memory of their own."""
    if is_empty_zero(d):
        return np.zeros(d.shape, d.dtype)
    if isinstance(d, list):
        return [filled(x) for x in d]
    if isinstance(d, tuple):
        items = [filled(x) for x in d]
        return type(d)(*items) if hasattr(d, "_fields") else tuple(items)
    if isinstance(d, dict):
        return {k: filled(v) for k, v in d.items()}
    if hasattr(type(d), "__anadrome_zero__") or not _has_fields(d):
        return d
    fields = _attributes(d)
    return record(type(d), **{k: filled(v) for k, v in fields.items()})


def _zeros(
    value: Any, seen: dict[int, Any], zero: Callable[[Any], Any], numbers: bool = False
) -> Any:
    if numbers and isinstance(value, float | complex | np.inexact):
        return zero(value)
    # One object in two places has one cotangent.
    found = seen.get(id(value))
    if found is _OPEN:
        raise MutationError(
            "a derivative depends on an object that holds itself",
            help="let it go through objects of which none holds itself",
        )
    if found is None:
        seen[id(value)] = _OPEN
        found = seen[id(value)] = _new_zeros(value, seen, zero, numbers)
    return found


# Stands for zeros that are being made.
_OPEN = object()


def _new_zeros(
    value: Any, seen: dict[int, Any], zero: Callable[[Any], Any], numbers: bool
) -> Any:
    if isinstance(value, float | complex | np.inexact):
        return _zero_number(value)
    if isinstance(value, np.ndarray):
        return zero(value)
    if value is None or isinstance(value, int | str | np.generic | bytes):
        return None
    if hasattr(type(value), "__anadrome_zero__"):
        return value.__anadrome_zero__()
    if isinstance(value, list):
        return [_zeros(v, seen, zero, numbers) for v in value]
    if isinstance(value, tuple):
        items = [_zeros(v, seen, zero, numbers) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {k: _zeros(v, seen, zero, numbers) for k, v in value.items()}
    if _has_fields(value):
        fields = _attributes(value)
        return record(
            type(value),
            **{k: _zeros(v, seen, zero, numbers) for k, v in fields.items()},
        )
    return None


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
    fields = _attributes(a)
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
    if not _is_number(value):
        return getattr(tangent, name)
    return (0.0,) * len(found) if isinstance(found, tuple) else 0.0


def _is_number(value: Any) -> bool:
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

    An item that is None has no derivative and stays so.
    """
    if d is None or (isinstance(index, str) and _is_number(d) and np.ndim(d) == 0):
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


def _require_numbers(*values: Any) -> None:
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
    _require_numbers(d, like)
    if np.shape(d) == np.shape(like):
        return d
    return d + np.zeros_like(like)


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
    _require_numbers(d, like)
    if isinstance(like, list):
        # Integers stand in it for numbers that have derivatives.
        integers = int, np.integer, np.bool_
        return [
            0.0 if isinstance(y, integers) else _conform(x, y)
            for x, y in zip(d, like, strict=True)
        ]
    if isinstance(like, tuple):
        items = [_conform(x, y) for x, y in zip(d, like, strict=True)]
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
    if d is None or hasattr(type(d), "__anadrome_zero__") or not _has_fields(d):
        return d
    fields = _attributes(d)
    given = _attributes(like) if type(like) is type(d) else fields
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


def take_all(items: list[Any]) -> Iterator[Any]:
    """The items of a list from the last to the first, taken off it one by one."""
    while items:
        yield items.pop()


def copy_as(value: Any, like: Any, dtype: Any = None) -> Any:
    """A copy of an array that lies in memory as another one does.

    Which of its other shapes are views shows the order of its axes, gaps between its
    elements and the signs of its strides.
    """
    if not isinstance(value, np.ndarray) or np.shape(value) != np.shape(like):
        return np.array(value, dtype)
    made = _empty_as(like, dtype or value.dtype)
    made[...] = value
    return made


def _empty_as(like: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> Any:
    """Memory for an array that lies as another one does, its elements aligned."""
    if like.flags.c_contiguous:
        return np.empty(like.shape, dtype)
    if like.flags.f_contiguous:
        return np.empty(like.shape, dtype, order="F")
    long = [s for n, s in zip(like.shape, like.strides) if n > 1]
    unit = math.gcd(*long) or like.itemsize
    # Elements between which there is padding get as much as aligns them.
    grown = -(-unit // like.itemsize) * dtype.itemsize
    strides = [
        s // unit * grown if n > 1 else dtype.itemsize
        for n, s in zip(like.shape, like.strides)
    ]
    ends = [(n - 1) * s for n, s in zip(like.shape, strides)]
    low = -sum(e for e in ends if e < 0)
    size = low + sum(e for e in ends if e > 0) + dtype.itemsize
    return np.ndarray(like.shape, dtype, np.empty(size, np.uint8), low, strides)


def own(value: Any, like: Any = None) -> Any:
    """A copy of an argument that is changed in place: the caller's stays as it is.

    Its arrays lie in memory as they did; those of a tangent as those that it is for.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    _collect_arrays(value, arrays, set())
    arrays.sort(key=lambda a: np.lib.array_utils.byte_bounds(a)[0])
    for a, b in itertools.pairwise(arrays):
        if np.may_share_memory(a, b):
            raise MutationError(
                "an argument holds arrays that share memory and are changed in place",
                help="copy one of them before the call",
            )
    made = {id(a): copy_as(a, a) for a in arrays}
    if like is not None:
        _copy_pairs(value, like, made)
    return copy.deepcopy(value, made)


def _copy_pairs(value: Any, like: Any, made: dict[int, Any]) -> None:
    """Copies of the arrays in a value that lie as those in another one do."""
    if isinstance(value, np.ndarray) and isinstance(like, np.ndarray):
        made[id(value)] = copy_as(value, like)
    elif isinstance(value, list | tuple) and isinstance(like, list | tuple):
        for v, w in zip(value, like):
            _copy_pairs(v, w, made)
    elif isinstance(value, dict) and isinstance(like, dict):
        for k, v in value.items():
            _copy_pairs(v, like.get(k), made)
    elif value is not None and type(value) is type(like) and _has_fields(value):
        for name, v in _attributes(value).items():
            _copy_pairs(v, getattr(like, name, None), made)


def _collect_arrays(value: Any, found: list[Any], seen: set[int]) -> None:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        found.append(value)
    elif isinstance(value, list | tuple):
        for v in value:
            _collect_arrays(v, found, seen)
    elif isinstance(value, dict):
        for v in value.values():
            _collect_arrays(v, found, seen)
    elif _has_fields(value):
        for v in _attributes(value).values():
            _collect_arrays(v, found, seen)


def lies_by_rows(value: Any) -> bool:
    """Whether all arrays in a value lie row by row, without gaps."""
    arrays: list[np.ndarray[Any, Any]] = []
    _collect_arrays(value, arrays, set())
    return all(a.flags.c_contiguous for a in arrays)


def is_plain_memory(value: Any) -> bool:
    """Whether all arrays in a value can be changed by native code as they lie."""
    arrays: list[np.ndarray[Any, Any]] = []
    _collect_arrays(value, arrays, set())
    return all(
        type(a) is np.ndarray and a.flags.behaved and a.dtype.isnative for a in arrays
    )


def overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays have elements in common, or too many to find out."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def refuse_shared(a: Any, b: Any) -> None:
    """Refuse two arguments that share memory if one of them is changed in place."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and overlap(a, b):
        refuse_same("array")


def refuse_same(what: str) -> None:
    """Refuse arguments that are one object."""
    raise MutationError(
        f"two arguments are, or contain, the same {what}, and the function changes it "
        "in place",
        help="pass a copy of one of them",
    )


def is_copy(source: Any, result: Any) -> bool:
    """Whether an operation that may return a view made a copy; nothing is a view."""
    shared = result is source or np.may_share_memory(source, result)
    return bool(np.size(result)) and not shared


_VIEWED = (
    "an array that is changed in place is viewed in a way that its derivative cannot "
    "follow"
)
_CONTIGUOUS = "make the array contiguous first with np.ascontiguousarray"


def shadow_of_view(source: Any, result: Any, view: Any, shadow: Any) -> Any:
    """The shadow of what may be a view: the same view of the source's shadow.

    Of a copy it is an array of its own.
    """
    if is_copy(source, result):
        return np.zeros_like(result)
    if view is not shadow and np.size(view) and not np.may_share_memory(view, shadow):
        raise MutationError(_VIEWED, help=_CONTIGUOUS)
    return writable(view)


def check_view(source: Any, result: Any, tangent: Any, view: Any) -> None:
    """Refuse a view whose tangent is a copy, and a copy whose tangent is a view."""
    if np.size(result) and is_copy(source, result) != is_copy(tangent, view):
        raise MutationError(_VIEWED, help=_CONTIGUOUS)


def check_copy(source: Any, result: Any) -> None:
    """Refuse a view where the derivative relies on a copy."""
    if np.may_share_memory(source, result):
        raise MutationError(
            "np.einsum returned a view of an array that is changed in place",
            help="copy it with .copy(), or use np.diagonal or np.transpose",
        )


LOOKING = (check_copy, check_view, is_copy, refuse_cutting)
"""Helpers that change nothing."""


def writable(view: Any) -> Any:
    """A view that may be written to."""
    if isinstance(view, np.ndarray) and not view.flags.writeable:
        view.flags.writeable = True
    return view


def take_stored(gradient: Any, index: Any) -> Any:
    """The cotangent of what was stored at an index: the last write to a place wins."""
    d = np.array(gradient[index])
    order = np.arange(d.size).reshape(d.shape)
    marks = np.zeros(gradient.shape, dtype=np.intp)
    marks[index] = order
    return np.where(marks[index] == order, d, 0.0).astype(d.dtype)
