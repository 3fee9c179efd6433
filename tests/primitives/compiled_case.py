"""One call of a primitive, put through the compiler."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome import tree
from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.calls.calls import call
from anadrome.frontend.interpreter import Interpreter
from anadrome.infer.values import type_of
from anadrome.ir.graph import Graph, Node, Parameter
from anadrome.optimize.passes import optimize
from anadrome.primitives.registry import Primitive, Sample
from anadrome.transform.forward.walk import forward
from anadrome.transform.reverse.walk import reverse


def random_like(rng: np.random.Generator, value: Any) -> Any:
    """A random direction for a value: real where it is real."""

    def draw(leaf: Any) -> Any:
        made = rng.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            made = made + 1j * rng.normal(size=np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(made).astype(leaf.dtype)
        return type(leaf)(made)

    return tree.rebuild(value, [draw(leaf) for leaf in tree.leaves(value)])


def pairing(a: Any, b: Any) -> float:
    """The real pairing Re Σ a·b of two values of one structure."""
    pairs = zip(tree.leaves(a), tree.leaves(b), strict=True)
    return float(sum(np.real(np.sum(np.asarray(x) * np.asarray(y))) for x, y in pairs))


def magnitude(a: Any, b: Any) -> float:
    """The size of the terms of a pairing."""
    pairs = zip(tree.leaves(a), tree.leaves(b), strict=True)
    return float(sum(np.sum(np.abs(np.asarray(x) * np.asarray(y))) for x, y in pairs))


class CompiledCase:
    """A primitive at a sample: its arguments that vary, and the graph of the call."""

    def __init__(self, primitive: Primitive, sample: Sample) -> None:
        self.primitive = primitive
        bound = primitive.signature.bind(*sample.args, **sample.kwargs)
        self.active: list[Any] = []
        it = Interpreter(primitive.name)

        def give(name: str, value: Any) -> Node:
            if name in primitive.differentiable and tree.leaves(value):
                self.active.append(value)
                return it.root.add_parameter(type_of(value), name)
            return it.constant(value)

        kinds = primitive.signature.parameters
        args: list[Node] = []
        keywords: dict[str, Node] = {}
        for name, value in bound.arguments.items():
            kind = kinds[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                args += [give(name, v) for v in value]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                keywords |= {k: it.constant(v) for k, v in value.items()}
            elif kind is inspect.Parameter.KEYWORD_ONLY or name in sample.kwargs:
                keywords[name] = give(name, value)
            else:
                args.append(give(name, value))
        it.root.results = [
            it.concrete(call(it, it.constant(primitive.impl), args, keywords))
        ]
        self.graph: Graph = optimize(it.root)
        self.sources: list[Parameter] = list(self.graph.params)
        self.primal = compile_graph(self.graph, "primal")[0]
        self.value = self.primal(*copy.deepcopy(self.active))

    def pull(self) -> tuple[Graph, Callable[..., Any]]:
        """The cotangents of the arguments as a function of arguments and cotangent."""
        made = reverse(self.graph, list(self.sources), "back", seeded=True, value=False)
        optimize(made)
        function = compile_graph(made, "back")[0]
        single = len(self.sources) == 1

        def run(arguments: list[Any], cotangent: Any) -> list[Any]:
            found = function(*copy.deepcopy(arguments), copy.deepcopy(cotangent))
            parts = (found,) if single else found
            return [tree.fitted(x, d) for x, d in zip(arguments, parts)]

        return made, run

    def push(self) -> Callable[..., Any]:
        """The tangent of the value as a function of arguments and tangents."""
        made = optimize(forward(self.graph, list(self.sources), "push"))
        function = compile_graph(made, "push")[0]
        return lambda arguments, tangents: function(
            *copy.deepcopy(arguments), *self.given(tangents)
        )[1]

    def given(self, tangents: list[Any]) -> list[Any]:
        """Tangents as the compiler takes them."""
        pairs = zip(self.active, tangents, strict=True)
        return [tree.fitted(x, copy.deepcopy(t), for_integers=0.0) for x, t in pairs]

    def second(self, back: Graph) -> Callable[..., Any]:
        """The derivative of the cotangents along a direction of the arguments."""
        count = len(self.sources)
        made = optimize(forward(back, back.params[:count], "second"))
        function = compile_graph(made, "second")[0]
        single = count == 1

        def run(arguments: list[Any], cotangent: Any, tangents: list[Any]) -> list[Any]:
            found = function(
                *copy.deepcopy(arguments), cotangent, *self.given(tangents)
            )[1]
            parts = (found,) if single else found
            return [tree.fitted(x, d) for x, d in zip(arguments, parts)]

        return run

    def moved(self, tangents: list[Any], step: float) -> list[Any]:
        """The arguments a step along tangents."""
        found = []
        for x, v in zip(self.active, tangents, strict=True):
            pairs = zip(tree.leaves(x), tree.leaves(v), strict=True)
            new = [
                a + step * b if isinstance(a, np.ndarray) else type(a)(a + step * b)
                for a, b in pairs
            ]
            found.append(tree.rebuild(x, new))
        return found


def central_difference(at: Callable[[float], float], h: float) -> float:
    """A derivative at zero to fourth order in the step."""
    near, far = at(h) - at(-h), at(2 * h) - at(-2 * h)
    return (8 * near - far) / (12 * h)


def slope_error(
    got: float,
    at: Callable[[float], float],
    steps: tuple[float, ...] = (2e-4, 2e-3, 2e-5),
) -> float:
    """How far a derivative is from differences at the best of several steps."""
    return min(
        abs(got - want) / max(abs(want), 1.0)
        for want in (central_difference(at, h) for h in steps)
    )
