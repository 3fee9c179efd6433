"""What Python returns to native code, which was compiled for one type of it.

The common cases are read where they are. Everything else comes here: a value that is
of the expected type in another form is brought into it, and any other is refused. A
cast would lose the imaginary part of a number, or the mask of an array.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from anadrome.errors import UnexpectedType
from anadrome.infer.values import PLAIN_ARRAYS

TOO_LARGE = "an integer that 64 bits do not hold"
_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def as_array(value: Any, dtype: np.dtype[Any], ndim: int) -> Any:
    """An array of a dtype with `ndim` axes."""
    try:
        found = np.asanyarray(value)
    except ValueError:
        raise _unexpected(value, dtype, ndim) from None
    fits = type(found) in PLAIN_ARRAYS and found.ndim == ndim
    if not fits or not _widens(found.dtype, dtype, value):
        raise _unexpected(value, dtype, ndim)
    as_it_lies = found.flags.aligned and found.dtype.isnative
    if found is value and found.base is not None and not as_it_lies:
        # A copy would not be the view that it is, which may be written to.
        raise _unexpected(value, dtype, ndim)
    return np.require(found, dtype, ["ALIGNED", "WRITEABLE"])


def as_float(value: Any) -> float:
    """A number that is not complex."""
    return float(_number(value, "f"))


def as_integer(value: Any) -> int:
    """A whole number, by its type."""
    found = int(_number(value, "i"))
    if not -(2**63) <= found < 2**63:
        raise UnexpectedType(TOO_LARGE)
    return found


def as_bool(value: Any) -> bool:
    """True or false."""
    return bool(_number(value, "b"))


def as_complex(value: Any) -> complex:
    """Any number."""
    return complex(_number(value, "c"))


def _number(value: Any, kind: str) -> Any:
    # None is where nothing was computed.
    if value is None:
        return 0
    if type(value) is int and kind == "i" and not -(2**63) <= value < 2**63:
        raise UnexpectedType(TOO_LARGE)
    found = np.asanyarray(value)
    order = _ORDER.get(found.dtype.kind)
    if (
        found.ndim
        or type(found) not in PLAIN_ARRAYS
        or order is None
        or order > _ORDER[kind]
    ):
        raise _unexpected(value, np.dtype({"i": "i8", "f": "f8"}.get(kind, kind)), 0)
    return value


def _widens(found: np.dtype[Any], wanted: np.dtype[Any], value: Any) -> bool:
    """Whether all numbers of one dtype are numbers of the other."""
    if found == wanted:
        return True
    if found.kind not in _ORDER or _ORDER[found.kind] > _ORDER[wanted.kind]:
        return False
    if found.kind != wanted.kind:
        return True
    # A number of Python's has the precision of what it meets.
    return np.can_cast(found, wanted) or not isinstance(value, np.ndarray)


def _unexpected(value: Any, dtype: np.dtype[Any], ndim: int) -> UnexpectedType:
    wanted = _named(dtype, ndim)
    if isinstance(value, np.ndarray | np.generic):
        got = _named(value.dtype, value.ndim)
        if not value.dtype.isnative:
            got = f"{got} in another byte order"
        if type(value) not in (*PLAIN_ARRAYS, value.dtype.type):
            got = f"a {type(value).__name__} of {got}"
    else:
        got = f"a {type(value).__name__}"
    return UnexpectedType(
        f"the result is {got}, and the program was compiled for {wanted}",
        help="what decides on the type or the rank must be static: write it as a "
        "constant, name it in static_argnums, or leave out ad.jit",
    )


def _named(dtype: np.dtype[Any], ndim: int) -> str:
    if ndim == 0:
        return f"a {dtype.name}"
    return f"an array of {dtype.name} with {ndim} ax{'i' if ndim == 1 else 'e'}s"


_CELLS: dict[str, Any] = {
    "anadrome.unexpected": ctypes.py_object(UnexpectedType),
    "anadrome.read_array": ctypes.py_object(as_array),
    "anadrome.read_float": ctypes.py_object(as_float),
    "anadrome.read_integer": ctypes.py_object(as_integer),
    "anadrome.read_bool": ctypes.py_object(as_bool),
    "anadrome.read_complex": ctypes.py_object(as_complex),
}


def result_symbols() -> dict[str, int]:
    """The addresses of variables that hold the functions above."""
    return {name: ctypes.addressof(cell) for name, cell in _CELLS.items()}
