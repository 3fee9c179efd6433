"""Generators that run over themselves, as those that walk over trees do.

While the depth is known, one is read inside the other. Otherwise such a generator
becomes a recursive function that returns the list of its items. It is run to its end
before the first of them is used, and so it may do nothing that tells when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls import recursion
from anadrome.frontend.calls.cached_functions import is_noticed
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.generators import Visit, run_over_items, run_through
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.frontend.values.compile_time import Recursion, Scope
from anadrome.frontend.values.iterators import Generator
from anadrome.frontend.values.type_structure import structure_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import alias_of, classes_of

_MOST_NESTED = 12
"""A generator may be read inside itself so often."""
_MOST_READ = 40
"""So often it may be read while the outermost of its kind is."""
_MOST_GIVEN = 200
"""So often what is done with its items may be read meanwhile."""


def run_recursive(it: Interpreter, generator: Generator, visit: Visit) -> Node:
    """Run a generator that may run over itself to its end; what it returns."""
    origin, node = generator.origin, generator.source.node
    assert origin is not None
    structure = tuple(structure_of(it, v) for v in origin.values.values())
    key = (origin.key, structure)
    known = recursion.find_recursive(it, key, origin.values, origin.function)
    if known is not None:
        first = len(it.graph.body)
        items = recursion.call_recursive(it, known, origin.values)
        return _run_over(it, generator, items, visit, first)
    active = [k for n, k in it.active if n is node and k == key]
    if len(active) > _MOST_NESTED or it.inlined.get(key, 0) > _MOST_READ:
        raise Recursion(key)
    it.inlined[key] = it.inlined.get(key, 0) + 1
    given = (key, "given")
    contents = {n: [*v] for n, v in it.known_items.items()}
    before = (dict(it.env), contents, len(it.graph.body), len(it.frames), it.graph)
    checks = len(it.checks)
    it.active.append((node, key))

    def counted(value: Node) -> Node:
        it.inlined[given] = it.inlined.get(given, 0) + 1
        if it.inlined[given] > _MOST_GIVEN:
            raise Recursion(key)
        return visit(value)

    try:
        return run_through(it, generator, counted if active else visit)
    except Recursion as found:
        if active or found.key != key:
            raise
    finally:
        it.active.pop()
        if not active:
            it.inlined.pop(key, None)
            it.inlined.pop(given, None)
    it.env, it.known_items, size, depth, graph = before
    assert it.graph is graph
    del it.graph.body[size:]
    del it.frames[depth:]
    del it.checks[checks:]
    made = recursion.make_recursive(
        it,
        key,
        generator.source,
        origin.make_scope,
        origin.values,
        origin.function,
        _list_items,
    )
    return _run_over(it, generator, made, visit, size)


def _list_items(
    it: Interpreter, source: FunctionSource, scope: Scope, values: dict[str, Node]
) -> Node:
    """A list of everything that a generator gives."""
    from anadrome.frontend.syntax.generators import make_generator
    from anadrome.frontend.values.item_writes import append
    from anadrome.frontend.values.sequences import make_list

    for n in ast.walk(source.node):
        if isinstance(n, ast.Return) and n.value is not None:
            raise _refuse(it, source, "returns a value")
    made = make_generator(it, source, scope, values)
    assert isinstance(made, Constant)
    out = make_list(it, [])

    def visit(value: Node) -> Node:
        append(it, out, value)
        return it.constant(False)

    run_through(it, made.value, visit)
    return out


def _refuse(it: Interpreter, source: FunctionSource, why: str) -> Exception:
    return it.fail(
        UnsupportedSyntax,
        f"the generator '{source.name}' runs over itself to a depth that is known only "
        f"at run time, and {why}",
        "write a recursive function that returns a list",
    )


def _run_over(
    it: Interpreter, generator: Generator, items: Node, visit: Visit, first: int
) -> Node:
    """Run over the items, and see that nobody can tell when they were made."""
    called = items.args[0].value  # type: ignore[attr-defined]
    it.env[generator.state] = it.constant(-1)
    run_over_items(it, generator, items, visit)
    given = it.graph.body[first:]
    it.checks.append(lambda: _check(it, generator, called, items, given))
    return it.constant(None)


def _check(
    it: Interpreter, generator: Generator, graph: Graph, items: Node, used: list[Apply]
) -> None:
    inside = [n for g in called_graphs(graph) for n in walk(g)]
    own = {id(n) for n in inside}
    for n in inside:
        written = _writes(n) and id(n.args[0]) not in own
        if is_noticed(n) or n.op is ops.RAISE or written:
            raise _refuse(it, generator.source, "does more than to give items")
    assert isinstance(items, Apply)
    looked_at = {id(a) for a in classes_of([a.type for a in items.args[1:]])}
    read = {n.args[1].value for n in inside if n.op is ops.GETATTR}  # type: ignore[attr-defined]
    for n in _within(used):
        if not _writes(n) or n is items:
            continue
        if n.op is ops.SETATTR:
            seen = n.args[1].value in read  # type: ignore[attr-defined]
        else:
            seen = id(alias_of(n.args[0].type)) in looked_at
        if seen:
            raise _refuse(it, generator.source, "what it looks at is changed meanwhile")


def _within(nodes: list[Apply]) -> Iterator[Apply]:
    for node in nodes:
        yield node
        for region in node.regions:
            yield from walk(region)


def _writes(node: Apply) -> bool:
    return isinstance(node.op, ops.Op) and node.op.writes
