"""NumPy functions that write into their first argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import list_index
from anadrome.frontend.values import item_reads, item_writes, sequences
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.frontend.values.variables import same_constant
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import INT, NONE, AnyType, Num, Optional, Tuple, deref
from anadrome.primitives.indexing import add_at
from anadrome.primitives.registry import find_primitive


@handles(np.add.at)
def _add_at(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    array, index, value = args[0], args[1], args[2]
    t = deref(array.type)
    if isinstance(t, Num) and t.scalar:
        raise it.fail(
            TypeMismatch,
            "a ufunc's 'at' changes an array, this is a number",
            "add to the number",
            python=TypeError,
        )
    result = it.apply(add_at, (array, list_index(it, index), value))
    item_writes.store_array(it, array, it.constant(Ellipsis), result)
    return it.constant(None)


@handles(np.subtract.at)
def _subtract_at(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    negative = find_primitive(np.negative)
    assert negative is not None
    return _add_at(it, [args[0], args[1], it.apply(negative, (args[2],))], keywords)


@handles(np.copyto)
def _copyto(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.assignment import check_casting

    where = keywords.get("where")
    casting = keywords.get("casting", it.constant("same_kind"))
    index = it.constant(Ellipsis)
    value = sequences.as_array(it, args[1])
    if same_constant(casting, it.constant("same_kind")):
        check_casting(it, args[0], value)
    elif not same_constant(casting, it.constant("unsafe")):
        raise it.fail(
            UnsupportedSyntax,
            "'casting' is neither 'same_kind' nor 'unsafe'",
            "leave it out",
        )
    if where is not None:
        choose = find_primitive(np.where)
        assert choose is not None
        value = it.apply(choose, (where, value, args[0]))
    item_writes.store_array(it, args[0], index, value)
    return it.constant(None)


@handles(np.fill_diagonal)
def _fill_diagonal(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    array, value, wrap = _given(it, args, keywords, a=None, val=None, wrap=False)
    t = deref(array.type)
    rank = t.ndim if isinstance(t, Num) and t.ndim is not None else 2
    kind = Tuple(tuple(Num(np.dtype(np.int64), 1) for _ in range(rank)))
    if not same_constant(wrap, it.constant(False)):
        raise it.fail(
            UnsupportedSyntax,
            "a diagonal that is wrapped around is not supported",
            "write to the diagonal in parts",
        )
    given = it.constant(diagonal_index), array
    index = it.emit(ops.OBSERVE, given, kind, target=True)
    v = deref(value.type)
    if not (isinstance(v, Num) and v.ndim == 0):
        # Values are repeated, or left out, until there are as many.
        flat = it.apply(_primitive(np.ravel), (sequences.as_array(it, value),))
        whole = it.constant(repeated_index), array, flat
        taken = it.emit(ops.OBSERVE, whole, Num(np.dtype(np.int64), 1), target=True)
        value = item_reads.get_item(it, flat, taken)
    item_writes.store_array(it, array, index, value)
    return it.constant(None)


@handles(np.nan_to_num)
def _nan_to_num(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call_primitive

    # Behind the array come `copy`, `nan`, `posinf` and `neginf`.
    named = dict(zip(("copy", "nan", "posinf", "neginf"), args[1:])) | keywords
    copy = named.pop("copy", it.constant(True))
    x = args[0] if args else named.pop("x")
    primitive = _primitive(np.nan_to_num)
    found = call_primitive(it, primitive, [x], named, np.nan_to_num)
    if same_constant(copy, it.constant(True)):
        return found
    if not same_constant(copy, it.constant(False)):
        raise it.fail(
            UnsupportedSyntax,
            "whether np.nan_to_num copies is known only at run time",
            "write copy=True or copy=False",
        )
    t = deref(x.type)
    if not isinstance(t, Num) or t.scalar:
        it.by_python(np.nan_to_num, 1.0, copy=False)
    item_writes.store_array(it, x, it.constant(Ellipsis), found)
    return found if getattr(t, "boxed", False) else x


def diagonal_index(array: Any) -> tuple[np.ndarray, ...]:
    """The index of an array's diagonal."""
    if array.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if array.ndim > 2 and len(set(array.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (np.arange(min(array.shape)),) * array.ndim


def repeated_index(array: Any, values: Any) -> np.ndarray:
    """Which values go to the diagonal of an array, one after the other."""
    count = min(array.shape)
    return np.arange(count) % max(len(values), 1) if len(values) else np.arange(0)


def _primitive(function: Any) -> Any:
    found = find_primitive(function)
    assert found is not None
    return found


# Values put in one after the other, again from the first when there are no more -------


@handles(np.put)
def put(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """`np.put` and the method of that name."""
    array, indices, values, mode = _given(
        it, args, keywords, a=None, ind=None, v=None, mode="raise"
    )
    t = deref(array.type)
    if isinstance(t, Num) and t.scalar and not (t.python or t.varied):
        return it.constant(None)  # NumPy changes an array that it makes of it
    return _put(it, array, values, put_positions, (it.concrete(indices), mode))


@handles(np.place)
def _place(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    array, mask, values = _given(it, args, keywords, arr=None, mask=None, vals=None)
    _check_safe(it, array, values)
    return _put(it, array, values, place_positions, (it.concrete(mask),))


@handles(np.putmask)
def _putmask(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    array, mask, values = _given(it, args, keywords, a=None, mask=None, values=None)
    _check_safe(it, array, values)
    return _put(it, array, values, putmask_positions, (it.concrete(mask),))


def _check_safe(it: Interpreter, array: Node, values: Node) -> None:
    """Look at arrays of values: some functions never cast them down."""
    t, v = deref(array.type), deref(values.type)
    if not isinstance(t, Num) or not isinstance(v, Num) or v.scalar:
        return
    if t.dtype is None or v.dtype is None or not np.can_cast(v.dtype, t.dtype):
        given = it.constant(check_safe), array, values
        it.emit(ops.OBSERVE, given, NONE)


def check_safe(array: Any, values: Any) -> None:
    """Raise what NumPy does where values may be lost in an array."""
    if isinstance(values, np.ndarray):
        np.empty_like(values).astype(array.dtype, casting="safe")


def _given(
    it: Interpreter, args: list[Node], keywords: dict[str, Node], **defaults: Any
) -> list[Node]:
    """Arguments by position or by name, or what stands for them."""
    names = list(defaults)[len(args) :]
    return [*args, *(keywords.get(n, it.constant(defaults[n])) for n in names)]


def _put(
    it: Interpreter, array: Node, values: Node, find: Any, given: tuple[Node, ...]
) -> Node:
    t = deref(array.type)
    if not isinstance(t, Num) or not t.ndim:
        unknown = isinstance(t, AnyType | Optional)
        may_be_array = unknown or (isinstance(t, Num) and not t.scalar)
        raise it.fail(
            UnsupportedSyntax,
            "values are put into what is not known to be an array with axes",
            "store them with an index: x[where] = values",
            python=None if may_be_array else TypeError,
        )
    integers = Num(np.dtype(np.int64), 1)
    flat = it.apply(_primitive(np.ravel), (sequences.as_array(it, values),))
    found = it.emit(
        ops.OBSERVE,
        (it.constant(find), array, flat, *given),
        Tuple((integers,) * (t.ndim + 1)),
        target=True,
    )
    taken, *where = [take(it, found, k) for k in range(t.ndim + 1)]
    value = item_reads.get_item(it, flat, taken)
    item_writes.store_array(it, array, make_tuple(it, where), value)
    return it.constant(None)


def put_positions(
    array: Any, values: Any, indices: Any, mode: str
) -> tuple[np.ndarray, ...]:
    """Which values `np.put` stores, and where."""
    chosen = np.ravel(np.asarray(indices)).astype(int)
    if len(chosen) and not array.size:
        raise IndexError("cannot replace elements of an empty array")
    if not len(values):
        chosen = chosen[:0]  # nothing is stored, and no index is looked at
    if mode == "raise":
        chosen = np.arange(array.size)[chosen]
    elif mode == "wrap":
        chosen = chosen % array.size
    else:
        chosen = np.clip(chosen, 0, array.size - 1)
    return _cycled(array, values, chosen)


def place_positions(array: Any, values: Any, mask: Any) -> tuple[np.ndarray, ...]:
    """Which values `np.place` stores, and where."""
    chosen = _chosen(array, mask, "place")
    if len(chosen) and not len(values):
        raise ValueError("Cannot insert from an empty array!")
    return _cycled(array, values, chosen)


def putmask_positions(array: Any, values: Any, mask: Any) -> tuple[np.ndarray, ...]:
    """Which values `np.putmask` stores, and where: it passes over values, too."""
    chosen = _chosen(array, mask, "putmask")
    return _cycled(array, values, chosen, chosen)


def _chosen(array: Any, mask: Any, name: str) -> np.ndarray:
    if np.size(mask) != array.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return np.flatnonzero(mask)


def _cycled(
    array: Any, values: Any, chosen: np.ndarray, order: np.ndarray | None = None
) -> tuple[np.ndarray, ...]:
    if not len(values):
        chosen = chosen[:0]  # nothing is stored
    order = np.arange(len(chosen)) if order is None else order[: len(chosen)]
    taken = order % max(len(values), 1)
    return taken, *np.unravel_index(chosen, array.shape)


@handles(np.put_along_axis)
def _put_along_axis(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    array, indices, values, axis = _given(
        it, args, keywords, arr=None, indices=None, values=None, axis=None
    )
    t = indices.type
    rank = t.ndim if isinstance(t, Num) and t.ndim is not None else 1
    kind = Tuple(tuple(Num(np.dtype(np.int64), rank) for _ in range(rank)))
    given = it.constant(index_along_axis), array, indices, axis
    index = it.emit(ops.OBSERVE, given, kind, target=True)
    item_writes.store_array(it, array, index, values)
    return it.constant(None)


def index_along_axis(array: Any, indices: Any, axis: int) -> tuple[np.ndarray, ...]:
    """The index tuple that `take_along_axis` stands for."""
    axis = np.lib.array_utils.normalize_axis_index(axis, array.ndim)
    if indices.ndim != array.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    grids = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grids = [
        np.arange(n).reshape([-1 if k == d else 1 for d in range(array.ndim)])
        for k, n in enumerate(array.shape)
    ]
    grids[axis] = indices
    return tuple(np.broadcast_arrays(*grids))


__all__ = ["INT", "diagonal_index", "index_along_axis"]
