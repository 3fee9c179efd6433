"""Gradients of functions that return one number, and the shapes they come in."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.tuples import take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Graph, Node, Parameter
from anadrome.ir.types import (
    NONE,
    AnyType,
    NeverType,
    Num,
    Tuple,
    deref,
    strip_optional,
)
from anadrome.primitives.registry import find_primitive
from anadrome.transform.reverse.walk import reverse


class Wanted(Protocol):
    """What a gradient is asked to return."""

    kind: str
    argnums: Any
    has_aux: bool
    with_value: bool


def gradient_graph(
    wanted: Wanted, graph: Graph, sources: list[Parameter], name: str
) -> Graph:
    """The graph of a gradient in the shape that the interface promises."""
    check_scalar_result(graph, wanted.has_aux, wanted.kind)
    with_value = wanted.with_value or wanted.has_aux
    made = reverse(
        graph, list(sources), name, seeded=False, value=with_value, aux=wanted.has_aux
    )
    if isinstance(wanted.argnums, tuple) and len(sources) == 1:
        made = in_tuple(made, with_value)
    if wanted.has_aux and not wanted.with_value:
        made = _gradient_and_aux(made)
    return made


def _writer(graph: Graph) -> Interpreter:
    """Something that writes statements at the end of a graph."""
    it = Interpreter(graph.name)
    it.graph = it.root = graph
    return it


def _pair(it: Interpreter, a: Node, b: Node) -> Node:
    return it.emit(ops.TUPLE, (a, b), Tuple((a.type, b.type)))


def in_tuple(graph: Graph, with_value: bool) -> Graph:
    """A gradient in a tuple of one, as `argnums=(0,)` asks for."""
    it = _writer(graph)
    result = graph.results[0]
    gradient = take(it, result, 1) if with_value else result
    single = it.emit(ops.TUPLE, (gradient,), Tuple((gradient.type,)))
    graph.results = [_pair(it, take(it, result, 0), single) if with_value else single]
    return graph


def _gradient_and_aux(graph: Graph) -> Graph:
    """`((loss, aux), gradient)` as `(gradient, aux)`."""
    it = _writer(graph)
    pair, gradient = (take(it, graph.results[0], k) for k in (0, 1))
    graph.results = [_pair(it, gradient, take(it, pair, 1))]
    return graph


def sum_result(graph: Graph) -> Graph:
    """The graph with the sum of its result as result."""
    it = _writer(graph)
    result = graph.results[0]
    if not isinstance(deref(result.type), Num | AnyType):
        raise NotDifferentiable(
            f"elementwise_grad needs a function that returns an array, '{graph.name}' "
            f"returns {deref(result.type)!r}",
            result.span,
            "return one array, or use ad.vjp",
        )
    total = find_primitive(np.sum)
    assert total is not None
    graph.results = [it.apply(total, (result,))]
    return graph


def second_item(graph: Graph) -> Graph:
    """The graph with the second item of the pair that it returns as result."""
    graph.results = [take(_writer(graph), graph.results[0], 1)]
    return graph


def check_scalar_result(graph: Graph, aux: bool, kind: str) -> None:
    """Refuse to take the gradient of a function whose result is not one number.

    What is not known before it runs is checked when it runs.
    """
    result = graph.results[0]
    t = deref(result.type)
    loss = result
    if aux:
        if not (isinstance(t, Tuple) and len(t.items) == 2):
            raise NotDifferentiable(
                f"with has_aux the function must return a pair, it returns {t!r}",
                result.span,
                "return loss, aux",
            )
        loss = take(_writer(graph), result, 0)
        t = deref(t.items[0])
    if isinstance(t, NeverType):
        return
    known = isinstance(t, Num) and t.ndim is not None
    t = strip_optional(t)
    if isinstance(t, AnyType | Num) and not known:
        it = _writer(graph)
        it.span = result.span
        it.emit(ops.OBSERVE, (it.constant(require_scalar), loss), NONE)
    if isinstance(t, AnyType):
        return
    if not isinstance(t, Num) or (t.ndim is not None and t.ndim > 0):
        raise NotDifferentiable(
            f"{kind} needs a function that returns one number, '{graph.name}' returns {t!r}",  # noqa: E501
            result.span,
            "sum it, or use ad.jacobian or ad.vjp",
        )
    if t.dtype is not None and t.dtype.kind == "c":
        raise NotDifferentiable(
            f"{kind} needs a real result, '{graph.name}' returns a complex number",
            result.span,
            "take its real part or its absolute value, or use ad.vjp",
        )
    if t.dtype is not None and t.dtype.kind != "f":
        raise NotDifferentiable(
            f"{kind} needs a floating-point result, '{graph.name}' returns {t!r}",
            result.span,
            "return a float: integers and truth values have no derivative",
        )


def require_scalar(value: Any) -> None:
    """Refuse a result that turned out not to be one real number."""
    if np.ndim(value) > 0 or not isinstance(value, float | np.floating | np.ndarray):
        shape = (
            f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
        )
        raise NotDifferentiable(
            f"the gradient is that of a function that returns one real number, this one "  # noqa: E501
            f"returned {shape}",
            help="sum it, or use ad.jacobian or ad.vjp",
        )
