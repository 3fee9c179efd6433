"""What lists, tuples and texts are indexed with: whole numbers, and nothing else."""

from __future__ import annotations

from anadrome.errors import TypeMismatch
from anadrome.frontend.interpreter import Interpreter
from anadrome.ir.graph import Node
from anadrome.ir.types import Cell, NoneType_, Num, Object, Str, Tuple, VarTuple, deref


def whole_index(it: Interpreter, index: Node) -> Node:
    """What a list is indexed with: `__index__` of an object is asked."""
    from anadrome.frontend.calls.calls import call_method

    t = deref(index.type)
    if isinstance(t, Object) and hasattr(t.cls, "__index__"):
        return call_method(it, index, "__index__", [], {})
    return index


def check_list_index(it: Interpreter, index: Node) -> None:
    """Raise what Python raises for an index that is surely no whole number."""
    t = deref(index.type)
    if isinstance(t, Num):
        if t.varied or t.dtype is None or t.ndim is None:
            return
        whole = t.dtype.kind in "iu" or (t.dtype.kind == "b" and t.python)
        if whole and t.ndim == 0:
            return
    elif not isinstance(t, NoneType_ | Str | Tuple | VarTuple | Cell):
        return
    raise it.fail(
        TypeMismatch,
        f"the index is {t!r}, and those of lists are integers or slices",
        "convert it with int(…)",
        python=TypeError,
    )
