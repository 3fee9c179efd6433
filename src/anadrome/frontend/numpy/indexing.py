"""Indices of arrays: which are views, and what types they give."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.tuples import make_tuple
from anadrome.infer.examples import result_type
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    ANY,
    List,
    NeverType,
    Num,
    Other,
    deref,
)
from anadrome.primitives.registry import find_primitive


def array_item(it: Interpreter, node: Node, index: Node, t: Num) -> Node:
    if t.scalar and t.python:
        raise it.fail(
            TypeMismatch,
            "a number cannot be indexed",
            "index the array that it came from",
            python=TypeError,
        )
    index = it.concrete(index)
    if t.ndim == 0:
        return _item_without_axes(it, node, index, t)
    index = list_index(it, index)
    refuse_too_many(it, t, index)
    refuse_fractional_index(it, index)
    result = result_type(_example_item, (node, index), {})
    if not isinstance(result, Num):
        result = Num(t.dtype, None)
    if is_basic(index) and not result.scalar:
        result = Num(result.dtype, result.ndim, False, t.alias, result.boxed)
    return it.emit(ops.GETITEM, (node, index), result)


def _is_mask(part: Node) -> bool:
    """Whether part of an index may be a truth value or an array of them."""
    t = deref(part.type)
    if isinstance(part, Constant):
        return isinstance(part.value, bool | np.bool_)
    return not isinstance(t, Num) or t.dtype is None or t.dtype.kind == "b"


def _item_without_axes(it: Interpreter, node: Node, index: Node, t: Num) -> Node:
    """An index into an array without axes: the number, the array, or new axes."""
    parts = [p.value if isinstance(p, Constant) else index for p in index_parts(index)]
    if any(p is not None and p is not Ellipsis for p in parts):
        masks = any(_is_mask(p) for p in index_parts(index))
        raise it.fail(
            TypeMismatch,
            "an array without axes is indexed with a mask"
            if masks
            else "too many indices: the array has 0 axes",
            "index the array that it came from",
            python=None if masks else IndexError,
        )
    axes = sum(p is None for p in parts)
    if axes:
        primitive = find_primitive(np.reshape)
        assert primitive is not None
        return it.apply(primitive, (node, it.constant((1,) * axes)))
    if parts and t.scalar:
        primitive = find_primitive(np.array)
        assert primitive is not None
        return it.apply(primitive, (node,), target=np.array)
    if parts:
        return it.emit(ops.CAST, (node,), t)
    if t.scalar:
        return node
    # What takes the number out of an array: NumPy has no sign of truths.
    truth = t.dtype is not None and t.dtype.kind == "b"
    function = np.logical_not if truth else operator.pos
    primitive = find_primitive(function)
    assert primitive is not None
    found = it.apply(primitive, (node,), target=function)
    return it.apply(primitive, (found,), target=function) if truth else found


def joined_dtype(index: Node) -> np.dtype[Any] | None:
    """The dtype of what `np.r_[…]` joins, where Python's numbers take on another's."""
    kinds: list[Any] = []
    for part in index_parts(index):
        t = deref(part.type)
        if not isinstance(t, Num) or t.dtype is None:
            return None
        kinds.append(t.dtype.type(1).item() if t.python else t.dtype)
    weak = [k for k in kinds if not isinstance(k, np.dtype)]
    return np.result_type(*kinds) if 0 < len(weak) < len(kinds) else None


def list_index(it: Interpreter, index: Node) -> Node:
    """An index in which lists and ranges have become integer arrays."""

    from anadrome.frontend.values.sequences import as_array

    t = deref(index.type)
    numbers = _range_in(index)
    if numbers is not None:
        arange = find_primitive(np.arange)
        assert arange is not None
        return it.apply(arange, numbers)
    if isinstance(t, List):
        if isinstance(deref(t.item), NeverType):
            primitive = find_primitive(np.asarray)
            assert primitive is not None
            return it.apply(primitive, (index, it.constant(int)))
        return as_array(it, index)
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        if any(
            isinstance(deref(a.type), List) or _range_in(a) is not None
            for a in index.args
        ):
            return make_tuple(it, [list_index(it, a) for a in index.args])
    return index


def _range_in(index: Node) -> tuple[Node, Node, Node] | None:
    """The bounds of an index that is a range."""
    from anadrome.frontend.values.iteration import Iteration

    if not isinstance(index, Constant) or not isinstance(index.value, Iteration):
        return None
    return index.value.bounds if index.value.index_is_item else None


def index_parts(index: Node) -> list[Node]:
    """The comma-separated parts of an index."""
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        return list(index.args)
    if isinstance(index, Constant) and isinstance(index.value, tuple):
        return [Constant(v, ANY) for v in index.value]
    return [index]


def is_basic(index: Node) -> bool:
    """Whether an index makes a view: integers, slices, newaxis and the ellipsis."""
    for part in index_parts(index):
        if isinstance(part, Constant):
            if isinstance(part.value, bool | np.bool_ | np.ndarray | list):
                return False
            continue
        t = deref(part.type)
        if isinstance(t, Num) and t.scalar and t.dtype is not None:
            if t.dtype.kind in "iu":
                continue
            return False
        if isinstance(t, Other) and t.cls is slice:
            continue
        return False
    return True


def refuse_too_many(it: Interpreter, t: Num, index: Node) -> None:
    """Refuse a basic index that has more parts than the array has axes."""
    if not t.ndim or not is_basic(index):
        return
    used = 0
    for part in index_parts(index):
        if isinstance(part, Constant) and part.value in (None, Ellipsis):
            continue
        used += 1
    if used > t.ndim:
        raise it.fail(
            TypeMismatch,
            f"too many indices: the array has {t.ndim} axes",
            "use one index for each axis",
            python=IndexError,
        )


def refuse_fractional_index(it: Interpreter, index: Node) -> None:
    """Refuse floats, which native code would take for the integers below them."""
    for part in index_parts(index):
        t = deref(part.type)
        if isinstance(part, Apply) and part.op is ops.SLICE:
            for bound in part.args:
                _refuse_bound(it, bound)
        if isinstance(part, Constant) and not isinstance(part.value, np.ndarray):
            fractional = isinstance(part.value, float | complex | np.inexact)
        else:
            fractional = isinstance(t, Num) and t.dtype is not None and t.inexact
        if fractional:
            raise it.fail(
                TypeMismatch,
                f"an array is indexed with {part.type!r}: an index is integers, slices,"
                " booleans, `...` and `None`",
                "round it with int(…), or arrays of indices with astype(int)",
                python=IndexError,
            )


def _refuse_bound(it: Interpreter, bound: Node) -> None:
    """Refuse what Python does not take for the end of a slice."""
    t = deref(bound.type)
    if not isinstance(t, Num) or t.dtype is None or t.dtype.kind in "iu":
        return
    if t.inexact or not t.python:
        raise it.fail(
            TypeMismatch,
            f"a slice begins or ends at {t!r}: its bounds are integers, or None",
            "convert it with int(…)",
            python=TypeError,
        )


def _example_item(array: Any, index: Any) -> Any:
    return array[_zeroed(index)]


def _zeroed(index: Any) -> Any:
    """An index that fits an array of ones of length one."""
    if isinstance(index, tuple):
        return tuple(_zeroed(i) for i in index)
    if isinstance(index, bool | np.bool_):
        return index
    if isinstance(index, int | np.integer):
        return 0
    if isinstance(index, slice):
        return slice(None)
    if isinstance(index, np.ndarray) and index.dtype.kind in "iu":
        return np.zeros_like(index)
    return index
