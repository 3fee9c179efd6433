"""Types where paths meet, and cells that may describe one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.ir.types import (
    ANY,
    ANY_KIND,
    BOOL,
    INT,
    NEVER,
    STR,
    AnyType,
    Cell,
    Dict,
    FixedList,
    Function,
    GivenFunction,
    NeverType,
    NoneType_,
    Num,
    Object,
    Optional,
    Other,
    Packed,
    Stack,
    Tuple,
    Type,
    Union,
    VarTuple,
    deref,
    kinds_of_number,
    parts,
    same_dtype,
)


def join(a: Type, b: Type) -> Type:
    """The type of a value that may be either; cells and arrays are unified."""
    a, b = deref(a), deref(b)
    if a is b or isinstance(b, NeverType):
        return a
    if isinstance(a, NeverType):
        return b
    if isinstance(a, Num) and isinstance(b, Num):
        return _join_numbers(a, b)
    if isinstance(a, NoneType_) or isinstance(b, NoneType_):
        other = b if isinstance(a, NoneType_) else a
        plain = isinstance(other, NoneType_ | Optional | AnyType)
        return other if plain else Optional(other)
    if isinstance(a, Optional) or isinstance(b, Optional):
        x = a.inner if isinstance(a, Optional) else a
        y = b.inner if isinstance(b, Optional) else b
        inner = join(x, y)
        if isinstance(a, Optional) and inner is a.inner:
            return a
        return inner if isinstance(inner, AnyType) else Optional(inner)
    if isinstance(a, Packed) or isinstance(b, Packed):
        return _join_packed(a, b)
    joined = _join_tuples(a, b, join)
    if joined is not None:
        return joined
    if _is_named(a) or _is_named(b):
        return ANY  # what its items are called is known of one class only
    if isinstance(a, Tuple | VarTuple) and isinstance(b, Tuple | VarTuple):
        item: Type = NEVER
        for t in (*parts(a), *parts(b)):
            item = join(item, t)
        listed = may_be_list(a) or may_be_list(b)
        if isinstance(a, VarTuple) and item is deref(a.item) and a.listed == listed:
            return a
        return VarTuple(item, listed)
    if isinstance(a, Stack) and isinstance(b, Stack):
        return Stack(join(a.item, b.item))
    if isinstance(a, Object | Union) and isinstance(b, Object | Union):
        return _join_objects(a, b)
    if isinstance(a, Cell) and type(a) is type(b):
        return unify(a, b)
    if isinstance(a, Function) and isinstance(b, Function) and a.value == b.value:
        return a
    if type(a) is type(b) and a == b:
        return a
    if isinstance(a, GivenFunction) and isinstance(b, GivenFunction):
        if a.value is b.value:
            return a
    if isinstance(a, Other) and isinstance(b, Other):
        return Other(next(c for c in a.cls.__mro__ if issubclass(b.cls, c)))
    return ANY


def _join_tuples(a: Type, b: Type, each: Callable[[Type, Type], Type]) -> Tuple | None:
    """The type of tuples of one length, item by item."""
    if not isinstance(a, Tuple) or not isinstance(b, Tuple) or a.cls is not b.cls:
        return None
    if isinstance(a, Packed) or isinstance(b, Packed):
        return None  # which function it is counts, not what it is made of
    if len(a.items) != len(b.items):
        return None
    items = tuple(map(each, a.items, b.items))
    same = all(x is deref(y) for x, y in zip(items, a.items))
    if isinstance(a, FixedList) and isinstance(b, FixedList):
        return a if same and a.fresh == b.fresh else FixedList(items)
    if may_be_list(a) or may_be_list(b):
        return FixedList(items)
    return a if same else Tuple(items, a.cls)


def _is_named(t: Type) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(t, Tuple) and t.cls is not tuple


def may_be_list(t: Type) -> bool:
    """Whether what is read as a tuple may be a list in truth."""
    return isinstance(t, FixedList) or (isinstance(t, VarTuple) and t.listed)


def _join_objects(a: Object | Union, b: Object | Union) -> Type:
    if isinstance(a, Object) and isinstance(b, Object) and a.cls is b.cls:
        return unify(a, b)
    options = list(a.options if isinstance(a, Union) else (a,))
    for other in b.options if isinstance(b, Union) else (b,):
        known = next((o for o in options if o.cls is other.cls), None)
        options[0].find().alias.unify(other.find().alias)
        if known is None:
            options.append(other)
        else:
            unify(known, other)
    if isinstance(a, Union) and len(options) == len(a.options):
        return a
    return Union(tuple(options))


def _join_packed(a: Type, b: Type) -> Type:
    if not (isinstance(a, Packed) and isinstance(b, Packed)):
        return ANY
    if len(a.items) != len(b.items):
        return ANY
    codes = (*a.codes, *(c for c in b.codes if c not in a.codes))
    items = tuple(map(join, a.items, b.items))
    if codes == a.codes and all(x is deref(y) for x, y in zip(items, a.items)):
        return a
    return Packed(items, tuple, codes)


def _join_numbers(a: Num, b: Num) -> Type:
    ndim = a.ndim if a.ndim == b.ndim else None
    if a.dtype is None or b.dtype is None or _differ(a, b):
        dtype = None
    elif a.dtype == b.dtype:
        dtype = a.dtype
    else:
        dtype = np.promote_types(a.dtype, b.dtype)
        # A Python number does not decide the precision of what it is joined with.
        if a.python != b.python:
            strong = b if a.python else a
            weak = a if a.python else b
            if weak.dtype is not None and strong.dtype is not None:
                if weak.dtype.kind in "biuf" and strong.dtype.kind in "fc":
                    dtype = strong.dtype
    python = a.python and b.python
    # A number is no object that could be shared, and the types of Python's numbers are
    # the same for all programs: they must not be drawn into a class of arrays.
    if not a.scalar and not b.scalar:
        a.alias.unify(b.alias)
    boxed = ndim == 0 and (a.boxed or b.boxed)
    kinds = _join_kinds(a, b)
    for t in (a, b):
        if (ndim, python, boxed) == (t.ndim, t.python, t.boxed):
            if same_dtype(dtype, t.dtype) and kinds == t.kinds:
                return t
    return Num(dtype, ndim, python, b.alias if a.scalar else a.alias, boxed, kinds)


def _join_kinds(a: Num, b: Num) -> frozenset[type]:
    """The classes of numbers of either type, none if they are of one."""
    if a.ndim != 0 or b.ndim != 0 or a.dtype is None or b.dtype is None:
        return a.kinds | b.kinds
    if a.boxed and b.boxed and a.dtype != b.dtype:
        return ANY_KIND
    found = kinds_of_number(a) | kinds_of_number(b)
    return found if len(found) > 1 or a.varied or b.varied else frozenset()


def _differ(a: Num, b: Num) -> bool:
    """Whether values of two ranks have dtypes that no operation would make one.

    A number of Python's that a sum starts with takes the dtype of what is added.
    """
    weak = a.python or b.python
    return a.ndim != b.ndim and not weak and not same_dtype(a.dtype, b.dtype)


def join_paths(a: Type, b: Type) -> Type:
    """The type of a value that is one or the other after a branch.

    Numbers of different precision, and arrays of different dtypes, stay what they are
    on each path: what they are cannot be told then. (A loop that starts with a number
    of Python's goes on with what it is added to: see `join`.)
    """
    a, b = deref(a), deref(b)
    merged = join(a, b)
    if not (isinstance(a, Num) and isinstance(b, Num) and isinstance(merged, Num)):
        return merged
    if a.dtype is None or b.dtype is None or a.dtype == b.dtype:
        return merged
    real = a.dtype.kind != "c" and b.dtype.kind != "c"
    if real and a.scalar and b.scalar:
        if not (_is_short(a.dtype) or _is_short(b.dtype)):
            return merged
    return Num(None, merged.ndim, False, merged.alias, merged.boxed)


def join_members(a: Type, b: Type) -> Type:
    """The type of what is in a container that holds values of both types.

    Arrays lie side by side in it, and none takes the dtype of another, nor does a
    number become an array without axes.
    """
    a, b = deref(a), deref(b)
    merged = _join_tuples(a, b, join_members) or join(a, b)
    if not (isinstance(a, Num) and isinstance(b, Num) and isinstance(merged, Num)):
        return merged
    number_beside_array = merged.ndim == 0 and a.scalar != b.scalar
    if a.scalar or b.scalar or same_dtype(a.dtype, b.dtype):
        if not number_beside_array:
            return merged
    return Num(None, merged.ndim, False, merged.alias, merged.boxed)


def join_items(a: Type, b: Type) -> Type:
    """The type of the items of a list that holds values of both types.

    Numbers of different types stay what they are; arrays and numbers of one type are
    told apart by their rank alone.
    """
    a, b = deref(a), deref(b)
    merged = _join_tuples(a, b, join_items) or join(a, b)
    if not (isinstance(a, Num) and isinstance(b, Num) and isinstance(merged, Num)):
        return merged
    alike = a.scalar == b.scalar or merged.ndim != 0
    both = a.scalar and b.scalar
    if same_dtype(a.dtype, b.dtype) and alike and not (both and a.python != b.python):
        return merged
    return Num(None, merged.ndim, False, merged.alias, merged.boxed)


def _is_short(dtype: np.dtype[Any]) -> bool:
    """Whether numbers have less than double precision."""
    return dtype.kind in "fc" and dtype.itemsize < (8 if dtype.kind == "f" else 16)


def unify(a: Cell, b: Cell) -> Type:
    """Merge two cells that may describe one object."""
    a, b = a.find(), b.find()
    if a is b:
        return a
    if isinstance(a, Object) and isinstance(b, Object) and a.cls is not b.cls:
        return ANY
    b._link = a
    a.alias.unify(b.alias)
    _widen_contents(a, b.key, b.item)
    if isinstance(a, Dict):
        _unify_dict_fields(a, b)
    elif a.fields is not None and b.fields is not None:
        for name, t in b.fields.items():
            _widen_field(a, name, t)
    return a.find()


def _widen_contents(a: Cell, key: Type, item: Type) -> None:
    """Join types into those of the keys and the items of a cell.

    Where a cell holds itself, joining what it holds may widen it on the way: then what
    has been found is joined once more, lest the wider type be lost.
    """
    while True:
        root = a.find()
        known = root.key, root.item
        key, item = join(root.key, key), join_members(root.item, item)
        root = a.find()
        if root.key is known[0] and root.item is known[1]:
            root.key, root.item = key, item
            return


def _widen_field(a: Cell, name: Any, t: Type) -> None:
    """Join a type into that of a field, as it is done with what a cell holds."""
    while (fields := a.find().fields) is not None:
        known = fields.get(name)
        t = t if known is None else join_members(known, t)
        fields = a.find().fields
        if fields is not None and fields.get(name) is known:
            fields[name] = t
            return
    _widen_contents(a, NEVER, t)


def _unify_dict_fields(a: Cell, b: Cell) -> None:
    if (
        a.fields is not None
        and b.fields is not None
        and list(a.fields) == list(b.fields)
    ):
        for name, t in b.fields.items():
            _widen_field(a, name, t)
        return
    for cell in (a, b):
        generalise_dict(cell)
    _widen_contents(a, b.key, b.item)


def generalise_dict(cell: Cell) -> None:
    """Forget which keys a dictionary has; all its values share one type from now."""
    if cell.fields is None:
        return
    for key, t in cell.fields.items():
        cell.key = join(cell.key, type_of_key(key))
        cell.item = join_members(cell.item, t)
    cell.fields = None


def type_of_key(key: Any) -> Type:
    """The type of a constant dictionary key."""
    if isinstance(key, str):
        return STR
    if isinstance(key, bool):
        return BOOL
    if isinstance(key, int):
        return INT
    return Other(type(key))
