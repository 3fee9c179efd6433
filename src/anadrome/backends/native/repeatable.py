"""Programs that may start over at another speculation level if one fails."""

from __future__ import annotations

import math
import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, called_graphs, walk
from anadrome.ir.types import (
    Dict,
    Function,
    List,
    NoneType_,
    Num,
    Object,
    Str,
    Tuple,
    Type,
    VarTuple,
    are_told_apart,
    deref,
    holds_itself,
    parts,
    strip_optional,
)
from anadrome.optimize.rewriting import holds_stored
from anadrome.primitives.registry import Primitive


def is_repeatable(graph: Graph) -> bool:
    """Whether a program may start over where what it assumes does not hold.

    Nobody can tell that it was started twice, and it does not catch the failure.
    """
    return is_silent(graph) and all(
        node.op is not ops.TRY for g in called_graphs(graph) for node in walk(g)
    )


def is_silent(graph: Graph) -> bool:
    """Whether nobody can tell that a program was started and did not end.

    It changes nothing that it is given, prints nothing, draws no random numbers and
    calls nothing that might, and no handler would catch the failure of an assumption.
    """
    tries = any(n.op is ops.TRY for g in called_graphs(graph) for n in walk(g))
    return not tries and may_start_over(graph)


def may_start_over(graph: Graph) -> bool:
    """Whether nobody can tell that a program went on in Python from its start."""
    return is_unnoticed(graph) and not any(holds_stored(p.type) for p in graph.params)


def is_unnoticed(graph: Graph) -> bool:
    """Whether a program changes nothing but, perhaps, what it is given."""
    return all(_is_silent(n) for g in called_graphs(graph) for n in walk(g))


def is_add_at(node: Apply) -> bool:
    """Whether a statement adds to an array at places that may be named twice."""
    if node.op is not ops.PYCALL or not isinstance(node.args[0], Constant):
        return False
    return bool(node.args[0].value == np.add.at)


def _is_helper(node: Apply) -> bool:
    """Whether a statement accumulates cotangents, in what the program has made."""
    if node.op is not ops.PYCALL or not isinstance(node.args[0], Constant):
        return False
    module = getattr(node.args[0].value, "__module__", None) or ""
    return module.startswith(("anadrome.transform.", "anadrome.runtime."))


_LOOKERS = (
    *(type, isinstance, repr, str, ascii, format, bin, hex, oct, chr, ord, hash),
    *(int, float, complex, bool, round, abs, divmod, pow, len, sum, min, max),
    *(f for f in vars(math).values() if callable(f)),
)

_COMPARING = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(list.index, list.count, tuple.index, tuple.count),
)


def _looks_at_numbers(node: Apply) -> bool:
    """Whether a statement asks something of numbers, whose answers are known."""
    function = getattr(node.args[0], "value", None)
    given = [deref(a.type) for a in node.args[1:] if not isinstance(a, Constant)]
    if any(function is each for each in _COMPARING):
        return all(map(_has_no_methods, given))
    if function is type:
        return True
    if function is isinstance and type(getattr(node.args[2], "value", None)) is type:
        return True
    return any(function is each for each in _LOOKERS) and all(map(_is_plain, given))


_MAKERS = (list, tuple, dict, set, frozenset, sorted)


def _looks_inside(node: Apply) -> bool:
    """Whether something is made of, or asked of, values without methods of a user's."""
    function = getattr(node.args[0], "value", None)
    module = getattr(function, "__module__", None) or ""
    makes = any(function is each for each in _MAKERS)
    given = [a.type for a in node.args[1:] if not isinstance(a, Constant)]
    known = makes or module.startswith("anadrome.")
    return known and all(map(_has_no_methods, given))


def _is_plain(t: Type) -> bool:
    """Whether a value is a number or a text, whose methods change nothing."""
    t = deref(t)
    return isinstance(t, Str) or (isinstance(t, Num) and t.ndim == 0 and not t.boxed)


def _makes_exception(node: Apply) -> bool:
    """Whether a statement makes an exception of Python's own."""
    cls = getattr(node.args[0], "value", None)
    known = isinstance(cls, type) and issubclass(cls, BaseException)
    return known and cls.__module__ == "builtins"


def _has_no_methods(t: Type) -> bool:
    """Whether a value is compared without asking a class of the user's."""
    t = deref(t)
    if isinstance(t, Num | Str | NoneType_):
        return True
    if not isinstance(t, Tuple | VarTuple | List | Dict) or holds_itself(t):
        return False
    return getattr(t, "cls", tuple) is tuple and all(map(_has_no_methods, parts(t)))


def compares_arrays(graph: Graph) -> bool:
    """Whether an array may be looked for among others: it counts which object it is."""
    return any(
        any(are_told_apart(t) for a in n.args for t in _inside(a.type))
        for g in called_graphs(graph)
        for n in walk(g)
        if n.op is ops.CONTAINS
        or (
            n.op is ops.OBSERVE
            and any(getattr(n.args[0], "value", None) is each for each in _COMPARING)
        )
    )


def _inside(t: Type) -> list[Type]:
    """The types of what a list, or a list of lists, holds."""
    found: list[Type] = []
    pending, seen = [t], set()
    while pending:
        t = deref(pending.pop())
        if id(t) not in seen:
            seen.add(id(t))
            found += parts(t)
            pending += parts(t)
    return found


# Functions of NumPy that read or write files, or change how NumPy behaves.
_NOTICED = frozenset(
    (
        *("fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap"),
        *("save", "savetxt", "savez", "savez_compressed", "tofile"),
        *("seterr", "seterrcall", "set_printoptions", "setbufsize"),
    )
)


def _only_computes(node: Apply) -> bool:
    """Whether a statement calls a function of NumPy's that works on arrays alone."""
    callee = getattr(node.args[0], "value", None)
    module = getattr(callee, "__module__", None) or ""
    if not module.startswith("numpy") or "random" in module:
        return False
    if getattr(callee, "__name__", "") in _NOTICED:
        return False
    given = (*node.args[1:], *node.keywords.values())
    return not any(isinstance(deref(a.type), Function) for a in given)


def _is_silent(node: Apply) -> bool:
    if isinstance(node.op, Primitive):
        # It computes something, or looks whether things fit.
        return True
    if is_add_at(node) or _is_helper(node):
        # It changes an object of the program's own.
        return True
    if node.op is ops.OBSERVE and (_looks_at_numbers(node) or _looks_inside(node)):
        return True
    if node.op is ops.METHOD and _is_plain(node.args[0].type):
        return all(_has_no_methods(a.type) for a in node.args)
    if node.op is ops.PYCALL and _only_computes(node):
        return True
    if node.op in (ops.PYCALL, ops.OBSERVE, ops.METHOD):
        return node.target is True or _makes_exception(node)
    if node.op is ops.CALL:
        callee = node.args[0]
        return isinstance(callee, Constant) and isinstance(callee.value, Graph)
    if node.op is ops.SETATTR:
        # Objects of the caller's are parameters, of types that are stored into.
        return isinstance(strip_optional(node.args[0].type), Object)
    return True
