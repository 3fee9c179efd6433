"""From a function and the types of its arguments to a compiled derivative."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome.api.jit import is_native
from anadrome.backends.python.compiled import compile_graph
from anadrome.driver.program import Compiled, NativeProgram
from anadrome.errors import AnadromeError, NotDifferentiable
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.program import Known, Program, read
from anadrome.frontend.speculation.fixed_lists import (
    as_gradient,
    may_fix_lists,
    refuse_tuple,
)
from anadrome.frontend.values.leaked import refuse_iterators
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.infer.sizes import check_sizes
from anadrome.ir.graph import Graph, Node
from anadrome.ir.types import FixedList, Type, deref, is_differentiable
from anadrome.optimize.passes import FINAL, Ahead, optimize
from anadrome.transform.expansion.nesting import graph_of_call, splice
from anadrome.transform.expansion.results import fill_results, own_results
from anadrome.transform.expansion.second_order import call_of, keeps_shadows, product_of

if TYPE_CHECKING:
    from anadrome.api.jit import Jitted
    from anadrome.driver.specialise import Derived


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
    refuse_iterators(optimize(program.graph))
    name = f"{derived.kind}_{program.graph.name}"
    graph = derived.transform(program.graph, sources, name)
    return finish(derived, program, graph, len(args), is_native(derived.function))


def finish(
    derived: Derived, program: Program, graph: Graph, count: int, native: bool
) -> Compiled:
    """The graph of a derivative as a program, in native code or in Python."""
    optimize(optimize(graph), FINAL)
    values = derived.kind == "vjp"
    own_results(graph, derived.results, values=values)  # type: ignore[attr-defined]
    code = getattr(derived.function, "__code__", None)
    made: Compiled
    if native:
        made = _native(program, graph, code, count)
    else:
        function, source = compile_graph(graph, graph.name)
        made = Compiled(program, graph, function, source, code, count)
    made.places = list(derived.wanted)
    made.copied = made.written
    made.differentiated = derived.function
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
    from anadrome.backends.native.floating_errors import refuse_floating_errors
    from anadrome.backends.native.speculation import NativeFunction

    refuse_floating_errors(graph)
    function = NativeFunction(graph, plain=plain)
    return NativeProgram(program, graph, function, None, code, count)


def build_native(
    jitted: Jitted, args: tuple[Any, ...], keywords: dict[str, Any]
) -> NativeProgram:
    """A function as native code, for arguments of these types."""
    static = jitted.static
    given = tuple(Known(a) if k in static else a for k, a in enumerate(args))
    named = {k: Known(v) if k in static else v for k, v in keywords.items()}
    program, ahead = _read_for_native(jitted.function, given, named)
    graph = refuse_iterators(optimize(ahead.run(optimize(program.graph)), FINAL))
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


def _read_for_native(
    function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Program, Ahead]:
    """A function as it was read, with lists item by item if that is all they are."""
    if may_fix_lists((*given, *named.values())):
        with contextlib.suppress(AnadromeError):
            ahead = Ahead(fixes_lists=True)
            return read(function, given, named, ahead), ahead
    ahead = Ahead()
    return read(function, given, named, ahead), ahead


def check_source(t: Type, position: int, label: str | None) -> None:
    """Refuse to differentiate with respect to integers and the like."""
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
        return _with_gradients(derived, it, splice(it, made, given), args)
    made.product = product
    own_results(made, derived.results)  # type: ignore[attr-defined]
    return _with_gradients(derived, it, call_of(it, made, given), args)


def _with_gradients(
    derived: Derived, it: Interpreter, result: Node, args: list[Node]
) -> Node:
    """The result of a derivative, in which gradients of lists are lists."""
    positions = derived.positions(len(args))
    types = [args[k].type for k in positions]
    if not any(isinstance(deref(t), FixedList) for t in types):
        return result
    paths = derived.results  # type: ignore[attr-defined]
    if derived.kind not in ("grad", "value_and_grad") or len(paths) != 1:
        refuse_tuple(it, *types)

    def at(node: Node, path: tuple[int, ...]) -> Node:
        if path:
            items = [take(it, node, k) for k in range(len(deref(node.type).items))]  # type: ignore[attr-defined]
            items[path[0]] = at(items[path[0]], path[1:])
            return make_tuple(it, items)
        if not isinstance(derived.argnums, tuple):
            return as_gradient(it, node, types[0])
        return make_tuple(
            it, [as_gradient(it, take(it, node, k), t) for k, t in enumerate(types)]
        )

    return at(result, paths[0])


__all__ = ["build", "build_native", "finish", "inline"]
