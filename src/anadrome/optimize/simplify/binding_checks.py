"""Checks that a name is bound where a branch or another check has shown it.

if test:                             if test:
    assert test, UnboundLocalError       …
    …
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, walk


def remove_known_bindings(graph: Graph) -> None:
    """Leave out checks that names are bound which cannot fail."""
    if any(_is_binding_check(n) for n in walk(graph)):
        _without_known(graph, frozenset())


def _is_binding_check(node: Apply) -> bool:
    return node.op is ops.ASSERT and len(node.args) > 2


def _without_known(region: Graph, known: frozenset[tuple[int, bool]]) -> None:
    kept = []
    for node in region.body:
        if _is_binding_check(node):
            fact = _fact(node.args[0], True)
            if fact in known:
                continue
            known |= {fact}
        shown = [_fact(node.args[0], w) for w in (True, False)] if node.args else []
        for k, inner in enumerate(node.regions):
            more = {shown[k]} if node.op is ops.IF else set()
            _without_known(inner, known | more)
        unread = node.op is ops.IF and not node.outputs and not node.retained
        if unread and not any(r.body for r in node.regions):
            continue
        kept.append(node)
    region.body = kept


def _fact(test: Node, holds: bool) -> tuple[int, bool]:
    """That a test holds or does not, by what it negates."""
    while isinstance(test, Apply) and test.op is ops.NOT:
        test, holds = test.args[0], not holds
    return id(test), holds
