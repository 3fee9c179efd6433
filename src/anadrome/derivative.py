"""Callables made by the public interface: derivatives that specialise themselves.

A derivative is compiled when it is called with arguments of new types, and kept. It
can also be called inside a function that is itself being read; then its graph becomes
part of that function's, which is how derivatives nest to any depth.
"""

from __future__ import annotations

import functools
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anadrome.backends.python.compiled import compile_graph
from anadrome.backends.python.printer import Source
from anadrome.errors import AnadromeError, ArgumentError, NotDifferentiable, render
from anadrome.frontend.calls import call
from anadrome.frontend.interpreter import Interpreter, is_static
from anadrome.frontend.program import Program, read
from anadrome.frontend.recursion import close_graph, substitute
from anadrome.infer.values import signature_of
from anadrome.ir.graph import Graph, Node, Parameter
from anadrome.ir.types import (
    AnyType,
    Num,
    Tuple,
    Type,
    deref,
    is_differentiable,
)
from anadrome.optimize.passes import optimize

Transform = Callable[[Graph, list[Parameter], str], Graph]


@dataclass(eq=False)
class Compiled:
    """A program for arguments of given types."""

    program: Program
    graph: Graph
    function: Callable[..., Any]
    source: Source
    order: list[str | int]

    def run(self, args: tuple[Any, ...], keywords: dict[str, Any], extra: list[Any]) -> Any:
        """Call it with a user's arguments."""
        given = [
            args[key] if isinstance(key, int) else keywords[key] for key in self.order
        ]
        given += [c.read() for c in self.program.captures]
        try:
            return self.function(*given, *extra)
        except AnadromeError:
            raise
        except Exception as error:
            point_at_user_code(error, self.source)
            raise


