"""NumPy functions that write into their first argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values import containers
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import INT, Num, Tuple
from anadrome.primitives.indexing import add_at
from anadrome.primitives.registry import find_primitive


@handles(np.add.at)
def _add_at(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    array, index, value = args
    result = it.apply(add_at, (array, containers.list_index(it, index), value))
    containers.store_array(it, array, it.constant(Ellipsis), result)
    return it.constant(None)


@handles(np.subtract.at)
def _subtract_at(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    negative = find_primitive(np.negative)
    assert negative is not None
    return _add_at(it, [args[0], args[1], it.apply(negative, (args[2],))], keywords)


@handles(np.copyto)
def _copyto(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    where = keywords.get("where")
    index = it.constant(Ellipsis)
    value = args[1]
    if where is not None:
        choose = find_primitive(np.where)
        assert choose is not None
        value = it.apply(choose, (where, value, args[0]))
    containers.store_array(it, args[0], index, value)
    return it.constant(None)


@handles(np.fill_diagonal)
def _fill_diagonal(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    t = args[0].type
    rank = t.ndim if isinstance(t, Num) and t.ndim is not None else 2
    kind = Tuple(tuple(Num(np.dtype(np.int64), 1) for _ in range(rank)))
    given = it.constant(diagonal_index), args[0]
    index = it.emit(ops.OBSERVE, given, kind, target=True)
    containers.store_array(it, args[0], index, args[1])
    return it.constant(None)


def diagonal_index(array: Any) -> tuple[np.ndarray, ...]:
    """The index of an array's diagonal."""
    return (np.arange(min(array.shape)),) * array.ndim


@handles(np.put_along_axis)
def _put_along_axis(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    array, indices, values = args[:3]
    axis = args[3] if len(args) > 3 else keywords["axis"]
    t = indices.type
    rank = t.ndim if isinstance(t, Num) and t.ndim is not None else 1
    kind = Tuple(tuple(Num(np.dtype(np.int64), rank) for _ in range(rank)))
    given = it.constant(index_along_axis), array, indices, axis
    index = it.emit(ops.OBSERVE, given, kind, target=True)
    containers.store_array(it, array, index, values)
    return it.constant(None)


def index_along_axis(array: Any, indices: Any, axis: int) -> tuple[np.ndarray, ...]:
    """The index tuple that `take_along_axis` stands for."""
    grids = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    axis %= array.ndim
    grids = [
        np.arange(n).reshape([-1 if k == d else 1 for d in range(array.ndim)])
        for k, n in enumerate(array.shape)
    ]
    grids[axis] = indices
    return tuple(np.broadcast_arrays(*grids))


__all__ = ["INT", "diagonal_index", "index_along_axis"]
