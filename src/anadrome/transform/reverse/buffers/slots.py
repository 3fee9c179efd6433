"""What printed programs call to change the shadows of lists, dicts and objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome import runtime


def view_at(shadow: Any, index: Any) -> Any:
    """A part of a shadow as a view of it; of a number, an accumulator.

    A number that was read stays what it was when its place is overwritten.
    """
    if not isinstance(shadow, np.ndarray):
        return shadow[index]
    parts = index if isinstance(index, tuple) else (index,)
    if any(p is Ellipsis for p in parts):
        return shadow[index]
    found = shadow[(*parts, Ellipsis)]
    return found if found.ndim else np.zeros_like(found)


def give_back(shadow: Any, index: Any, part: Any) -> None:
    """Add what was accumulated for a number to the place that it was read from."""
    if isinstance(shadow, np.ndarray) and isinstance(part, np.ndarray):
        if not part.ndim and not np.shares_memory(part, shadow):
            np.add.at(shadow, index, part[()])
            part[...] = 0.0


def deposit(shadow: Any, d: Any) -> None:
    """Add cotangents to the arrays in a shadow, in place."""
    if d is None or shadow is None:
        return
    if isinstance(shadow, np.ndarray):
        np.add.at(shadow, ..., d)  # type: ignore[arg-type]
    elif isinstance(shadow, list | tuple):
        for part, item in zip(shadow, d, strict=True):
            deposit(part, item)
    elif isinstance(shadow, dict):
        for key, item in d.items():
            deposit(shadow.get(key), item)
    else:
        for name, item in vars(d).items():
            deposit(getattr(shadow, name), item)


def add_items(shadow: list[Any], d: list[Any]) -> None:
    """Add a list of cotangents to a list's shadow."""
    for k, item in enumerate(d):
        shadow[k] = runtime.add(shadow[k], item)


def add_fields(shadow: Any, d: Any) -> None:
    """Add a record of cotangents to a record's shadow."""
    if isinstance(shadow, dict):
        for key, item in d.items():
            shadow[key] = runtime.add(shadow.get(key), item)
        return
    for name, item in vars(d).items():
        object.__setattr__(shadow, name, runtime.add(getattr(shadow, name), item))


def add_slice(shadow: list[Any], where: slice, d: list[Any]) -> None:
    """Add cotangents to a stretch of a list's shadow."""
    for k, item in zip(range(*where.indices(len(shadow))), d, strict=True):
        shadow[k] = runtime.add(shadow[k], item)


def empty_slots(values: list[Any]) -> list[Any]:
    """Zero slots for values put into a list."""
    return [
        0.0 if isinstance(v, _NUMBERS) or v is None else runtime.zeros(v)
        for v in values
    ]


_NUMBERS = (int, float, complex, np.ndarray, np.generic)


def snapshot(shadow: Any) -> Any:
    """A shadow's slots as they are now."""
    return dict(shadow) if isinstance(shadow, dict) else list(shadow)


def slot_or_none(shadow: Any, key: Any) -> Any:
    """What a shadow holds under a key."""
    if isinstance(shadow, dict):
        return shadow.get(key, _MISSING)
    return shadow[key]


_MISSING = object()


def put_back(shadow: Any, key: Any, kept: Any) -> None:
    """Give a slot back what it held before a store."""
    if kept is _MISSING:
        del shadow[key]
    else:
        shadow[key] = kept


def attribute_or_none(shadow: Any, name: str) -> Any:
    """What a shadow holds for an attribute, None if nothing."""
    return getattr(shadow, name, None)


def stored_slice(shadow: list[Any], old: list[Any], where: slice, value: Any) -> Any:
    """The cotangents of what was stored into a stretch of a list."""
    start, _, step = where.indices(len(old))
    taken = shadow[start : start + len(value)] if step == 1 else shadow[where]
    return [_full(d, v) for d, v in zip(taken, value)]


def _full(d: Any, value: Any) -> Any:
    """A cotangent as an array if it is that of one: an empty slot is a number."""
    if not isinstance(value, np.ndarray) or not isinstance(d, float):
        return d
    return np.full(value.shape, d, value.dtype if value.dtype.kind in "fc" else None)


def restore(shadow: list[Any], old: list[Any], where: slice, value: Any) -> None:
    """Undo a store into a stretch of a list, keeping what accumulated elsewhere."""
    start, stop, step = where.indices(len(old))
    if step == 1:
        stop = max(start, stop)
        shadow[start : start + len(value)] = old[start:stop]
    else:
        shadow[where] = old[where]


def undelete(shadow: Any, kept: Any, index: Any) -> None:
    """Put deleted slots back, empty, keeping what accumulated in the others."""
    if isinstance(shadow, dict):
        # In the order that it had.
        whole = {**kept, **shadow, index: kept[index]}
        shadow.clear()
        shadow.update(whole)
        return
    gone = range(len(kept))[index]
    deleted = set(gone) if isinstance(gone, range) else {gone}
    rest = iter(list(shadow))
    shadow[:] = [kept[k] if k in deleted else next(rest) for k in range(len(kept))]
