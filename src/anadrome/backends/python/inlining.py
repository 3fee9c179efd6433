"""Which values are printed inside the expression that uses them.

A value without a name of the user's that is used once, in the same region, with
nothing but pure statements in between, needs no line of its own.
"""

from __future__ import annotations

from anadrome.backends.python.positions import Layout
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output
from anadrome.ir.types import Cell, Num, deref, is_stored
from anadrome.primitives.registry import Primitive

_TEXTUAL = (ops.TUPLE, ops.SLICE, ops.CAST)


def is_pure(node: Apply) -> bool:
    """Whether a statement can be moved past another pure one."""
    if node.regions:
        return all(is_pure(n) for r in node.regions for n in r.body) and (
            node.op is ops.IF
        )
    if isinstance(node.op, Primitive):
        return node.op.pure
    if node.op in (ops.PYCALL, ops.OBSERVE):
        return node.target is True
    return bool(node.op.pure)


def reads_buffer(node: Apply) -> bool:
    """Whether a statement reads something that is changed in place somewhere."""
    return any(is_stored(n.type) for n in node.inputs)


def find_inlined(graph: Graph, layout: Layout) -> set[int]:
    """The identities of the values that get no variable."""
    found: set[int] = set()
    _region(graph, layout, found)
    return found


def _region(graph: Graph, layout: Layout, found: set[int]) -> None:
    consumer: dict[int, int] = {}
    for k, node in enumerate(graph.body):
        for n in node.inputs:
            consumer[id(n)] = k
        for region in node.regions:
            _region(region, layout, found)
        if node.op in (ops.FOR, ops.WHILE) and node.shape.breaks:
            _settle_break(node, found)
    for r in graph.results:
        consumer.setdefault(id(r), len(graph.body))
    # Where the last statement with effects before each position stands.
    barrier = [-1]
    for k, node in enumerate(graph.body):
        barrier.append(barrier[-1] if is_pure(node) else k)
    failing: set[int] = set()
    for k, node in enumerate(graph.body):
        if node.op in _TEXTUAL or (
            node.op is ops.IF and is_choice(node, found, layout)
        ):
            pass
        elif not _has_expression(node) or is_part_of_call(node):
            continue
        uses = layout.uses.get(id(node), 0)
        if node.op is ops.IF:
            uses = layout.uses.get(id(node.outputs[0]), 0)
        key = id(node.outputs[0]) if node.op is ops.IF else id(node)
        named = (node.outputs[0] if node.op is ops.IF else node).name is not None
        if named and node.op is not ops.CAST:
            continue
        if uses != 1 or not is_pure(node):
            continue
        where = consumer.get(key)
        if where is None or where <= k:
            continue
        if where < len(graph.body) and graph.body[where].regions:
            # Evaluated before the statement's regions only if it is an input of it.
            inputs = graph.body[where].inputs
            if not any(id(n) == key for n in inputs):
                continue
            if graph.body[where].op is ops.WHILE:
                continue
        if barrier[where] > k:
            continue
        if _may_leave_domain(node) or any(id(n) in failing for n in node.inputs):
            if any(map(_divides, graph.body[k + 1 : where])):
                # Both may raise, at the same numbers, and Python would do this first.
                continue
            failing.add(key)
        found.add(key)
        if node.op is ops.IF:
            found.add(id(node))


def _settle_break(loop: Apply, found: set[int]) -> None:
    """Give the flag of a `break` a variable if it reads what an iteration replaces.

    It is asked for after the variables of the loop have their new values.
    """
    body = loop.regions[-1]
    offset = len(body.params) - loop.shape.carried
    replaced = {id(p) for p, r in zip(body.params[offset:], body.results) if r is not p}
    flag = body.results[-1]
    pending: list[Node] = [flag]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in replaced:
            made = flag.apply if isinstance(flag, Output) else flag
            found -= {id(flag), id(made)}
            return
        if id(node) not in found or id(node) in seen:
            continue
        seen.add(id(node))
        made = node.apply if isinstance(node, Output) else node
        assert isinstance(made, Apply)
        pending += made.inputs
        for region in made.regions:
            pending += region.results


def _may_leave_domain(node: Apply) -> bool:
    """Whether a statement is a function of `math`, which raise where NumPy's do not."""
    return str(getattr(node.target, "__module__", "")) == "math"


def _divides(node: Apply) -> bool:
    """Whether a statement divides Python's numbers, or takes a power of them."""
    named = isinstance(node.op, Primitive) and node.op.name in ("divide", "power")
    types = [deref(n.type) for n in node.inputs]
    return named and any(isinstance(t, Num) and t.python for t in types)


def _has_expression(node: Apply) -> bool:
    if isinstance(node.op, Primitive):
        return True
    t = deref(node.type)
    if node.op in (ops.LIST, ops.DICT, ops.RECORD) and isinstance(t, Cell):
        # A list that is changed later must have a name of its own.
        return not t.stored
    return node.op in (
        ops.GETITEM,
        ops.GETATTR,
        ops.LENGTH,
        ops.CONVERT,
        ops.IS,
        ops.NOT,
        ops.CONTAINS,
        ops.NAMEDTUPLE,
        ops.PYCALL,
        ops.OBSERVE,
        ops.SET,
        ops.COPY,
    )


def is_part(node: Apply) -> bool:
    """Whether a statement reads a part of a tuple that has just been computed."""
    if node.op is not ops.GETITEM:
        return False
    base, key = node.args
    whole = isinstance(base, Apply) and isinstance(key, Constant)
    return whole and type(key.value) is int  # type: ignore[attr-defined]


def is_part_of_call(node: Apply) -> bool:
    """Whether a statement reads a part of the tuple that a call returned."""
    return is_part(node) and node.args[0].op is ops.CALL  # type: ignore[attr-defined]


def is_choice(node: Apply, found: set[int], layout: Layout) -> bool:
    """Whether a branch is no more than `a if c else b`."""
    if node.op is not ops.IF or len(node.outputs) != 1:
        return False
    for region in node.regions:
        if any(id(n) not in found for n in region.body):
            return False
        if isinstance(region.results[0], Constant) and not _printable(
            region.results[0]
        ):
            return False
    return True


def _printable(node: Constant) -> bool:
    from anadrome.ir.graph import UNDEFINED

    return node is not UNDEFINED
