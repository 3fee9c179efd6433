"""Records of arrays, taken apart into names and put together again.

A record is a dataclass, a dictionary with string keys, a list, a tuple or a named
tuple, of records, arrays, numbers and None. The name of an array is the way to it:
"encoder.layers.0.W".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from anadrome.train.errors import MismatchedRecord

Record = TypeVar("Record")

_Number = (bool, int, float)


def flatten(record: Any) -> dict[str, np.ndarray]:
    """The arrays of a record by name; numbers become arrays without axes."""
    return dict(_leaves(record, ""))


def unflatten(like: Record, arrays: Mapping[str, np.ndarray]) -> Record:
    """A record built like the given one, with the arrays that bear the names.

    Every name must be there and no other, with the shape and the type it has in
    `like`; the arrays are copied.
    """
    expected = flatten(like)
    missing = sorted(expected.keys() - arrays.keys())
    extra = sorted(arrays.keys() - expected.keys())
    if missing or extra:
        parts = []
        if missing:
            parts.append(f"{_listed(missing)} missing")
        if extra:
            parts.append(f"{_listed(extra)} not expected")
        raise MismatchedRecord("the names differ: " + "; ".join(parts))
    for name, array in expected.items():
        found = arrays[name]
        if found.shape != array.shape:
            raise MismatchedRecord(
                f"{name} has the shape {found.shape}, but {array.shape} is expected"
            )
        if found.dtype != array.dtype:
            raise MismatchedRecord(
                f"{name} is {found.dtype}, but {array.dtype} is expected"
            )

    def restore(name: str, leaf: Any) -> Any:
        if leaf is None:
            return None
        found = arrays[name]
        if isinstance(leaf, _Number):
            return type(leaf)(found.item())
        if isinstance(leaf, np.generic):
            return found.dtype.type(found.item())
        return np.array(found)

    rebuilt: Record = _rebuild(like, "", restore)
    return rebuilt


def _children(record: Any, name: str) -> list[tuple[Any, str, Any]] | None:
    """The parts of a record as (key, name, part), or None for a leaf."""
    prefix = f"{name}." if name else ""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        fields = [f.name for f in dataclasses.fields(record)]
        return [(f, prefix + f, getattr(record, f)) for f in fields]
    if isinstance(record, Mapping):
        for key in record:
            if not isinstance(key, str) or not key or "." in key:
                raise TypeError(
                    f"the key {key!r} of {name or 'the record'} cannot be part of a "
                    "name; use strings without dots"
                )
        return [(key, prefix + key, part) for key, part in record.items()]
    if isinstance(record, tuple) and hasattr(record, "_fields"):
        return [(f, prefix + f, getattr(record, f)) for f in record._fields]
    if isinstance(record, (list, tuple)):
        return [(i, f"{prefix}{i}", part) for i, part in enumerate(record)]
    return None


def _leaves(record: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    children = _children(record, name)
    if children is not None:
        for _, child_name, part in children:
            yield from _leaves(part, child_name)
    elif record is None:
        return
    elif isinstance(record, (np.ndarray, np.generic, *_Number)):
        array = np.asarray(record)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name or 'the record'} holds {array.dtype}, not numbers")
        yield name, array
    else:
        raise TypeError(
            f"{name or 'the record'} is a {type(record).__name__}, which is neither an "
            "array nor a record of arrays"
        )


def _rebuild(record: Any, name: str, restore: Callable[[str, Any], Any]) -> Any:
    children = _children(record, name)
    if children is None:
        return restore(name, record)
    parts = {key: _rebuild(part, child, restore) for key, child, part in children}
    if dataclasses.is_dataclass(record):
        return dataclasses.replace(record, **parts)  # type: ignore[type-var]
    if isinstance(record, Mapping):
        return type(record)(parts)  # type: ignore[call-arg]
    if hasattr(record, "_fields"):
        return type(record)(**parts)
    return type(record)(parts.values())


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
