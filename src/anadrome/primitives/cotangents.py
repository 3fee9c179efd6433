"""Cotangents of structured values, as primitives of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.ir.joins import join
from anadrome.ir.types import (
    NONE,
    List,
    Num,
    Object,
    Tuple,
    Type,
    VarTuple,
    deref,
    holds_itself,
)
from anadrome.primitives.indexing import unbroadcast
from anadrome.primitives.registry import primitive


@primitive(runtime.add, fresh=False, infer=lambda a, b: join(a.type, b.type))
def add_cotangents(a, b):
    """The sum of two cotangents of one value."""


@add_cotangents.vjp
def add_cotangents_vjp(z, a, b, *, dz):
    return dz, dz


@add_cotangents.jvp
def add_cotangents_jvp(z, a, b, *, da, db):
    return add_cotangents(da, db)


@primitive(
    runtime.conform,
    fresh=False,
    structural=("like",),
    infer=lambda d, like: cotangent_like(like.type),
)
def conform_cotangent(d, like):
    """A cotangent in the structure of the value it is for."""


@conform_cotangent.vjp
def conform_cotangent_vjp(z, d, like, *, dz):
    return conform_cotangent(dz, d)


@conform_cotangent.jvp
def conform_cotangent_jvp(z, d, like, *, dd):
    return conform_cotangent(dd, like)


def _fit(d: Any, like: Any) -> Any:
    if isinstance(d, list | tuple) and isinstance(like, list | tuple):
        if len(d) != len(like):
            runtime.refuse_joining()
    return runtime.conform(unbroadcast(d, np.shape(like)), like)


@primitive(
    _fit,
    fresh=False,
    structural=("like",),
    infer=lambda d, like: cotangent_like(like.type),
)
def fit_cotangent(d, like):
    """A cotangent summed to the shape of the value it is for, and real if that is."""


@fit_cotangent.vjp
def fit_cotangent_vjp(z, d, like, *, dz):
    return conform_cotangent(np.broadcast_to(dz, np.shape(d)), d)


@fit_cotangent.jvp
def fit_cotangent_jvp(z, d, like, *, dd):
    return fit_cotangent(dd, like)


@primitive(
    runtime.spread,
    fresh=False,
    structural=("like",),
    infer=lambda d, like: cotangent_like(like.type),
)
def fit_tangent(d, like):
    """A tangent in the shape of its value."""


@fit_tangent.vjp
def fit_tangent_vjp(z, d, like, *, dz):
    return fit_cotangent(dz, d)


@fit_tangent.jvp
def fit_tangent_jvp(z, d, like, *, dd):
    return fit_tangent(dd, like)


@primitive(
    runtime.present,
    fresh=False,
    structural=("like",),
    infer=lambda d, like: d.type,
)
def present_tangent(d, like):
    """A tangent of what may be an integer, which has none."""


@present_tangent.vjp
def present_tangent_vjp(z, d, like, *, dz):
    return dz


@present_tangent.jvp
def present_tangent_jvp(z, d, like, *, dd):
    return present_tangent(dd, like)


def cotangent_like(t: Type) -> Type:
    """The type of the cotangent of a value."""
    t = deref(t)
    if isinstance(t, Num):
        return Num(t.dtype, t.ndim, t.python)
    if isinstance(t, Tuple):
        return Tuple(tuple(map(_part_like, t.items)), t.cls)
    if isinstance(t, VarTuple):
        return VarTuple(cotangent_like(t.item))
    if isinstance(t, List):
        return List(cotangent_like(t.item))
    if isinstance(t, Object) and not t.stored and not holds_itself(t):
        fields = {k: _part_like(p) for k, p in (t.fields or {}).items()}
        if any(p is NONE for p in fields.values()):
            return Object(t.cls, fields)
    return t


def _part_like(t: Type) -> Type:
    """The type of the cotangent of a part: integers have none."""
    t = deref(t)
    return NONE if isinstance(t, Num) and not t.inexact else cotangent_like(t)


def _retyped_type(d: Type, like: Type) -> Type:
    found = cotangent_like(like)
    return found if isinstance(found, Num | Tuple | VarTuple) else d


@primitive(runtime.zeros, zero=True, infer=lambda value: cotangent_like(value.type))
def zero_cotangent(value):
    """The cotangent zero of a value."""


@primitive(runtime.zeros_of_numbers, zero=True, infer=lambda value: value.type)
def zeros_of_numbers(value):
    """Zeros for a list of numbers, integers included."""


@primitive(runtime.filled, fresh=False, infer=lambda value: value.type)
def filled_cotangent(value):
    """A cotangent whose zeros have memory of their own."""


@filled_cotangent.vjp
def filled_cotangent_vjp(z, value, *, dz):
    return dz


@filled_cotangent.jvp
def filled_cotangent_jvp(z, value, *, dvalue):
    return filled_cotangent(dvalue)


@primitive(
    runtime.retyped,
    fresh=False,
    structural=("like",),
    infer=lambda d, like: _retyped_type(d.type, like.type),
)
def retyped_cotangent(d, like):
    """A cotangent whose arrays have the types of those that it is for."""


@retyped_cotangent.vjp
def retyped_cotangent_vjp(z, d, like, *, dz):
    return retyped_cotangent(dz, d)


@retyped_cotangent.jvp
def retyped_cotangent_jvp(z, d, like, *, dd):
    return retyped_cotangent(dd, like)
