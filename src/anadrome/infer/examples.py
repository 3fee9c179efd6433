"""Result types found by example: a primitive is run on arrays of ones.

NumPy itself then says what the rank and the dtype of the result are, so its promotion
rules hold by construction. Every axis of an example has length one, which fits every
broadcast, product and concatenation.

What a function returns may depend on more than the types of its arguments: on the
signs of numbers, on the length of an axis, on the value of an option. It is tried on
other examples too, and what is not the same for all of them is not known.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anadrome.infer.values import type_of
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.joins import join
from anadrome.ir.operations import DICT, LIST, SLICE, TUPLE
from anadrome.ir.types import (
    ANY,
    NEVER,
    AnyType,
    Dict,
    List,
    NeverType,
    NoneType_,
    Num,
    Optional,
    Other,
    Stack,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_stored,
    parts,
    same_dtype,
    same_form,
)


class NoExample(Exception):
    """There is no example of such a value."""


_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class How:
    """Which of its values stands for a type."""

    # For ranks that are not known.
    rank: int = 1
    # The length of every axis.
    length: int = 1
    # Of single integers, which are often options.
    integer: int = 1
    flag: bool = True
    absent: bool = False
    # Whether constant integers become 1, as the axes of examples are.
    flat: bool = False
    # Whether what is not known at all is taken for an array.
    guess: bool = False


_ONES = How()
# Other lengths and other numbers, and other options.
_OTHER_NUMBERS = How(length=3)
_OTHER_OPTIONS = (
    How(integer=0, flag=False, absent=True),
    How(integer=2, flag=False),
    How(integer=-1),
)


def example_of_type(t: Type, how: How = _ONES) -> Any:
    """Some value of a type."""
    t = deref(t)
    if isinstance(t, Num):
        return _numbers(t, how)
    if isinstance(t, Tuple):
        items = [example_of_type(i, how) for i in t.items]
        return tuple(items) if t.cls is tuple else t.cls(*items)
    # Integers may be a shape: as many axes as are being tried.
    if isinstance(t, VarTuple):
        count = how.rank if _is_integer(t.item) else 1
        return (example_of_type(t.item, how),) * count
    if isinstance(t, List) and isinstance(t.item, NeverType):
        return []
    if isinstance(t, List | Stack):
        count = how.rank if _is_integer(t.item) else 1
        return [example_of_type(t.item, how)] * count
    if isinstance(t, Dict) and t.fields is not None:
        return {k: example_of_type(v, how) for k, v in t.fields.items()}
    if isinstance(t, NoneType_):
        return None
    if isinstance(t, Optional):
        return None if how.absent else example_of_type(t.inner, how)
    if isinstance(t, Str):
        return "a"
    if isinstance(t, Other) and t.cls is slice:
        return slice(None)
    if isinstance(t, Other) and issubclass(t.cls, np.dtype):
        # The class of `x.dtype` says which dtype it is.
        made: Any = t.cls
        return _FLOAT64 if t.cls is np.dtype else made()
    if isinstance(t, AnyType) and how.guess:
        return _numbers(Num(None, None), how)
    raise NoExample(t)


def _numbers(t: Num, how: How) -> Any:
    ndim = how.rank if t.ndim is None else t.ndim
    dtype = t.dtype or _FLOAT64
    if ndim == 0 and not t.boxed:
        one: Any = {"b": how.flag, "i": how.integer, "u": abs(how.integer)}.get(
            dtype.kind, 1
        )
        if how.length > 1 and dtype.kind in "fc":
            one = -1.5
        return np.asarray(one, dtype).item() if t.python else dtype.type(one)
    if how.length == 1:
        return np.ones((1,) * ndim, dtype)
    places = np.arange(how.length**ndim).reshape((how.length,) * ndim)
    if dtype.kind in "iu":
        # They may be an index.
        return (places % how.length).astype(dtype)
    # Of either sign, and no two of them the same.
    made: Any = 2.0 * np.sin(1.7 * places - 0.7)
    return (made > 0 if dtype.kind == "b" else made).astype(dtype)


def _is_literal(node: Apply) -> bool:
    """Whether a tuple or list holds what it was made of: nothing changes it later."""
    return node.op is TUPLE or (node.op is LIST and not is_stored(node.type))


def example_of(node: Node, how: How = _ONES) -> Any:
    """Some value that a node may have; constants stand for themselves."""
    if isinstance(node, Constant):
        v = node.value
        if how.flat and type(v) is int and v > 1:
            return 1
        if how.flat and isinstance(v, tuple):
            return tuple(1 if type(i) is int and i > 1 else i for i in v)
        return v
    if isinstance(node, Apply):
        if _is_literal(node):
            items = [example_of(a, how) for a in node.args]
            return tuple(items) if node.op is TUPLE else items
        if node.op is SLICE:
            return slice(None)
        if node.op is DICT:
            return {
                example_of(k, how): example_of(v, how)
                for k, v in zip(node.args[::2], node.args[1::2])
            }
    return example_of_type(node.type, how)


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
    function: Callable[..., Any],
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    elementwise: bool = False,
) -> Type:
    """The type of `function(*args, **keywords)`.

    That of an `elementwise` function follows from the types of its arguments.
    """
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
        found = _by_example(function, args, keywords, elementwise)
        if key is not None:
            _memo[key] = found
    return fresh(found)


def runs_as_written(
    function: Callable[..., Any], args: tuple[Node, ...], keywords: dict[str, Node]
) -> bool:
    """Whether a call with constant options succeeds on an example.

    Its type may have been found with smaller integers: those of shapes have to be.
    """
    try:
        named = ((n, _key(v)) for n, v in keywords.items())
        key = ("as written", function, *map(_key, args), *named)
    except TypeError:
        key = None
    found: bool | None = _memo.get(key) if key is not None else None
    if found is None:
        found = _try_with(function, args, keywords, _ONES) is not None
        if key is not None:
            _memo[key] = found
    return found


def _by_example(
    function: Callable[..., Any],
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    elementwise: bool,
) -> Type:
    nodes = (*args, *keywords.values())
    if any(map(_waits, nodes)) and not all(isinstance(n, Constant) for n in nodes):
        return NEVER
    unknown_rank = any(_has_unknown(n.type, "ndim") for n in nodes)
    unknown_dtype = any(_has_unknown(n.type, "dtype") for n in nodes)
    if unknown_rank:
        tried = [How(rank) for rank in (1, 2, 3)]
    elif elementwise:
        tried = [_ONES]
    else:
        tried = [_ONES, _OTHER_NUMBERS]
        tried += _OTHER_OPTIONS if _has_options(nodes) else ()
    found: Type | None = None
    for how in tried:
        t = _try(function, args, keywords, how)
        if t is None and unknown_rank:
            return _unknown(function, args, keywords)
        if t is not None:
            found = t if found is None else _in_common(found, t)
    if found is None:
        return _unknown(function, args, keywords)
    return _forget_dtype(found) if unknown_dtype else found


def _unknown(
    function: Callable[..., Any], args: tuple[Node, ...], keywords: dict[str, Node]
) -> Type:
    """The type of a result of which there is no example: numbers, or anything."""
    if not any(isinstance(deref(n.type), Num) for n in (*args, *keywords.values())):
        return ANY
    if str(getattr(function, "__module__", None) or "").startswith("scipy."):
        # Many of these return objects of their own.
        return ANY
    # Text says how something is done, and there is no example of it.
    named = {k: v for k, v in keywords.items() if not isinstance(deref(v.type), Str)}
    for rank in (1, 2, 3):
        for length in (1, 3):
            found = _try(function, args, named, How(rank, length, guess=True))
            if found is not None:
                return Num(None, None) if isinstance(found, Num) else ANY
    return ANY


def _has_options(nodes: tuple[Node, ...]) -> bool:
    """Whether an argument that is not written out may be an option."""

    def may(t: Type) -> bool:
        t = deref(t)
        if isinstance(t, Num):
            return t.ndim == 0 and t.dtype is not None and t.dtype.kind in "biu"
        if isinstance(t, Tuple):
            return any(map(may, t.items))
        return isinstance(t, Optional)

    return any(not isinstance(n, Constant) and may(n.type) for n in nodes)


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


def _try(
    function: Callable[..., Any],
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    how: How,
) -> Type | None:
    found = _try_with(function, args, keywords, how)
    if found is None:
        found = _try_with(function, args, keywords, replace(how, flat=True))
    return found


def _try_with(
    function: Callable[..., Any],
    args: tuple[Node, ...],
    keywords: dict[str, Node],
    how: How,
) -> Type | None:
    try:
        values = [example_of(a, how) for a in args]
        named = {n: example_of(v, how) for n, v in keywords.items()}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return type_of(_own_method(function, values)(*values, **named))
    except Exception:
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
    if isinstance(t, Optional):
        return _has_unknown(t.inner, what)
    if isinstance(t, List | VarTuple | Stack):
        if what == "ndim" and _is_integer(t.item):
            # It may be a shape.
            return True
        return _has_unknown(t.item, what)
    return False


def _is_integer(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "iu"


def _in_common(a: Type, b: Type) -> Type:
    """What two types of a result agree on."""
    a, b = deref(a), deref(b)
    if isinstance(a, Num) and isinstance(b, Num):
        if same_form(a, b) and a.python == b.python:
            return a
        dtype = a.dtype if same_dtype(a.dtype, b.dtype) else None
        ndim = a.ndim if a.ndim == b.ndim else None
        return Num(dtype, ndim, a.python and b.python)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(map(_in_common, a.items, b.items)), a.cls)
    if isinstance(a, Tuple | VarTuple) and isinstance(b, Tuple | VarTuple):
        # How many items there are depends on the rank.
        item: Type = NEVER
        for t in (*parts(a), *parts(b)):
            item = join(item, t)
        return VarTuple(item)
    if isinstance(a, List) and isinstance(b, List):
        if isinstance(b.item, NeverType):
            return a
        return b if isinstance(a.item, NeverType) else List(_in_common(a.item, b.item))
    return a if type(a) is type(b) and a == b else ANY


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
