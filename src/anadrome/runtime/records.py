"""Records of what is kept between the halves of a derivative, and fields of objects."""

from __future__ import annotations

import types
from typing import Any


class Saved:
    """What the forward half of a recursive function keeps for the backward half."""

    def __repr__(self) -> str:
        return f"Saved({', '.join(vars(self))})"


def record(cls: type, /, **fields: Any) -> Any:
    """An instance of a class with the given attributes, made without its `__init__`."""
    made: Any = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def attributes(value: Any) -> dict[str, Any]:
    """The fields of an object by their names."""
    from anadrome.infer.values import attributes_of

    return attributes_of(value)


_CODE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
)


def has_fields(value: Any) -> bool:
    """Whether a value is an object with fields of its own."""
    if isinstance(value, _CODE):
        return False
    if hasattr(value, "__dict__"):
        return True
    from anadrome.infer.values import is_record_class

    return is_record_class(type(value))
