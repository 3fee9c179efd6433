"""`out=`: the array that a function of NumPy's is to store its result in."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.errors import TypeMismatch, UnexpectedType, UnsupportedSyntax
from anadrome.frontend.syntax.assignment import check_casting
from anadrome.frontend.values.item_writes import store_array
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import NONE, Num, deref

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter

# They find the position of an item: another dtype is an error, not a conversion.
_POSITIONS = (np.argmax, np.argmin, np.nanargmax, np.nanargmin)

# They take an array of other axes for sums over all entries.
_RUNNING = (np.cumsum, np.cumprod)


def store_result(it: Interpreter, target: Any, out: Node, found: Node) -> Node:
    """Store what a function gives in `out`, as that function does."""
    if not isinstance(target, np.ufunc):
        _check(it, target, out, found)
    check_casting(it, out, found)
    store_array(it, out, it.constant(Ellipsis), found)
    return out


def _check(it: Interpreter, target: Any, out: Node, found: Node) -> None:
    """Refuse what is not converted or broadcast but by ufuncs."""
    from anadrome.frontend.calls import calls, library

    name = getattr(target, "__name__", "a function")
    if not _takes_out(target):
        raise it.fail(
            TypeMismatch,
            f"{name}() got an unexpected keyword argument 'out'",
            "assign the result to the array: out[...] = …",
            python=TypeError,
        )
    t, r = deref(out.type), deref(found.type)
    computed, held = (k.dtype if isinstance(k, Num) else None for k in (r, t))
    if computed is not None and held is not None and computed != held:
        raise it.fail(
            UnsupportedSyntax,
            f"'out' is an array of {held}, and what '{name}' computes is {computed}: "
            "NumPy may compute it in the one or in the other",
            "convert what is given with astype, or assign: out[...] = …",
            python=TypeError if target in _POSITIONS else None,
        )
    if computed is None or held is None:
        it.emit(ops.OBSERVE, (it.constant(check_dtype_of_out), out, found), NONE)
    if target in _RUNNING:
        it.emit(ops.OBSERVE, (it.constant(check_shape_of_running), out, found), NONE)
    calls.call_value(it, library.check_shape_of_out, [out, found], {})


def check_shape_of_running(out: Any, found: Any) -> None:
    """Stop where NumPy takes an array of more axes than the result has."""
    if out.ndim > 1 and out.shape == found.shape + (1,) * (out.ndim - 1):
        raise UnexpectedType(
            f"'out' is an array of shape {out.shape}, the result of {found.shape}",
            None,
            "assign the result: out[...] = …",
        )


def check_dtype_of_out(out: Any, found: Any) -> None:
    """Stop where NumPy may compute in the dtype of `out`, or in its own."""
    if out.dtype != np.result_type(found):
        raise UnexpectedType(
            f"'out' is an array of {out.dtype}, and what is computed "
            f"{np.result_type(found)}",
            None,
            "assign the result: out[...] = …",
        )


def _takes_out(target: Any) -> bool:
    try:
        return "out" in inspect.signature(target).parameters
    except (TypeError, ValueError):
        return True  # one in C that does not say
