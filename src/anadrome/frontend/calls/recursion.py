"""Functions that call themselves: each becomes a graph that mentions itself.

Its parameter and result types are found by reading it until they no longer change.
Variables of enclosing functions that it reads become parameters, so that every graph
is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.frontend.values.bindings import is_flag_key, is_true, may_be_unbound
from anadrome.frontend.values.captured import CapturedState
from anadrome.frontend.values.compile_time import Key, RecursiveFunction, Scope, Virtual
from anadrome.frontend.values.functions import is_function
from anadrome.frontend.values.type_structure import shape_of
from anadrome.frontend.values.variables import same_constant
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.joins import join
from anadrome.ir.types import (
    NEVER,
    Function,
    NoneType_,
    Str,
    Type,
    deref,
    is_stored,
    same,
)

Run = Callable[[Interpreter, FunctionSource, Scope, dict[str, Node]], Node]


def make_recursive(
    it: Interpreter,
    key: Any,
    source: FunctionSource,
    make_scope: Callable[[], Scope],
    values: dict[str, Node],
    function: Node,
    run: Run | None = None,
) -> Node:
    """Read a recursive function into a graph, and call it.

    `run` reads its body, if that is not inlined like that of any function.
    """
    nodes = [it.concrete(v) for v in values.values()]
    before = it.recursive
    rec = RecursiveFunction(
        key,
        None,
        [],
        [n.type for n in nodes],
        [n if _is_static(n) else None for n in nodes],
        NEVER,
        list(values),
    )
    patient, waited = it.patient, it.waited
    it.patient = True
    try:
        _converge(it, rec, source, make_scope, run)
    finally:
        # What was read on the way belongs to this function, or to no function at all.
        it.recursive = before
        it.patient, it.waited = patient, waited
    _close(rec)
    rec.open, rec.state = False, _state(it, function, nodes)
    it.recursive[key] = (*it.recursive.get(key, ()), rec)
    it.graphs.append(rec.graph)
    return call_recursive(it, rec, dict(zip(rec.names, nodes)))


def find_recursive(
    it: Interpreter, key: Any, values: dict[str, Node], function: Node
) -> RecursiveFunction | None:
    """The graph that a call can use: the one being read, or one of its types."""
    known = it.recursive.get(key, ())
    if not known:
        return None
    for rec in known:
        if rec.open:
            return rec
    nodes = [it.concrete(values[name]) for name in known[0].names]
    if it.classes:
        # Their methods see variables that are not looked for here.
        return None
    state = _state(it, function, nodes)
    fitting = (rec for rec in known if _fits(rec, nodes) and rec.state == state)
    return next(fitting, None)


def _state(it: Interpreter, function: Node, nodes: list[Node]) -> CapturedState:
    return CapturedState(it, [function, *(n for n in nodes if is_function(n))])


def _fits(rec: RecursiveFunction, nodes: list[Node]) -> bool:
    for node, t, static in zip(nodes, rec.param_types, rec.statics):
        if static is not None:
            if node is not static and not same_constant(node, static):
                return False
        elif shape_of(node.type) != shape_of(t):
            return False
    return True


def _converge(
    it: Interpreter,
    rec: RecursiveFunction,
    source: FunctionSource,
    make_scope: Callable[[], Scope],
    run: Run | None,
) -> None:
    """Read a recursive function until its types no longer change.

    A list without items may be one that holds results of the function, of which nothing
    is known at first, or one that stays empty. It is taken for the former until nothing
    changes any more.
    """
    before, count = dict(it.recursive), len(it.graphs)
    for _ in range(25):
        it.recursive = {**before, rec.key: (*before.get(rec.key, ()), rec)}
        del it.graphs[count:]
        rec.dirty = it.waited = False
        shapes = [shape_of(v.type) for v in it.env.values()]
        # What a list of results holds may become known while it is read.
        expected = shape_of(rec.result)
        try:
            result = _read(it, rec, source, make_scope, run)
        except _Escaped as found:
            # What the function changes must exist where it is called.
            for virtual in found.objects:
                it.materialise(virtual)
            for variable in found.variables:
                it.make_cell(variable)
            continue
        widened = join(rec.result, result)
        converged = same(widened, rec.result) and not rec.dirty
        converged = converged and expected == shape_of(rec.result)
        converged = converged and shapes == [shape_of(v.type) for v in it.env.values()]
        rec.result = widened
        if converged and not it.waited:
            return
        it.patient = it.patient and not converged
    raise it.fail(
        TypeMismatch,
        f"the types of '{source.name}' keep changing from call to call",
        "let its arguments and its result have one type each",
    )


def _is_static(node: Node) -> bool:
    if not isinstance(node, Constant):
        return False
    return isinstance(deref(node.type), Function | Str | NoneType_)


class _Escaped(Exception):
    """Thrown when a recursive function changes objects or variables outside it."""

    def __init__(self, objects: list[Virtual], variables: list[Key]) -> None:
        self.objects = objects
        self.variables = variables


def _read(
    it: Interpreter,
    rec: RecursiveFunction,
    source: FunctionSource,
    make_scope: Callable[[], Scope],
    run: Run | None,
) -> Type:
    from anadrome.frontend.calls.calls import inline

    graph = Graph(source.name)
    graph.span = source.span(source.node)
    rec.graph, rec.params = graph, []
    given: dict[str, Node] = {}
    for name, t, static in zip(rec.names, rec.param_types, rec.statics):
        if static is not None:
            given[name] = static
        else:
            p = graph.add_parameter(t, name)
            rec.params.append(p)
            given[name] = p
    before, items, comment = dict(it.env), it.known_items, it.comment
    frames = it.frames
    try:
        it.known_items = {}
        with it.region(graph):
            result = it.concrete((run or inline)(it, source, make_scope(), given))
        graph.results = [result]
        existing = {k[0] for k in before if isinstance(k[0], Virtual)}
        escaped = [
            k[0]
            for k, v in it.env.items()
            if k[0] in existing and before.get(k) is not v and not is_flag_key(k)
        ]
        changed = [
            k
            for k, v in before.items()
            if isinstance(k[0], Scope) and it.env.get(k) is not v and not is_flag_key(k)
        ]
        _refuse_new(it, before)
        if escaped or changed:
            raise _Escaped(list(dict.fromkeys(escaped)), changed)
        return result.type
    finally:
        it.env, it.known_items, it.comment, it.frames = before, items, comment, frames


def _refuse_new(it: Interpreter, before: dict[Key, Node]) -> None:
    """Refuse variables of other functions that a recursive one binds first."""
    owners = {k[0] for k in before if isinstance(k[0], Scope)}
    for key in it.env:
        flag = it.env[key]
        if is_flag_key(key) and before.get(key) is not flag and not is_true(flag):
            if any(k[0] is key[0] for k in before):
                raise it.fail(
                    UnsupportedSyntax,
                    "a recursive function deletes a variable or an attribute",
                    "set it to None instead",
                )
        if key[0] in owners and key not in before and may_be_unbound(key):
            raise it.fail(
                UnsupportedSyntax,
                f"a recursive function gives '{key[1]}' its first value",
                f"assign '{key[1]}' before the first call, on every path",
            )


def call_recursive(
    it: Interpreter, rec: RecursiveFunction, values: dict[str, Node]
) -> Node:
    """A call of a function that has, or is getting, a graph of its own."""
    args: list[Node] = []
    for k, name in enumerate(rec.names):
        node = it.concrete(values[name])
        static = rec.statics[k]
        if static is not None:
            if node is static or same_constant(node, static):
                continue
            if isinstance(deref(static.type), Function):
                if isinstance(node, Constant) and node.value is static.value:  # type: ignore[attr-defined]
                    continue
                raise it.fail(
                    UnsupportedSyntax,
                    f"the recursive call passes another function as '{name}'",
                    "pass values down the recursion, or write a loop",
                )
            rec.statics[k] = None
            rec.dirty = True
        before = shape_of(rec.param_types[k])
        widened = join(rec.param_types[k], node.type)
        if not same(widened, rec.param_types[k]) or shape_of(widened) != before:
            if not rec.open:
                raise it.fail(
                    TypeMismatch,
                    f"'{rec.graph.name}' is called with '{name}' of different types",
                    "let the argument have one type in all calls",
                )
            rec.dirty = True
        rec.param_types[k] = widened
        args.append(node)
    callee = Constant(rec.graph, Function(rec.graph))
    made = it.emit(ops.CALL, (callee, *args, *rec.free), rec.result)
    # The function may have changed every list that anything changes.
    it.known_items = {k: v for k, v in it.known_items.items() if not is_stored(k.type)}
    return made


def _close(rec: RecursiveFunction) -> None:
    """Turn the outer values that a recursive graph reads into parameters of it.

    Functions that it calls and that call it hand them on.
    """
    graph = rec.graph
    before = len(graph.params)
    rec.free = close_graph(graph)
    extra = graph.params[before:]
    given = {id(graph): extra}
    group = [graph]
    for other in called_graphs(graph)[1:]:
        if any(g is graph for g in called_graphs(other)):
            given[id(other)] = [
                other.add_parameter(p.type, p.name, p.span) for p in extra
            ]
            group.append(other)
    for member in group:
        for node in walk(member):
            if node.op is ops.CALL and isinstance(node.args[0], Constant):
                if id(node.args[0].value) in given:
                    node.args = (*node.args, *given[id(member)])


def close_graph(graph: Graph) -> list[Node]:
    """Add a parameter for every outer value that a graph reads; those values."""
    own: set[int] = {id(p) for p in graph.params}
    for node in walk(graph):
        own.add(id(node))
        own.update(id(o) for o in node.outputs)
        for region in node.regions:
            own.update(id(p) for p in region.params)
    free: dict[int, Node] = {}

    def look(n: Node) -> None:
        if isinstance(n, Apply | Output | Parameter) and id(n) not in own:
            free.setdefault(id(n), n)

    for node in walk(graph):
        for n in node.inputs:
            look(n)
        for region in node.regions:
            for n in region.results:
                look(n)
    for n in graph.results:
        look(n)
    replaced: dict[int, Node] = {
        key: graph.add_parameter(n.type, n.name, n.span) for key, n in free.items()
    }
    substitute(graph, replaced)
    return list(free.values())


def substitute(graph: Graph, replaced: dict[int, Node]) -> None:
    """Replace values by others everywhere in a graph."""

    def new(n: Node) -> Node:
        return replaced.get(id(n), n)

    for node in walk(graph):
        node.args = tuple(new(a) for a in node.args)
        node.keywords = {k: new(v) for k, v in node.keywords.items()}
        for region in node.regions:
            region.results = [new(r) for r in region.results]
    graph.results = [new(r) for r in graph.results]
