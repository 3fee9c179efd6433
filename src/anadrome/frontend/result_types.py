"""What the type of a result has from the types of its operands."""

from __future__ import annotations

from dataclasses import replace

from anadrome.ir.types import List, Num, Tuple, Type, VarTuple, strip_optional
from anadrome.primitives.registry import Primitive


def converts(primitive: Primitive, result: Type, source: Type) -> bool:
    """Whether numbers of another dtype are made, which are never a view."""
    if primitive.name != "asarray":
        return False
    made, given = (getattr(strip_optional(t), "dtype", None) for t in (result, source))
    return made is not None and given is not None and made != given


def share_alias(result: Type, source: Type) -> Type:
    """The result type of a view: it aliases what it is taken from."""
    source = strip_optional(source)
    if isinstance(source, List):
        return result
    if isinstance(result, VarTuple):
        return VarTuple(share_alias(result.item, source), result.listed)
    if isinstance(result, Num) and isinstance(source, Num):
        if result.scalar or source.scalar:
            return result
        return Num(result.dtype, result.ndim, result.python, source.alias, result.boxed)
    if isinstance(result, Tuple):
        items = tuple(share_alias(t, source) for t in result.items)
        return replace(result, items=items)
    if isinstance(result, List):
        result.item = share_alias(result.item, source)
    return result
