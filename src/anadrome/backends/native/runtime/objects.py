"""Python objects in native code: numbers made, read and checked, calls, exceptions.

A value that has no registers of its own is boxed: a block of memory that stands for a
Python object and owns a reference to it. The functions here are called with the
interpreter's lock held. Those that give an object give a new reference, or null with
an exception set; those that give a status give zero if all went well. Their code is
in `objects.ll`.
"""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from importlib import resources

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .memory import memory_library, python_symbols
from .results import result_symbols

BOX = "anadrome.box"
NUMBER_OBJECT = "anadrome.number_object"
AS_FLOAT = "anadrome.as_float"
AS_INTEGER = "anadrome.as_integer"
AS_BOOL = "anadrome.as_bool"
GET_INDEX = "anadrome.get_index"
CHECK_PARTS = "anadrome.check_parts"
CATCH = "anadrome.catch"
MATCHES = "anadrome.matches"
RAISE = "anadrome.raise"
ENTER = "anadrome.enter"
REFUSE = "anadrome.refuse_template"

MISMATCH = 1 << 30
"""The status of a call whose arguments are not of the types it was compiled for."""
FAILED = -1
"""The status of what has set a Python exception."""

ARGUMENTS = -1
"""The place where Python fails that stands for the arguments of a call."""

# Where things stand in NumPy's table of functions.
_NUMPY = {
    "PyArray_Type": 2,
    "PyArray_DescrFromType": 45,
    "PyArray_Scalar": 60,
    "PyArray_New": 93,
    "PyArray_SetBaseObject": 282,
}

_PYTHON = (
    "PyErr_Clear",
    "PyErr_ExceptionMatches",
    "PyErr_Fetch",
    "PyErr_GivenExceptionMatches",
    "PyErr_NoMemory",
    "PyErr_NormalizeException",
    "PyErr_Occurred",
    "PyErr_SetObject",
    "PyErr_SetString",
    "PyException_SetTraceback",
    "PyFloat_AsDouble",
    "PyList_GetItem",
    "PyList_Size",
    "PyLong_AsLongLong",
    "PyLong_FromLongLong",
    "PyObject_CallFunctionObjArgs",
    "PyObject_GetItem",
    "PyObject_Size",
    "PyObject_Vectorcall",
    "PySequence_Tuple",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyType_IsSubtype",
    "Py_DecRef",
    "Py_IncRef",
)
_PYTHON_OBJECTS = (
    "PyExc_Exception",
    "PyFloat_Type",
    "PyList_Type",
    "PyLong_Type",
    "_Py_FalseStruct",
    "_Py_TrueStruct",
)

EXPORTS = (
    BOX,
    NUMBER_OBJECT,
    AS_FLOAT,
    AS_INTEGER,
    AS_BOOL,
    GET_INDEX,
    CHECK_PARTS,
    CATCH,
    MATCHES,
    RAISE,
    ENTER,
    REFUSE,
)


def numpy_symbols() -> dict[str, int]:
    """The addresses of functions of NumPy."""
    import numpy as np

    capsule = np._core.multiarray._ARRAY_API  # type: ignore[attr-defined]
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(read(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return {name: table[k] or 0 for name, k in _NUMPY.items()}


def python_objects(*names: str) -> dict[str, int]:
    """The addresses of variables of the interpreter."""
    return {
        name: ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name))
        for name in names
    }


def text_of(file: str) -> tuple[str, str]:
    """The LLVM assembly of a file beside this one, and a hash of it."""
    text = resources.files(__package__).joinpath(file).read_text("utf-8")
    return text, hashlib.sha256(text.encode()).hexdigest()


@cache
def object_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    imports = dict(memory_library(target).addresses)
    imports |= python_symbols(*_PYTHON, "PyErr_Restore")
    imports |= python_objects(*_PYTHON_OBJECTS) | numpy_symbols() | result_symbols()
    text, digest = text_of("objects.ll")
    return load_cached(
        ObjectCache(),
        target,
        ["objects", source_fingerprint(__name__), digest],
        lambda: text,
        EXPORTS,
        imports=imports,
        passes=Passes.LIGHT,
        # What Python does around it takes far longer.
        codegen_level=0,
    )
