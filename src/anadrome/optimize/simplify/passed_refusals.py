"""Refusals that no handler of the program's catches.

What cannot be followed is sometimes known only when the program runs: a derivative
then fails with an error of its own. Inside a `try` of the program, `except Exception`
would take it for one of Python's, and go on with another path: so a handler around
something that may be refused looks at what it has caught first.
"""

from __future__ import annotations

from anadrome import runtime
from anadrome.frontend.numpy.out_arrays import (
    check_dtype_of_out,
    check_shape_of_running,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, called_graphs, walk
from anadrome.ir.types import ANY, NONE

_REFUSING = (
    runtime.refusal,
    runtime.index_add,
    runtime.spread,
    runtime.conform,
    runtime.refuse_cutting,
    runtime.shadow_of_view,
    runtime.check_view,
    runtime.check_copy,
    check_dtype_of_out,
    check_shape_of_running,
)


def pass_refusals(graph: Graph) -> Graph:
    """The graph with handlers that let refusals pass.

    try:                             try:
        refuse_cutting(v)                refuse_cutting(v)
        v[...] = x             →         v[...] = x
    except Exception as error:       except Exception as error:
        …                                pass_refusal(error)
                                         …
    """
    for g in called_graphs(graph):
        for node in walk(g):
            if node.op is ops.TRY and _may_be_refused(node.regions[0]):
                for handler in node.regions[1:]:
                    _look_first(handler, node)
    return graph


def _may_be_refused(region: Graph) -> bool:
    """Whether something in a region, or in what it calls, may be refused."""
    return any(_may_refuse(n) for g in called_graphs(region) for n in walk(g))


def _may_refuse(node: Apply) -> bool:
    callee = node.target
    if node.op in (ops.PYCALL, ops.OBSERVE) and isinstance(node.args[0], Constant):
        callee = node.args[0].value
    return any(callee is f for f in _REFUSING)


def _look_first(handler: Graph, node: Apply) -> None:
    """Put the question at the start of a handler, once."""
    if not handler.params:
        return
    first = handler.body[0] if handler.body else None
    if first is not None and first.op is ops.OBSERVE:
        if getattr(first.args[0], "value", None) is runtime.pass_refusal:
            return
    question = Constant(runtime.pass_refusal, ANY)
    made = Apply(ops.OBSERVE, (question, handler.params[0]), NONE, span=node.span)
    made.graph = handler
    made.retained = True
    handler.body.insert(0, made)
