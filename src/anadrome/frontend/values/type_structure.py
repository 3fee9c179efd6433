"""Types without their identity, to see whether a cell has changed its contents."""

from __future__ import annotations

from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import BoundMethod, Closure, Partial, Virtual
from anadrome.frontend.values.functions import is_function, take_apart
from anadrome.ir.graph import Node
from anadrome.ir.types import (
    Dict,
    List,
    Num,
    Object,
    Optional,
    Packed,
    Stack,
    Tuple,
    Type,
    VarTuple,
    deref,
)

_DEPTH = 5


def shape_of(t: Type, depth: int = _DEPTH) -> Any:
    """What a type says, down to a few levels, as a value that can be compared."""
    t = deref(t)
    if depth == 0:
        return type(t)
    inner = depth - 1
    if isinstance(t, Num):
        return (t.dtype, t.ndim, t.python, t.boxed)
    if isinstance(t, Packed):
        return (t.codes, *(shape_of(i, inner) for i in t.items))
    if isinstance(t, Tuple):
        return (t.cls, *(shape_of(i, inner) for i in t.items))
    if isinstance(t, List | VarTuple | Stack):
        return (type(t), shape_of(t.item, inner))
    if isinstance(t, Optional):
        return (Optional, shape_of(t.inner, inner))
    if isinstance(t, Dict):
        if t.fields is None:
            return (Dict, shape_of(t.key, inner), shape_of(t.item, inner))
        return (Dict, *((k, shape_of(v, inner)) for k, v in t.fields.items()))
    if isinstance(t, Object):
        return (t.cls, *((k, shape_of(v, inner)) for k, v in (t.fields or {}).items()))
    return (type(t), repr(t))


def structure_of(it: Interpreter, node: Node, depth: int = _DEPTH) -> Any:
    """How dictionaries, lists and tuples are nested; None for all else."""
    if is_function(node):
        found = getattr(node, "value", None)
        if isinstance(found, Closure | BoundMethod | Partial):
            return take_apart(it, node)[1][0][0].key
        return ("value", id(found))
    if isinstance(node, Virtual) and it.is_virtual(node):
        if depth == 0:
            return None
        fields = it.fields_of(node)
        inner = [(k, structure_of(it, v, depth - 1)) for k, v in fields.items()]
        return (node.cls, *inner)
    return _structure(deref(node.type), depth)


def _structure(t: Type, depth: int) -> Any:
    t = deref(t)
    if depth == 0:
        return None
    if isinstance(t, Tuple) and t.cls is tuple:
        found = [_structure(i, depth - 1) for i in t.items]
        return (tuple, *found) if any(f is not None for f in found) else (tuple,)
    if isinstance(t, VarTuple):
        return (tuple,)
    if isinstance(t, Dict) and t.fields is not None and not t.stored:
        return (dict, *((k, _structure(v, depth - 1)) for k, v in t.fields.items()))
    if isinstance(t, List) and not t.stored:
        return (list, _structure(t.item, depth - 1))
    return None
