"""The options that every ufunc of NumPy's has: `out`, `where` and `dtype`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.values.known import is_known, static_value
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import NoneType_, Num, Tuple, strip_optional

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter

# Arguments for which a function is smooth; for most, ones are.
_HARMLESS: dict[np.ufunc, int] = {
    np.arcsin: 0,
    np.arccos: 0,
    np.arctanh: 0,
    np.arccosh: 2,
}


def is_given(option: Node | None) -> bool:
    """Whether an option is there and is not None."""
    if option is None or isinstance(strip_optional(option.type), NoneType_):
        return False
    return not (is_known(option) and static_value(option) is None)


def single_out(it: Interpreter, out: Node) -> Node:
    """The array that a result is to be stored in; NumPy also takes it in a tuple."""
    from anadrome.frontend.values.tuples import take

    t = strip_optional(out.type)
    if not isinstance(t, Tuple):
        return out
    if len(t.items) == 1:
        return take(it, out, 0)
    raise it.fail(
        UnsupportedSyntax,
        "'out' is a tuple of several arrays",
        "assign the results to the arrays instead",
    )


def in_dtype(
    it: Interpreter, ufunc: np.ufunc, args: list[Node], dtype: Node
) -> list[Node]:
    """Arguments converted as `dtype=` wants it, before anything is computed.

    It is the dtype of the result: `np.less(x, y, dtype=bool)` compares numbers.
    """
    from anadrome.frontend.calls.calls import call_value
    from anadrome.frontend.numpy.arraylike import as_array

    args = [as_array(it, a) for a in args]
    given = [_resolvable(a) for a in args]
    wanted, named = [dtype] * len(args), _named(dtype)
    if named is not None and all(g is not None for g in given):
        results = (named,) * ufunc.nout
        signature = (*[None] * ufunc.nin, *results)
        try:
            found = ufunc.resolve_dtypes(
                (*given, *[None] * ufunc.nout), signature=signature
            )
        except TypeError as error:
            raise it.fail(
                TypeMismatch,
                f"np.{ufunc.__name__} of {', '.join(repr(a.type) for a in args)} "
                f"cannot be computed in {results[0]}",
                "convert the result instead, with astype",
                python=TypeError,
            ) from error
        wanted = [it.constant(d) for d in found]
    elif any(len(set(loop.partition("->")[0])) > 1 for loop in ufunc.types):
        raise it.fail(
            UnsupportedSyntax,
            f"np.{ufunc.__name__} of arguments of unknown types is given a dtype",
            "convert the result instead, with astype",
        )
    return [
        call_value(it, np.astype, [call_value(it, np.asarray, [a], {}), d], {})
        for a, d in zip(args, wanted)
    ]


def _named(node: Node) -> np.dtype[Any] | None:
    """The dtype that an option says, also where it is asked of an array."""
    if is_known(node):
        return np.dtype(static_value(node))
    cls: Any = getattr(strip_optional(node.type), "cls", object)
    return cls() if issubclass(cls, np.dtype) and cls is not np.dtype else None


def _resolvable(node: Node) -> Any:
    """The dtype of an argument, or the class of a number of Python's, if known."""
    t = strip_optional(node.type)
    if not isinstance(t, Num) or t.dtype is None:
        return None
    kinds = {"i": int, "f": float, "c": complex}
    return kinds.get(t.dtype.kind, t.dtype) if t.python else t.dtype


def only_where(
    it: Interpreter, ufunc: np.ufunc, args: list[Node], where: Node, out: Node | None
) -> list[Node]:
    """Arguments that are harmless where nothing is to be computed.

    A derivative that is infinite there would make the others nan.
    """
    from anadrome.frontend.calls.calls import call_value

    if not is_given(out):
        raise it.fail(
            UnsupportedSyntax,
            f"'{ufunc.__name__}' computes nothing where 'where' does not hold, "
            "and what stands there is not said",
            "give 'out' an array of the values that shall stand there, or use np.where",
        )
    fill = it.constant(_HARMLESS.get(ufunc, 1))
    return [
        a
        if isinstance(a, Constant) and not np.ndim(a.value)
        else call_value(
            it, np.where, [where, a, call_value(it, np.full_like, [a, fill], {})], {}
        )
        for a in args
    ]


def chosen(it: Interpreter, where: Node, found: Node, out: Node) -> Node:
    """What was computed, and what `out` holds where nothing was."""
    from anadrome.frontend.calls.calls import call_value

    return call_value(it, np.where, [where, found, out], {})
