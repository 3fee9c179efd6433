"""Cotangents of structured values, as primitives of their own."""

from __future__ import annotations

from anadrome import runtime
from anadrome.ir.types import join
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


@primitive(runtime.zeros, zero=True, infer=lambda value: value.type)
def zero_cotangent(value):
    """The cotangent zero of a value."""
