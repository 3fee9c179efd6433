"""Calls that are not looked into: functions and methods that Python runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, NotDifferentiable, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.exceptions import exception_type
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    Partial,
)
from anadrome.frontend.values.draws import legacy_type
from anadrome.frontend.values.given_back import refuse_replaced
from anadrome.frontend.values.item_writes import note_exposed
from anadrome.frontend.values.iterated import check_size, size_to_keep
from anadrome.frontend.values.iteration import Iteration
from anadrome.frontend.values.iterators import Cursor, Generator, refuse_iterator
from anadrome.frontend.values.known import is_known, static_value
from anadrome.infer.examples import result_type
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import ANY, Function, NoneType_, Other, Str, Type, deref
from anadrome.primitives.registry import is_guard, is_nondifferentiable

Keywords = dict[str, Node]


def call_opaque(
    it: Interpreter,
    value: Any,
    args: list[Node],
    keywords: Keywords,
    pure: bool = False,
) -> Node:
    """A call that is not looked into; refused later if a derivative needs it."""
    nodes = [*args, *keywords.values()]
    module = getattr(value, "__module__", None) or ""
    root = str(module).split(".")[0]
    numeric = pure or root in ("numpy", "math")
    if pure and all(is_known(n) for n in nodes):
        try:
            found = value(
                *(static_value(a) for a in args),
                **{k: static_value(v) for k, v in keywords.items()},
            )
        except AnadromeError as error:
            error.span = error.span or it.span
            raise
        except Exception as error:
            if not it.in_rule:
                raise
            # What is differentiated fails for the same reason.
            raise it.fail(
                NotDifferentiable,
                f"there is no derivative here: {type(error).__name__}: {error}",
                "look at the options that are given",
            ) from error
        return it.constant(found)
    if is_of_numpy(value) and value is not np.fromiter:
        for a in nodes:
            refuse_iterator(it, a)
    args = [runtime_form(it, a) for a in args]
    keywords = {k: runtime_form(it, v) for k, v in keywords.items()}
    if isinstance(getattr(value, "__self__", None), np.random.RandomState):
        # To try it would take from the numbers that the program is to draw.
        kind = legacy_type(value.__name__, args, keywords)
    else:
        kind = result_type(value, tuple(args), keywords) if numeric else ANY
        if root == "numpy" and not isinstance(kind, Other | Str | NoneType_):
            # Which numbers a function without a rule returns may depend on the numbers.
            kind = kind if pure else ANY
    if isinstance(value, type) and issubclass(value, BaseException):
        # What an exception carries is followed only if it has no derivative.
        kind = exception_type(value, (*args, *keywords.values()))
        pure = value.__init__ is Exception.__init__ or value.__module__ == "builtins"
    # A guard must run although nobody wants its result.
    pure = pure and not is_guard(value)
    if not pure and not _only_reads(value, keywords):
        note_exposed(it, [*args, *keywords.values()])
    return it.emit(
        ops.PYCALL, (it.constant(value), *args), kind, keywords=keywords, target=pure
    )


# Functions of NumPy that change their arguments.
_WRITERS = frozenset(
    (
        "at",
        "copyto",
        "fill_diagonal",
        "place",
        "put",
        "put_along_axis",
        "putmask",
        "shuffle",
    )
)


# Functions of Python that do not.
_READERS = (callable, dir, getattr, hasattr, id, isinstance, issubclass, vars)


def _only_reads(value: Any, keywords: Keywords) -> bool:
    """Whether a function that is not looked into leaves its arguments as they are."""
    if is_nondifferentiable(value) or any(value is f for f in _READERS):
        return True
    if isinstance(value, type) and issubclass(value, BaseException):
        return True
    module = str(getattr(value, "__module__", None) or "").split(".")[0]
    if module not in ("numpy", "math") or "out" in keywords:
        return False
    return getattr(value, "__name__", "") not in _WRITERS


def runtime_form(it: Interpreter, node: Node) -> Node:
    """What Python is given for a node."""
    if isinstance(node, Constant) and isinstance(
        node.value, Iteration | Cursor | Generator
    ):
        from anadrome.frontend.values.sequences import as_list

        return as_list(it, node)
    if isinstance(deref(node.type), Function) and isinstance(node, Constant):
        if isinstance(node.value, Closure | BoundMethod | Partial):
            raise it.fail(
                UnsupportedSyntax,
                "a function defined here is passed to one that cannot be looked into",
                "move its definition to module level",
            )
    if isinstance(node, Constant) and isinstance(node.value, ArrayMethod):
        raise it.fail(
            UnsupportedSyntax,
            f"the method '{node.value.name}' is passed on without being called",
            "call it, or write a function that does",
        )
    refuse_replaced(it, node)
    return it.concrete(node)


def is_of_numpy(function: Any) -> bool:
    """Whether a function makes an array of what it is given, and never runs over it."""
    module = getattr(function, "__module__", None) or ""
    own = module.split(".")[0] in ("numpy", "scipy")
    # A method of a ufunc has no module.
    return own or isinstance(getattr(function, "__self__", function), np.ufunc)


def opaque_method(
    it: Interpreter,
    node: Node,
    name: str,
    args: list[Node],
    keywords: Keywords,
    kind: Any,
) -> Node:
    """A method of a value that Python runs, and the type of its result."""
    given = [runtime_form(it, a) for a in args]
    named = {k: runtime_form(it, v) for k, v in keywords.items()}
    if not _method_only_reads(deref(node.type), name, keywords):
        note_exposed(it, [node, *given, *named.values()])
    size = size_to_keep(it, node)
    made = it.emit(ops.METHOD, (node, it.constant(name), *given), kind, keywords=named)
    check_size(it, node, size)
    return made


def call_opaque_method(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    """A method of an object of which nothing is known."""
    return opaque_method(it, node, name, args, keywords, ANY)


def _method_only_reads(t: Type, name: str, keywords: Keywords) -> bool:
    """Whether a method that is not looked into leaves its arguments as they are."""
    if isinstance(t, Other) and issubclass(
        t.cls, np.random.Generator | np.random.RandomState
    ):
        return name != "shuffle" and "out" not in keywords
    return isinstance(t, Str)
