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


def make_builtin(name: str, address: int, itself: Any) -> Any:
    """A function that calls `address(itself, arguments, number)` and keeps `itself`."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(_description(name.encode(), address), itself, None)


def _description(name: bytes, address: int) -> int:
    """The address of a description in memory that is never given back.

    The interpreter reads it even while it takes the function down, which may be the
    last thing that it does, when nothing of this module is left.
    """
    allocate = ctypes.pythonapi.PyMem_RawMalloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    size = ctypes.sizeof(_Method)
    place = allocate(size + len(name) + 1)
    if not place:
        raise MemoryError("no memory for the description of a function")
    ctypes.memmove(place + size, name + b"\0", len(name) + 1)
    method = _Method.from_address(place)
    method.address, method.flags, method.doc = address, _FASTCALL, None
    ctypes.c_void_p.from_address(place + _Method.name.offset).value = place + size
    return int(place)
