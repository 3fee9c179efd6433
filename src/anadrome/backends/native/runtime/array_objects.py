"""Arrays of Python in native code: made, read and checked.

The functions here keep to the rules of those in `objects`; their code is in
`array_objects.ll`.
"""

from __future__ import annotations

from functools import cache

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .memory import memory_library, python_symbols
from .objects import BOX, REFUSE, numpy_symbols, object_library, python_objects, text_of
from .results import result_symbols

TAKE_ARRAY = "anadrome.take_array"
UNBOX_ARRAY = "anadrome.unbox_array"
ARRAY_OBJECT = "anadrome.array_object"
RECOGNISE = "anadrome.recognise"
EXPORTS = (TAKE_ARRAY, UNBOX_ARRAY, ARRAY_OBJECT, RECOGNISE)

_PYTHON = (
    "PyCapsule_GetPointer",
    "PyCapsule_New",
    "PyLong_FromLongLong",
    "PyObject_CallFunctionObjArgs",
    "Py_DecRef",
    "Py_IncRef",
)

_PYTHON_OBJECTS = ("_Py_FalseStruct", "_Py_NoneStruct", "_Py_TrueStruct")


@cache
def array_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    objects = object_library(target).addresses
    imports = dict(memory_library(target).addresses)
    imports |= {name: objects[name] for name in (BOX, REFUSE)}
    imports |= python_symbols(*_PYTHON)
    imports |= python_objects(*_PYTHON_OBJECTS) | numpy_symbols() | result_symbols()
    text, digest = text_of("array_objects.ll")
    return load_cached(
        ObjectCache(),
        target,
        ["arrays", source_fingerprint(__name__), digest],
        lambda: text,
        EXPORTS,
        imports=imports,
        passes=Passes.LIGHT,
    )
