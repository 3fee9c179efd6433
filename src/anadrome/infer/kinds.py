"""The classes of numbers that are computed from others of which several may meet."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    ANY_KIND,
    Num,
    Type,
    class_of_number,
    deref,
    is_stored,
    kinds_of_number,
    strip_optional,
)

Kind = type
_MOST = 64  # combinations of kinds that an operator is tried on


def kind_of(node: Node) -> Kind | None:
    """The type of a number or a 0-d array, as far as the program says."""
    if isinstance(node, Constant):
        value = node.value
        known = isinstance(value, int | float | complex | np.number | np.bool_)
        return type(value) if known else None
    t = deref(node.type)
    if not isinstance(t, Num) or (t.boxed and is_stored(t)):
        return None  # native code has a number for a 0-d array that nothing changes
    return class_of_number(t)


def is_computed(primitive: Any, target: Any, args: tuple[Node, ...]) -> bool:
    """Whether the class of a result follows from those of the operands alone."""
    if not primitive.pure or target is None or isinstance(target, type):
        return False  # a type gives a number of its own, whatever it is given
    module = getattr(target, "__module__", "")
    plain = isinstance(target, np.ufunc) or module in (
        *("_operator", "builtins", "numpy"),
    )
    return plain and (primitive.broadcasts or all(kind_of(a) is not None for a in args))


def with_kinds(t: Type, target: Any, args: tuple[Node, ...]) -> Type:
    """The type of a number that is computed, with the kinds that it may have."""
    if not isinstance(t, Num) or not t.scalar or t.dtype is None:
        return t
    given = [_kinds_of(a) for a in args]
    if all(len(kinds) == 1 for kinds in given) and ANY_KIND not in given:
        return t
    found = results(target, args, given)
    # Without any the operator fails for what stands for its operands.
    own = frozenset({class_of_number(t)})
    return t if found in (own, frozenset()) else dataclasses.replace(t, kinds=found)


def _kinds_of(node: Node) -> frozenset[Kind]:
    own = kind_of(node)
    t = strip_optional(node.type)
    if isinstance(node, Constant):
        return ANY_KIND if own is None else frozenset({own})
    if isinstance(t, Num) and t.ndim == 0:
        return kinds_of_number(t)
    return frozenset({type(None)})  # an array, which makes an array


def results(
    target: Any, args: tuple[Node, ...], given: Iterable[frozenset[Kind]]
) -> frozenset[Kind]:
    """The kinds of what a function gives for operands of some kinds."""
    given = list(given)
    count = 1
    for kinds in given:
        count *= len(kinds)
    if count > _MOST or any(object in kinds for kinds in given):
        return ANY_KIND
    made = {result_kind(target, args, some) for some in itertools.product(*given)}
    return frozenset(k for k in made if k is not None)


def result_kind(
    target: Any, args: tuple[Node, ...], kinds: tuple[Kind, ...]
) -> Kind | None:
    """The type of what a function gives for operands of some types, if it gives any."""
    # A power of an integer is one as well, but not if it is negative.
    values = [getattr(a, "value", None) for a in args]
    dtypes = [getattr(deref(a.type), "dtype", None) for a in args]
    return _result_kind(
        target,
        tuple(
            d.type if k is np.ndarray and d is not None else k
            for k, d in zip(kinds, dtypes)
        ),
        tuple(v if type(v) is k else 1 for v, k in zip(values, kinds)),
    )


@functools.cache
def _result_kind(
    target: Any, kinds: tuple[Kind, ...], values: tuple[Any, ...]
) -> Kind | None:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = target(*(k(v) for k, v in zip(kinds, values)))
    except Exception:
        return None
    return type(found) if np.ndim(found) == 0 else None


__all__ = ["Kind", "is_computed", "kind_of", "result_kind", "results", "with_kinds"]
