"""Copies, views and overlaps of arrays that are changed in place."""

from __future__ import annotations

import copy
import itertools
import math
from typing import Any

import numpy as np

from anadrome.errors import MutationError, TypeMismatch
from anadrome.runtime.records import attributes, has_fields


def copied_items(items: Any) -> Any:
    """A list or a tuple of copies of arrays, which are overwritten later."""
    if isinstance(items, np.ndarray):
        return items.copy()
    if not isinstance(items, list | tuple):
        return items
    copies = [copied_items(item) for item in items]
    return copies if isinstance(items, list) else tuple(copies)


def refuse_cutting(array: Any) -> None:
    """Refuse to store what varies where it is cut to an integer."""
    kind = getattr(array, "dtype", None)
    if kind is not None and kind.kind in "biu":
        raise TypeMismatch(
            f"what is stored into an array of {kind.name} is cut to an integer, and a "
            "derivative has to go through it",
            help="make the array with dtype=float",
        )


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
    collect_arrays(value, arrays, set())
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
    elif value is not None and type(value) is type(like) and has_fields(value):
        for name, v in attributes(value).items():
            _copy_pairs(v, getattr(like, name, None), made)


def collect_arrays(value: Any, found: list[Any], seen: set[int]) -> None:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        found.append(value)
    elif isinstance(value, list | tuple):
        for v in value:
            collect_arrays(v, found, seen)
    elif isinstance(value, dict):
        for v in value.values():
            collect_arrays(v, found, seen)
    elif has_fields(value):
        for v in attributes(value).values():
            collect_arrays(v, found, seen)


def lies_by_rows(value: Any) -> bool:
    """Whether all arrays in a value lie row by row, without gaps."""
    arrays: list[np.ndarray[Any, Any]] = []
    collect_arrays(value, arrays, set())
    return all(a.flags.c_contiguous for a in arrays)


def is_plain_memory(value: Any) -> bool:
    """Whether all arrays in a value can be changed by native code as they lie."""
    arrays: list[np.ndarray[Any, Any]] = []
    collect_arrays(value, arrays, set())
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
