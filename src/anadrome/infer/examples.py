"""Result types found by example: a primitive is run on arrays of ones.

NumPy itself then says what the rank and the dtype of the result are, so its promotion
rules hold by construction. Every axis of an example has length one, which fits every
broadcast, product and concatenation.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.infer.values import type_of
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.operations import DICT, LIST, SLICE, TUPLE
from anadrome.ir.types import (
    ANY,
    NEVER,
    Dict,
    List,
    NeverType,
    NoneType_,
    Num,
    Object,
    Optional,
    Other,
    Stack,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_stored,
    join,
    parts,
)


class NoExample(Exception):
    """There is no example of such a value."""


_FLOAT64 = np.dtype(np.float64)


def example_of_type(t: Type, rank: int = 1) -> Any:
    """Some value of a type; `rank` stands in for ranks that are not known."""
    t = deref(t)
    if isinstance(t, Num):
        ndim = rank if t.ndim is None else t.ndim
        dtype = t.dtype or _FLOAT64
        if t.python and ndim == 0:
            return {"b": True, "i": 1, "u": 1, "f": 1.0, "c": 1.0 + 0j}[dtype.kind]
        ones = np.ones((1,) * ndim, dtype)
        return ones if ndim or t.boxed else dtype.type(1)
    if isinstance(t, Tuple):
        items = [example_of_type(i, rank) for i in t.items]
        return tuple(items) if t.cls is tuple else t.cls(*items)
    # Integers may be a shape: as many axes as are being tried.
    if isinstance(t, VarTuple):
        return (example_of_type(t.item, rank),) * (rank if _is_integer(t.item) else 1)
    if isinstance(t, List) and isinstance(t.item, NeverType):
        return []
    if isinstance(t, List | Stack):
        return [example_of_type(t.item, rank)] * (rank if _is_integer(t.item) else 1)
    if isinstance(t, Dict) and t.fields is not None:
        return {k: example_of_type(v, rank) for k, v in t.fields.items()}
    if isinstance(t, NoneType_):
        return None
    if isinstance(t, Optional):
        return example_of_type(t.inner, rank)
    if isinstance(t, Str):
        return "a"
    if isinstance(t, Other) and t.cls is slice:
        return slice(None)
    if isinstance(t, Other) and issubclass(t.cls, np.dtype):
        # The class of `x.dtype` says which dtype it is.
        made: Any = t.cls
        return _FLOAT64 if t.cls is np.dtype else made()
    raise NoExample(t)


def _is_literal(node: Apply) -> bool:
    """Whether a tuple or list holds what it was made of: nothing changes it later."""
    return node.op is TUPLE or (node.op is LIST and not is_stored(node.type))


def example_of(node: Node, rank: int = 1, flat_sizes: bool = False) -> Any:
    """Some value that a node may have; constants stand for themselves.

    With `flat_sizes`, constant integers become 1, as the axes of examples are.
    """
    if isinstance(node, Constant):
        v = node.value
        if flat_sizes and type(v) is int and v > 1:
            return 1
        if flat_sizes and isinstance(v, tuple):
            return tuple(1 if type(i) is int and i > 1 else i for i in v)
        return v
    if isinstance(node, Apply):
        if _is_literal(node):
            items = [example_of(a, rank, flat_sizes) for a in node.args]
            return tuple(items) if node.op is TUPLE else items
        if node.op is SLICE:
            return slice(None)
        if node.op is DICT:
            return {
                example_of(k, rank): example_of(v, rank)
                for k, v in zip(node.args[::2], node.args[1::2])
            }
    return example_of_type(node.type, rank)


_memo: dict[Any, Any] = {}


def _key(node: Node) -> Any:
    if isinstance(node, Constant):
        hash(node.value)
        return (type(node.value), node.value)
    if isinstance(node, Apply) and _is_literal(node):
        return (node.op, *map(_key, node.args))
    t = deref(node.type)
    if isinstance(t, Num):
        return (t.dtype, t.ndim, t.python, t.boxed)
    raise TypeError


def result_type(
    function: Callable[..., Any], args: tuple[Node, ...], keywords: dict[str, Node]
) -> Type:
    """The type of `function(*args, **keywords)`."""
    try:
        key = (
            function,
            *map(_key, args),
            *((n, _key(v)) for n, v in keywords.items()),
        )
        found = _memo.get(key)
    except TypeError:
        key, found = None, None
    if found is None:
        found = _by_example(function, args, keywords)
        if key is not None:
            _memo[key] = found
    return fresh(found)


def _by_example(
    function: Callable[..., Any], args: tuple[Node, ...], keywords: dict[str, Node]
) -> Type:
    nodes = (*args, *keywords.values())
    if any(map(_waits, nodes)) and not all(isinstance(n, Constant) for n in nodes):
        return NEVER
    unknown_rank = any(_has_unknown(n.type, "ndim") for n in nodes)
    unknown_dtype = any(_has_unknown(n.type, "dtype") for n in nodes)
    ranks = (1, 2, 3) if unknown_rank else (1,)
    found: Type | None = None
    for rank in ranks:
        t = _try(function, args, keywords, rank)
        if t is None:
            return Num(None, None) if _numeric(nodes) else ANY
        found = t if found is None else _forget_rank(found, t)
    assert found is not None
    return _forget_dtype(found) if unknown_dtype else found


def _waits(node: Node) -> bool:
    """Whether a value, or a part of it, is of a call whose type is being found."""
    if isinstance(node, Apply) and _is_literal(node):
        return any(map(_waits, node.args))
    return _is_awaited(node.type)


def _is_awaited(t: Type) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return any(map(_is_awaited, t.items))
    return isinstance(t, NeverType)


def lacks_items(node: Node) -> bool:
    """Whether a value is, or holds, a list whose items have no type yet."""
    if isinstance(node, Apply) and _is_literal(node):
        return any(map(lacks_items, node.args))
    t = deref(node.type)
    return isinstance(t, List | Stack) and isinstance(deref(t.item), NeverType)


def _numeric(nodes: tuple[Node, ...]) -> bool:
    return any(isinstance(deref(n.type), Num) for n in nodes)


def _try(
    function: Callable[..., Any],
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    rank: int,
) -> Type | None:
    for flat in (False, True):
        try:
            values = [example_of(a, rank, flat) for a in args]
            named = {n: example_of(v, rank, flat) for n, v in keywords.items()}
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return type_of(_own_method(function, values)(*values, **named))
        except NoExample:
            return None
        except Exception:
            continue
    return None


def _own_method(function: Callable[..., Any], values: list[Any]) -> Callable[..., Any]:
    """A method of arrays as numbers have it, if it is called with a number."""
    if not isinstance(function, types.MethodDescriptorType) or not values:
        return function
    if isinstance(values[0], function.__objclass__):
        return function
    own: Callable[..., Any] = getattr(type(values[0]), function.__name__)
    return own


def _has_unknown(t: Type, what: str) -> bool:
    t = deref(t)
    if isinstance(t, Num):
        return getattr(t, what) is None
    if isinstance(t, Tuple):
        return any(_has_unknown(i, what) for i in t.items)
    if isinstance(t, List | VarTuple | Stack):
        if what == "ndim" and _is_integer(t.item):
            # It may be a shape.
            return True
        return _has_unknown(t.item, what)
    return False


def _is_integer(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "iu"


def _forget_rank(a: Type, b: Type) -> Type:
    if isinstance(a, Num) and isinstance(b, Num):
        return a if a.ndim == b.ndim else Num(a.dtype, None)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(map(_forget_rank, a.items, b.items)), a.cls)
    if isinstance(a, Tuple | VarTuple) and isinstance(b, Tuple | VarTuple):
        # How many items there are depends on the rank.
        item: Type = NEVER
        for t in (*parts(a), *parts(b)):
            item = join(item, t)
        return VarTuple(item)
    if isinstance(a, List) and isinstance(b, List):
        return List(_forget_rank(a.item, b.item))
    return a if type(a) is type(b) and not isinstance(a, Object) else ANY


def _forget_dtype(t: Type) -> Type:
    if isinstance(t, Num) and t.inexact:
        return Num(None, t.ndim)
    if isinstance(t, Tuple):
        return Tuple(tuple(map(_forget_dtype, t.items)), t.cls)
    if isinstance(t, List):
        return List(_forget_dtype(t.item))
    return t


def fresh(t: Type) -> Type:
    """The same type with alias classes of its own: a new object."""
    if isinstance(t, Num):
        return t if t.scalar else Num(t.dtype, t.ndim, t.python, boxed=t.boxed)
    if isinstance(t, Tuple):
        return Tuple(tuple(map(fresh, t.items)), t.cls)
    if isinstance(t, VarTuple):
        return VarTuple(fresh(t.item))
    if isinstance(t, List):
        return List(fresh(t.item))
    if isinstance(t, Dict):
        fields = t.fields
        if fields is not None:
            return Dict({k: fresh(v) for k, v in fields.items()})
        return Dict(None, t.key, fresh(t.item))
    return t
