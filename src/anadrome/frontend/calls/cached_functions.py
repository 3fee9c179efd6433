"""Functions that `functools.lru_cache` keeps the results of.

They are computed whenever they are called, but a function that calls itself more than
once has a dictionary of its results until the first of its calls returns. That can be
told from what Python does only where a function changes or prints something, or where
its result is changed.
"""

from __future__ import annotations

import ast
import copy
import types as pytypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls import library
from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.source import source_of
from anadrome.frontend.values.compile_time import Closure, Key, Partial, Scope
from anadrome.frontend.values.variables import same_constant
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, Output, Parameter, called_graphs, walk
from anadrome.ir.types import alias_of, is_differentiable, is_stored


@handles(library.cached)
def _cached(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    function = getattr(args[0], "value", None)
    if isinstance(function, Closure):
        it.kept[function] = _captured(it, function)
    return it.constant(Partial(it.constant(library.call_cached), (args[0],), {}))


def _captured(it: Interpreter, function: Closure) -> dict[Key, Node]:
    """The variables of functions around that a function reads, and their values."""
    found = {}
    for node in ast.walk(function.source.node):
        scope: Scope | None = function.scope
        while isinstance(node, ast.Name) and scope is not None:
            if (scope, node.id) in it.env:
                found[scope, node.id] = it.env[scope, node.id]
                break
            scope = scope.parent
    return found


@handles(library.call_cached)
def call_cached(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """The result of a function whose first call with its arguments is kept."""
    from anadrome.frontend.calls.calls import call

    function, *given = args
    key = getattr(function, "value", None)
    known = None if keywords else it.memoised.get(key)
    if known is not None:
        return call(it, known.call, [given[k] for k in known.places], {})
    for (scope, name), node in it.kept.get(key, {}).items():
        now = it.env.get((scope, name))
        if now is not node and not (now is not None and same_constant(now, node)):
            raise it.fail(
                UnsupportedSyntax,
                f"a function whose results are kept reads '{name}', which has changed",
                "leave out functools.cache, or make it an argument",
            )
    before, count, graph = dict(it.env), len(it.graph.body), it.graph
    memo = None if keywords else _memo(it, function, given)
    if memo is not None:
        it.memoised[key] = memo
        try:
            result = call(it, memo.call, [given[k] for k in memo.places], {})
        finally:
            del it.memoised[key]
    else:
        result = call(it, function, given, keywords)
    new = graph.body[count:] if it.graph is graph else []
    if _changed(before, it.env) or _acts(new):
        raise it.fail(
            UnsupportedSyntax,
            "a function whose results are kept does more than to compute them",
            "leave out functools.cache, or what it changes or prints",
        )
    if memo is None and _branches_out(new):
        raise it.fail(
            UnsupportedSyntax,
            "a function whose results are kept calls itself more than once: without "
            "them, the calls would become more and more",
            "fill a table in a loop, or keep what was found in a dictionary",
        )
    result = it.concrete(result)
    if is_stored(result.type):
        # It was changed while it was made; what counts is whether it is afterwards.
        result = it.concrete(call(it, it.constant(copy.copy), [result], {}))
    if alias_of(result.type) is not None:
        it.computed.append((result.type, it.span, "the result of the function"))
    return result


@dataclass(frozen=True)
class Memo:
    """A function that keeps its results, and which arguments it is still given."""

    call: Node
    places: list[int]


def _memo(it: Interpreter, function: Node, given: list[Node]) -> Memo | None:
    """The function with a dictionary of its results, if it calls itself repeatedly.

    Its keys hold no number that a derivative may depend on: it would depend on another
    one that is equal. Such arguments must be handed on as they are.
    """
    from anadrome.frontend.calls.calls import call

    value = getattr(function, "value", None)
    if isinstance(value, Closure):
        syntax = value.source.node
    elif isinstance(value, pytypes.FunctionType):
        syntax = source_of(value, it.span).node
    else:
        return None
    calls = _Calls(syntax)
    if calls.count < 2:
        return None
    places = [k for k, a in enumerate(given) if _is_key(a)]
    fixed = [k for k in range(len(given)) if k not in places]
    if not all(map(calls.hands_on, fixed)):
        return None
    first = places[0] if places else len(given)
    if places and places != list(range(first, places[-1] + 1)):
        return None
    leading = tuple(given[:first])
    named = {calls.names[k]: given[k] for k in fixed if k > first}
    rest = it.constant(Partial(function, leading, named)) if fixed else function
    return Memo(call(it, it.constant(library.memoised), [rest], {}), places)


def _is_key(node: Node) -> bool:
    return alias_of(node.type) is None and not is_differentiable(node.type)


class _Calls(ast.NodeVisitor):
    """The calls of itself that a function makes; one in a loop counts twice."""

    def __init__(self, syntax: Any) -> None:
        self.own = getattr(syntax, "name", None)
        self.names = [a.arg for a in (*syntax.args.posonlyargs, *syntax.args.args)]
        self.calls: list[list[ast.expr]] = []
        self.stored: set[str] = set()
        self.count = 0
        self.depth = 0
        self.visit(syntax)

    def generic_visit(self, node: ast.AST) -> None:
        """Note calls of the function itself, and names that are assigned."""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.stored.add(node.id)
        if isinstance(node, ast.Call):
            given = None
            if isinstance(node.func, ast.Name) and node.func.id == self.own:
                given = node.args
            elif isinstance(node.func, ast.Attribute) and node.func.attr == self.own:
                given = [node.func.value, *node.args]
            if given is not None:
                self.calls.append(given)
                self.count += 2 if self.depth else 1
        repeated = isinstance(node, _LOOPS)
        self.depth += repeated
        super().generic_visit(node)
        self.depth -= repeated

    def hands_on(self, k: int) -> bool:
        """Whether every call is given what the function was given at a place."""
        name = self.names[k] if k < len(self.names) else None
        return name not in (None, *self.stored) and all(
            k < len(args)
            and not any(isinstance(a, ast.Starred) for a in args[: k + 1])
            and getattr(args[k], "id", None) == name
            for args in self.calls
        )


_LOOPS = (
    *(ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _branches_out(body: list[Apply]) -> bool:
    """Whether a function calls itself twice, or in a loop."""
    pending = [(node, False) for node in body]
    seen: set[int] = set()
    count = 0
    while pending:
        node, repeated = pending.pop()
        callee = getattr(node.args[0], "value", None) if node.args else None
        if node.op is ops.CALL and isinstance(callee, Graph):
            if id(callee) in seen:
                count += 1
            else:
                seen.add(id(callee))
                pending += [(n, False) for n in callee.body]
            if repeated or count > 1:
                return True
        loops = node.op in (ops.FOR, ops.WHILE)
        for region in node.regions:
            pending += [(n, repeated or loops) for n in region.body]
    return False


def _changed(before: dict[Any, Node], after: dict[Any, Node]) -> bool:
    """Whether variables, or parts of objects, that there were are others now."""
    owners = {id(owner) for owner, _ in before}
    return any(
        before.get(key) is not node
        for key, node in after.items()
        if id(key[0]) in owners and not str(key[1]).startswith("%")
    )


def _acts(body: list[Apply]) -> bool:
    """Whether statements do something to what was there before them."""
    nodes = [inner for n in body for inner in (n, *_inside(n))]
    own = {id(n) for n in nodes}
    regions = {id(r) for n in nodes for r in n.regions}
    return any(
        is_noticed(n) or (_writes(n) and not _is_own(n.args[0], own, regions))
        for n in nodes
    )


def _inside(node: Apply) -> Iterable[Apply]:
    for region in node.regions:
        for graph in called_graphs(region):
            yield from walk(graph)


def _writes(node: Apply) -> bool:
    return isinstance(node.op, ops.Op) and node.op.writes


def _is_own(node: Node, own: set[int], regions: set[int]) -> bool:
    """Whether something was made by the statements themselves."""
    if isinstance(node, Output):
        node = node.apply
    if isinstance(node, Parameter):
        home: Graph | None = node.graph
        return home is not None and (id(home) in regions or home.parent is None)
    return id(node) in own


_QUIET = (isinstance, issubclass, len, list, ord, type, range, min, max, abs, round)
"""Builtins that only look, whatever they are given."""


def is_noticed(node: Apply) -> bool:
    """Whether a statement calls code that may do something outside the program."""
    if node.op not in (ops.PYCALL, ops.METHOD, ops.OBSERVE) or node.target is True:
        return False
    callee = getattr(node.args[0], "value", None)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        return False
    helper = str(getattr(callee, "__module__", "")).startswith("anadrome.")
    return not helper and not any(callee is quiet for quiet in _QUIET)
