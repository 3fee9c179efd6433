"""Functions of NumPy that copy or do not, depending on how they are called."""

from __future__ import annotations

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter, is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir.graph import Node
from anadrome.primitives.registry import Primitive, find_primitive

_SEVERAL = ("atleast_1d", "atleast_2d", "atleast_3d")


def call_if_shared(
    it: Interpreter, primitive: Primitive, args: list[Node], keywords: dict[str, Node]
) -> Node | None:
    """A call whose results may be its arguments, said so; None for all others."""
    if primitive.name in _SEVERAL and len(args) > 1:
        return make_tuple(it, [it.apply(primitive, (a,)) for a in args])
    if "copy" not in keywords or primitive.name not in ("array", "astype", "meshgrid"):
        return None
    copy = keywords["copy"]
    if is_known(copy) and static_value(copy) is True:
        return None
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
