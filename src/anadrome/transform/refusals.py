"""Statements through which a derivative would be lost, refused in both modes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from anadrome.errors import (
    AnadromeError,
    MutationError,
    NotDifferentiable,
    Span,
    TypeMismatch,
    UnknownFunction,
)
from anadrome.frontend.syntax.deferred import emit_refusal
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import (
    AnyType,
    Dict,
    List,
    Num,
    Other,
    Union,
    deref,
    is_differentiable,
    strip_optional,
)
from anadrome.optimize.analysis.memory import array_entries
from anadrome.primitives.registry import is_nondifferentiable
from anadrome.transform.dependence.activity import Activity


@contextmanager
def when_reached(walk: Any) -> Iterator[None]:
    """In a branch, refuse when it is taken: no call of the program may take it."""
    try:
        yield
    except AnadromeError as error:
        if not walk.in_branch:
            raise
        emit_refusal(walk.it, error)


def refuse_leaks(activity: Activity, node: Apply) -> None:
    """Refuse a statement that hides active numbers where nothing follows them."""
    if node.op is ops.SET:
        for item in node.args:
            _refuse_if_active(activity, item, node, "put into a set", "use a list")
    elif node.op is ops.DICT:
        for key in node.args[::2]:
            _refuse_key(activity, key, node)
    elif node.op is ops.SETITEM:
        if isinstance(strip_optional(node.args[0].type), Dict):
            _refuse_key(activity, node.args[1], node)
        _refuse_cutting(activity, node)
        _refuse_unknown(activity, node)
    elif node.op is ops.GETITEM:
        base, index = node.args
        if _is_unknown(base) and is_differentiable(node.type):
            what = "given to '[]' of something that is not looked into"
            _refuse_if_active(activity, index, node, what, "call a function instead")
    elif node.regions or node.op is ops.CALL:
        _refuse_integers(activity, node)
    elif node.op in (ops.PYCALL, ops.METHOD) and node.target is not True:
        if node.op is ops.METHOD:
            name = getattr(node.args[1], "value", None)
            if name in _WRITERS or not any(hasattr(c, str(name)) for c in _BUILTIN):
                _refuse_unknown(activity, node, name)
        callee = node.args[0] if node.op is ops.PYCALL else node.args[1]
        function = getattr(callee, "value", callee)
        if is_nondifferentiable(function) or not any(map(_takes_anything, node.inputs)):
            return
        name = getattr(function, "__name__", function)
        what = f"given to '{name}', which may put it into a list or a dictionary"
        for item in node.inputs:
            _refuse_if_active(activity, item, node, what, "write it out in Python")


# Methods of arrays and of containers that change them.
_WRITERS = frozenset(
    (
        *("byteswap", "fill", "itemset", "partition", "put", "resize", "setfield"),
        *("sort", "append", "appendleft", "clear", "extend", "insert", "pop"),
        *("popitem", "remove", "reverse", "setdefault", "update"),
        *("extendleft", "popleft", "rotate"),
    )
)


# A method that they do not have is one of the user's, and may change anything.
_BUILTIN = (np.ndarray, float, complex, str, tuple, list, dict, set, frozenset)


def unknown_function(name: object, span: Span | None) -> UnknownFunction:
    """The refusal of a function that a derivative cannot go through."""
    return UnknownFunction(
        f"'{name}' cannot be looked into, and a derivative has to go through it",
        span,
        "register a rule for it with ad.primitive, or wrap its argument in "
        "ad.stop_gradient",
    )


def _refuse_unknown(activity: Activity, node: Apply, method: object = None) -> None:
    """Refuse to change what is of unknown type, of which there is no shadow."""
    base = node.args[0]
    if isinstance(strip_optional(base.type), Union) or not _is_unknown(base):
        return
    if any(n in activity for n in node.inputs):
        if method is not None and method not in _WRITERS:
            raise unknown_function(method, node.span)
        raise MutationError(
            "what may be changed in place is of a type that is not known, and a "
            "derivative has to go through it",
            node.span,
            "make a new one, or give the variable one type on all paths",
        )


def _refuse_integers(activity: Activity, node: Apply) -> None:
    """Refuse an array that changes in place and has no place for a derivative."""
    for place, given in array_entries(node):
        assert given.dtype is not None
        assert place.dtype is not None
        cuts = place.dtype.kind == "c" != given.dtype.kind or not given.inexact
        if activity.buffer(place) and cuts:
            raise MutationError(
                f"a variable is an array of {given.dtype} on one path and on another "
                f"one of {place.dtype}, which is changed in place",
                node.span,
                f"convert it before, with .astype({place.dtype})",
            )


def _refuse_cutting(activity: Activity, node: Apply) -> None:
    """Refuse to store what varies where it is cut to an integer."""
    target, _, value = node.args
    t, v = strip_optional(target.type), deref(value.type)
    if not isinstance(t, Num) or t.inexact or t.dtype is None:
        return
    if value in activity and isinstance(v, Num) and v.inexact:
        name = v.dtype.name if v.dtype is not None else "number"
        raise TypeMismatch(
            f"a {name} stored into an array of {t.dtype.name} is cut to an integer",
            node.span,
            "make the array with dtype=float",
        )


def _refuse_key(activity: Activity, key: Node, node: Apply) -> None:
    what, way_out = "the key of a dictionary", "use integers or text as keys"
    _refuse_if_active(activity, key, node, what, way_out)


def _refuse_if_active(
    activity: Activity, value: Node, node: Apply, what: str, way_out: str
) -> None:
    if value in activity and is_differentiable(value.type):
        raise NotDifferentiable(
            f"a value that a derivative depends on is {what}", node.span, way_out
        )


def _takes_anything(node: Node) -> bool:
    """Whether a container holds nothing yet that a derivative could go through."""
    t = strip_optional(node.type)
    return isinstance(t, List | Dict) and not is_differentiable(t)


def _is_unknown(base: Node) -> bool:
    return isinstance(strip_optional(base.type), AnyType | Other)
