"""Objects that are known by name: where they are imported from."""

from __future__ import annotations

import importlib
from functools import reduce
from typing import Any

import numpy as np


class Unknown(Exception):
    """Something that has no stable description."""


def qualified_name(value: Any) -> str:
    """Where a class or a function is found by import; raises `Unknown`."""
    owner = getattr(value, "__objclass__", None)
    module = getattr(owner if owner is not None else value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(value, np.ufunc):
        module = "numpy"
    if not isinstance(module, str) or not isinstance(name, str):
        raise Unknown
    found = f"{module}:{name}"
    try:
        same = imported(found) is value
    except (ImportError, AttributeError, ValueError):
        same = False
    if not same:
        raise Unknown
    return found


def imported(name: str) -> Any:
    """What a qualified name stands for."""
    module, _, path = name.partition(":")
    return reduce(getattr, path.split("."), importlib.import_module(module))
