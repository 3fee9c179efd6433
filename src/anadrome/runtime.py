"""What printed programs call: the few things that are not one line of NumPy."""

from __future__ import annotations

from typing import Any


def record(cls: type, **fields: Any) -> Any:
    """An instance of a class with the given attributes, made without its `__init__`."""
    made = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made
