"""Functions that `functools.lru_cache` keeps the results of.

They are computed whenever they are called. That can be told from what Python does only
where a function changes or prints something, or where its result is changed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls import library
from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import Partial
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, Output, Parameter, called_graphs, walk
from anadrome.ir.types import alias_of, is_stored


@handles(library.cached)
def _cached(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return it.constant(Partial(it.constant(library.call_cached), (args[0],), {}))


@handles(library.call_cached)
def call_cached(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """The result of a function whose first call with its arguments is kept."""
    from anadrome.frontend.calls.calls import call

    function, *given = args
    before, count, graph = dict(it.env), len(it.graph.body), it.graph
    result = call(it, function, given, keywords)
    new = graph.body[count:] if it.graph is graph else []
    if _changed(before, it.env) or _acts(new):
        raise it.fail(
            UnsupportedSyntax,
            "a function whose results are kept does more than to compute them",
            "leave out functools.cache, or what it changes or prints",
        )
    if _branches_out(new):
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
