"""Nested arguments as flat vectors: Jacobians, directions, checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.errors import ArgumentError


def leaves(value: Any) -> list[Any]:
    """The floating-point numbers and arrays inside a value, in order."""
    if isinstance(value, float | complex | np.inexact):
        return [value]
    if isinstance(value, np.ndarray):
        return [value] if value.dtype.kind in "fc" else []
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in leaves(v)]
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in leaves(v)]
    if value is None or isinstance(value, int | str | bytes | np.generic):
        return []
    if hasattr(value, "__dict__") or hasattr(type(value), "__slots__"):
        return [leaf for v in runtime._attributes(value).values() for leaf in leaves(v)]
    return []


def rebuild(value: Any, new: list[Any]) -> Any:
    """A value of the same structure with other numbers, taken off the list `new`."""
    if isinstance(value, float | complex | np.inexact):
        return new.pop(0)
    if isinstance(value, np.ndarray):
        return new.pop(0) if value.dtype.kind in "fc" else value
    if isinstance(value, list):
        return [rebuild(v, new) for v in value]
    if isinstance(value, tuple):
        items = [rebuild(v, new) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {k: rebuild(v, new) for k, v in value.items()}
    if value is None or isinstance(value, int | str | bytes | np.generic):
        return value
    fields = {k: rebuild(v, new) for k, v in runtime._attributes(value).items()}
    return runtime.record(type(value), **fields)


def zeros_like(value: Any) -> Any:
    """A value of the same structure whose numbers are zero."""
    return rebuild(value, [_like(leaf, 0.0) for leaf in leaves(value)])


def _like(leaf: Any, number: float) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.full_like(leaf, number)
    return type(leaf)(number)


def size(value: Any) -> int:
    """How many numbers a value holds."""
    return sum(int(np.size(leaf)) for leaf in leaves(value))


def check_same(value: Any, other: Any, what: str = "the tangent") -> None:
    """Refuse a tangent or cotangent that does not fit its value."""
    a, b = leaves(value), leaves(other)
    if not a and isinstance(value, int | np.integer):
        raise ArgumentError(
            f"{value!r} is a whole number: only floating-point values have derivatives",
            help="convert it with float(…)",
        )
    if len(a) != len(b) or any(np.shape(x) != np.shape(y) for x, y in zip(a, b)):
        raise ArgumentError(
            f"{what} has shapes {[np.shape(y) for y in b]}, its value has "
            f"{[np.shape(x) for x in a]}",
            help="give one number for each number of the value",
        )


def _directions(value: Any) -> list[tuple[int, Any]]:
    """The unit directions of a value, with the number of the leaf each belongs to."""
    found = []
    parts = leaves(value)
    for k, leaf in enumerate(parts):
        for j in range(int(np.size(leaf))):
            new = [_like(p, 0.0) for p in parts]
            if isinstance(leaf, np.ndarray):
                new[k].flat[j] = 1.0
            else:
                new[k] = _like(leaf, 1.0)
            found.append((k, rebuild(value, new)))
    return found


def jacobian_columns(push: Callable[[Any], tuple[Any, Any]], x: Any) -> Any:
    """The Jacobian from derivatives in the unit directions of the argument."""
    columns = [(k, push(d)[1]) for k, d in _directions(x)]
    parts = leaves(x)
    if not columns:
        value, _ = push(x)
        return np.zeros(np.shape(value) + np.shape(x))

    def assemble(pick: Callable[[Any], Any]) -> Any:
        blocks = []
        for k, leaf in enumerate(parts):
            mine = [np.asarray(pick(c)) for j, c in columns if j == k]
            block = np.stack(mine, axis=-1) if mine else np.zeros((0,))
            blocks.append(block.reshape(block.shape[:-1] + np.shape(leaf)))
        return rebuild(x, blocks) if not isinstance(x, np.ndarray | float) else blocks[0]

    first = columns[0][1]
    outs = leaves(first)
    if isinstance(first, np.ndarray | float | np.generic):
        return assemble(lambda c: c)
    return rebuild(first, [assemble(lambda c, k=k: leaves(c)[k]) for k in range(len(outs))])


def jacobian_rows(value: Any, pull: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian from the pullbacks of the unit directions of the result."""
    outs = leaves(value)
    rows = [(k, pull(d)) for k, d in _directions(value)]

    def block(k: int) -> Any:
        mine = [leaves(r) for j, r in rows if j == k]
        shape = np.shape(outs[k])
        stacked = [
            np.stack([np.asarray(m[i]) for m in mine]).reshape(
                shape + np.shape(leaf)
            )
            for i, leaf in enumerate(leaves(x))
        ]
        return rebuild(x, stacked) if not isinstance(x, np.ndarray | float) else stacked[0]

    if isinstance(value, np.ndarray | float | np.generic):
        return block(0)
    return rebuild(value, [block(k) for k in range(len(outs))])
