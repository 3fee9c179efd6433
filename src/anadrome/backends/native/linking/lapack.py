"""Where SciPy's LAPACK stands in memory."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROUTINES = tuple(
    f"{kind}{name}" for kind in "sd" for name in ("gesv", "getrf", "potrf")
)
_MODULE = "scipy.linalg.cython_lapack"


def symbol(routine: str) -> str:
    """The name by which programs call a routine."""
    return f"anadrome.lapack.{routine}"


@cache
def lapack_symbols() -> dict[str, int]:
    """The addresses of the routines."""
    table = _exporting_module().__pyx_capi__
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return {symbol(r): pointer_of(table[r], name_of(table[r])) or 0 for r in ROUTINES}


def _exporting_module() -> Any:
    """The module of SciPy's, without the rest of `scipy.linalg`, which takes long."""
    if _MODULE in sys.modules:
        return sys.modules[_MODULE]
    scipy = importlib.util.find_spec("scipy")
    for folder in (scipy.submodule_search_locations or ()) if scipy else ():
        for path in Path(folder, "linalg").glob("cython_lapack.*"):
            spec = importlib.util.spec_from_file_location(_MODULE, path)
            if path.suffix in (".so", ".pyd", ".dylib") and spec and spec.loader:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    return importlib.import_module(_MODULE)
