"""Native functions as builtin functions of Python."""

from __future__ import annotations

import ctypes
from typing import Any


class _Method(ctypes.Structure):
    """A function of native code as the interpreter wants it described."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL = 0x0080
_described: list[_Method] = []


def make_builtin(name: str, address: int, itself: Any) -> Any:
    """A function that calls `address(itself, arguments, number)` and keeps `itself`."""
    method = _Method(name.encode(), address, _FASTCALL, None)
    # The interpreter reads the description even while it takes the function down.
    _described.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), itself, None)
