"""Jacobians inside functions that are being read, as loops over directions.

These functions are never called as they stand: the front end reads them like a user's,
so that native code and further derivatives see a plain loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.errors import NotDifferentiable, UnsupportedSyntax

if TYPE_CHECKING:
    from anadrome.api.grad import Jacobian
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Node


def by_columns(function: Any, before: Any, x: Any, after: Any) -> Any:
    """The Jacobian of a function in an array, one direction of it at a time."""
    from anadrome.api.grad import jvp

    def along(v: Any) -> Any:
        return function(*before, v, *after)

    if x.size == 0:
        y = np.asarray(along(x))
        return np.zeros(y.shape + x.shape, y.dtype)
    columns = []
    for k in range(x.size):
        direction = np.zeros(x.size, x.dtype)
        direction[k] = 1.0
        columns.append(jvp(along, (x,), (direction.reshape(x.shape),))[1])
    found = np.stack(columns, axis=-1)
    return found.reshape(found.shape[:-1] + x.shape)


def by_rows(function: Any, before: Any, x: Any, after: Any) -> Any:
    """The Jacobian of a function in an array, one number of its result at a time."""
    from anadrome.api.grad import vjp

    def along(v: Any) -> Any:
        return function(*before, v, *after)

    y = np.asarray(along(x))
    if y.size == 0:
        return np.zeros(y.shape + x.shape, y.dtype)
    rows = []
    for k in range(y.size):
        direction = np.zeros(y.size, y.dtype)
        direction[k] = 1.0
        pull = vjp(along, x)[1]
        rows.append(pull(direction.reshape(y.shape))[0])
    return np.stack(rows).reshape(y.shape + x.shape)


def slope(function: Any, before: Any, x: Any, after: Any) -> Any:
    """The derivative of a function in a number."""
    from anadrome.api.grad import jvp

    def along(v: Any) -> Any:
        return function(*before, v, *after)

    return jvp(along, (x,), (1.0,))[1]


def inline_jacobian(jacobian: Jacobian, it: Interpreter, args: list[Node]) -> Node:
    """A Jacobian as part of a function that is being read."""
    from anadrome.frontend.calls.calls import call
    from anadrome.frontend.values.tuples import make_tuple
    from anadrome.ir.graph import Graph, Node
    from anadrome.ir.types import Num, deref
    from anadrome.transform.dependence.draws import draws_anew

    if isinstance(jacobian.argnums, tuple):
        raise it.fail(
            UnsupportedSyntax,
            "a Jacobian in several arguments inside another function",
            "call it once for each argument",
        )
    (k,) = jacobian.forward.positions(len(args))
    x = it.concrete(args[k])
    t = deref(x.type)
    if not isinstance(t, Num):
        raise it.fail(
            UnsupportedSyntax,
            "a Jacobian in a structured argument inside another function",
            "pass the arrays as arguments of their own",
        )
    way = slope if t.ndim == 0 else by_rows if jacobian.mode == "rev" else by_columns
    before, after = make_tuple(it, args[:k]), make_tuple(it, args[k + 1 :])
    function: Any = jacobian.forward.function
    if not isinstance(function, Node):
        # One that is defined in the code being read is a value of it already.
        function = it.constant(function)
    graph, count = it.graph, len(it.graph.body)
    found = call(it, it.constant(way), [function, before, x, after], {})
    made = Graph("jacobian")
    made.body = graph.body[count:]
    drawn = draws_anew(made) if t.ndim != 0 else None
    if drawn is not None:
        raise it.fail(
            NotDifferentiable,
            "random numbers are drawn in a function that runs more than once for this "
            "derivative, and would draw others each time",
            "draw them before the call, or make the generator from a seed inside",
            drawn.span,
        )
    return found


__all__ = ["inline_jacobian"]
