"""From a function and the types of its arguments to a compiled derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome.backends.python.compiled import compile_graph
from anadrome.errors import NotDifferentiable
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.program import Known, Program, read
from anadrome.infer.sizes import check_sizes
from anadrome.ir.graph import Graph, Node
from anadrome.ir.types import Type, deref, is_differentiable
from anadrome.jit import is_native
from anadrome.optimize.passes import FINAL, Ahead, optimize
from anadrome.running import Compiled, NativeProgram
from anadrome.transform.nesting import graph_of_call, splice
from anadrome.transform.products import call_of, keeps_shadows, product_of
from anadrome.transform.results import fill_results, own_results

if TYPE_CHECKING:
    from anadrome.derivative import Derived
    from anadrome.jit import Jitted


def build(
    derived: Derived, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Compiled:
    """The program of a derivative for arguments of these types."""
    positions = derived.positions(len(args))
    program = read(derived.function, args, keywords)
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
        check_source(p.type, k, p.name)
        sources.append(p)
    optimize(program.graph)
    name = f"{derived.kind}_{program.graph.name}"
    graph = derived.transform(program.graph, sources, name)
    return finish(derived, program, graph, len(args), is_native(derived.function))


def finish(
    derived: Derived, program: Program, graph: Graph, count: int, native: bool
) -> Compiled:
    """The graph of a derivative as a program, in native code or in Python."""
    optimize(optimize(graph), FINAL)
    own_results(graph, derived.results)  # type: ignore[attr-defined]
    code = getattr(derived.function, "__code__", None)
    made: Compiled
    if native:
        made = _native(program, graph, code, count)
    else:
        function, source = compile_graph(graph, graph.name)
        made = Compiled(program, graph, function, source, code, count)
    made.places = list(derived.wanted)
    return made


# Native code ------------------------------------------------------------------------


def _native(
    program: Program,
    graph: Graph,
    code: Any,
    count: int,
    plain: Callable[[], Graph] | None = None,
) -> NativeProgram:
    # LLVM takes a moment to load, and only native code needs it.
    from anadrome.backends.native.compiled import NativeFunction

    function = NativeFunction(graph, plain=plain)
    return NativeProgram(program, graph, function, None, code, count)


def build_native(
    jitted: Jitted, args: tuple[Any, ...], keywords: dict[str, Any]
) -> NativeProgram:
    """A function as native code, for arguments of these types."""
    static = jitted.static
    given = tuple(Known(a) if k in static else a for k, a in enumerate(args))
    named = {k: Known(v) if k in static else v for k, v in keywords.items()}
    ahead = Ahead()
    program = read(jitted.function, given, named, ahead)
    graph = optimize(ahead.run(optimize(program.graph)), FINAL)
    plain: Callable[[], Graph] | None = None
    if ahead.changed:

        def plain() -> Graph:
            found = read(jitted.function, given, named).graph
            return optimize(optimize(found), FINAL)

    code = getattr(jitted.function, "__code__", None)
    values = [
        args[k] if isinstance(k, int) else keywords[k] for k, _ in program.arguments
    ]
    check_sizes(graph, [*values, *(c.read() for c in program.captures)])
    return _native(program, graph, code, len(args), plain)


def check_source(t: Type, position: int, label: str | None) -> None:
    """Refuse to differentiate with respect to whole numbers and the like."""
    if is_differentiable(t):
        return
    what = f"argument {position}" + (f" ('{label}')" if label else "")
    raise NotDifferentiable(
        f"{what} is {deref(t)!r}: only floating-point values have derivatives",
        help="convert it with float(…) or .astype(float), or choose another with argnums",  # noqa: E501
    )


# Inside another function ------------------------------------------------------------


def inline(
    derived: Derived, it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    """A derivative as part of a function that is being read."""
    positions = derived.positions(len(args))
    graph, params, free = graph_of_call(it, derived.function, args, keywords)
    sources = []
    for k in positions:
        check_source(params[k].type, k, params[k].name)
        sources.append(params[k])
    optimize(graph)
    if it.prepare is not None:
        it.prepare.run(graph)
    product = product_of(derived, graph, sources)
    made = derived.transform(graph, sources, f"{derived.kind}_{graph.name}")
    fill_results(made, derived.results)  # type: ignore[attr-defined]
    given = [it.concrete(a) for a in (*args, *keywords.values(), *free)]
    if product is None or not keeps_shadows(made):
        return splice(it, made, given)
    made.product = product
    own_results(made, derived.results)  # type: ignore[attr-defined]
    return call_of(it, made, given)


__all__ = ["build", "build_native", "finish", "inline"]
