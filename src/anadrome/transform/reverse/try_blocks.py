"""Blocks of `try` that may be left after they have changed something in place.

The backward pass goes through the block if it has completed and through the handler if
not; of a block that was left midway it knows nothing. A store that is the last thing in
its block that can fail has happened if, and only if, the block has completed. Every
other store is noted before it happens, and a handler that finds a note refuses to go
on:

    begun = [False]
    try:
        for i in range(n):
            begun[0] = True
            x[i] = f(y[i])
    except ValueError:
        if begun[0]:
            raise MutationError("…")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome.errors import MutationError
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import BOOL, NEVER, List, Other

if TYPE_CHECKING:
    from anadrome.transform.dependence.activity import Activity
    from anadrome.transform.reverse.walk import Reverse

_REFUSAL = "an exception left a try block after something was changed in place in it"
_HELP = "compute the values in the block and store them after it"


def watch(r: Reverse, node: Apply) -> Node | None:
    """The note that the stores in a `try` block leave, None if it needs none."""
    body, handler = node.regions
    if any(n.op is ops.RAISE for n in handler.body):
        return None  # nothing goes on, so nothing goes backward
    stores = _uncertain(r.activity, body)
    if not stores:
        return None
    it = r.it
    kind = List(BOOL)
    kind.alias.store()
    begun = it.emit(ops.LIST, (it.constant(False),), kind)
    begun.name, begun.comment = "begun", None
    for store in stores:
        r.watched.setdefault(id(store), []).append(begun)
    return begun


def note(r: Reverse, node: Apply) -> None:
    """Note that a store is about to happen, for the blocks that ask for it."""
    it = r.it
    for begun in r.watched.get(id(node), ()):
        it.emit(ops.SETITEM, (begun, it.constant(0), it.constant(True)), NEVER)


def refuse_interruption(r: Reverse, begun: Node) -> None:
    """What a handler does first: refuse to go on from a block that left a note."""
    it = r.it
    refusal = Graph("then", it.graph)
    with it.region(refusal):
        error = it.emit(
            ops.PYCALL,
            (it.constant(MutationError), it.constant(_REFUSAL)),
            Other(MutationError),
            keywords={"help": it.constant(_HELP)},
        )
        it.emit(ops.RAISE, (error,), NEVER)
    test = it.emit(ops.GETITEM, (begun, it.constant(0)), BOOL)
    it.emit(ops.IF, (test,), NEVER, regions=(refusal, Graph("else", it.graph)))


def _uncertain(activity: Activity, body: Graph) -> list[Apply]:
    """The stores that may have happened when the block is left."""
    inner = list(body.body)
    while inner and _cannot_fail(inner[-1]):
        inner.pop()
    if inner and _is_store(activity, inner[-1]):
        inner.pop()
    inside = (n for top in inner for n in (top, *_within(top)))
    return [n for n in inside if _is_store(activity, n) or _calls_one(activity, n)]


def _cannot_fail(node: Apply) -> bool:
    return isinstance(node.op, ops.Op) and node.op.total and not node.regions


def _within(node: Apply) -> list[Apply]:
    return [n for region in node.regions for n in walk(region)]


def _is_store(activity: Activity, node: Apply) -> bool:
    writes = isinstance(node.op, ops.Op) and node.op.writes
    return writes and activity.buffer(node.args[0].type)


def _calls_one(activity: Activity, node: Apply) -> bool:
    """Whether a call may store something before it fails."""
    named = [a.value for a in node.inputs if isinstance(a, Constant)]
    return any(
        _is_store(activity, n)
        for callee in (*named, node.target)
        if isinstance(callee, Graph)
        for g in called_graphs(callee, recorded=True)
        for n in walk(g)
    )
