"""Looking at programs: `source` and `show`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.api.jit import Jitted
from anadrome.driver.specialise import Derived
from anadrome.errors import ArgumentError

if TYPE_CHECKING:
    from anadrome.ir.graph import Graph
    from anadrome.ir.types import Type


def _graph_of(fun: Any, args: tuple[Any, ...]) -> Graph:
    """The graph of a function, or of a derivative, for arguments like these."""
    from anadrome.frontend.program import read
    from anadrome.optimize.passes import optimize

    given = args or _assumed(fun)
    if isinstance(fun, Derived | Jitted):
        return fun.specialise(_without_tangents(fun, given), {}).graph
    if not callable(fun):
        raise ArgumentError(f"this is a {type(fun).__name__}, not a function")
    return optimize(read(fun, given, {}).graph)


def _without_tangents(fun: Derived | Jitted, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments without the vector that a Hessian is to be multiplied with."""
    if not isinstance(fun, Derived) or fun.kind != "hvp":
        return args
    try:
        inspect.signature(fun.function).bind(*args)
    except TypeError:
        return args[:-1]
    return args


def source(fun: Any, *example_args: Any) -> str:
    """The Python source of a derivative, or of a function as the compiler sees it.

    With example arguments it is the program for arguments of those types; without
    them every parameter is taken to be an array of floats.
    """
    from anadrome.backends.python.compiled import compile_graph

    if isinstance(fun, Derived | Jitted):
        args = example_args or _assumed(fun)
        return fun.specialise(_without_tangents(fun, args), {}).source.text
    graph = _graph_of(fun, example_args)
    return compile_graph(graph, graph.name)[1].text


def _assumed(fun: Any) -> tuple[Type, ...]:
    """A type for each parameter of a function of which nothing is known."""
    from anadrome.ir.types import Num

    inner = fun
    while isinstance(inner, Derived | Jitted):
        inner = inner.function
    found: list[Type] = []
    for p in inspect.signature(inner).parameters.values():
        if p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            break
        scalar = p.annotation in (float, "float")
        found.append(Num(np.dtype(float), 0 if scalar else None, scalar))
    return tuple(found)


def show(
    fun: Any, *example_args: Any, stage: str = "optimized", format: str = "text"
) -> Any:
    """The graph of a function or a derivative, as text or as a picture.

    `stage` says how far it has come: "read" is the function as it was read,
    "derivative" what differentiation made of it, "optimized" what the Python backend
    prints, "vectorised" (of `ad.jit`) the same with loops over whole arrays where they
    allow it, "native" what native code is made from, "llvm" that code; the name of a
    pass gives the graph after it. `format="html"` gives an object that notebooks show
    as a picture; `str` of it is a page that stands alone, and `save(path)` writes it
    to a file.
    """
    from anadrome.ir.printer import print_graph

    if format not in ("text", "html"):
        raise ArgumentError(f"format is 'text' or 'html', not {format!r}")
    seen: list[str] = []
    for name, graph in _stages(fun, example_args):
        if name != stage:
            seen += [name] if name not in seen else []
            continue
        if isinstance(graph, str):
            return graph
        if format == "text":
            return print_graph(graph)
        from anadrome.api.pictures import Picture

        return Picture(graph)
    raise ArgumentError(
        f"there is no stage {stage!r}", help=f"the stages are {', '.join(seen)}"
    )


def _vectorised(jitted: Jitted, given: tuple[Any, ...]) -> Graph:
    """The graph that the passes for native code are given."""
    from anadrome.frontend.program import Known, read
    from anadrome.optimize.passes import FINAL, Ahead, optimize

    args = tuple(Known(a) if k in jitted.static else a for k, a in enumerate(given))
    ahead = Ahead()
    graph = read(jitted.function, args, {}, ahead).graph
    return optimize(ahead.run(optimize(graph)), FINAL)


def _stages(fun: Any, args: tuple[Any, ...]) -> Iterator[tuple[str, Graph | str]]:
    """A program after every step from reading to native code, each made on demand."""
    from anadrome.frontend.program import read
    from anadrome.optimize.passes import FINAL, NATIVE, PASSES, optimize
    from anadrome.transform.expansion.results import own_results

    if not callable(fun):
        raise ArgumentError(f"this is a {type(fun).__name__}, not a function")
    given = args or _assumed(fun)
    inner = fun.function if isinstance(fun, Jitted) else fun
    if isinstance(inner, Derived):
        given = _without_tangents(inner, given)
        program = read(inner.function, given, {})
        graph = program.graph
        yield "read", graph
        parameters = dict(program.arguments)
        optimize(graph)
        sources = [parameters[k] for k in inner.positions(len(given))]
        graph = inner.transform(graph, sources, f"{inner.kind}_{graph.name}")
        yield "derivative", graph
    else:
        graph = read(inner, given, {}).graph
        yield "read", graph
    for run in PASSES:
        graph = run(graph)
        yield run.__name__, graph
    for run in FINAL:
        graph = run(graph)
        yield run.__name__, graph
    if isinstance(inner, Derived):
        own_results(graph, inner.results)  # type: ignore[attr-defined]
    yield "optimized", graph
    from anadrome.backends.native.speculation import NativeFunction
    from anadrome.ir.cloning import clone_graph

    if isinstance(fun, Jitted):
        graph = _vectorised(fun, given)
        yield "vectorised", graph
    native = clone_graph(graph)
    for run in NATIVE:
        native = run(native)
        yield run.__name__, native
    yield "native", native
    yield "llvm", NativeFunction(graph).text