def point_at_user_code(error: Exception, source: Source) -> None:
    """Note on an error of printed code which line of the user's it stands for."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<anadrome ") and frame.lineno is not None:
            spans = source.spans
            span = spans[frame.lineno - 1] if frame.lineno <= len(spans) else None
            if span is not None:
                error.add_note("which stands for your code here:\n" + render(span).rstrip())
            return


class Derived:
    """A function made from another by a transformation of its graph."""

    kind = "derived"

    def __init__(self, function: Callable[..., Any], argnums: Any = 0) -> None:
        if not callable(function) and not hasattr(function, "type"):
            raise ArgumentError(
                f"{self.kind} needs a function, this is a {type(function).__name__}",
                help=f"write ad.{self.kind}(f), then call the result with arguments",
            )
        self.function = function
        self.argnums = argnums
        self._compiled: dict[Any, list[Compiled]] = {}
        if isinstance(getattr(function, "__name__", None), str):
            functools.update_wrapper(self, function, updated=())
            self.__name__ = f"{self.kind}_{function.__name__}".replace("<lambda>", "f")

    def __repr__(self) -> str:
        return f"<ad.{self.kind} of {getattr(self.function, '__name__', self.function)}>"

    # What a kind of derivative says -----------------------------------------------------

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        """The graph of the derivative."""
        raise NotImplementedError

    def extras(self, graph: Graph, sources: list[Parameter]) -> list[Type]:
        """The types of the arguments that the derivative takes beyond the function's."""
        return []

    # Positions --------------------------------------------------------------------------

    def positions(self, count: int) -> list[int]:
        """The positions of the arguments to differentiate, counted from zero."""
        wanted = self.argnums if isinstance(self.argnums, tuple | list) else (self.argnums,)
        found = []
        for k in wanted:
            if not isinstance(k, int) or isinstance(k, bool):
                raise ArgumentError(
                    f"argnums must be an integer or a tuple of them, not {k!r}"
                )
            if not -count <= k < count:
                raise ArgumentError(
                    f"argnums={k}, but the function was called with {count} positional "
                    "arguments",
                    help="pass the arguments to differentiate by position",
                )
            found.append(k % count)
        return found

    def check(self, value: Any, t: Type, position: int, label: str | None) -> None:
        """Refuse to differentiate with respect to whole numbers and the like."""
        if is_differentiable(t):
            return
        what = f"argument {position}" + (f" ('{label}')" if label else "")
        kind = repr(deref(t))
        raise NotDifferentiable(
            f"{what} is {kind}: only floating-point values have derivatives",
            help="convert it with float(…) or .astype(float), or choose another with "
            "argnums",
        )

    # Calling ----------------------------------------------------------------------------

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.specialise(args, keywords).run(args, keywords, [])

    def specialise(
        self, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Compiled:
        """The program for arguments of these types, made if it is new."""
        key = call_key(args, keywords)
        for found in self._compiled.get(key, ()):
            if found.program.holds():
                return found
        made = self._build(args, keywords)
        # Facts of the outside have changed, or the types are new.
        self._compiled[key] = [made, *self._compiled.get(key, ())[:3]]
        return made

    def _build(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Compiled:
        positions = self.positions(len(args))
        program = read(self.function, args, keywords)
        parameters = dict(program.arguments)
        sources = []
        for k in positions:
            p = parameters.get(k)
            if p is None:
                raise NotDifferentiable(
                    f"argument {k} is {args[k]!r}: only floating-point values have "
                    "derivatives",
                    help="choose another argument with argnums",
                )
            self.check(args[k], p.type, k, p.name)
            sources.append(p)
        optimize(program.graph)
        name = f"{self.kind}_{program.graph.name}"
        graph = self.transform(program.graph, sources, name)
        optimize(graph)
        function, source = compile_graph(graph, name)
        return Compiled(program, graph, function, source, [k for k, _ in program.arguments])

    # Inside another function ------------------------------------------------------------

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        """The derivative as part of a function that is being read."""
        positions = self.positions(len(args))
        graph, params, free = graph_of_call(it, self.function, args, keywords)
        sources = []
        for k in positions:
            self.check(None, params[k].type, k, params[k].name)
            sources.append(params[k])
        optimize(graph)
        derived = self.transform(graph, sources, f"{self.kind}_{graph.name}")
        given = [*args, *keywords.values(), *free]
        return splice(it, derived, [it.concrete(a) for a in given])


def graph_of_call(
    it: Interpreter, function: Any, args: list[Node], keywords: dict[str, Node]
) -> tuple[Graph, list[Parameter], list[Node]]:
    """A call inside a function as a graph of its own.

    Returns the graph, its parameters for the arguments, and the outer values that are
    its further parameters.
    """
    name = getattr(function, "__name__", None) or "f"
    graph = Graph(name if name.isidentifier() else "f")
    args = [it.concrete(a) for a in args]
    params = [graph.add_parameter(a.type, a.name) for a in args]
    named = {k: graph.add_parameter(v.type, k) for k, v in keywords.items()}
    callee = function if isinstance(function, Node) else it.constant(function)
    before = it.known_items
    it.known_items = {}
    with it.region(graph):
        graph.results = [it.concrete(call(it, callee, list(params), dict(named)))]
    it.known_items = before
    return graph, params, close_graph(graph)


def splice(it: Interpreter, graph: Graph, given: list[Node]) -> Node:
    """Put the statements of a graph into the one that is being read; its result."""
    substitute(graph, {id(p): a for p, a in zip(graph.params, given, strict=True)})
    for node in graph.body:
        it.graph.append(node)
        for region in node.regions:
            region.parent = it.graph
    return graph.results[0]


def call_key(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What tells calls apart that need programs of their own."""
    parts = []
    for value in (*args, *keywords.values()):
        if isinstance(value, str) or (is_static(value) and callable(value)):
            parts.append(value)
        else:
            parts.append(signature_of(value))
    return (tuple(parts), tuple(keywords))


def scalar_result(graph: Graph, aux: bool, kind: str) -> None:
    """Refuse to take the gradient of a function whose result is not one number."""
    result = graph.results[0]
    t = deref(result.type)
    if aux:
        if not (isinstance(t, Tuple) and len(t.items) == 2):
            raise NotDifferentiable(
                f"with has_aux the function must return a pair, it returns {t!r}",
                result.span,
                "return loss, aux",
            )
        t = deref(t.items[0])
    if isinstance(t, AnyType):
        return
    if not isinstance(t, Num) or (t.ndim is not None and t.ndim > 0):
        raise NotDifferentiable(
            f"{kind} needs a function that returns one number, '{graph.name}' returns {t!r}",
            result.span,
            "sum it, or use ad.jacobian or ad.vjp",
        )
    if t.dtype is not None and t.dtype.kind == "c":
        raise NotDifferentiable(
            f"{kind} needs a real result, '{graph.name}' returns a complex number",
            result.span,
            "take its real part or its absolute value, or use ad.vjp",
        )


VERIFY = bool(os.environ.get("ANADROME_VERIFY"))
