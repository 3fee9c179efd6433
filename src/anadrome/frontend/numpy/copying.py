"""Functions of NumPy that copy or do not, depending on how they are called."""

from __future__ import annotations

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir.graph import Node
from anadrome.ir.types import Num, deref, is_stored
from anadrome.primitives.registry import Primitive, find_primitive

_SEVERAL = ("atleast_1d", "atleast_2d", "atleast_3d")


def call_if_shared(
    it: Interpreter, primitive: Primitive, args: list[Node], keywords: dict[str, Node]
) -> Node | None:
    """A call whose results may be its arguments, said so; None for all others."""
    if primitive.name in _SEVERAL and len(args) > 1:
        return make_tuple(it, [it.apply(primitive, (a,)) for a in args])
    if primitive.name in ("array", "asarray") and args and id(args[0]) in it.flat:
        return _array_of_flat(it, primitive, args, keywords)
    if primitive.name == "diag":
        return _diagonal_of_matrix(it, args, keywords)
    if primitive.name == "array" and "order" in keywords:
        return _array_in_order(it, args, keywords)
    if "copy" not in keywords or primitive.name not in ("array", "astype", "meshgrid"):
        return None
    copy = keywords["copy"]
    if is_known(copy) and static_value(copy) is True:
        return None
    return _shared(it, primitive, args, keywords)


def _array_of_flat(
    it: Interpreter, primitive: Primitive, args: list[Node], keywords: dict[str, Node]
) -> Node:
    """`np.array(x.flat)`, which NumPy may make a view: neither may be changed."""
    made, x = it.apply(primitive, tuple(args), keywords), it.flat[id(args[0])]
    error = it.fail(
        UnsupportedSyntax,
        "whether an array of 'flat' is a view is not known here, and it is changed",
        "write x.ravel() or x.flatten()",
    )

    def check() -> None:
        if is_stored(x.type) or is_stored(made.type):
            raise error

    it.checks.append(check)
    return made


def _array_in_order(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    """`np.array(…, order=…)`: a copy that lies in memory as it says."""
    asarray, copy = find_primitive(np.asarray), find_primitive(np.copy)
    array = find_primitive(np.array)
    assert asarray is not None
    assert copy is not None
    assert array is not None
    rest = {k: v for k, v in keywords.items() if k not in ("copy", "order")}
    always = keywords.get("copy")
    if always is None or (is_known(always) and static_value(always) is True):
        # It keeps the order that the array is in, which 'K' asks for.
        made = it.apply(array if "ndmin" in rest else asarray, tuple(args), rest)
        return it.apply(copy, (made,), {"order": keywords["order"]})
    return _shared(it, array, args, keywords)


def _shared(
    it: Interpreter, primitive: Primitive, args: list[Node], keywords: dict[str, Node]
) -> Node:
    """An array, or one that is made of it if it has to be another."""
    copy = keywords["copy"]
    asarray = find_primitive(np.asarray)
    assert asarray is not None
    rest = {k: v for k, v in keywords.items() if k != "copy"}
    ndmin = rest.pop("ndmin", None)
    flat = ndmin is None or (is_known(ndmin) and static_value(ndmin) == 0)
    if not is_known(copy) or not flat or primitive.name == "meshgrid":
        raise it.fail(
            UnsupportedSyntax,
            f"whether '{primitive.__name__}' copies is not known here",
            "leave 'copy' away, or write copy=True",
        )
    if primitive.name == "array" and static_value(copy) is False:
        rest["copy"] = copy
    return it.apply(asarray, tuple(args), rest)


def _diagonal_of_matrix(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node | None:
    """`np.diag` of a matrix, which is a view of it as `np.diagonal` is."""
    matrix, *offset = (*args, *(keywords[k] for k in ("v", "k") if k in keywords))
    t = deref(matrix.type)
    if not isinstance(t, Num) or t.ndim != 2:
        return None
    diagonal = find_primitive(np.diagonal)
    assert diagonal is not None
    return it.apply(diagonal, (matrix, *offset), target=np.diag)
